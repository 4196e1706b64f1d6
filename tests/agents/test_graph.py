"""The graph as LangGraph sees it: nodes and edges, schemas, streams, forks."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.asking import HOSTED, app, scripted
from text2sql import AsyncText2SQL
from text2sql.agents import RunOptions, build
from text2sql.agents.llm_supervisor import build_supervised
from text2sql.agents.routes import ROUTES
from text2sql.errors import UsageError
from text2sql.memory import scoped
from text2sql.serialization import typed_event
from text2sql.types import Event, ModelProfile, ModelRequest, RowsFound, SqlToken

COUNT = "SELECT count(*) AS customers FROM customers"
NAMES = "SELECT name FROM customers ORDER BY id"
QUESTION: Any = {"messages": [{"role": "user", "content": "How many customers are there?"}]}
STAGES = ("classifier", "schema", "generator", "validator", "executor", "interpreter")
CONFIG: Any = {"configurable": {"thread_id": scoped("", "t")}}


async def graph_of(db: AsyncText2SQL) -> Any:
    return build(await db.resources())


async def served_graph(db: AsyncText2SQL) -> Any:
    """As LangGraph's own server runs it, which brings its own threads."""
    return build(replace(await db.resources(), owns_threads=False))


def test_every_agent_is_a_node_and_every_route_an_edge(shop: Path) -> None:
    async def scenario() -> Any:
        async with app(shop, scripted([])) as db:
            return (await graph_of(db)).get_graph()

    drawn = asyncio.run(scenario())
    edges = {(edge.source, edge.target) for edge in drawn.edges if edge.source != "__start__"}
    assert edges == {(route.after, route.then) for route in ROUTES}


def test_studio_gets_the_schemas_of_input_output_and_context(shop: Path) -> None:
    async def scenario() -> list[Any]:
        async with app(shop, scripted([])) as db:
            graphs = [await graph_of(db), build_supervised(await db.resources())]
            return [
                (graph.get_input_jsonschema(), graph.get_output_jsonschema(), graph.get_context_jsonschema())
                for graph in graphs
            ]

    for graph_input, returned, context in asyncio.run(scenario()):
        assert set(graph_input["properties"]) == {"messages", "pagination"}
        assert {"messages", "status", "answer", "execution_result"} <= set(returned["properties"])
        assert {"language", "mode", "preset", "model", "allow_writes"} <= set(context["properties"])


def test_each_node_writes_a_checkpoint(shop: Path) -> None:
    async def scenario() -> list[str]:
        async with app(shop, scripted([COUNT])) as db:
            await db.ask("How many customers are there?", thread="t")
            history = (await graph_of(db)).aget_state_history(CONFIG)
            return [state.values.get("current_stage", "") async for state in history][::-1]

    assert asyncio.run(scenario()) == ["", "", *STAGES]


@pytest.mark.parametrize("stage", STAGES)
def test_a_thread_forks_after_any_node_and_continues_at_the_next(shop: Path, stage: str) -> None:
    async def scenario() -> tuple[tuple[str, ...], list[str], Any]:
        async with app(shop, scripted([], last=COUNT)) as db:
            await db.ask("How many customers are there?", thread="t")
            graph = await graph_of(db)
            history = [state async for state in graph.aget_state_history(CONFIG)]
            after = {state.values.get("current_stage"): state.config for state in history}
            change: Any = {"model": "forked"}
            forked = await graph.aupdate_state(after[stage], change, as_node=stage)
            following = (await graph.aget_state(forked)).next
            ran = [next(iter(step)) async for step in graph.astream(None, forked, stream_mode="updates")]
            return following, ran, (await graph.aget_state(CONFIG)).values

    following, ran, values = asyncio.run(scenario())
    rest = STAGES[STAGES.index(stage) + 1 :]
    assert (following, tuple(ran)) == (rest[:1], rest)
    assert values["status"] == "answered"
    assert values["execution_path"] == list(STAGES)
    assert (values["model"] == "forked") == (stage not in ("classifier", "schema")), "the generator sets it"


def test_a_person_can_act_as_the_generator(shop: Path) -> None:
    """`update_state` as a node routes by what was written, not by the node that ran last."""

    async def scenario() -> tuple[tuple[str, ...], Any]:
        async with app(shop, scripted([COUNT])) as db:
            await db.ask("How many customers are there?", thread="t")
            graph = await graph_of(db)
            before = {state.next: state.config async for state in graph.aget_state_history(CONFIG)}
            written: Any = {"candidates": [{"sql": NAMES, "logprob": None}], "generated_sql": NAMES}
            forked = await graph.aupdate_state(before[("generator",)], written, as_node="generator")
            following = (await graph.aget_state(forked)).next
            await graph.ainvoke(None, forked)
            return following, (await graph.aget_state(CONFIG)).values

    following, values = asyncio.run(scenario())
    assert following == ("validator",)
    assert (values["status"], values["execution_result"]["row_count"]) == ("answered", 3)


@pytest.mark.parametrize("profile", [None, HOSTED])
def test_the_messages_stream_has_the_tokens_of_any_model(shop: Path, profile: ModelProfile | None) -> None:
    async def scenario() -> list[tuple[str, str, str]]:
        backend = scripted([COUNT], **({"can": profile} if profile else {}))
        async with app(shop, backend) as db:
            stream = (await graph_of(db)).astream(
                QUESTION, CONFIG, context=RunOptions(mode="database_direct"), stream_mode="messages"
            )
            return [(meta["langgraph_node"], message.id, message.content) async for message, meta in stream]

    parts = asyncio.run(scenario())
    tokens = [part for part in parts if part[0] == "generator"]
    assert "".join(text for _, _, text in tokens) == COUNT
    assert len(tokens) > 1
    assert len({message_id for _, message_id, _ in tokens}) == 1
    assert parts[-1][0] == "interpreter"


def test_a_failed_model_call_ends_its_messages(shop: Path) -> None:
    async def scenario() -> list[str]:
        async with app(shop, scripted([])) as db:
            stream = (await graph_of(db)).astream(QUESTION, CONFIG, stream_mode="messages")
            return [meta["langgraph_node"] async for _, meta in stream]

    assert asyncio.run(scenario()) == ["interpreter"]


def test_a_call_that_is_not_streamed_is_one_message(shop: Path) -> None:
    def line(request: ModelRequest) -> str:
        return '{"kind": "data", "confidence": 1, "reason": ""}' if "kind" in str(request.schema) else COUNT

    async def scenario() -> list[str]:
        question: Any = {"messages": [{"role": "user", "content": "What about the weather and the moon?"}]}
        async with app(shop, scripted([], last=line, can=HOSTED)) as db:
            stream = (await graph_of(db)).astream(question, CONFIG, stream_mode="messages")
            return [
                message.content async for message, meta in stream if meta["langgraph_node"] == "classifier"
            ]

    assert asyncio.run(scenario()) == ['{"kind": "data", "confidence": 1, "reason": ""}']


def test_events_of_our_own_graph_are_typed_objects(shop: Path) -> None:
    async def scenario() -> list[Event]:
        async with app(shop, scripted([COUNT])) as db:
            stream = (await graph_of(db)).astream(QUESTION, CONFIG, stream_mode="custom")
            return [event async for event in stream]

    assert "".join(event.text for event in asyncio.run(scenario()) if isinstance(event, SqlToken)) == COUNT


def test_events_of_langgraphs_server_are_json_with_a_type(shop: Path) -> None:
    async def scenario() -> list[Any]:
        async with app(shop, scripted([COUNT])) as db:
            return [event async for event in (await served_graph(db)).astream(QUESTION, stream_mode="custom")]

    events = asyncio.run(scenario())
    assert events[0] == {"type": "stage_started", "stage": "classifier"}
    assert [event["stage"] for event in events if event["type"] == "stage_started"] == list(STAGES)
    (rows,) = [event for event in events if event["type"] == "rows_found"]
    assert (rows["columns"], rows["rows"]) == (["customers"], [[3]])
    json.dumps(events, allow_nan=False)


def test_an_integer_that_langgraphs_server_cannot_write_is_text() -> None:
    event = typed_event(RowsFound("", ("n",), ((2**63 - 1, 2**63, -(2**70), True),), truncated=False))
    assert event["rows"] == [[2**63 - 1, "9223372036854775808", "-1180591620717411303424", True]]


def test_the_state_of_langgraphs_server_has_the_rows_and_the_chart(shop: Path) -> None:
    async def scenario() -> Any:
        levels = "SELECT level, count(*) AS customers FROM customers GROUP BY level ORDER BY level"
        async with app(shop, scripted([levels])) as db:
            return await (await served_graph(db)).ainvoke(
                {"messages": [{"role": "user", "content": "How many customers of each level?"}]}
            )

    state = asyncio.run(scenario())
    answer = state["answer"]
    assert answer["rows"] == [[None, 1], ["gold", 1], ["silver", 1]]
    assert answer["pagination"]["total_count"] == 3
    assert answer["chart"]["$schema"].startswith("https://vega.github.io/schema/vega-lite")
    assert len(answer["chart"]["data"]["values"]) == 3
    assert state["messages"][-1].content == answer["answer"]


@pytest.mark.parametrize("limit", [1_000, 2])
def test_pagination_is_read_from_the_input_and_holds_for_one_question(shop: Path, limit: int) -> None:
    """With a row limit below the number of rows, the page is read from the database."""

    async def scenario() -> list[Any]:
        async with app(shop, scripted([], last=NAMES), row_limit=limit) as db:
            resources = replace(await db.resources(), owns_threads=False)
            graph: Any = build(resources).copy(update={"checkpointer": resources.memory.checkpointer})
            request: Any = {"messages": [{"role": "user", "content": "Which customers are there?"}]}
            page: Any = {**request, "pagination": {"page": 2, "page_size": 2}}
            return [(await graph.ainvoke(graph_input, CONFIG))["answer"] for graph_input in (page, request)]

    paged, unpaged = asyncio.run(scenario())
    assert paged["rows"] == [["Bo"]]
    assert paged["pagination"] == {
        "total_count": 3, "page": 2, "page_size": 2, "total_pages": 2, "has_next": False, "has_prev": True,
    }  # fmt: skip
    assert unpaged["rows"] == [["Ann"], ["王芳"], ["Bo"]][:limit]
    assert (unpaged["pagination"] is None) == (limit == 2)


@pytest.mark.parametrize("pagination", [{"page": 0}, {"page_size": "10"}, {"size": 5}])
def test_a_page_that_does_not_exist_is_an_error(shop: Path, pagination: Any) -> None:
    async def scenario() -> Any:
        async with app(shop, scripted([COUNT])) as db:
            return (await (await served_graph(db)).ainvoke({**QUESTION, "pagination": pagination}))["answer"]

    answer = asyncio.run(scenario())
    assert (answer["status"], answer["error"]["kind"]) == ("failed", "usage.option_value")


def test_a_wrong_option_of_langgraphs_context_is_refused(shop: Path) -> None:
    async def scenario() -> None:
        async with app(shop, scripted([COUNT])) as db:
            await (await served_graph(db)).ainvoke(QUESTION, context=RunOptions(preset="fast"))

    with pytest.raises(UsageError):
        asyncio.run(scenario())


def test_a_pending_write_is_an_interrupt_with_its_answer(shop: Path) -> None:
    async def scenario() -> tuple[Any, Any]:
        insert = "INSERT INTO cities (name, country) VALUES ('Rome', 'Italy')"
        async with app(shop, scripted([insert])) as db:
            answer = await db.ask("Add the city Rome in Italy", thread="t", allow_writes=True)
            (interrupt,) = (await (await graph_of(db)).aget_state(CONFIG)).interrupts
            return answer, interrupt.value

    answer, value = asyncio.run(scenario())
    assert (value["table"], value["rows"], value["sql"]) == ("cities", 1, answer.sql)
    assert (value["answer"]["status"], value["answer"]["sql"]) == ("confirm", answer.sql)
    assert (answer.status, answer.row_count, answer.receipt.path[-1]) == ("confirm", 1, "confirmation")
