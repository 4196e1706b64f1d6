"""The second graph: a model in the lead hands off to the same agents, and cannot break their rules."""

import asyncio
import json
from pathlib import Path
from typing import Any

from agents.asking import HOSTED, app, rows_of, scripted
from text2sql.agents import Asked
from text2sql.agents.supervised import HANDOFFS, build_supervised
from text2sql.types import ModelRequest

COUNT = '{"sql": "SELECT count(*) AS customers FROM customers", "problem": "none", "explanation": ""}'


def hand(to: str) -> str:
    return json.dumps({"hand_off_to": to, "reason": "because"})


async def run(shop: Path, lead: Any, question: str = "How many customers are there?") -> dict[str, Any]:
    """Whoever leads is asked with the prompt of the lead; the agents get their own lines."""

    def line(request: ModelRequest) -> str:
        leads = "lead a small team" in request.messages[0].content
        return str(lead(request)) if leads else COUNT

    async with app(shop, scripted([], last=line, can=HOSTED)) as db:
        graph = build_supervised(await db.rooms())
        config: Any = {"configurable": {"thread_id": "t"}, "recursion_limit": 80}
        said: Any = {"messages": [{"role": "user", "content": question}]}
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


def test_a_model_that_goes_in_circles_is_stopped(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: hand("schema")))
    assert state["status"] == "answered"
    assert state["handoffs"] <= HANDOFFS


def test_nonsense_from_the_lead_is_met_by_the_table_of_routes(shop: Path) -> None:
    state = asyncio.run(run(shop, lambda _: "drop table customers; hand off to nobody"))
    assert state["status"] == "answered"
    assert rows_of(shop, "SELECT count(*) FROM customers") == [(3,)]
