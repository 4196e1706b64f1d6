"""What is kept, as frozen values: threads, verified pairs, results, claims, and the numbers of a question."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from text2sql.types import Answer, CheckedSql, QueryResult, ResultColumn, Row, Status

Seconds: TypeAlias = float  # since 1970, as `time.time()` gives them


@dataclass(frozen=True, slots=True)
class ThreadInfo:
    thread_id: str  # as its user knows it; `scoped` makes LangGraph's of it
    title: str
    turns: int
    updated: Seconds


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and the query that a person has found right. Shown to a model, never run as it is."""

    question: str
    sql: str
    dialect: str = ""
    source: str = ""  # which database; empty, in a file, is whichever is asked
    tables: tuple[str, ...] = ()
    user: str = ""
    created: Seconds = 0.0


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The rows of an answer for as long as somebody may page or export them. Never part of a checkpoint."""

    sql: str
    dialect: str
    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    row_count: int
    truncated: bool = False
    fingerprint: str = ""  # of the catalogue it was made with
    created: Seconds = 0.0  # set when it is kept
    source: str = ""  # the key of the database it came from: no other may be asked for more of it

    @classmethod
    def of(
        cls, query: CheckedSql, result: QueryResult, fingerprint: str = "", source: str = ""
    ) -> "StoredResult":
        cut = bool(result.truncated)
        return cls(
            query.shown,
            query.dialect,
            result.columns,
            result.rows,
            result.row_count,
            cut,
            fingerprint,
            source=source,
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody has taken it upon himself to run this write; `rows` is None until it is known how it ended."""

    key: str
    claimed: Seconds
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """What one question cost and how it ended. No question, no SQL, no user: nothing to be careful with."""

    status: Status
    attempts: int = 0
    repaired: bool = False
    first_pass: bool = False  # the first query that a model wrote was the one that ran
    errors: tuple[str, ...] = ()  # their kinds
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    statements: int = 0
    model: str = ""

    @classmethod
    def of(cls, answer: Answer) -> "Numbers":
        receipt, answered = answer.receipt, answer.status == "answered"
        return cls(
            status=answer.status,
            attempts=receipt.attempts,
            repaired=bool(receipt.repairs) or (answered and bool(receipt.errors)),
            first_pass=answered and receipt.attempts == 1 and not receipt.errors,
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
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Stats:
    """Numbers of many questions. A rate is None where nothing was asked that it could be about."""

    questions: int = 0
    by_status: Mapping[str, int] = field(default_factory=dict)
    first_pass_rate: float | None = None  # of the questions for which a model wrote a query
    repair_rate: float | None = None
    errors: Mapping[str, int] = field(default_factory=dict)  # kind → how often, most frequent first
    seconds: Mapping[str, Spread] = field(default_factory=dict)  # by stage
    calls_per_answer: float | None = None
    tokens_per_answer: float | None = None
    statements: int = 0
    by_model: Mapping[str, int] = field(default_factory=dict)
