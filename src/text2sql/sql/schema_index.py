"""An index of a catalog for the fixes: tables and columns by normalized name, approximate name matching, and
the links between tables. Built once per catalog.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS, Grammar
from text2sql.sql.scope import Outputs
from text2sql.sql.table_policy import ByIdentity
from text2sql.text_normalization import singular
from text2sql.types import Catalog, Column, Policy, Table

_TEXT = re.compile(r"(?i)char|text|clob|string")
_NUMBER = re.compile(r"(?i)int|num|dec|real|floa|doub")


def is_text(column: Column) -> bool:
    return _TEXT.search(column.type) is not None


def is_number(column: Column) -> bool:
    return _NUMBER.search(column.type) is not None


def have_different_types(left: Column, right: Column) -> bool:
    """Whether one column is text and the other a number, so that no key joins them."""
    kinds = [(is_text(column), is_number(column)) for column in (left, right)]
    return kinds in ([(True, False), (False, True)], [(False, True), (True, False)])


@dataclass(slots=True, eq=False)
class TableEntry:
    """A visible table. `name` is its name in queries and value indexes, qualified outside the default
    schema.
    """

    table: Table
    name: str
    columns: dict[str, Column]
    hidden: frozenset[str]
    folded: dict[str, list[Column]] = field(default_factory=lambda: defaultdict(list))
    links: list["Link"] = field(default_factory=list)
    outputs: Outputs = field(init=False)

    def __post_init__(self) -> None:
        origins = {key: (self, column) for key, column in self.columns.items()}
        self.outputs = Outputs(tuple(self.columns), origins=origins)

    def is_key(self, columns: Iterable[str], grammar: Grammar) -> bool:
        """Whether these columns contain a key of the table."""
        keys = set(columns)
        unique = [self.table.primary_key, *(index.columns for index in self.table.indexes if index.unique)]
        return any(key and {grammar.columns.key(name, True) for name in key} <= keys for key in unique)

    def identified_rows(self, key: str) -> set[tuple[int, str]]:
        """The tables whose rows a column identifies, with the column there."""
        own_links = (link for link in self.links if link.forward and link.columns == (key,))
        return {(id(self), key), *((id(link.there), link.referred[0]) for link in own_links)}

    def is_other_key(self, key: str, grammar: Grammar) -> bool:
        """Whether a column identifies rows, here or in another table, or does not exist. A hidden column is
        neither.
        """
        if key not in self.columns:
            return key not in self.hidden
        return self.is_key([key], grammar) or len(self.identified_rows(key)) > 1


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A foreign key, from the perspective of one of its tables. Column names are normalized."""

    here: TableEntry
    columns: tuple[str, ...]
    there: TableEntry
    referred: tuple[str, ...]
    forward: bool  # `here` has the foreign key, `there` the referenced row

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.columns, self.referred, strict=True))


class SchemaIndex:
    """The visible tables of a catalog, indexed by name, and the links between them."""

    def __init__(self, catalog: Catalog, policy: Policy | None, dialect: str) -> None:
        self.grammar = GRAMMARS[dialect]
        self.default_schema = catalog.default_schema
        self.tables: dict[tuple[str, str], TableEntry] = {}
        self.folded: dict[str, list[TableEntry]] = defaultdict(list)
        self.tables_by_column: dict[str, list[TableEntry]] = defaultdict(list)
        self._tables_by_key: dict[str, list[TableEntry]] = defaultdict(list)  # of one column
        shown = _visible(policy, self.grammar) if policy is not None else None
        for table in catalog.tables:
            self._add(table, shown)
        for entry in self.entries():
            self._link(entry)
        for entry in self.entries():
            self._link_by_name(entry)

    def entries(self) -> Iterator[TableEntry]:
        yield from self.tables.values()

    def table(self, name: str, schema: str = "") -> TableEntry | None:
        """A table by its normalized name and, if given, its normalized schema."""
        return self.tables.get((schema or self._key(self.default_schema), name))

    def find(self, node: exp.Table) -> TableEntry | None:
        """The table that a FROM item refers to."""
        if node.catalog:
            return None
        schema = node.args.get("db")
        schema_key = self.grammar.tables.key(schema.name, bool(schema.args.get("quoted"))) if schema else ""
        return self.table(self.grammar.tables.key(node.name, bool(node.this.args.get("quoted"))), schema_key)

    def near(self, name: str, schema: str = "") -> list[TableEntry]:
        schema = schema or self._key(self.default_schema)
        return [entry for entry in self.folded.get(folded(name), ()) if self._schema(entry.table) == schema]

    def links(self, left: TableEntry, right: TableEntry) -> list[Link]:
        return [link for link in left.links if link.there is right]

    def _key(self, name: str) -> str:
        return self.grammar.tables.key(name, True)

    def _schema(self, table: Table) -> str:
        return self._key(table.schema or self.default_schema)

    def _add(self, table: Table, policy: dict[str, set[str]] | None) -> None:
        key = self.grammar.columns.key
        columns = {key(column.name, True): column for column in table.columns}
        plain = table.schema in ("", self.default_schema)
        name = table.name if plain else f"{table.schema}.{table.name}"
        stored = ".".join(self.grammar.tables.stored(part, True) for part in name.split("."))
        visible = set(columns) if policy is None else policy.get(stored)
        if visible is None:
            return
        shown = {column_key: column for column_key, column in columns.items() if column_key in visible}
        entry = TableEntry(table, name, shown, frozenset(columns) - visible)
        for column_key, column in shown.items():
            entry.folded[folded(column.name)].append(column)
            self.tables_by_column[column_key].append(entry)
        if len(table.primary_key) == 1:
            self._tables_by_key[key(table.primary_key[0], True)].append(entry)
        self.tables[self._schema(table), self._key(table.name)] = entry
        self.folded[folded(table.name)].append(entry)

    def _link(self, entry: TableEntry) -> None:
        added: set[tuple[object, ...]] = set()
        for foreign in entry.table.foreign_keys:
            there = self.tables.get(
                (
                    self._key(foreign.schema or entry.table.schema or self.default_schema),
                    self._key(foreign.table),
                )
            )
            if there is None or there is entry:
                continue
            key = self.grammar.columns.key
            columns = tuple(key(name, True) for name in foreign.columns)
            referred = tuple(key(name, True) for name in foreign.referred or there.table.primary_key)
            is_visible = set(columns) <= set(entry.columns) and set(referred) <= set(there.columns)
            if not is_visible or len(columns) != len(referred) or (columns, id(there), referred) in added:
                continue
            added.add((columns, id(there), referred))
            _link_both(entry, columns, there, referred)

    def _link_by_name(self, entry: TableEntry) -> None:
        """Link a column that has the name of the primary key of exactly one other table: warehouses and many
        older databases declare no foreign keys. Generic names such as `id` do not count.
        """
        declared = {link.columns[0] for link in entry.links if link.forward and len(link.columns) == 1}
        own_key = {self.grammar.columns.key(name, True) for name in entry.table.primary_key}
        for key in entry.columns:
            if key in declared or own_key == {key} or folded(key) in _GENERIC_NAMES:
                continue
            # Only tables with that key are searched: a column such as `created_at` may be in a thousand.
            owners = [
                table
                for table in self._tables_by_key.get(key, ())
                if table is not entry and key in table.columns and not _refers_by(table, key)
            ]
            if len(owners) == 1:
                _link_both(entry, (key,), owners[0], (key,))


_GENERIC_NAMES = frozenset({"id", "name", "code", "key", "number", "no", "year", "date", "title"})


def _refers_by(entry: TableEntry, key: str) -> bool:
    """Whether the column alone refers to another table."""
    return any(link.forward and link.columns == (key,) for link in entry.links)


def _link_both(
    entry: TableEntry, columns: tuple[str, ...], there: TableEntry, referred: tuple[str, ...]
) -> None:
    entry.links.append(Link(entry, columns, there, referred, forward=True))
    there.links.append(Link(there, referred, entry, columns, forward=False))


def _visible(policy: Policy, grammar: Grammar) -> dict[str, set[str]]:
    """The visible columns of a policy, by the stored name of the table."""
    return {
        ".".join(grammar.tables.stored(part, policy.exact) for part in name.split(".")): {
            grammar.columns.stored(column, policy.exact) for column in columns
        }
        for name, columns in policy.tables.items()
    }


# -- approximate name matching --

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@lru_cache(maxsize=20_000)
def folded(name: str) -> str:
    """The name without case, underscores, spaces and plurals: `pet_types` equals `PetType`."""
    return "".join(singular(word.lower()) for word in _WORD.findall(name))


def is_abbreviation(left: str, right: str) -> bool:
    """Whether the words of two names are pairwise equal, or one abbreviates the other."""
    left_words, right_words = (
        [singular(word.lower()) for word in _WORD.findall(name)] for name in (left, right)
    )
    return len(left_words) == len(right_words) > 0 and all(map(_is_short, left_words, right_words))


def _is_short(left: str, right: str) -> bool:
    """Whether one word abbreviates the other: its beginning (`emp`), its consonants (`hrs`), or some of its
    letters after the first two (`dept`). `name` does not abbreviate `nickname`.
    """
    short, long = sorted((left, right), key=len)
    if short == long:
        return True
    if not 3 <= len(short) <= 0.6 * len(long) or not short.isalpha() or short[0] != long[0]:
        return False  # one or two missing letters are a typo, which another fix corrects
    letters = iter(long)
    is_subsequence = long.startswith(short[:2]) if len(short) > 3 else not set(short[1:]) & set("aeiou")
    return long.startswith(short) or (is_subsequence and all(letter in letters for letter in short))


_MIN_TYPO_LENGTH = 5  # characters; shorter names are too similar to each other


def one_letter_off(written: str, stored: str) -> bool:
    """Whether names differ by one letter or two swapped letters. A digit is no typo: `line1` is not
    `line2`.
    """
    shorter, longer = sorted((written.lower(), stored.lower()), key=len)
    if len(shorter) < _MIN_TYPO_LENGTH or len(longer) - len(shorter) > 1 or shorter == longer:
        return False
    index = next((i for i, letter in enumerate(shorter) if letter != longer[i]), len(shorter))
    if len(shorter) < len(longer):
        return shorter[index:] == longer[index + 1 :] and longer[index].isalpha()
    if not (shorter[index].isalpha() and longer[index].isalpha()):
        return False
    swapped = shorter[:index] + shorter[index + 1 : index + 2] + shorter[index] + shorter[index + 2 :]
    return shorter[index + 1 :] == longer[index + 1 :] or swapped == longer


# -- cache --


@lru_cache(maxsize=32)
def _cached_index(
    catalog: ByIdentity[Catalog], policy: ByIdentity[Policy | None], dialect: str
) -> SchemaIndex:
    return SchemaIndex(catalog.value, policy.value, dialect)


def schema_index_for(catalog: Catalog, policy: Policy | None, dialect: str) -> SchemaIndex:
    """The index of a catalog, cached by identity: two catalogs may share a fingerprint but have different
    tables.
    """
    return _cached_index(ByIdentity(catalog), ByIdentity(policy), dialect)
