"""Routing: a table from state to next node, first match wins. No model is asked; the graph in
`llm_supervisor.py` uses a model instead, over the same nodes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from text2sql.agents.state import SQLMessageState, Stage

END = "__end__"

When = Callable[[SQLMessageState], bool]


@dataclass(frozen=True, slots=True)
class Route:
    after: Stage
    when: When
    then: str


def has_status(state: SQLMessageState) -> bool:
    """The outcome is known: only the answer is left to write."""
    return bool(state.get("status"))


def is_conversation(state: SQLMessageState) -> bool:
    analysis = state.get("query_analysis")
    return analysis is not None and analysis["kind"] == "conversation"


def has_candidates(state: SQLMessageState) -> bool:
    return bool(state.get("candidates"))


def is_valid(state: SQLMessageState) -> bool:
    result = state.get("validation_result")
    return result is not None and result["ok"]


def needs_confirmation(state: SQLMessageState) -> bool:
    return is_valid(state) and state.get("pending_write") is not None


def was_executed(state: SQLMessageState) -> bool:
    result = state.get("execution_result")
    return result is not None and result["ok"]


def schema_changed(state: SQLMessageState) -> bool:
    """Recovery has reloaded the catalog: choose tables and generate a query again."""
    return state.get("schema_info") is None


def always(_: SQLMessageState) -> bool:
    return True


ROUTES: tuple[Route, ...] = (
    Route("classifier", has_status, "interpreter"),
    Route("classifier", is_conversation, "interpreter"),
    Route("classifier", always, "schema"),
    Route("schema", has_status, "interpreter"),
    Route("schema", always, "generator"),
    Route("generator", has_status, "interpreter"),
    Route("generator", has_candidates, "validator"),
    Route("generator", always, "recovery"),
    Route("validator", has_status, "interpreter"),
    Route("validator", needs_confirmation, "confirmation"),
    Route("validator", is_valid, "executor"),
    Route("validator", always, "recovery"),
    Route("confirmation", has_status, "interpreter"),
    Route("confirmation", always, "executor"),
    Route("executor", has_status, "interpreter"),
    Route("executor", was_executed, "interpreter"),
    Route("executor", always, "recovery"),
    Route("recovery", has_status, "interpreter"),
    Route("recovery", schema_changed, "schema"),
    Route("recovery", always, "validator"),
    Route("interpreter", always, END),
)


def next_stage(stage: str, state: SQLMessageState) -> str:
    """The node that follows `stage`."""
    return next(route.then for route in ROUTES if route.after == stage and route.when(state))


def destinations(stage: str) -> list[str]:
    """All nodes that may follow `stage`."""
    return list(dict.fromkeys(route.then for route in ROUTES if route.after == stage))


class Router(Runnable[SQLMessageState, str]):
    """The conditional edge after a node. It depends on that node, not on `current_stage`, so that
    `update_state(…, as_node=stage)` continues from there. A `Runnable`, because LangGraph runs a plain
    function as a task of its own, which costs more than most nodes.
    """

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self.name = f"after {stage}"

    def invoke(
        self,
        input: SQLMessageState,  # noqa: A002  LangChain's own name
        config: RunnableConfig | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> str:
        return next_stage(self._stage, input)

    async def ainvoke(
        self,
        input: SQLMessageState,  # noqa: A002  as above
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        return self.invoke(input, config, **kwargs)
