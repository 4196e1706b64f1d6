"""The second graph: a model chooses the next node by tool calls, instead of the table of routes.

For hosted models that are good at tools. The model may change the order but not the rules: a node that is not
yet allowed is not run, and hand-offs are counted. When the model is done, fails, or has no hand-offs left,
the table of routes takes over.
"""

import json
from collections.abc import Mapping
from typing import Any

from text2sql.agents.graph import NODE_FUNCTIONS, Graph, compile_graph, new_graph
from text2sql.agents.node_context import NodeContext, Resources, Update, make_node, usage_update
from text2sql.agents.prompt_builder import require_fit, user_texts
from text2sql.agents.routes import END, next_stage
from text2sql.agents.state import SQLMessageState
from text2sql.errors import ModelError
from text2sql.llm.prompts import render
from text2sql.schema import ValueSharing
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


async def supervisor(state: SQLMessageState, ctx: NodeContext) -> Update:
    """Ask the model for the next node; if its choice is not allowed, the table of routes decides."""
    stage = state.get("current_stage", "")
    routed = next_stage(stage, state) if stage else "classifier"
    handoffs = state.get("handoffs", 0)
    base: Update = {"current_stage": stage}  # the supervisor is not a stage
    if (
        routed in ("classifier", "confirmation", END)
        or handoffs >= HANDOFFS
        or not ctx.model.profile.tool_calls
    ):
        return {**base, "handed_to": routed}
    messages = (
        Message("system", render("supervise", ctx.settings)),
        Message(
            "user",
            _situation(state, ctx.sharing(await ctx.resources.catalog_cache.schema_context(values=False))),
        ),
    )
    try:
        prompt = await require_fit(messages, ctx)
        request = ModelRequest(prompt, max_tokens=120, tools=TOOLS, seconds=ctx.model_timeout, plain=True)
        reply = await ctx.ask(request)
    except ModelError as error:
        ctx.warn("warning.supervisor", kind=error.kind)
        return {**base, "handed_to": routed, "handoffs": HANDOFFS}
    chosen = reply.candidates[0].called
    allowed = chosen == routed or chosen in _earlier_stages(routed)
    return {
        **base,
        **usage_update(state, reply),
        "handed_to": chosen if allowed else routed,
        "handoffs": handoffs + 1,
    }


def _earlier_stages(routed: str) -> tuple[str, ...]:
    """The model may go back to an earlier node; it may not skip the guard."""
    steps = ("schema", "generator", "validator", "executor", "interpreter")
    return steps[: steps.index(routed)] if routed in steps[:4] else ()


def _situation(state: SQLMessageState, sharing: ValueSharing) -> str:
    """Facts about the question so far, as JSON."""
    known_texts = user_texts(state)
    errors = [
        f"{error['kind']}: {sharing.error(error['kind'], error['detail'], error['sql'], known_texts)[:200]}"
        for error in state.get("error_history", [])[-3:]
    ]
    execution, validation = state.get("execution_result"), state.get("validation_result")
    facts: dict[str, Any] = {
        "question": state.get("question", ""),
        "last_agent": state.get("current_stage", ""),
        "sql": sharing.sql(state.get("generated_sql", ""), known_texts),
        "valid": validation["ok"] if validation else None,
        "rows": execution["row_count"] if execution else None,
        "errors": errors,
        "retries": state.get("retry_count", 0),
    }
    return json.dumps(facts, ensure_ascii=False)


async def _handed_to(state: SQLMessageState) -> str:
    return state["handed_to"]


def build_supervised(resources: Resources) -> Graph:
    graph = new_graph(resources)
    graph.add_node("supervisor", make_node("supervisor", supervisor, resources))
    for name in NODE_FUNCTIONS:
        graph.add_edge(name, END if name == "interpreter" else "supervisor")
    graph.add_conditional_edges("supervisor", _handed_to, [*NODE_FUNCTIONS, END])
    return compile_graph(graph, resources)
