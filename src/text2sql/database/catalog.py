"""Builds a `Catalog` from an engine's rows, with a fingerprint that changes when the schema changes."""

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from text2sql.types import Catalog, SourceNote, Table

T = TypeVar("T")
# Of each text column, the first rows are looked at, and longer values are left out: they are no names.
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100


def make_catalog(
    dialect: str,
    default_schema: str,
    tables: Iterable[Table],
    definitions: Iterable[tuple[str, str]] = (),
    notes: Sequence[SourceNote] = (),
) -> Catalog:
    """`definitions` are (name, SQL) of views: a view that is redefined with the same columns must change the
    fingerprint.
    """
    ordered = tuple(sorted(tables, key=lambda table: (table.schema, table.name)))
    schema_hash = fingerprint(dialect, default_schema, ordered, definitions)
    return Catalog(dialect, default_schema, ordered, schema_hash, tuple(notes))


def fingerprint(
    dialect: str, default_schema: str, tables: Iterable[Table], definitions: Iterable[tuple[str, str]] = ()
) -> str:
    """Hash the schema only: new rows, estimates and samples do not change it."""
    schema_facts = (
        dialect,
        default_schema,
        sorted(_table_facts(table, default_schema) for table in tables),
        sorted(definitions),
    )
    return hashlib.sha256(json.dumps(schema_facts).encode()).hexdigest()


def _table_facts(table: Table, default_schema: str) -> tuple[object, ...]:
    return (
        table.schema or default_schema,
        table.name,
        table.kind,
        table.comment,
        table.primary_key,
        [(column.name, column.type, column.nullable, column.comment) for column in table.columns],
        sorted(
            (key.columns, key.schema or default_schema, key.table, key.referred) for key in table.foreign_keys
        ),
        sorted((index.name, index.columns, index.unique) for index in table.indexes),
    )


def group_rows(rows: Iterable[Sequence[Any]], key_cells: int = 1) -> dict[Any, list[tuple[Any, ...]]]:
    """Group rows by their first cell, or by a tuple of the first `key_cells`; the groups have the rest."""
    groups: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for row in rows:
        groups[row[0] if key_cells == 1 else tuple(row[:key_cells])].append(tuple(row[key_cells:]))
    return groups


def chunks_within_time(items: Sequence[T], chunk_size: int, seconds: float) -> Iterator[Sequence[T]]:
    """Yield `items` in chunks until the time is up. Used for sampling: the schema is always complete, samples
    are worth a few seconds and no more.
    """
    deadline = time.monotonic() + seconds
    for start in range(0, len(items), chunk_size):
        if time.monotonic() > deadline:
            return
        yield items[start : start + chunk_size]


def group_samples(keys: Sequence[T], rows: Iterable[Sequence[Any]], limit: int) -> dict[T, tuple[str, ...]]:
    """Return up to `limit` sorted values per key. Each row is (index of the key, value)."""
    samples: dict[int, set[str]] = defaultdict(set)
    for number, value in rows:
        samples[int(number)].add(value)
    return {keys[number]: tuple(sorted(values)[:limit]) for number, values in samples.items()}
