"""From an engine's rows to a `Catalogue`, with a fingerprint that changes when the schema does."""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from text2sql.types import Catalogue, Table

P = TypeVar("P")


def make_catalogue(
    dialect: str, default_schema: str, tables: Iterable[Table], definitions: Iterable[tuple[str, str]] = ()
) -> Catalogue:
    """`definitions` are (name, text) of views: a view swapped for one with the same columns and another
    meaning must not keep its fingerprint.
    """
    ordered = tuple(sorted(tables, key=lambda table: (table.schema, table.name)))
    return Catalogue(
        dialect, default_schema, ordered, fingerprint(dialect, default_schema, ordered, definitions)
    )


def fingerprint(
    dialect: str, default_schema: str, tables: Iterable[Table], definitions: Iterable[tuple[str, str]] = ()
) -> str:
    """A hash of schema facts only: new rows, estimates and samples leave it alone."""
    facts = (
        dialect,
        default_schema,
        sorted(_facts(table, default_schema) for table in tables),
        sorted(definitions),
    )
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _facts(table: Table, default_schema: str) -> tuple[object, ...]:
    return (
        table.schema or default_schema,
        table.name,
        table.kind,
        table.comment,
        table.primary_key,
        [(one.name, one.type, one.nullable, one.comment) for one in table.columns],
        sorted(
            (one.columns, one.schema or default_schema, one.table, one.referred) for one in table.foreign_keys
        ),
        sorted((one.name, one.columns, one.unique) for one in table.indexes),
    )


def in_time(places: Sequence[P], at_once: int, seconds: float) -> Iterator[Sequence[P]]:
    """What is to be sampled, some at a time, until the time for it is spent. The schema itself is always
    whole; samples are worth a few seconds and no more.
    """
    until = time.monotonic() + seconds
    for start in range(0, len(places), at_once):
        if time.monotonic() > until:
            return
        yield places[start : start + at_once]


def gathered(places: Sequence[P], rows: Iterable[Sequence[Any]], most: int) -> dict[P, tuple[str, ...]]:
    """The first few values, in order, of each place; in the rows a place is its number."""
    found: dict[int, set[str]] = defaultdict(set)
    for number, value in rows:
        found[int(number)].add(value)
    return {places[number]: tuple(sorted(seen)[:most]) for number, seen in found.items()}
