"""Reads ClickHouse's schema in two queries of its system tables, and sample values in a few more."""

from collections.abc import Callable, Sequence
from typing import Any

from clickhouse_connect.driver.exceptions import ClickHouseError

from text2sql.database.catalog import (
    SAMPLE_CHARACTERS,
    SAMPLED_ROWS,
    chunks_within_time,
    group_rows,
    make_catalog,
)
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalog, Column, Index, Table

SAMPLE_SECONDS = 5.0
COLUMNS_A_QUERY = 50
_quoted = BY_NAME["clickhouse"].quoted
_SYSTEM = "('system', 'INFORMATION_SCHEMA', 'information_schema')"
_VIEWS = ("View", "MaterializedView", "LiveView", "WindowView")
_TEXTUAL = ("String", "FixedString", "Enum8", "Enum16")

_RunQuery = Callable[[str], list[tuple[Any, ...]]]
_Key = tuple[str, str]
_Values = dict[tuple[str, str, str], tuple[str, ...]]


def read(run_query: _RunQuery, database: str, samples: int) -> Catalog:
    """Read the named database, or all that the account can read if none is named."""
    here = f"database = {_literal(database)}" if database else f"database NOT IN {_SYSTEM}"
    # The inner table of a materialized view is left out.
    tables = run_query(
        "SELECT database, name, engine, comment, total_rows, as_select FROM system.tables"
        f" WHERE {here} AND NOT is_temporary AND NOT startsWith(name, '.inner')"
    )
    column_rows = run_query(
        "SELECT database, table, name, type, comment, is_in_primary_key FROM system.columns"
        f" WHERE {here} ORDER BY database, table, position"
    )
    columns = group_rows(column_rows, key_cells=2)
    samples_by_column = _samples(run_query, tables, columns, samples) if samples else {}
    return make_catalog(
        "clickhouse",
        database or "default",
        [
            _table(row, columns[row[0], row[1]], samples_by_column)
            for row in tables
            if columns[row[0], row[1]]
        ],
        [(f"{schema}.{name}", text) for schema, name, *_, text in tables if text],
    )


def _table(row: tuple[Any, ...], columns: list[tuple[Any, ...]], values: _Values) -> Table:
    schema, name, engine, comment, rows, _ = row
    order = tuple(column for column, _, _, is_key in columns if is_key)
    return Table(
        name=name,
        schema=schema,
        kind="view" if engine in _VIEWS else "table",
        comment=comment,
        columns=tuple(
            Column(column, type_name, nullable, column_comment, values.get((schema, name, column), ()))
            for column, kind, column_comment, _ in columns
            for type_name, nullable in [unwrap_type(kind)]
        ),
        # ClickHouse's primary key is a sort order: it does not make rows unique.
        indexes=(Index("primary", order),) if order else (),
        rows=rows,
    )


def unwrap_type(kind: str) -> tuple[str, bool]:
    """`LowCardinality(Nullable(String))` is a String that may be NULL."""
    nullable = False
    while kind.startswith(("Nullable(", "LowCardinality(")):
        nullable = nullable or kind.startswith("Nullable(")
        kind = kind.partition("(")[2][:-1]
    return kind, nullable


# -- Sample values -------------------------------------------------------------------------------


def _samples(
    run_query: _RunQuery, tables: list[Any], columns: dict[_Key, list[tuple[Any, ...]]], limit: int
) -> _Values:
    keys = [
        (schema, name, column)
        for schema, name, engine, _, rows, _ in tables
        if engine not in _VIEWS and rows
        for column, kind, *_ in columns[schema, name]
        if unwrap_type(kind)[0].partition("(")[0] in _TEXTUAL
    ]
    values: _Values = {}
    for chunk in chunks_within_time(keys, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        try:
            rows = run_query(_sample_query(chunk, limit))
        except ClickHouseError:
            continue  # an error loses these samples, never the catalog
        for number, column_values in rows:
            values[chunk[number]] = tuple(column_values)
    return values


def _sample_query(keys: Sequence[tuple[str, str, str]], limit: int) -> str:
    """Select the first few values, in order, of the first rows."""
    selects = (
        f"SELECT {number} AS n, arraySlice(arraySort(groupUniqArray(assumeNotNull(v))), 1, {limit}) AS found"
        f" FROM (SELECT toString({_quoted(column)}) AS v FROM {_quoted(table, schema)} LIMIT {SAMPLED_ROWS})"
        f" WHERE v IS NOT NULL AND lengthUTF8(v) BETWEEN 1 AND {SAMPLE_CHARACTERS}"
        for number, (schema, table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(selects)


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
