"""Reads SQLite's schema in five queries, and sample values in a few more, whatever the size."""

import json
import re
import sqlite3
from collections import defaultdict
from functools import cache
from typing import Any

from text2sql.database.catalog import SAMPLE_CHARACTERS, SAMPLED_ROWS, chunks_within_time, make_catalog
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalog, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 2.0
COLUMNS_A_QUERY = 200  # SQLite takes 500 SELECTs in one UNION
_quoted = BY_NAME["sqlite"].quoted

_USER_OBJECTS = "m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_TABLES = f"SELECT m.name, m.type, m.sql FROM sqlite_master m WHERE {_USER_OBJECTS}"
# One row per table, its columns as four JSON lists: takes an eighth of the time of one row per column.
_COLUMNS = f"""
    SELECT m.name, (SELECT json_array(json_group_array(c.name), json_group_array(c.type),
                                      json_group_array(c."notnull"), json_group_array(c.pk))
                    FROM pragma_table_xinfo(m.name) c WHERE c.hidden <> 1)
    FROM sqlite_master m WHERE {_USER_OBJECTS}
"""
_FOREIGN_KEYS = """
    SELECT m.name, f.id, f."table", f."from", f."to"
    FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
    WHERE m.type = 'table' ORDER BY m.name, f.id, f.seq
"""
_INDEXES = """
    SELECT m.name, l.name, l."unique", i.name
    FROM sqlite_master m JOIN pragma_index_list(m.name) l JOIN pragma_index_info(l.name) i
    WHERE m.type = 'table' AND l.origin <> 'pk' ORDER BY m.name, l.name, i.seqno
"""
_SHADOWS = "SELECT name FROM pragma_table_list WHERE type = 'shadow'"
_ESTIMATES = "SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl"
_NOT_TEXT = re.compile(r"(?i)INT|REAL|FLOA|DOUB|NUM|DEC|BOOL|DATE|TIME|BLOB|BINARY|JSON")


def read_catalog(connection: sqlite3.Connection, samples: int) -> Catalog:
    tables = connection.execute(_TABLES).fetchall()
    hidden = _shadow_tables(connection)
    columns = _columns(connection, tables)
    keys = _foreign_keys(connection, columns)
    indexes = _indexes(connection)
    estimates = _estimates(connection)
    sample_values = _samples(connection, tables, columns, samples)
    column_of = cache(_column)  # many tables share the same columns
    return make_catalog(
        "sqlite",
        "main",
        (
            Table(
                name=name,
                kind="view" if kind == "view" else "table",
                columns=tuple(
                    column_of(column, declared, not required, sample_values[name].get(column, ()))
                    for column, declared, required, _ in columns[name]
                ),
                primary_key=_primary_key(columns[name]),
                foreign_keys=tuple(keys[name]),
                indexes=tuple(indexes[name]),
                rows=estimates.get(name),
            )
            for name, kind, _ in tables
            if name not in hidden and columns[name]
        ),
        definitions=[(name, text or "") for name, kind, text in tables if kind == "view"],
    )


def _column(name: str, declared: str, nullable: bool, samples: tuple[str, ...]) -> Column:
    return Column(name, declared, nullable, samples=samples)


_ColumnRow = tuple[str, str, int, int]


def _columns(connection: sqlite3.Connection, tables: list[Any]) -> dict[str, list[_ColumnRow]]:
    try:
        rows = connection.execute(_COLUMNS)
        return {name: list(zip(*json.loads(columns), strict=True)) for name, columns in rows}
    except sqlite3.OperationalError:
        # One view over a dropped table makes the whole query fail. Only then, read one table at a time.
        return {name: _columns_of(connection, name) for name, *_ in tables}


def _columns_of(connection: sqlite3.Connection, name: str) -> list[_ColumnRow]:
    query = 'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid'
    try:
        return connection.execute(query, (name,)).fetchall()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise
        return []  # it cannot be queried either


def _primary_key(columns: list[_ColumnRow]) -> tuple[str, ...]:
    return tuple(name for name, *_ in sorted((c for c in columns if c[3]), key=lambda column: column[3]))


def _foreign_keys(
    connection: sqlite3.Connection, columns: dict[str, list[_ColumnRow]]
) -> dict[str, list[ForeignKey]]:
    rows_by_key: dict[tuple[str, int], list[tuple[str, str, str | None]]] = defaultdict(list)
    for table, number, referenced_table, column, referenced_column in connection.execute(_FOREIGN_KEYS):
        rows_by_key[table, number].append((referenced_table, column, referenced_column))
    actual_names = {name.lower(): name for name in columns}
    keys: dict[str, list[ForeignKey]] = defaultdict(list)
    for (table, _), key_columns in rows_by_key.items():
        referenced_table = actual_names.get(key_columns[0][0].lower(), key_columns[0][0])
        referenced_columns = tuple(
            referenced_column for _, _, referenced_column in key_columns if referenced_column is not None
        )
        # `REFERENCES parent` without columns means the parent's primary key.
        keys[table].append(
            ForeignKey(
                tuple(column for _, column, _ in key_columns),
                referenced_table,
                referenced_columns or _primary_key(columns.get(referenced_table, [])),
            )
        )
    return keys


def _indexes(connection: sqlite3.Connection) -> dict[str, list[Index]]:
    grouped: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for table, index, unique, column in connection.execute(_INDEXES):
        grouped[table, index, unique].append("(expression)" if column is None else column)
    indexes: dict[str, list[Index]] = defaultdict(list)
    for (table, index, unique), columns in grouped.items():
        indexes[table].append(Index(index, tuple(columns), bool(unique)))
    return indexes


def _shadow_tables(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the tables in which full-text and spatial indexes store their data."""
    if sqlite3.sqlite_version_info < (3, 37):
        return frozenset()
    return frozenset(name for (name,) in connection.execute(_SHADOWS))


def _estimates(connection: sqlite3.Connection) -> dict[str, int]:
    has_statistics = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'").fetchone()
    return dict(connection.execute(_ESTIMATES).fetchall()) if has_statistics else {}


def _samples(
    connection: sqlite3.Connection, tables: list[Any], columns: dict[str, list[_ColumnRow]], limit: int
) -> dict[str, dict[str, tuple[str, ...]]]:
    samples: dict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    if not limit:
        return samples
    text_columns = [
        (table, column)
        for table, kind, _ in tables
        if kind == "table"
        for column, declared, *_ in columns[table]
        if not _NOT_TEXT.search(declared)
    ]
    for chunk in chunks_within_time(text_columns, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        query = " UNION ALL ".join(_sample(number, *name, limit) for number, name in enumerate(chunk))
        try:
            for number, text in connection.execute(query):
                table, column = chunk[number]
                samples[table][column] = (*samples[table].get(column, ()), text)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
                raise
            # A virtual table that cannot be scanned has no samples.
    return samples


def _sample(number: int, table: str, column: str, limit: int) -> str:
    return (
        f"SELECT {number}, v FROM (SELECT DISTINCT v FROM (SELECT {_quoted(column)} AS v "
        f"FROM {_quoted(table)} LIMIT {SAMPLED_ROWS}) "
        f"WHERE typeof(v) = 'text' AND length(v) BETWEEN 1 AND {SAMPLE_CHARACTERS} LIMIT {limit})"
    )
