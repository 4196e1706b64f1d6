"""The tables of a catalog with the meaning of their columns: what all rules of this package work on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from text2sql.naming import Name, column_kind, column_unit, meaning_of, name_words
from text2sql.naming.joins import key_column, table_topic
from text2sql.naming.persons import about_person
from text2sql.types import Catalog, Column, ColumnProfile, DatabaseProfile, Relation, Table

_SHARING = 3  # names that share a prefix, at least
Synonyms: TypeAlias = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    column: Column
    profile: ColumnProfile  # without facts about values if the database was not profiled
    meaning: str  # the entry of the vocabulary: `naming.meaning_of`
    words: Name

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def is_number(self) -> bool:
        return self.profile.kind in ("amount", "quantity", "rate", "duration", "score", "number")


@dataclass(frozen=True)
class TableFacts:
    table: Table
    label: str
    columns: tuple[ColumnFacts, ...]
    topic: tuple[str, ...]  # the words of its name
    rows: int | None = None

    @cached_property
    def key(self) -> tuple[str, ...]:
        if self.table.primary_key:
            return self.table.primary_key
        column = key_column(self.table)
        return (column.name,) if column is not None else ()

    @cached_property
    def words(self) -> Name:
        return name_words(self.table.name)

    def column(self, name: str) -> ColumnFacts | None:
        return next((facts for facts in self.columns if facts.name == name), None)

    def of_kind(self, *kinds: str) -> list[ColumnFacts]:
        return [facts for facts in self.columns if facts.profile.kind in kinds]


@dataclass(frozen=True)
class Schema:
    """All tables that are used, with the joins between them."""

    catalog: Catalog
    tables: Mapping[str, TableFacts]  # by label: tables, then views
    relations: tuple[Relation, ...]
    is_profiled: bool

    def parents(self, label: str) -> list[Relation]:
        """The joins from a table to the tables that its rows refer to."""
        return self._parents.get(label, [])

    @cached_property
    def _parents(self) -> Mapping[str, list[Relation]]:
        parents: dict[str, list[Relation]] = {}
        for relation in self.relations:
            parents.setdefault(relation.table, []).append(relation)
        return parents


def table_facts(
    table: Table, label: str, profile: DatabaseProfile | None, table_prefix: int = 0
) -> TableFacts:
    """`table_prefix`: first words of the name that all tables share."""
    shown = [column for column in table.columns if not column.hidden]
    prefix = shared_prefix([column.name for column in shown])
    known = profile.table(label) if profile is not None else None
    columns = []
    for column in shown:
        read = known.column(column.name) if known is not None else None
        columns.append(
            ColumnFacts(
                column,
                read or named_profile(table, column),
                meaning_of(column.name),
                name_words(column.name).without_first(prefix),
            )
        )
    rows = known.rows if known is not None and known.rows is not None else table.rows
    return TableFacts(table, label, tuple(columns), table_topic(table.name)[table_prefix:], rows)


def shared_prefix(names: Sequence[str]) -> int:
    """The number of first words that all names have: 1 for `c_id`, `c_name`, `c_city`."""
    words = [name_words(name).singulars for name in names]
    if len(words) < _SHARING:
        return 0
    shortest = min(map(len, words))
    return next(
        (count for count in range(max(shortest, 1)) if len({word[count : count + 1] for word in words}) > 1),
        max(shortest - 1, 0),
    )


def named_profile(table: Table, column: Column) -> ColumnProfile:
    """What the catalog alone says about a column."""
    kind = column_kind(table, column)
    return ColumnProfile(
        column.name,
        kind,
        format="year" if kind == "date" and meaning_of(column.name) == "year" else "",
        unit=column_unit(table, column, kind),
        is_unique=table.primary_key == (column.name,)
        or any(index.unique and index.columns == (column.name,) for index in table.indexes),
        is_personal=about_person(table.name, column.name),
    )
