"""The profile of a database: facts about its values, read once within a budget."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from text2sql.types.values import Value

ColumnKind: TypeAlias = Literal[
    "identifier", "code", "category", "boolean", "label", "text", "date", "time", "amount", "quantity",
    "rate", "duration", "score", "number", "other",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Facts about one column, from all rows or from the first `TableProfile.scanned` ones."""

    name: str
    kind: ColumnKind = "other"
    distinct: int | None = None
    nulls: float = 0.0  # share of rows
    smallest: Value = None  # dates as ISO text
    largest: Value = None
    values: tuple[tuple[Value, int], ...] = ()  # all values with their counts, if there are at most 50
    # How a date or number is kept if not in its own type: `date:%m/%d/%Y`, `datetime:%Y-%m-%d %H:%M:%S`,
    # `date:%Y%m%d`, `time:%H:%M`, `epoch:s`, `epoch:ms`, `year`, `number:$1,234.56`, `number:1.234,56`,
    # `percent:12.3%`
    format: str = ""
    unit: str = ""  # `ms`, `s`, `min`, `USD`, `CNY`, `%`, `kg`, `bytes`
    is_unique: bool = False
    is_padded: bool = False  # texts with blanks at an end
    is_personal: bool = False  # about a person


@dataclass(frozen=True, slots=True)
class InferredJoin:
    """Columns that refer to a key without a declared foreign key."""

    table: str
    column: str
    to: str
    referred: str
    included: float  # share of the sampled values that the key contains


@dataclass(frozen=True, slots=True)
class TableProfile:
    table: str  # its label
    rows: int | None = None
    scanned: int = 0
    columns: tuple[ColumnProfile, ...] = ()

    def column(self, name: str) -> ColumnProfile | None:
        return next((column for column in self.columns if column.name == name), None)


@dataclass(frozen=True, slots=True)
class DatabaseProfile:
    fingerprint: str = ""  # of the catalog that it describes
    tables: tuple[TableProfile, ...] = ()
    joins: tuple[InferredJoin, ...] = ()
    is_complete: bool = True  # False: the budget ended before all columns were read
    read_at: str = ""  # ISO 8601, UTC

    def table(self, label: str) -> TableProfile | None:
        return next((profile for profile in self.tables if profile.table == label), None)

    def column(self, table: str, column: str) -> ColumnProfile | None:
        found = self.table(table)
        return found.column(column) if found else None
