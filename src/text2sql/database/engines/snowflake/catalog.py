"""Reads Snowflake's schema in three queries and two SHOW commands, and sample values in a few more."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from snowflake.connector.errors import DatabaseError

from text2sql.database.catalog import (
    SAMPLE_CHARACTERS,
    SAMPLED_ROWS,
    chunks_within_time,
    group_rows,
    group_samples,
    make_catalog,
)
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalog, Column, ForeignKey, Table

SAMPLE_SECONDS = 5.0
COLUMNS_A_QUERY = 50
_quoted = BY_NAME["snowflake"].quoted

_RunQuery = Callable[[str], list[tuple[Any, ...]]]
_RunShow = Callable[[str], list[dict[str, Any]]]
_RowsByTable = dict[str, list[tuple[Any, ...]]]
_Values = dict[tuple[str, str], tuple[str, ...]]


def read(run_query: _RunQuery, run_show: _RunShow, schema: str, samples: int) -> Catalog:
    here = f"table_schema = {_literal(schema)}"
    tables = run_query(
        f"SELECT table_name, table_type, comment, row_count FROM information_schema.tables WHERE {here}"
    )
    columns = group_rows(
        run_query(
            "SELECT table_name, column_name, data_type, numeric_precision, numeric_scale,"
            " character_maximum_length, is_nullable, comment"
            f" FROM information_schema.columns WHERE {here} ORDER BY table_name, ordinal_position"
        )
    )
    views = run_query(f"SELECT table_name, view_definition FROM information_schema.views WHERE {here}")
    primary = _primary_keys(run_show(f"SHOW PRIMARY KEYS IN SCHEMA {_quoted(schema)}"))
    foreign = _foreign_keys(run_show(f"SHOW IMPORTED KEYS IN SCHEMA {_quoted(schema)}"))
    values = _samples(run_query, schema, tables, columns, samples) if samples else {}
    built = [
        Table(
            name=name,
            schema=schema,
            kind="view" if "VIEW" in table_type else "table",
            comment=comment or "",
            columns=tuple(_column(name, row, values) for row in columns[name]),
            primary_key=primary.get(name, ()),
            foreign_keys=tuple(foreign[name]),
            rows=None if rows is None else int(rows),
        )
        for name, table_type, comment, rows in tables
        if columns[name]
    ]
    return make_catalog("snowflake", schema, built, [(name, text or "") for name, text in views])


def _column(table: str, row: tuple[Any, ...], values: _Values) -> Column:
    name, kind, precision, scale, length, nullable, comment = row
    if kind == "NUMBER" and precision is not None:
        kind = f"NUMBER({int(precision)},{int(scale or 0)})"
    elif kind == "TEXT" and length is not None:
        kind = f"VARCHAR({int(length)})"
    return Column(name, kind, nullable == "YES", comment or "", values.get((table, name), ()))


def _primary_keys(rows: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    columns_by_table = group_rows(
        (row["table_name"], int(row["key_sequence"]), row["column_name"]) for row in rows
    )
    return {
        table: tuple(column for _, column in sorted(key_columns))
        for table, key_columns in columns_by_table.items()
    }


def _foreign_keys(rows: list[dict[str, Any]]) -> dict[str, list[ForeignKey]]:
    rows_by_key: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in rows:
        referenced = (row["pk_schema_name"], row["pk_table_name"], row["pk_column_name"])
        rows_by_key[row["fk_table_name"], row["fk_name"]].append(
            (int(row["key_sequence"]), row["fk_column_name"], *referenced)
        )
    keys_by_table: dict[str, list[ForeignKey]] = defaultdict(list)
    for (table, _), rows_of_key in rows_by_key.items():
        _, columns, schemas, tables, referenced_columns = zip(*sorted(rows_of_key), strict=True)
        keys_by_table[table].append(ForeignKey(columns, tables[0], referenced_columns, schemas[0]))
    return keys_by_table


# -- Sample values -------------------------------------------------------------------------------


def _samples(
    run_query: _RunQuery, schema: str, tables: list[tuple[Any, ...]], columns: _RowsByTable, limit: int
) -> _Values:
    keys = [
        (name, column)
        for name, table_type, _, rows in tables
        if "VIEW" not in table_type and rows != 0
        for column, kind, *_ in columns[name]
        if kind == "TEXT"
    ]
    values: _Values = {}
    for chunk in chunks_within_time(keys, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        with suppress(DatabaseError):  # an error loses these samples, never the catalog
            values |= group_samples(chunk, run_query(_sample_query(schema, chunk)), limit)
    return values


def _sample_query(schema: str, keys: Sequence[tuple[str, str]]) -> str:
    selects = (
        f"SELECT DISTINCT {number} AS n, v FROM (SELECT {_quoted(column)} AS v FROM {_quoted(table, schema)}"
        f" LIMIT {SAMPLED_ROWS}) WHERE LENGTH(v) BETWEEN 1 AND {SAMPLE_CHARACTERS}"
        for number, (table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(selects)


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
