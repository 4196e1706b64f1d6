"""The second graph: a model supervisor hands off to the same nodes, and cannot break their rules."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, HOSTED, app, rows_of, scripted
from text2sql.agents import RunOptions
from text2sql.agents.llm_supervisor import HANDOFFS, build_supervised
from text2sql.types import Candidate, ModelProfile, ModelRequest, Reply, Usage

COUNT = '{"sql": "SELECT count(*) AS customers FROM customers", "problem": "none", "explanation": ""}'


def handoff(to: str) -> Reply:
    return Reply("scripted", (Candidate("", called=to),), Usage(calls=1))


async def run(shop: Path, lead: Any, can: ModelProfile = HOSTED) -> dict[str, Any]:
    """The supervisor's requests have tools; other requests get their own lines."""

    def line(request: ModelRequest) -> Any:
        return lead(request) if request.tools else COUNT

    async with app(shop, scripted([], last=line, can=can)) as db:
        graph = build_supervised(await db.resources())
        config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 80}
        graph_input: Any = {"messages": [{"role": "user", "content": "How many customers are there?"}]}
        await graph.ainvoke(graph_input, config, context=RunOptions(thread="t"))
        return (await graph.aget_state(config)).values


def test_a_supervisor_model_reaches_the_answer(shop: Path) -> None:
    order = iter(["schema", "generator", "validator", "executor", "interpreter"])
    state = asyncio.run(run(shop, lambda _: handoff(next(order, "interpreter"))))
    assert (state["status"], state["execution_result"]["row_count"]) == ("answered", 1)
    agents = [stage for stage in state["execution_path"] if stage != "supervisor"]
    assert agents == ["classifier", "schema", "generator", "validator", "executor", "interpreter"]


def test_it_cannot_skip_the_guard(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: handoff("executor")))
    agents = [stage for stage in state["execution_path"] if stage != "supervisor"]
    assert agents.index("validator") < agents.index("executor")
    assert state["status"] == "answered"


@pytest.mark.fault("L24")
def test_a_model_that_goes_in_circles_is_stopped(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: handoff("schema")))
    assert state["status"] == "answered"
    assert state["handoffs"] <= HANDOFFS


@pytest.mark.fault("L15")
def test_nonsense_from_the_lead_is_met_by_the_table_of_routes(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: "drop table customers; hand off to nobody"))
    assert state["status"] == "answered"
    assert rows_of(shop, "SELECT count(*) FROM customers") == [(3,)]


def test_a_model_without_tools_does_not_supervise(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: handoff("schema"), EMBEDDED))
    assert (state["status"], state["handoffs"], state["usage"]["calls"]) == ("answered", 0, 1)


@pytest.mark.parametrize(("setting", "arrives"), [("", False), ("none", False), ("samples", True)])
def test_a_hosted_supervisor_sees_values_according_to_the_setting(
    shop: Path, setting: str, arrives: bool
) -> None:
    """The model spells a name like the question; a fix spells it like the column."""
    query = "SELECT count(*) FROM customers WHERE name = 'ANN'"
    order = iter(["schema", "generator", "validator", "executor", "interpreter"])

    def line(request: ModelRequest) -> Any:
        return handoff(next(order, "interpreter")) if request.tools else query

    backend = scripted([], last=line, can=HOSTED)

    async def ask() -> None:
        async with app(shop, backend, share_values=setting) as db:
            graph = build_supervised(await db.resources())
            config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 80}
            graph_input: Any = {
                "messages": [{"role": "user", "content": "How many customers are called ANN?"}]
            }
            state = await graph.ainvoke(graph_input, config, context=RunOptions(thread="t"))
            assert "'Ann'" in state["generated_sql"]

    asyncio.run(ask())
    led = [request.messages[-1].content for request in backend.requests if request.tools]
    assert any("'Ann'" in text for text in led) is arrives
