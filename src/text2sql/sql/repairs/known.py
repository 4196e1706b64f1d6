"""What a catalogue knows, arranged for looking things up: names as the dialect compares them, names as people
misspell them, and which foreign keys link which tables. Made once a catalogue.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from text2sql.sql.catalogue import ByIdentity
from text2sql.sql.dialects import GRAMMARS, Grammar
from text2sql.types import Catalogue, Column, Policy, Table
from text2sql.wording import singular

_TEXT = re.compile(r"(?i)char|text|clob|string")
_NUMBER = re.compile(r"(?i)int|num|dec|real|floa|doub")


def is_text(column: Column) -> bool:
    return _TEXT.search(column.type) is not None


def is_number(column: Column) -> bool:
    return _NUMBER.search(column.type) is not None


def of_two_kinds(one: Column, other: Column) -> bool:
    """A text and a number: what joins them is no key."""
    kinds = [(is_text(column), is_number(column)) for column in (one, other)]
    return kinds in ([(True, False), (False, True)], [(False, True), (True, False)])


@dataclass(slots=True, eq=False)
class Entry:
    """A table that may be seen. `name` is what a query, or a value's place, calls it."""

    table: Table
    name: str
    columns: dict[str, Column]
    hidden: frozenset[str]
    folded: dict[str, list[Column]] = field(default_factory=lambda: defaultdict(list))
    links: list["Link"] = field(default_factory=list)

    def names_rows(self, key: str, grammar: Grammar) -> bool:
        """Whether a value of that column stands for a row, of this table or of another."""
        own = self.is_key([key], grammar)
        return own or any(link.forward and link.columns == (key,) for link in self.links)

    def is_key(self, columns: Iterable[str], grammar: Grammar) -> bool:
        """Whether these columns name one row at most."""
        keys = set(columns)
        unique = [self.table.primary_key, *(one.columns for one in self.table.indexes if one.unique)]
        return any(held and {grammar.columns.key(one, True) for one in held} <= keys for held in unique)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A foreign key, seen from one of its two ends. Columns are keys."""

    here: Entry
    columns: tuple[str, ...]
    there: Entry
    referred: tuple[str, ...]
    forward: bool  # `here` holds the foreign key, `there` the row that it names

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        return tuple(zip(self.columns, self.referred, strict=True))


class Known:
    def __init__(self, catalogue: Catalogue, policy: Policy | None, dialect: str) -> None:
        self.grammar = GRAMMARS[dialect]
        self.default_schema = catalogue.default_schema
        self.tables: dict[tuple[str, str], Entry] = {}
        self.folded: dict[str, list[Entry]] = defaultdict(list)
        self.holders: dict[str, list[Entry]] = defaultdict(list)
        shown = _visible(policy, self.grammar) if policy is not None else None
        for table in catalogue.tables:
            self._add(table, shown)
        for entry in self.entries():
            self._link(entry)
        for entry in self.entries():
            self._link_by_name(entry)

    def entries(self) -> Iterator[Entry]:
        yield from self.tables.values()

    def table(self, name: str, schema: str = "") -> Entry | None:
        """By the keys of a name and, where it is written, of its schema."""
        return self.tables.get((schema or self._key(self.default_schema), name))

    def near(self, name: str, schema: str = "") -> list[Entry]:
        schema = schema or self._key(self.default_schema)
        return [one for one in self.folded.get(folded(name), ()) if self._schema(one.table) == schema]

    def links(self, one: Entry, other: Entry) -> list[Link]:
        return [link for link in one.links if link.there is other]

    def _key(self, name: str) -> str:
        return self.grammar.tables.key(name, True)

    def _schema(self, table: Table) -> str:
        return self._key(table.schema or self.default_schema)

    def _add(self, table: Table, policy: dict[str, set[str]] | None) -> None:
        key = self.grammar.columns.key
        columns = {key(one.name, True): one for one in table.columns}
        plain = table.schema in ("", self.default_schema)
        name = table.name if plain else f"{table.schema}.{table.name}"
        stored = ".".join(self.grammar.tables.stored(part, True) for part in name.split("."))
        visible = set(columns) if policy is None else policy.get(stored)
        if visible is None:
            return
        shown = {one: column for one, column in columns.items() if one in visible}
        entry = Entry(table, name, shown, frozenset(columns) - visible)
        for one, column in shown.items():
            entry.folded[folded(column.name)].append(column)
            self.holders[one].append(entry)
        self.tables[self._schema(table), self._key(table.name)] = entry
        self.folded[folded(table.name)].append(entry)

    def _link(self, entry: Entry) -> None:
        seen: set[tuple[object, ...]] = set()
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
            columns = tuple(key(one, True) for one in foreign.columns)
            referred = tuple(key(one, True) for one in foreign.referred or there.table.primary_key)
            known = set(columns) <= set(entry.columns) and set(referred) <= set(there.columns)
            if not known or len(columns) != len(referred) or (columns, id(there), referred) in seen:
                continue
            seen.add((columns, id(there), referred))
            _join(entry, columns, there, referred)

    def _link_by_name(self, entry: Entry) -> None:
        """A column called as the primary key of one other table names its rows, declared or not: warehouses
        and many older databases declare nothing. `id` is everybody's.
        """
        declared = {link.columns[0] for link in entry.links if link.forward and len(link.columns) == 1}
        own = {self.grammar.columns.key(one, True) for one in entry.table.primary_key}
        for key in entry.columns:
            if key in declared or own == {key} or folded(key) in _EVERYBODYS:
                continue
            named = [one for one in self.holders[key] if one is not entry and self._is_its_key(one, key)]
            if len(named) == 1:
                _join(entry, (key,), named[0], (key,))

    def _is_its_key(self, entry: Entry, key: str) -> bool:
        keys = [self.grammar.columns.key(one, True) for one in entry.table.primary_key]
        return keys == [key] and not any(link.forward and link.columns == (key,) for link in entry.links)


_EVERYBODYS = frozenset({"id", "name", "code", "key", "number", "no", "year", "date", "title"})


def _join(entry: Entry, columns: tuple[str, ...], there: Entry, referred: tuple[str, ...]) -> None:
    entry.links.append(Link(entry, columns, there, referred, forward=True))
    there.links.append(Link(there, referred, entry, columns, forward=False))


def _visible(policy: Policy, grammar: Grammar) -> dict[str, set[str]]:
    """The columns that a policy shows, by the names of tables as the engine stores them."""
    return {
        ".".join(grammar.tables.stored(part, policy.exact) for part in name.split(".")): {
            grammar.columns.stored(column, policy.exact) for column in columns
        }
        for name, columns in policy.tables.items()
    }


# -- names as people misspell them --

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


@lru_cache(maxsize=20_000)
def folded(name: str) -> str:
    """Without case, underscores, spaces and plurals: `pet_types` and `PetType` are one."""
    return "".join(singular(word.lower()) for word in _WORD.findall(name))


def is_short_for(one: str, other: str) -> bool:
    """Word by word the same, or the one short for the other, either way round."""
    left, right = ([singular(word.lower()) for word in _WORD.findall(name)] for name in (one, other))
    return len(left) == len(right) > 0 and all(map(_is_short, left, right))


def _is_short(one: str, other: str) -> bool:
    """How it begins (`emp`), its consonants (`hrs`), or some of its letters after the first two (`dept`): a
    `nickname` is no `name`.
    """
    short, long = sorted((one, other), key=len)
    if short == long:
        return True
    if not 3 <= len(short) <= 0.6 * len(long) or not short.isalpha() or short[0] != long[0]:
        return False  # one or two letters less are a slip of the hand, and another repair
    letters = iter(long)
    some = long.startswith(short[:2]) if len(short) > 3 else not set(short[1:]) & set("aeiou")
    return long.startswith(short) or (some and all(letter in letters for letter in short))


_LEAST = 5  # letters that a name must have before one of them may be wrong


def one_letter_off(written: str, stored: str) -> bool:
    """One letter more, less or other, or two swapped. A digit is never a slip: `line1` is not `line2`."""
    one, other = sorted((written.lower(), stored.lower()), key=len)
    if len(one) < _LEAST or len(other) - len(one) > 1 or one == other:
        return False
    at = next((i for i, letter in enumerate(one) if letter != other[i]), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :] and other[at].isalpha()
    if not (one[at].isalpha() and other[at].isalpha()):
        return False
    swapped = one[:at] + one[at + 1 : at + 2] + one[at] + one[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or swapped == other


# -- made once a catalogue --


@lru_cache(maxsize=32)
def _known(catalogue: ByIdentity[Catalogue], policy: ByIdentity[Policy | None], dialect: str) -> Known:
    return Known(catalogue.held, policy.held, dialect)


def known(catalogue: Catalogue, policy: Policy | None, dialect: str) -> Known:
    """By identity: two catalogues may share a fingerprint and show different tables."""
    return _known(ByIdentity(catalogue), ByIdentity(policy), dialect)
