"""Checked statements, their limits and their results."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from text2sql.types.analytic import OutputColumn
from text2sql.types.values import Row


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


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a query result."""

    name: str  # as the engine names it; not necessarily unique
    type: str  # the engine's type name, "" if it reports none
    label: str = ""  # the name in words, if it is already known


@dataclass(frozen=True, slots=True)
class QueryFacts:
    """What a query says about its rows, for sentences, headers and charts. It decides nothing."""

    columns: tuple[OutputColumn, ...] = ()  # empty: unknown, as for `SELECT *`
    tables: tuple[str, ...] = ()
    subject: str = ""  # the table whose rows are listed or counted, if that is clear
    order: tuple[tuple[int, bool], ...] = ()  # positions in `columns`, -1: not shown; whether descending
    limit: int | None = None
    is_aggregate: bool = False  # rows are groups, or one total
    is_distinct: bool = False
    is_filtered: bool = False  # rows are selected by more than `period`
    period: tuple[date, date] | None = None  # the dates of all rows: from, and before
    per_group: bool = False  # the first so many rows of each group


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The rows that a query returned."""

    columns: tuple[ResultColumn, ...]
    rows: tuple[Row, ...]
    truncated: Literal["", "rows", "bytes"] = ""  # the limit that cut the rows off, if any
    cut_cells: int = 0  # number of cells shortened to `Limits.cell_bytes`
    seconds: float = 0.0
    partial: bool = False  # True if the query itself returns only some groups: a top five, a HAVING
    facts: QueryFacts = QueryFacts()

    @property
    def row_count(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Plan:
    """The engine's EXPLAIN output for a query, with its estimates."""

    text: str
    rows: float | None = None
    cost: float | None = None
