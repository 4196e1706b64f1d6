"""Who is next: a table over the state, first match wins. No model is asked; an LLM-run supervisor is the
second graph (`supervised.py`), over the same agents.
"""

from collections.abc import Callable
from dataclasses import dataclass

from text2sql.agents.state import SQLMessageState, Stage

END = "__end__"

When = Callable[[SQLMessageState], bool]


@dataclass(frozen=True, slots=True)
class Route:
    after: Stage
    when: When
    then: str


def decided(state: SQLMessageState) -> bool:
    """It is known how this question ends: only the telling is left."""
    return bool(state.get("status"))


def is_conversation(state: SQLMessageState) -> bool:
    analysis = state.get("query_analysis")
    return analysis is not None and analysis["kind"] == "conversation"


def written(state: SQLMessageState) -> bool:
    return bool(state.get("candidates"))


def passed(state: SQLMessageState) -> bool:
    result = state.get("validation_result")
    return result is not None and result["ok"]


def waits_for_a_person(state: SQLMessageState) -> bool:
    return passed(state) and state.get("pending_write") is not None


def done(state: SQLMessageState) -> bool:
    result = state.get("execution_result")
    return result is not None and result["ok"]


def schema_changed(state: SQLMessageState) -> bool:
    """Recovery has read the catalogue anew: tables are chosen and a query is written once more."""
    return state.get("schema_info") is None


def always(_: SQLMessageState) -> bool:
    return True


ROUTES: tuple[Route, ...] = (
    Route("classifier", decided, "interpreter"),
    Route("classifier", is_conversation, "interpreter"),
    Route("classifier", always, "schema"),
    Route("schema", decided, "interpreter"),
    Route("schema", always, "generator"),
    Route("generator", decided, "interpreter"),
    Route("generator", written, "validator"),
    Route("generator", always, "recovery"),
    Route("validator", decided, "interpreter"),
    Route("validator", waits_for_a_person, "confirmation"),
    Route("validator", passed, "executor"),
    Route("validator", always, "recovery"),
    Route("confirmation", decided, "interpreter"),
    Route("confirmation", always, "executor"),
    Route("executor", decided, "interpreter"),
    Route("executor", done, "interpreter"),
    Route("executor", always, "recovery"),
    Route("recovery", decided, "interpreter"),
    Route("recovery", schema_changed, "schema"),
    Route("recovery", always, "validator"),
    Route("interpreter", always, END),
)


def next_stage(state: SQLMessageState) -> str:
    """After the stage that has just ended; the classifier begins a question."""
    here = state.get("current_stage")
    return next(
        (route.then for route in ROUTES if route.after == here and route.when(state)),
        "classifier",
    )
