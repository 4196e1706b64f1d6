"""The graph's state: plain data, so that the next version, and people, can read a checkpoint.

Connections and models never enter it. Rows are stored apart and referred to by `Execution.result_id`; only
the threads of LangGraph's own server have a page of them.
"""

from collections.abc import Iterable
from typing import Any, Literal, NotRequired

from langgraph.graph import MessagesState
from typing_extensions import TypedDict  # pydantic needs it below Python 3.12 to make JSON schemas

from text2sql.types import Certainty, Mode, StageError, Status, Usage

Stage = Literal[
    "classifier", "schema", "generator", "validator", "confirmation", "executor", "recovery", "interpreter"
]
# Why a question got no query; `i18n/messages.toml` has a message and a hint for each.
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
    """What the schema node chose. `tables` is empty if the whole schema fits: that prefix is cached."""

    fingerprint: str
    tables: list[str]
    values: list[Hit]
    hints: list[tuple[str, str]]  # words of the question and the names they mean in this schema


class GeneratedQuery(TypedDict):
    """A query that a model, or recovery, wrote."""

    sql: str
    logprob: float | None  # mean over its tokens, so independent of its length
    least: NotRequired[float]  # log-probability of its least likely token
    gap: NotRequired[float]  # of an alternative: how much less likely its first different token was
    verified: NotRequired[bool]  # a person confirmed it for this question: no fix changes it
    compiled: NotRequired[bool]  # written by code, from the question as rules read it: no fix changes it
    narrowed: NotRequired[bool]  # made from a query that ran: no fix changes it, and the model never saw it


class SentValues(TypedDict):
    """Database values that were sent to a model."""

    columns: list[str]  # `table.column`
    rows: int


class TokenAlternative(TypedDict):
    """A token that the model nearly chose, and the text before it."""

    begun: str
    token: int  # the id of the alternative token
    data: str  # its bytes in hex: they may end inside a character
    gap: float  # log-probability below that of the chosen token


class ValidatedQuery(TypedDict):
    """A query that passed the validator; the executor checks it again before it runs."""

    text: str  # as written or fixed, without our row limit
    sql: str  # as shown to the user
    tables: list[str]
    repairs: list[str]
    candidate: int
    against: NotRequired[dict[str, float]]  # signals that it does not fit its question (`confidence.py`)
    hardness: NotRequired[str]  # `sql.query_features.Hardness`
    extra: NotRequired[dict[str, float]]  # signals of the question itself


class Validation(TypedDict):
    ok: bool
    passed: list[ValidatedQuery]
    checks: list[str]


class PendingWrite(TypedDict):
    """A write that waits for confirmation, or has been answered."""

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
    labels: NotRequired[list[str]]  # the columns in words
    row_count: int
    informative_rows: NotRequired[int]  # a count of 0 is none; absent in older threads
    truncated: bool
    seconds: float
    agreement: float | None  # the share of candidates that returned the same rows
    written_rows: NotRequired[int]


class Failure(TypedDict):
    """Why the question ended without an answer."""

    reason: Reason
    kind: str
    message: str
    hint: str


class Option(TypedDict):
    label: str
    question: str


class Turn(TypedDict):
    """An earlier question of the thread, with what a follow-up needs."""

    question: str
    sql: str
    columns: list[str]
    row_count: int
    status: Status
    answer: str
    choices: list[Option]
    result_id: NotRequired[str]  # its rows, until they expire
    chart: NotRequired[dict[str, Any] | None]
    tables: NotRequired[list[str]]
    confidence: NotRequired[float | None]
    certainty: NotRequired[Certainty | None]
    answers: NotRequired[str]  # the earlier question whose rows were shown again; else empty
    analytic: NotRequired[dict[str, Any] | None]  # as in the state
    suggestions: NotRequired[list[str]]  # the next questions that were offered
    talk: NotRequired[bool]  # it was conversation, not a question about the data


class Pagination(TypedDict, total=False):
    """Which page of the rows the answer shall have; by default the first 100 rows."""

    page: int
    page_size: int


class QuestionInput(MessagesState, total=False):
    """The graph's input: the question is the last message. `pagination` is for LangGraph's own server."""

    pagination: Pagination | None


class QuestionOutput(MessagesState, total=False):
    """The graph's output. `answer` is the whole `Answer`; through LangGraph's own server it has rows."""

    question: str
    language: Literal["en", "zh"]
    status: Status | Literal[""]
    answer: dict[str, Any] | None
    generated_sql: str
    execution_result: Execution | None
    chart_result: dict[str, Any] | None


class SQLMessageState(MessagesState, total=False):
    # -- the thread --
    connection_id: str  # the database, without credentials
    turns: list[Turn]
    summary: str  # of turns that were dropped
    pagination: Pagination | None  # of the next answer
    # -- this question; reset by `new_question_state` --
    turn_id: str  # id of its message
    question: str
    language: Literal["en", "zh"]
    mode: Mode
    preset: str
    follow_up: bool
    wants_write: bool
    query_analysis: dict[str, Any] | None  # a `Classification`
    talk: dict[str, str] | None  # a `Talk`: the message is not about the data
    answers: str  # the earlier question whose rows are shown again
    kept_confidence: float | None  # of those rows
    schema_info: SchemaInfo | None
    # The question as rules read it: `query`, an `AnalyticQuery`, and `columns`, its `OutputColumn`s.
    analytic: dict[str, Any] | None
    compiled: bool  # the query was compiled from it
    candidates: list[GeneratedQuery]
    token_alternatives: list[TokenAlternative]  # not tried yet
    doubted: bool  # the executed query is doubtful: recovery generates another
    generated_sql: str
    validation_result: Validation | None
    execution_result: Execution | None
    chart_result: dict[str, Any] | None
    taken_for: str  # what the query asks for, in words
    pending_write: PendingWrite | None
    # -- progress --
    current_stage: Stage | Literal[""]
    execution_path: list[str]
    seconds: dict[str, float]
    error_history: list[dict[str, str]]
    retry_count: int  # queries that recovery asked a model for
    attempts: int  # queries that any model call wrote
    probes: int  # queries that recovery ran to look at the data
    handoffs: int  # that the LLM supervisor has made (`llm_supervisor.py`)
    handed_to: str
    refreshed: bool  # the catalog was reloaded because of an error
    sql_repair_applied: bool
    assumptions: list[str]
    statements: int
    usage: dict[str, float]
    sent: SentValues
    model: str
    # -- outcome --
    status: Status | Literal[""]
    failure: Failure | None
    sql_generation_failure_reason: Reason
    user_prompt: str  # the message or clarifying question for the user
    choices: list[Option]
    answer: dict[str, Any] | None  # the `Answer`; in our own threads without its rows


def new_question_state() -> SQLMessageState:
    """Initial values of everything that belongs to one question."""
    return SQLMessageState(
        follow_up=False,
        wants_write=False,
        query_analysis=None,
        talk=None,
        answers="",
        kept_confidence=None,
        schema_info=None,
        analytic=None,
        compiled=False,
        candidates=[],
        token_alternatives=[],
        doubted=False,
        generated_sql="",
        validation_result=None,
        execution_result=None,
        chart_result=None,
        taken_for="",
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
        sent=SentValues(columns=[], rows=0),
        model="",
        status="",
        failure=None,
        sql_generation_failure_reason="",
        user_prompt="",
        choices=[],
        answer=None,
    )  # type: ignore[typeddict-item]  # messages and the thread's fields are kept


def add_sent(state: SQLMessageState, columns: Iterable[str] = (), rows: int = 0) -> SentValues:
    """What was sent so far plus these values."""
    before = state.get("sent") or SentValues(columns=[], rows=0)
    return SentValues(columns=list(dict.fromkeys((*before["columns"], *columns))), rows=before["rows"] + rows)


def usage_of(state: SQLMessageState) -> Usage:
    usage = state.get("usage") or {}
    return Usage(
        int(usage.get("calls", 0)),
        int(usage.get("prompt_tokens", 0)),
        int(usage.get("cached_tokens", 0)),
        int(usage.get("completion_tokens", 0)),
        usage.get("seconds", 0.0),
    )


def error_entry(stage: str, kind: str, detail: str, sql: str = "") -> dict[str, str]:
    return {"stage": stage, "kind": kind, "detail": detail[:500], "sql": sql}


def stage_errors(state: SQLMessageState) -> tuple[StageError, ...]:
    return tuple(StageError(**entry) for entry in state.get("error_history", ()))
