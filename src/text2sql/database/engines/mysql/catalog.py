"""Reads MySQL's schema in six queries of information_schema, and sample values in a few more."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import pymysql

from text2sql.database.catalog import (
    SAMPLE_CHARACTERS,
    SAMPLED_ROWS,
    chunks_within_time,
    group_rows,
    group_samples,
    make_catalog,
)
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.mysql.connection import MysqlConnection
from text2sql.types import Catalog, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 5.0
SAMPLE_QUERIES, COLUMNS_A_QUERY = 10, 100
_quoted = BY_NAME["mysql"].quoted
_TEXTUAL = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set")
_SYSTEM = "('information_schema', 'mysql', 'performance_schema', 'sys')"

_Key = tuple[str, str]
_Groups = dict[_Key, list[tuple[Any, ...]]]
_Values = dict[tuple[str, str, str], tuple[str, ...]]


def read(connection: MysqlConnection, database: str, samples: int) -> Catalog:
    """Read the named database, or all that the account can read if none is named."""
    # An equality with a constant lets the server read one directory instead of all.
    here = f"table_schema = {connection.escape(database)}" if database else f"table_schema NOT IN {_SYSTEM}"
    connection.do("SET SESSION group_concat_max_len = 67108864")
    tables = connection.do(
        "SELECT table_schema, table_name, table_type, table_comment, table_rows"
        f" FROM information_schema.tables WHERE {here}"
    )
    schema_rows = _SchemaRows(
        columns=_grouped(
            connection,
            "ordinal_position, column_name, column_type, is_nullable, column_comment, data_type",
            f"columns WHERE {here} AND privileges LIKE '%select%'",
        ),
        indexes=_grouped(
            connection, "index_name, seq_in_index, column_name, non_unique", f"statistics WHERE {here}"
        ),
        foreign=_grouped(
            connection,
            "constraint_name, ordinal_position, column_name, referenced_table_schema, referenced_table_name,"
            " referenced_column_name",
            f"key_column_usage WHERE {here} AND referenced_table_name IS NOT NULL",
        ),
    )
    values = _samples(
        connection, [row for row in tables if _table_kind(row[2]) == "table"], schema_rows, samples
    )
    views = _grouped(connection, "view_definition", f"views WHERE {here}")
    definitions = [(f"{schema}.{name}", str(rows[0][0])) for (schema, name), rows in views.items()]
    visible = (row for row in tables if schema_rows.columns[row[0], row[1]])
    column_of = cache(Column)  # many tables share the same columns
    built = [_table(row, schema_rows, values, column_of) for row in visible]
    return make_catalog("mysql", database, built, definitions)


@dataclass(frozen=True)
class _SchemaRows:
    """The query results, by schema and table."""

    columns: _Groups
    indexes: _Groups
    foreign: _Groups


def _grouped(connection: MysqlConnection, names: str, source: str) -> _Groups:
    groups = group_rows(_fetch_all(connection, f"table_schema, table_name, {names}", source), key_cells=2)
    for rows in groups.values():
        rows.sort()  # by their first cells, which are numbers or unique
    return groups


def _fetch_all(connection: MysqlConnection, names: str, source: str) -> list[list[Any]]:
    """Fetch all rows as one cell: takes a third of the time that PyMySQL needs for separate rows."""
    query = (
        f"SELECT COUNT(*), GROUP_CONCAT(JSON_ARRAY({names}) SEPARATOR ',') FROM information_schema.{source}"
    )
    ((count, text),) = connection.do(query)
    try:
        schema_rows: list[list[Any]] = json.loads(f"[{text or ''}]")
    except ValueError:
        schema_rows = []
    if len(schema_rows) != count:  # larger than the server's limit for one cell
        return [list(row) for row in connection.do(f"SELECT {names} FROM information_schema.{source}")]
    return schema_rows


def _table_kind(table_type: str) -> Literal["table", "view"]:
    return "view" if "VIEW" in table_type else "table"


def _table(
    row: tuple[Any, ...], schema_rows: _SchemaRows, values: _Values, column_of: Callable[..., Column]
) -> Table:
    schema, name, table_type, comment, estimate = row
    kind, columns = _table_kind(table_type), schema_rows.columns[schema, name]
    indexes = _indexes(schema_rows.indexes[schema, name], {column for _, column, *_ in columns})
    return Table(
        name=name,
        schema=schema,
        kind=kind,
        comment="" if kind == "view" else comment or "",  # a view's comment is the word VIEW
        columns=tuple(
            column_of(column, type_, nullable == "YES", note or "", values.get((schema, name, column), ()))
            for _, column, type_, nullable, note, _ in columns
        ),
        primary_key=next((index.columns for index in indexes if index.name == "PRIMARY"), ()),
        foreign_keys=tuple(_foreign_keys(schema_rows.foreign[schema, name])),
        indexes=indexes,
        rows=None if kind == "view" or estimate is None else int(estimate),
    )


def _indexes(rows: list[tuple[Any, ...]], visible: set[str]) -> tuple[Index, ...]:
    """Return the indexes whose columns are all visible; an index on an expression has a column without a
    name.
    """
    parts: dict[str, list[str]] = defaultdict(list)
    unique = {}
    for index, _, column, non_unique in rows:
        parts[index].append(column or "")
        unique[index] = not int(non_unique)
    return tuple(
        Index(index, tuple(columns), unique[index])
        for index, columns in parts.items()
        if visible.issuperset(columns)
    )


def _foreign_keys(rows: list[tuple[Any, ...]]) -> Iterator[ForeignKey]:
    for parts in group_rows(rows).values():
        _, columns, schemas, tables, referenced_columns = zip(*parts, strict=True)
        yield ForeignKey(tuple(columns), tables[0], tuple(referenced_columns), schemas[0])


# -- Sample values -------------------------------------------------------------------------------


def _samples(
    connection: MysqlConnection, tables: list[tuple[Any, ...]], schema_rows: _SchemaRows, limit: int
) -> _Values:
    """The server keeps no list of common values, so the first rows of each table are sampled."""
    values: _Values = {}
    keys = [
        (schema, name, column)
        for schema, name, *_ in tables
        for _, column, *_, kind in schema_rows.columns[schema, name]
        if kind in _TEXTUAL
    ]
    sampled = keys[: SAMPLE_QUERIES * COLUMNS_A_QUERY] if limit else []
    for chunk in chunks_within_time(sampled, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        # An error loses these samples, never the catalog.
        with suppress(pymysql.ProgrammingError, pymysql.DataError):
            rows = connection.do(_sample_query(chunk, limit))
            short = [row for row in rows if row[1] and len(row[1]) <= SAMPLE_CHARACTERS]
            values |= group_samples(chunk, short, limit)
    return values


def _sample_query(keys: Sequence[tuple[str, str, str]], limit: int) -> str:
    # One collation for all arms: a union of columns with different ones is an error.
    arms = (
        f"SELECT {number} AS n, v FROM (SELECT DISTINCT"
        f" CONVERT(LEFT({_quoted(column)}, {SAMPLE_CHARACTERS + 1}) USING utf8mb4) COLLATE utf8mb4_bin AS v"
        f" FROM (SELECT {_quoted(column)} FROM {_quoted(table, schema)}"
        f" WHERE {_quoted(column)} IS NOT NULL LIMIT {SAMPLED_ROWS}) s{number} LIMIT {limit}) d{number}"
        for number, (schema, table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(arms)
