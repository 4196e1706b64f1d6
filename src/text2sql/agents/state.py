"""What a thread remembers: plain data, so that a checkpoint can be read by the next version and by people.

Connections, models and rows never enter it. Rows are kept by reference (`Execution.result_id`).
"""

from typing import Any, Literal, NotRequired, TypedDict

from langgraph.graph import MessagesState

from text2sql.types import Mode, Status, Trouble, Usage

Stage = Literal[
    "classifier", "schema", "generator", "validator", "confirmation", "executor", "recovery", "interpreter"
]
# Why no query came of a question: each has its sentence and its advice in `messages.toml`.
Reason = Literal[
    "",
    "missing_database_info",
    "ambiguous_question",
    "llm_explanation",
    "unknown_generation_failure",
    "write_not_allowed",
    "value_not_found",
    "budget_exhausted",
    "out_of_time",
    "model",
    "database",
    "guard",
    "declined",
]


class Hit(TypedDict):
    said: str
    value: str
    table: str
    column: str


class SchemaInfo(TypedDict):
    """What the schema agent chose. `tables` is empty when the whole schema fits: that prefix is cached.
    `partly`: it fits, but the model has not read it yet (`reading.py`).
    """

    fingerprint: str
    tables: list[str]
    values: list[Hit]
    hints: list[tuple[str, str]]  # words of the question and what they are called in this schema
    partly: NotRequired[bool]


class Written(TypedDict):
    """A query as a model wrote it, or as recovery did."""

    sql: str
    logprob: float | None  # the mean over its tokens: how sure the model was, whatever the length
    least: NotRequired[float]  # of the token it was least sure of
    gap: NotRequired[float]  # of another way: how much less likely it was, where they part


class Way(TypedDict):
    """How a model nearly went on."""

    begun: str
    gap: float  # of log-probabilities: how much less likely than what it wrote


class Passed(TypedDict):
    """A query that passed the validator; the executor has it checked again before it runs."""

    text: str  # as it was written, or mended: without the row limit that is ours
    sql: str  # as it is shown
    tables: list[str]
    repairs: list[str]
    candidate: int
    against: NotRequired[dict[str, float]]  # what of it does not fit its question (`confidence.py`)


class Validation(TypedDict):
    ok: bool
    passed: list[Passed]
    checks: list[str]


class Write(TypedDict):
    """A write that waits for a person, or has been answered."""

    sql: str
    table: str
    kind: str
    key: str
    nonce: str
    rows: int
    confirmed: NotRequired[bool]


class Execution(TypedDict):
    ok: bool
    result_id: str
    sql: str
    columns: list[str]
    row_count: int
    telling: NotRequired[int]  # rows that say something: a count of 0 does not; older threads have none
    truncated: bool
    seconds: float
    agreement: float | None  # the share of candidates that returned the same rows
    written_rows: NotRequired[int]


class Failure(TypedDict):
    """What stopped the question for good."""

    reason: Reason
    kind: str
    message: str
    hint: str


class Option(TypedDict):
    label: str
    question: str


class Turn(TypedDict):
    """An earlier question of the thread, as a follow-up needs it."""

    question: str
    sql: str
    columns: list[str]
    row_count: int
    status: Status
    answer: str
    choices: list[Option]


class SQLMessageState(MessagesState, total=False):
    # -- the thread --
    connection_id: str  # which database, without its secrets
    turns: list[Turn]
    summary: str  # of turns that no longer fit
    # -- this question; `fresh` begins each one --
    turn_id: str  # of the message that asked it
    question: str
    language: Literal["en", "zh"]
    mode: Mode
    preset: str
    follow_up: bool
    wants_write: bool
    query_analysis: dict[str, Any] | None  # a `Classification`
    schema_info: SchemaInfo | None
    candidates: list[Written]
    ways: list[Way]  # that have not been tried
    doubted: bool  # so much speaks against what ran that another way is tried beside it
    generated_sql: str
    validation_result: Validation | None
    execution_result: Execution | None
    chart_result: dict[str, Any] | None
    pending_write: Write | None
    # -- how it goes --
    current_stage: Stage | Literal[""]
    execution_path: list[str]
    seconds: dict[str, float]
    error_history: list[dict[str, str]]
    retry_count: int  # queries that recovery asked a model for
    attempts: int  # queries that any model call wrote
    probes: int  # executions that recovery spent on looking
    handoffs: int  # that a model in the lead has made (`supervised.py`)
    handed_to: str
    refreshed: bool  # the catalogue was read anew because of an error
    sql_repair_applied: bool
    assumptions: list[str]
    statements: int
    usage: dict[str, float]
    model: str
    # -- how it ends --
    status: Status | Literal[""]
    failure: Failure | None
    sql_generation_failure_reason: Reason
    user_prompt: str  # what a person is told, or asked back
    choices: list[Option]
    answer: dict[str, Any] | None  # the `Answer`, without its rows


def fresh() -> SQLMessageState:
    """Everything that belongs to one question, empty. Lists and dictionaries are new each time."""
    return SQLMessageState(
        follow_up=False,
        wants_write=False,
        query_analysis=None,
        schema_info=None,
        candidates=[],
        ways=[],
        doubted=False,
        generated_sql="",
        validation_result=None,
        execution_result=None,
        chart_result=None,
        pending_write=None,
        execution_path=[],
        seconds={},
        error_history=[],
        retry_count=0,
        attempts=0,
        probes=0,
        handoffs=0,
        handed_to="",
        refreshed=False,
        sql_repair_applied=False,
        assumptions=[],
        statements=0,
        usage={},
        model="",
        status="",
        failure=None,
        sql_generation_failure_reason="",
        user_prompt="",
        choices=[],
        answer=None,
    )  # type: ignore[typeddict-item]  # messages and the thread's own fields stay as they are


def usage_of(state: SQLMessageState) -> Usage:
    held = state.get("usage") or {}
    return Usage(
        int(held.get("calls", 0)),
        int(held.get("prompt_tokens", 0)),
        int(held.get("cached_tokens", 0)),
        int(held.get("completion_tokens", 0)),
        held.get("seconds", 0.0),
    )


def trouble(stage: str, kind: str, detail: str, sql: str = "") -> dict[str, str]:
    return {"stage": stage, "kind": kind, "detail": detail[:500], "sql": sql}


def troubles(state: SQLMessageState) -> tuple[Trouble, ...]:
    return tuple(Trouble(**one) for one in state.get("error_history", ()))
