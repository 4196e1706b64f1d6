"""The second graph: a model in the lead hands off to the same agents, and cannot break their rules."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, HOSTED, app, rows_of, scripted
from text2sql.agents import Asked
from text2sql.agents.supervised import HANDOFFS, build_supervised
from text2sql.types import Candidate, Capabilities, ModelRequest, Reply, Usage

COUNT = '{"sql": "SELECT count(*) AS customers FROM customers", "problem": "none", "explanation": ""}'


def hand(to: str) -> Reply:
    return Reply("scripted", (Candidate("", called=to),), Usage(calls=1))


async def run(shop: Path, lead: Any, can: Capabilities = HOSTED) -> dict[str, Any]:
    """Whoever leads is asked with the agents as tools; the agents get their own lines."""

    def line(request: ModelRequest) -> Any:
        return lead(request) if request.tools else COUNT

    async with app(shop, scripted([], last=line, can=can)) as db:
        graph = build_supervised(await db.rooms())
        config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 80}
        said: Any = {"messages": [{"role": "user", "content": "How many customers are there?"}]}
        return dict(await graph.ainvoke(said, config, context=Asked(thread="t")))


def test_a_model_in_the_lead_gets_to_the_answer(shop: Path) -> None:
    order = iter(["schema", "generator", "validator", "executor", "interpreter"])
    state = asyncio.run(run(shop, lambda _: hand(next(order, "interpreter"))))
    assert (state["status"], state["execution_result"]["row_count"]) == ("answered", 1)
    agents = [stage for stage in state["execution_path"] if stage != "supervisor"]
    assert agents == ["classifier", "schema", "generator", "validator", "executor", "interpreter"]


def test_it_cannot_skip_the_guard(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: hand("executor")))
    agents = [stage for stage in state["execution_path"] if stage != "supervisor"]
    assert agents.index("validator") < agents.index("executor")
    assert state["status"] == "answered"


@pytest.mark.fault("L24")
def test_a_model_that_goes_in_circles_is_stopped(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: hand("schema")))
    assert state["status"] == "answered"
    assert state["handoffs"] <= HANDOFFS


@pytest.mark.fault("L15")
def test_nonsense_from_the_lead_is_met_by_the_table_of_routes(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: "drop table customers; hand off to nobody"))
    assert state["status"] == "answered"
    assert rows_of(shop, "SELECT count(*) FROM customers") == [(3,)]


def test_a_model_without_tools_is_not_put_in_the_lead(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: hand("schema"), EMBEDDED))
    assert (state["status"], state["handoffs"], state["usage"]["calls"]) == ("answered", 0, 1)
