"""The story as frozen values, in reading order: what a database looks like, what may be seen of it, what a
model is asked and answers, a query that passed the guard, the limits it runs under, what came back, the
answer with its receipt, and the events that are told on the way.

Every room speaks in these values; none of them holds a connection, a model or a parser's tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

# -- What a cell may hold: what JSON can carry without loss. Dates, exact decimals, big integers, NaN,
#    binary and everything an engine has of its own are text in one documented form (docs/databases.md).
Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Row: TypeAlias = tuple[Value, ...]


# -- What a database looks like ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    nullable: bool = True
    comment: str = ""
    samples: tuple[str, ...] = ()  # a few distinct values, text columns only


@dataclass(frozen=True, slots=True)
class ForeignKey:
    columns: tuple[str, ...]
    table: str
    referred: tuple[str, ...]
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Index:
    name: str
    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    schema: str = ""
    kind: Literal["table", "view"] = "table"
    comment: str = ""
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    indexes: tuple[Index, ...] = ()
    rows: int | None = None  # the engine's estimate, None where it has none
    partial: bool = False  # a policy hides some of its columns


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything a question can be about. Two catalogues with one fingerprint have the same schema."""

    dialect: str
    default_schema: str
    tables: tuple[Table, ...]
    fingerprint: str

    def table(self, name: str, schema: str = "") -> Table | None:
        wanted = (schema or self.default_schema, name)
        return next((t for t in self.tables if (t.schema or self.default_schema, t.name) == wanted), None)


# -- What may be seen ----------------------------------------------------------------------------


Claim: TypeAlias = str | int | float | bool | tuple[str | int | float | bool, ...]


@dataclass(frozen=True, slots=True)
class RowRule:
    """Shows the rows for which `predicate` is true; `:name` in it stands for the claim of that name."""

    predicate: str
    claims: tuple[tuple[str, Claim], ...] = ()  # of the person who asks, those that the predicate names


@dataclass(frozen=True, slots=True)
class Policy:
    """Which tables and columns may be seen; nothing else may. Names are as the engine stores them.

    `tables` maps a name, bare for the default schema or `schema.name`, to its visible columns in order.
    `default_schema` maps a dialect to the schema (`a.b` where the engine has two levels) of bare names.
    `rows` maps a name of `tables` to its rules: a row is seen if one of them shows it. A table without an
    entry shows all its rows. `exact` names were read in a catalogue; otherwise one in lower case stands for
    capitals where an engine stores those.
    """

    tables: Mapping[str, tuple[str, ...]]
    default_schema: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[RowRule, ...]] = field(default_factory=dict)
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """What a role may see: tables with their columns, and the predicates of those it sees in part."""

    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policies:
    """A policy document. `sql.policy_for` makes of it what one person may see."""

    everybody: Role
    roles: Mapping[str, Role] = field(default_factory=dict)
    default_schema: Mapping[str, str] = field(default_factory=dict)


# -- What stands in the columns ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ValueHit:
    """A piece of the question that stands, in this very spelling, in a column."""

    said: str
    value: str
    table: str
    column: str


class Domains(Protocol):
    """What text columns hold, as far as that is known. `sql/` asks it, `schema/` answers."""

    def contains(self, table: str, column: str, value: str) -> bool | None:
        """Whether the column holds this very text; None where nobody knows the column's whole domain."""

    def spelled(self, table: str, column: str, value: str) -> str | None:
        """The column's own spelling of a text that differs in case, accents, width, space or language."""

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        """Values of the column that resemble it, best first: what to offer a person."""

    def places(self, value: str) -> list[tuple[str, str]]:
        """The (table, column) pairs that hold a text, however it is spelled there."""

    def holding(self, table: str, column: str, text: str) -> list[str]:
        """Values of the column with a word in them that begins so; none where not all are known."""

    def within(self, table: str, column: str, text: str) -> list[str]:
        """Values of the column that stand in the text, as whole words; none where not all are known."""


Columns: TypeAlias = tuple[tuple[str, str], ...]  # (table, column) pairs that go by one word


@dataclass(frozen=True, slots=True)
class Denial:
    """What a question says no to: *no*, *not*, *without*."""

    values: tuple[ValueHit, ...] = ()  # *not in Paris*
    had: tuple[str, ...] = ()  # *who placed an order but have no account*: the tables before the *but*
    lacks: bool = False  # *no*, *without*, and not only *not*
    fails: bool = False  # *do not have*: nor is that said of one of several
    at_all: bool = False  # *no … of any kind*: whatever is said of them more is made up


@dataclass(frozen=True, slots=True)
class Said:
    """What a question is about, for repairs that must know: by table, the words that touch it."""

    touched: Mapping[str, frozenset[str]]
    understood: bool  # every word of it touches something, or means nothing in particular
    text: str = ""  # in lower case
    heard: tuple[ValueHit, ...] = ()  # all its words that stand in a column
    values: tuple[ValueHit, ...] = ()  # of these the names that stand in one column only
    each: Columns = ()  # *each city*: the (table, column) pairs that are called so
    sought: Columns = ()  # *which city*: the same, unless all there is is wanted
    listed: tuple[Columns, ...] = ()  # *the name, age and town of*: the same, one by one
    ranked: Columns = ()  # *sorted by age*, which is said nowhere else: the same
    different: bool = False  # *the different …*
    distinct: Columns = ()  # *different rooms*: the pairs that are called so
    words: Columns = ()  # those whose whole name its words are, *is* and *has* aside: *retired*, `is_retired`
    both: bool = False  # *both … and …*
    denial: Denial | None = None
    things: frozenset[str] = frozenset()  # the tables whose whole name a word of it is, or means
    named: tuple[str, ...] = ()  # *the names of the members*: the tables of what is to be named
    measure: Literal["avg", "sum", ""] = ""  # *the average of …*, *the total of …*; not where both are said
    averaged: Columns = ()  # *average price*, and no price otherwise: the pairs that are called so
    totalled: Columns = ()  # *total price*, *total number of rooms*: the same


# -- Asking a model ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. What a model cannot do (`Capabilities`) is left out of it, not pretended.

    The first message is the stable part (rules and schema): its evaluation is kept and found again.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 512
    candidates: int = 1
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    grammar: str = ""  # GBNF, for a model that decodes under one
    schema: Mapping[str, object] | None = None  # JSON Schema, for a model with structured output
    tools: Mapping[str, str] = field(default_factory=dict)  # to call one of: name and what it is for
    logprobs: bool = False
    begun: str = ""  # how the answer begins, for a model that goes on from there
    plain: bool = False  # as its makers ship it: without what the model has learned here about queries
    seconds: float | None = None  # for the whole call, retries and waiting included


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    logprob: float
    others: tuple[tuple[str, float], ...] = ()  # what else it nearly was, where the model tells


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    finish: Literal["stop", "length"] = "stop"  # "length": cut off, so never run as SQL
    tokens: tuple[Token, ...] = ()
    called: str = ""  # the tool, one of those offered


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost. Prompt tokens include the cached ones, which cost almost nothing."""

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    model: str  # who answered: with a fallback chain not always who was asked
    candidates: tuple[Candidate, ...]
    usage: Usage

    @property
    def text(self) -> str:
        return self.candidates[0].text


@dataclass(frozen=True, slots=True)
class Capabilities:
    context: int  # tokens of prompt and answer together
    grammar: bool = False
    schema: bool = False
    candidates: bool = False  # several in one call
    logprobs: bool = False
    tools: bool = False
    continues: bool = False  # an answer that has begun


# -- A query on its way --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckedSql:
    """One read-only statement, written anew from its syntax tree. Only `sql/guard.py` builds one:
    whoever holds it need not ask again, and `Database.run` takes nothing else.
    """

    sql: str
    dialect: str
    tables: tuple[str, ...] = ()  # the real tables it reads, `schema.name` or as written, sorted
    limit: int | None = None  # the row limit that stands at its root
    plain: str = ""  # the same as it was before row policies were put in, where some were

    @property
    def shown(self) -> str:
        """What people, prompts and stores get to see: a predicate may name columns that they may not."""
        return self.plain or self.sql


@dataclass(frozen=True, slots=True)
class CheckedWrite:
    """One INSERT, UPDATE or DELETE on visible tables, written anew from its tree. Only `sql/writes.py` builds
    one, and nothing runs it but a person's confirmation. A schema is never changed.
    """

    sql: str
    dialect: str
    table: str
    kind: Literal["insert", "update", "delete"]
    key: str  # names this statement, and no other, for ever: it runs once


@dataclass(frozen=True, slots=True)
class SqlRejected:
    """A refusal is an answer: which rule, the piece that broke it, and where it stands in the text.

    `messages.refusal` says it in the reader's language.
    """

    rule: str
    piece: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may cost. A limit that was hit is said in the result, never hidden."""

    rows: int = 1_000
    bytes: int = 16_000_000
    cell_bytes: int = 64_000
    seconds: float = 30.0


# -- What came back ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultColumn:
    name: str  # as the engine names it; two columns may share a name
    type: str  # the engine's own word, "" where it does not say


@dataclass(frozen=True, slots=True)
class QueryResult:
    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    truncated: Literal["", "rows", "bytes"] = ""  # which limit cut the rows off, if one did
    cut_cells: int = 0  # cells shortened to `Limits.cell_bytes`
    seconds: float = 0.0

    @property
    def row_count(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the engine expects of a query it has not run."""

    text: str
    rows: float | None = None
    cost: float | None = None


# -- The answer ----------------------------------------------------------------------------------

Status: TypeAlias = Literal["answered", "clarify", "refused", "no_data", "conversation", "confirm", "failed"]
Mode: TypeAlias = Literal["hybrid", "database_direct", "chat_direct"]


@dataclass(frozen=True, slots=True)
class Classification:
    """What kind of question it is, how sure that is, and who said so."""

    kind: Literal["data", "conversation"] = "data"
    confidence: float = 1.0
    reason: str = ""
    method: Literal["rules", "model", "mode"] = "rules"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that went wrong on the way, and was met or not."""

    stage: str
    kind: str  # of the error, or the guard's rule
    detail: str
    sql: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something a person can pick when asked back. Saying its label, or its number, is the answer."""

    label: str
    question: str  # the whole question that the choice stands for


@dataclass(frozen=True, slots=True)
class Receipt:
    """How an answer came about."""

    sql: str = ""
    dialect: str = ""
    tables: tuple[str, ...] = ()
    values: tuple[ValueHit, ...] = ()
    assumptions: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()  # that it passed: guard, columns, explain, ran
    repairs: tuple[str, ...] = ()  # what was mended without a model
    classification: Classification = Classification()
    path: tuple[str, ...] = ()  # the stages, in the order they were entered
    errors: tuple[Trouble, ...] = ()
    attempts: int = 0  # queries that a model wrote
    candidates: tuple[str, ...] = ()  # the queries that were weighed, as a model wrote them
    confidence: float | None = None
    signals: Mapping[str, float] = field(default_factory=dict)  # what the confidence was counted from
    model: str = ""
    usage: Usage = Usage()
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    statements: int = 0  # sent to the database: explained or run
    mode: Mode = "hybrid"
    preset: str = "default"
    served: str = ""  # from the result cache: when the answer was first given (ISO 8601, UTC)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why there is no answer, for people and for programs."""

    kind: str  # an error's kind, a guard's rule, or a reason such as `ambiguous_question`
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    status: Status
    question: str
    answer: str  # the sentence: what was found, what is asked back, what was refused, what went wrong
    sql: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    row_count: int = 0
    truncated: bool = False
    chart: Mapping[str, object] | None = None
    receipt: Receipt = Receipt()
    error: Problem | None = None
    choices: tuple[Choice, ...] = ()
    result_id: str = ""  # the rows are kept under it for a while: pages, exports
    thread_id: str = ""


# -- What is told on the way ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StageStarted:
    stage: str


@dataclass(frozen=True, slots=True)
class StageEnded:
    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SqlToken:
    """A piece of the query as the model writes it. It has not been checked: to be shown, never to be run."""

    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    check: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RowsFound:
    sql: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class AnswerToken:
    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    message: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every stream."""

    answer: Answer


Event: TypeAlias = (
    StageStarted | StageEnded | SqlToken | Checked | RowsFound | AnswerToken | Warned | Finished
)
