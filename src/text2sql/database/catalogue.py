"""From an engine's rows to a `Catalogue`, with a fingerprint that changes when the schema does."""

import hashlib
import json
from collections.abc import Iterable

from text2sql.types import Catalogue, Column, Table


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
    kept = tuple(tables)  # alive while their columns are known by identity
    known: dict[int, str] = {}
    facts = [
        dialect,
        default_schema,
        sorted(_facts(table, default_schema, known) for table in kept),
        sorted(definitions),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def _facts(table: Table, default_schema: str, known: dict[int, str]) -> list[object]:
    return [
        table.schema or default_schema,
        table.name,
        table.kind,
        table.comment,
        table.primary_key,
        [known.get(id(one)) or known.setdefault(id(one), _column_facts(one)) for one in table.columns],
        sorted(
            (one.columns, one.schema or default_schema, one.table, one.referred) for one in table.foreign_keys
        ),
        sorted((one.name, one.columns, one.unique) for one in table.indexes),
    ]


def _column_facts(column: Column) -> str:
    """Told once for a column that an engine's module shares between tables."""
    return json.dumps((column.name, column.type, column.nullable, column.comment))
