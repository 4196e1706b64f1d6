"""The second graph: a model hands off to the same agents by tool calls, instead of the table of routes.

For hosted models that are good at tools. It can choose the order, not the rules: an agent that comes too
early is not run, every hand-off is counted, and when the model is done, or out of hand-offs, or out of its
mind, the table takes over and ends the question properly.
"""

import json
from collections.abc import Mapping
from typing import Any

from langgraph.graph import START, StateGraph

from text2sql.agents.context import bounded
from text2sql.agents.desk import Asked, Desk, Rooms, Update, paid, staged
from text2sql.agents.graph import AGENTS, Graph, compiled
from text2sql.agents.state import SQLMessageState
from text2sql.agents.supervisor import END, next_stage
from text2sql.errors import ModelError
from text2sql.llm.prompts import render
from text2sql.types import Message, ModelRequest

HANDOFFS = 12
TOOLS: Mapping[str, str] = {
    "schema": "picks the tables and values that the question is about",
    "generator": "writes a query",
    "validator": "checks the query; only a checked one can run",
    "executor": "runs the checked query",
    "recovery": "mends a query that failed",
    "interpreter": "says the result in a sentence and ends the work",
}


async def supervisor(state: SQLMessageState, desk: Desk) -> Update:
    """Asks the model who is next; what it may not choose now, the table of routes decides."""
    by_table = next_stage(state)
    taken = state.get("handoffs", 0)
    here: Update = {"current_stage": state.get("current_stage", "")}  # it stands between stages, it is none
    if (
        by_table in ("classifier", "confirmation", END)
        or taken >= HANDOFFS
        or not desk.model.capabilities.tools
    ):
        return {**here, "handed_to": by_table}
    messages = (
        Message("system", render("supervise", desk.settings)),
        Message("user", _situation(state)),
    )
    try:
        prompt = await bounded(messages, desk)
        asked = ModelRequest(prompt, max_tokens=120, tools=TOOLS, seconds=desk.patience, plain=True)
        reply = await desk.model.ask(asked)
    except ModelError as error:
        desk.warn("warning.supervisor", kind=error.kind)
        return {**here, "handed_to": by_table, "handoffs": HANDOFFS}
    chosen = reply.candidates[0].called
    allowed = chosen == by_table or chosen in _earlier(by_table)
    return {
        **here,
        **paid(state, reply),
        "handed_to": chosen if allowed else by_table,
        "handoffs": taken + 1,
    }


def _earlier(by_table: str) -> tuple[str, ...]:
    """A model may go back to an agent whose work it wants done again; it may not skip the guard."""
    steps = ("schema", "generator", "validator", "executor", "interpreter")
    return steps[: steps.index(by_table)] if by_table in steps[:4] else ()


def _situation(state: SQLMessageState) -> str:
    """Facts about the question so far, as data."""
    errors = [f"{one['kind']}: {one['detail'][:200]}" for one in state.get("error_history", [])[-3:]]
    execution, validation = state.get("execution_result"), state.get("validation_result")
    facts: dict[str, Any] = {
        "question": state.get("question", ""),
        "last_agent": state.get("current_stage", ""),
        "sql": state.get("generated_sql", ""),
        "valid": validation["ok"] if validation else None,
        "rows": execution["row_count"] if execution else None,
        "errors": errors,
        "retries": state.get("retry_count", 0),
    }
    return json.dumps(facts, ensure_ascii=False)


async def _handed_to(state: SQLMessageState) -> str:
    return state["handed_to"]


def build_supervised(rooms: Rooms) -> Graph:
    graph = StateGraph(SQLMessageState, context_schema=Asked)
    graph.add_node("supervisor", staged("supervisor", supervisor, rooms))
    graph.add_edge(START, "classifier")
    for name, agent in AGENTS.items():
        graph.add_node(name, staged(name, agent, rooms))
        graph.add_edge(name, END if name == "interpreter" else "supervisor")
    graph.add_conditional_edges("supervisor", _handed_to, [*AGENTS, END])
    return compiled(graph, rooms)
