"""The schema of a database, and facts about the values of its columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table or view."""

    name: str
    type: str
    nullable: bool = True
    comment: str = ""
    samples: tuple[str, ...] = ()  # a few distinct values; text columns only
    hidden: bool = False  # True: not shown to a model; the original text of another column


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
class SourceNote:
    """Something that was decided while a file was read. `key` names its sentence in `i18n/messages.toml`."""

    key: str
    table: str = ""  # "" for the whole source
    column: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""  # the key of an error, whose sentence is the fact `reason`
    reason_facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Catalog:
    """The schema of a database. Catalogs with equal fingerprints describe the same schema."""

    dialect: str
    default_schema: str
    tables: tuple[Table, ...]
    fingerprint: str
    notes: tuple[SourceNote, ...] = ()  # about the files that were read; none for a database

    def table(self, name: str, schema: str = "") -> Table | None:
        """Find a table by name, in the default schema unless another one is given."""
        key = (schema or self.default_schema, name)
        return next((t for t in self.tables if (t.schema or self.default_schema, t.name) == key), None)

    def label(self, table: Table) -> str:
        """The bare name of a table in the default schema, else `schema.name`."""
        return table.name if table.schema in ("", self.default_schema) else f"{table.schema}.{table.name}"

    def referred_table(self, table: Table, foreign: ForeignKey) -> Table | None:
        """The table that a foreign key of `table` refers to. Without a schema it may be in the same one."""
        target = self.table(foreign.table, foreign.schema)
        return self.table(foreign.table, table.schema) if target is None and not foreign.schema else target


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

    def columns_with(self, value: str) -> list[tuple[str, str]]:
        """The (table, column) pairs that contain the value in any spelling."""
