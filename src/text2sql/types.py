"""The frozen dataclasses that all packages exchange. Start reading here.

In order: database schema, access policy, question analysis, model calls, checked queries, results, the answer
with its receipt, and the events of a running question. None of them holds a connection, a model client or a
syntax tree, so all of them can be compared, pickled and stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

# A cell value: what JSON represents without loss. Dates, exact decimals, large integers, NaN, binary data and
# engine-specific types are converted to text, as documented in docs/databases.md.
Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Row: TypeAlias = tuple[Value, ...]


# -- Database schema -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table or view."""

    name: str
    type: str
    nullable: bool = True
    comment: str = ""
    samples: tuple[str, ...] = ()  # a few distinct values; text columns only


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key of the table that contains it."""

    columns: tuple[str, ...]
    table: str  # the referenced table
    referred: tuple[str, ...]  # the referenced columns, in the order of `columns`
    schema: str = ""  # the schema of the referenced table; "" is the default schema


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a table."""

    name: str
    columns: tuple[str, ...]
    unique: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view with its columns and keys."""

    name: str
    columns: tuple[Column, ...]
    schema: str = ""  # "" is the default schema
    kind: Literal["table", "view"] = "table"
    comment: str = ""
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    indexes: tuple[Index, ...] = ()
    rows: int | None = None  # the engine's estimate of the row count, if it has one
    partial: bool = False  # True if a policy hides some of the columns


@dataclass(frozen=True, slots=True)
class Catalog:
    """The schema of a database. Catalogs with equal fingerprints describe the same schema."""

    dialect: str
    default_schema: str
    tables: tuple[Table, ...]
    fingerprint: str

    def table(self, name: str, schema: str = "") -> Table | None:
        """Find a table by name, in the default schema unless another one is given."""
        wanted = (schema or self.default_schema, name)
        return next((t for t in self.tables if (t.schema or self.default_schema, t.name) == wanted), None)


# -- Access policy -------------------------------------------------------------------------------


Claim: TypeAlias = str | int | float | bool | tuple[str | int | float | bool, ...]


@dataclass(frozen=True, slots=True)
class RowRule:
    """A row-level security rule: rows are visible where `predicate`, an SQL condition, is true.

    `:name` in the predicate is replaced by the user's claim of that name.
    """

    predicate: str
    claims: tuple[tuple[str, Claim], ...] = ()  # the user's claims that the predicate refers to


@dataclass(frozen=True, slots=True)
class Policy:
    """An allow-list of the tables, columns and rows that one user may read. Everything else is hidden.

    tables: maps each visible table to its visible columns, in order. Names are spelled as the engine stores
        them: `name` in the default schema, otherwise `schema.name`.
    default_schema: maps a dialect to the schema of unqualified names (`catalog.schema` if the engine has two
        levels).
    rows: maps a table to its row rules. A row is visible if any rule matches; a table without an entry shows
        all rows.
    exact: True if the names come from a catalog. Otherwise a lower-case name also matches the upper-case name
        of an engine that stores identifiers in upper case.
    complete: True if the policy shows the whole database, so that no filtering is needed.
    """

    tables: Mapping[str, tuple[str, ...]]
    default_schema: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, tuple[RowRule, ...]] = field(default_factory=dict)
    exact: bool = False
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """The tables and columns that a role may read, and row predicates for tables that it may read in part."""

    tables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policies:
    """A policy document. `sql.policy_for` derives the `Policy` of one user from it."""

    everybody: Role
    roles: Mapping[str, Role] = field(default_factory=dict)
    default_schema: Mapping[str, str] = field(default_factory=dict)


# -- Column values -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ValueHit:
    """A phrase of the question that matches a value of a column."""

    said: str  # the phrase, as the question spells it
    value: str  # the value, as the database spells it
    table: str
    column: str


@runtime_checkable
class ValueDomains(Protocol):
    """Lookup of the known values of text columns. `schema/` implements it and `sql/` uses it."""

    def contains(self, table: str, column: str, value: str) -> bool | None:
        """Whether the column contains exactly this value; None if not all of its values are known."""

    def spelled(self, table: str, column: str, value: str) -> str | None:
        """The stored spelling of a value that differs in case, accents, width, spaces or language."""

    def nearest(self, table: str, column: str, value: str, most: int = 5) -> list[str]:
        """Values of the column that are similar to this one, best first, to suggest to a user."""

    def places(self, value: str) -> list[tuple[str, str]]:
        """The (table, column) pairs that contain the value in any spelling."""

    def holding(self, table: str, column: str, text: str) -> list[str]:
        """Values of the column with a word that starts with the text; empty if not all values are known."""

    def within(self, table: str, column: str, text: str) -> list[str]:
        """Values of the column that occur in the text as whole words; empty if not all values are known."""


# -- Question analysis ---------------------------------------------------------------------------

Columns: TypeAlias = tuple[tuple[str, str], ...]  # the (table, column) pairs that a phrase may refer to


@dataclass(frozen=True, slots=True)
class Negation:
    """The negated part of a question: what follows *no*, *not* or *without*."""

    values: tuple[ValueHit, ...] = ()  # *not in Paris*: the negated values
    had: tuple[str, ...] = ()  # *who placed an order but have no account*: the tables before *but*
    lacks: bool = False  # *no* or *without*, which ask for missing rows; not *not* alone
    fails: bool = False  # *do not have*, applied to all alternatives and not to one of several
    at_all: bool = False  # *no … of any kind*: any further condition on the missing rows is wrong


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What a question refers to in the schema, extracted by rules. The SQL fixes use it as evidence.

    A field of type `Columns` lists every column that the quoted phrase may refer to.
    """

    touched: Mapping[str, frozenset[str]]  # table → words of the question that refer to it
    understood: bool  # True if every content word of the question refers to something in the schema
    text: str = ""  # the question in lower case
    heard: tuple[ValueHit, ...] = ()  # all phrases that match a column value
    values: tuple[ValueHit, ...] = ()  # the matches among them that are names and occur in one column only
    each: Columns = ()  # *each city*: the grouping column
    sought: Columns = ()  # *which city*: the requested column, unless the question asks for everything
    listed: tuple[Columns, ...] = ()  # *the name, age and town of*: the requested columns, in order
    ranked: Columns = ()  # *sorted by age*: the sort column, unless the question mentions it elsewhere
    different: bool = False  # *the different …*: asks for DISTINCT
    distinct: Columns = ()  # *different rooms*: the column of the DISTINCT
    words: Columns = ()  # columns whose whole name is in the question, ignoring *is* and *has*: `is_retired`
    both: bool = False  # *both … and …*
    negation: Negation | None = None
    things: frozenset[str] = frozenset()  # tables whose whole name, or a synonym of it, is in the question
    named: tuple[str, ...] = ()  # *the names of the members*: the tables whose names are requested
    measure: Literal["avg", "sum", ""] = ""  # *the average of*, *the total of*; "" if neither or both occur
    averaged: Columns = ()  # *average price*: the column, unless it is also mentioned without *average*
    totalled: Columns = ()  # *total price*, *total number of rooms*: likewise


# -- Model calls ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """A chat message."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. Options that the model does not support (see `ModelProfile`) must be left unset.

    The first message holds the stable part of the prompt (rules and schema), so that its evaluation can be
    cached and reused.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 512
    candidates: int = 1
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    grammar: str = ""  # GBNF grammar that constrains decoding
    schema: Mapping[str, object] | None = None  # JSON Schema for structured output
    tools: Mapping[str, str] = field(default_factory=dict)  # name → description; the model calls one of them
    logprobs: bool = False
    begun: str = ""  # prefix of the answer, which the model continues
    forced: "Alternative | None" = None  # the first token after `begun`
    plain: bool = False  # use the base model, without this project's LoRA adapter
    seconds: float | None = None  # deadline of the call and its retries, from when the model starts on it


@dataclass(frozen=True, slots=True)
class Alternative:
    """An alternative for a generated token. Its bytes may end inside a character, so its id identifies it."""

    id: int
    data: bytes
    logprob: float = 0.0


@dataclass(frozen=True, slots=True)
class Token:
    """A generated token with its probability."""

    text: str  # whole characters: a character that spans several tokens belongs to the last of them
    logprob: float
    others: tuple[Alternative, ...] = ()  # other likely tokens at this position, if the model reports them


@dataclass(frozen=True, slots=True)
class Candidate:
    """One of the texts that a model generated for a request."""

    text: str
    finish: Literal["stop", "length"] = "stop"  # "length": truncated, so it is never run as SQL
    tokens: tuple[Token, ...] = ()
    called: str = ""  # the tool that the model called, if any


@dataclass(frozen=True, slots=True)
class Usage:
    """Token usage of model calls. `prompt_tokens` includes `cached_tokens`, which cost almost nothing."""

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
    """A model's response to a `ModelRequest`."""

    model: str  # the model that answered; with a fallback chain, not always the first one
    candidates: tuple[Candidate, ...]
    usage: Usage

    @property
    def text(self) -> str:
        """The text of the first candidate."""
        return self.candidates[0].text


Location: TypeAlias = Literal["local", "hosted"]
Size: TypeAlias = Literal["small", "large"]


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """The capabilities of a model. Each decision tests the field for exactly that capability; no field is a
    proxy for another. The defaults are conservative: an unknown model is assumed to be remote.
    """

    context: int  # context window in tokens, prompt and answer together
    location: Location = "hosted"  # `local`: prompts stay on this machine
    size: Size = "large"  # `small`: slow at reading prompts, and easily misled by hints
    structured_output: bool = False  # supports `ModelRequest.schema`
    tool_calls: bool = False  # supports `ModelRequest.tools`
    logprobs: bool = False  # reports token probabilities
    continues: bool = False  # supports `ModelRequest.begun`
    grammar: bool = False  # supports `ModelRequest.grammar`
    candidates: bool = False  # returns several candidates per call


# -- Checked queries -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckedSql:
    """A read-only statement that passed the guard, regenerated from its syntax tree.

    Only `sql/guard.py` creates one, and `Database.run` accepts nothing else: the type is the proof.
    """

    sql: str
    dialect: str
    tables: tuple[str, ...] = ()  # the tables it reads, sorted; `schema.name` or as written
    limit: int | None = None  # the row limit of the outermost SELECT
    plain: str = ""  # the statement without the predicates that a row policy added, if one did

    @property
    def shown(self) -> str:
        """The SQL for users, prompts and stored records: policy predicates may name hidden columns."""
        return self.plain or self.sql


@dataclass(frozen=True, slots=True)
class CheckedWrite:
    """An INSERT, UPDATE or DELETE that passed the guard, regenerated from its syntax tree.

    Only `sql/writes.py` creates one, and it runs only after a user confirms it. DDL is never allowed.
    """

    sql: str
    dialect: str
    table: str
    kind: Literal["insert", "update", "delete"]
    key: str  # idempotency key: the statement runs at most once
    plain: str = ""  # the statement without the predicates that a row policy added, if one did

    @property
    def shown(self) -> str:
        """The SQL that the user confirms. It is checked again before it runs."""
        return self.plain or self.sql


@dataclass(frozen=True, slots=True)
class SqlRejected:
    """A statement that the guard rejected: the violated rule, the offending fragment and its position.

    It is a return value and not an exception. `messages.refusal` turns it into a localized sentence.
    """

    rule: str
    piece: str = ""  # the fragment of the SQL that violates the rule
    line: int | None = None  # 1-based
    column: int | None = None  # 1-based


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of one query. `QueryResult` reports every limit that was reached."""

    rows: int = 1_000
    bytes: int = 16_000_000
    cell_bytes: int = 64_000
    seconds: float = 30.0


# -- Results -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a query result."""

    name: str  # as the engine names it; not necessarily unique
    type: str  # the engine's type name, "" if it reports none


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows that a query returned."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    truncated: Literal["", "rows", "bytes"] = ""  # the limit that cut the rows off, if any
    cut_cells: int = 0  # number of cells shortened to `Limits.cell_bytes`
    seconds: float = 0.0
    partial: bool = False  # True if the query itself returns only some groups: a top five, a HAVING

    @property
    def row_count(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Plan:
    """The engine's EXPLAIN output for a query, with its estimates."""

    text: str
    rows: float | None = None
    cost: float | None = None


# -- The answer ----------------------------------------------------------------------------------

Status: TypeAlias = Literal["answered", "clarify", "refused", "no_data", "conversation", "confirm", "failed"]
Mode: TypeAlias = Literal["hybrid", "database_direct", "chat_direct"]
# `sure` is shown without a caveat: at most one in ten such answers should be wrong (docs/evaluation.md).
Certainty: TypeAlias = Literal["sure", "probably", "not_sure"]


@dataclass(frozen=True, slots=True)
class Classification:
    """Whether the user asks for data or just talks, with the confidence and the method of the decision."""

    kind: Literal["data", "conversation"] = "data"
    confidence: float = 1.0
    reason: str = ""
    method: Literal["rules", "model", "mode"] = "rules"


@dataclass(frozen=True, slots=True)
class StageError:
    """An error in one stage of the pipeline. A later attempt may still have succeeded."""

    stage: str
    kind: str  # the `kind` of the error, or the guard rule
    detail: str
    sql: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """An option of a clarification question. The user answers with its label or its number."""

    label: str
    question: str  # the complete question that this choice leads to


@dataclass(frozen=True, slots=True)
class Shared:
    """The database values that a question disclosed to a model; all empty if no model was called."""

    location: Location | Literal[""] = ""  # `hosted`: the values left this machine
    values: str = ""  # the setting `share_values`: none, categories or samples
    columns: tuple[str, ...] = ()  # `table.column` of each column whose values were in a prompt
    rows: int = 0  # number of table and result rows in prompts


@dataclass(frozen=True, slots=True)
class Receipt:
    """How an answer was produced: the evidence, the stages and the cost."""

    sql: str = ""
    dialect: str = ""
    tables: tuple[str, ...] = ()
    values: tuple[ValueHit, ...] = ()
    assumptions: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()  # the checks that the query passed: guard, columns, explain, ran
    repairs: tuple[str, ...] = ()  # the fixes that were applied without a model
    classification: Classification = Classification()
    path: tuple[str, ...] = ()  # the stages, in order
    errors: tuple[StageError, ...] = ()
    attempts: int = 0  # number of queries that a model generated
    candidates: tuple[str, ...] = ()  # the queries to choose from, as the model generated them
    confidence: float | None = None
    certainty: Certainty | None = None  # the confidence as a category; None if no query answered
    taken_for: str = ""  # a paraphrase of the query
    signals: Mapping[str, float] = field(default_factory=dict)  # the features behind the confidence
    model: str = ""
    usage: Usage = Usage()
    shared: Shared = Shared()
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage
    statements: int = 0  # number of statements sent to the database, EXPLAIN included
    mode: Mode = "hybrid"
    preset: str = "default"
    served: str = ""  # for an answer from the cache: when it was computed (ISO 8601, UTC)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a question has no answer: a code for programs, a message and a hint for users."""

    kind: str  # an error's `kind`, a guard rule, or a reason such as `ambiguous_question`
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The final answer to a question, with its query, its rows and its receipt."""

    status: Status
    question: str
    answer: str  # a sentence: the result, a clarification question, a refusal or an error
    sql: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    row_count: int = 0
    truncated: bool = False
    chart: Mapping[str, object] | None = None
    receipt: Receipt = Receipt()
    error: Problem | None = None
    choices: tuple[Choice, ...] = ()
    result_id: str = ""  # key of the stored rows, for paging and export until they expire
    thread_id: str = ""


# -- Events of a running question ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A pipeline stage began."""

    stage: str


@dataclass(frozen=True, slots=True)
class StageEnded:
    """A pipeline stage ended."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SqlToken:
    """A fragment of the query while the model generates it. Unchecked: display it, never run it."""

    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of one check of the query."""

    check: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RowsFound:
    """The rows of the query, before the answer is complete."""

    sql: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A fragment of the answer sentence while the model generates it."""

    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    """A localized warning for the user."""

    message: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The position in the queue of the embedded model, which runs one call at a time."""

    ahead: int  # calls before this one; 0 means that it has started


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every stream."""

    answer: Answer


Event: TypeAlias = (
    StageStarted | StageEnded | SqlToken | Checked | RowsFound | AnswerToken | Warned | Queued | Finished
)
