"""Values that are stored, as frozen dataclasses: threads, verified pairs, results, claims and metrics."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from text2sql.types import Answer, CheckedSql, QueryResult, ResultColumn, Row, Status

Seconds: TypeAlias = float  # since 1970, as `time.time()` gives them


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    """An entry of a user's list of threads."""

    thread_id: str  # the user's id; `scoped` converts it to LangGraph's
    title: str
    turns: int
    updated: Seconds


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and SQL that a user has verified. Shown to a model as an example, never run as it is."""

    question: str
    sql: str
    dialect: str = ""
    source: str = ""  # key of the database; in a file, empty means all databases
    tables: tuple[str, ...] = ()
    user: str = ""
    created: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The rows of an answer, stored for paging and export for a while. Never part of a checkpoint."""

    sql: str
    dialect: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    row_count: int
    truncated: bool = False
    fingerprint: str = ""  # of the catalog at the time
    created: Seconds = 0.0  # set when it is stored
    source: str = ""  # the key of its database: further rows must come from the same one

    @classmethod
    def of(
        cls, query: CheckedSql, result: QueryResult, fingerprint: str = "", source: str = ""
    ) -> "StoredResult":
        truncated = bool(result.truncated)
        return cls(
            query.shown,
            query.dialect,
            result.columns,
            result.rows,
            result.row_count,
            truncated,
            fingerprint,
            source=source,
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A process has claimed this write; `rows` is None until the outcome is known."""

    key: str
    claimed: Seconds
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class QuestionMetrics:
    """Cost and outcome of one question. Contains no question, SQL or user, so nothing sensitive."""

    status: Status
    attempts: int = 0
    repaired: bool = False
    first_pass: bool = False  # the first query that a model wrote was the one that ran
    errors: tuple[str, ...] = ()  # kinds of errors
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    statements: int = 0
    model: str = ""

    @classmethod
    def of(cls, answer: Answer) -> "QuestionMetrics":
        receipt, is_answered = answer.receipt, answer.status == "answered"
        return cls(
            status=answer.status,
            attempts=receipt.attempts,
            repaired=bool(receipt.repairs) or (is_answered and bool(receipt.errors)),
            first_pass=is_answered and receipt.attempts == 1 and not receipt.errors,
            errors=tuple(error.kind for error in receipt.errors),
            seconds=dict(receipt.seconds),
            calls=receipt.usage.calls,
            prompt_tokens=receipt.usage.prompt_tokens,
            completion_tokens=receipt.usage.completion_tokens,
            statements=receipt.statements,
            model=receipt.model,
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles of a duration."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Stats:
    """Aggregated metrics of many questions. A rate is None if there was nothing to measure."""

    questions: int = 0
    by_status: Mapping[str, int] = field(default_factory=dict)
    first_pass_rate: float | None = None  # of the questions for which a model wrote a query
    repair_rate: float | None = None
    errors: Mapping[str, int] = field(default_factory=dict)  # kind → count, most frequent first
    seconds: Mapping[str, Spread] = field(default_factory=dict)  # by stage
    calls_per_answer: float | None = None
    tokens_per_answer: float | None = None
    statements: int = 0
    by_model: Mapping[str, int] = field(default_factory=dict)
