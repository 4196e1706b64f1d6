"""Reads DuckDB's schema in five queries, and sample values in a few more, whatever the size."""

from collections import defaultdict
from typing import Any

import duckdb

from text2sql.database.catalog import (
    SAMPLE_CHARACTERS,
    SAMPLED_ROWS,
    chunks_within_time,
    group_rows,
    make_catalog,
)
from text2sql.database.dialects import BY_NAME
from text2sql.database.files import Notes
from text2sql.types import Catalog, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 2.0
COLUMNS_A_QUERY = 200
_quoted = BY_NAME["duckdb"].quoted

_USER = "database_name = current_database() AND NOT internal"
_TABLES = f"""
    SELECT schema_name, table_name, 'table', comment, estimated_size, NULL FROM duckdb_tables() WHERE {_USER}
    UNION ALL
    SELECT schema_name, view_name, 'view', comment, NULL, sql FROM duckdb_views() WHERE {_USER}
"""
_COLUMNS = f"""
    SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
    FROM duckdb_columns() WHERE {_USER} ORDER BY schema_name, table_name, column_index
"""
_CONSTRAINTS = """
    SELECT schema_name, table_name, constraint_type, constraint_name, constraint_column_names,
           referenced_table, referenced_column_names
    FROM duckdb_constraints()
    WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY', 'UNIQUE')
    ORDER BY constraint_index
"""
_INDEXES = """
    SELECT schema_name, table_name, index_name, is_unique, expressions FROM duckdb_indexes()
    WHERE database_name = current_database() ORDER BY index_name
"""

_TableKey = tuple[str, str]


def read_catalog(cursor: duckdb.DuckDBPyConnection, samples: int, notes: Notes) -> Catalog:
    tables = cursor.execute(_TABLES).fetchall()
    columns = group_rows(cursor.execute(_COLUMNS).fetchall(), key_cells=2)
    hidden = set(notes.hidden)
    primary, foreign, indexes = _constraints(cursor)
    sample_values = _samples(cursor, tables, columns, samples) if samples else {}
    return make_catalog(
        "duckdb",
        "main",
        (
            Table(
                name=name,
                schema=schema,
                kind=kind,
                comment=comment or "",
                columns=tuple(
                    Column(
                        column,
                        declared,
                        nullable,
                        column_comment or "",
                        sample_values.get((schema, name, column), ()),
                        hidden=(name, column) in hidden,
                    )
                    for column, declared, nullable, column_comment in columns[schema, name]
                ),
                primary_key=primary.get((schema, name), ()),
                foreign_keys=tuple(foreign[schema, name]),
                indexes=tuple(indexes[schema, name]),
                rows=rows,
            )
            for schema, name, kind, comment, rows, _ in tables
        ),
        definitions=[(f"{schema}.{name}", text) for schema, name, *_, text in tables if text],
        notes=notes.items,
    )


def _constraints(
    cursor: duckdb.DuckDBPyConnection,
) -> tuple[dict[_TableKey, tuple[str, ...]], dict[_TableKey, list[ForeignKey]], dict[_TableKey, list[Index]]]:
    primary: dict[_TableKey, tuple[str, ...]] = {}
    foreign: dict[_TableKey, list[ForeignKey]] = defaultdict(list)
    indexes: dict[_TableKey, list[Index]] = defaultdict(list)
    for schema, table, kind, name, columns, referenced_table, referenced_columns in cursor.execute(
        _CONSTRAINTS
    ).fetchall():
        if kind == "PRIMARY KEY":
            primary[schema, table] = tuple(columns)
        elif kind == "UNIQUE":
            indexes[schema, table].append(Index(name, tuple(columns), unique=True))
        else:
            foreign[schema, table].append(
                ForeignKey(tuple(columns), referenced_table, tuple(referenced_columns), schema)
            )
    for schema, table, name, unique, expressions in cursor.execute(_INDEXES).fetchall():
        indexes[schema, table].append(Index(name, _index_columns(expressions), unique))
    return primary, foreign, indexes


def _index_columns(expressions: str) -> tuple[str, ...]:
    """Parse DuckDB's text of a list: plain names are unquoted, others have two kinds of quotes."""
    return tuple(
        part.strip().strip("'").strip('"').replace('""', '"') for part in expressions.strip("[]").split(", ")
    )


def _samples(
    cursor: duckdb.DuckDBPyConnection, tables: list[Any], columns: dict[_TableKey, list[Any]], limit: int
) -> dict[tuple[str, str, str], tuple[str, ...]]:
    text_columns = [
        (schema, table, column)
        for schema, table, kind, _, rows, _ in tables
        if kind == "table" and rows
        for column, declared, *_ in columns[schema, table]
        if declared == "VARCHAR" or declared.startswith("ENUM")
    ]
    samples: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for chunk in chunks_within_time(text_columns, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        query = " UNION ALL ".join(_sample(number, *name, limit) for number, name in enumerate(chunk))
        for number, values in cursor.execute(query).fetchall():
            samples[chunk[number]] = tuple(values or ())
    return samples


def _sample(number: int, schema: str, table: str, column: str, limit: int) -> str:
    """Select the first few values, in order, of the first rows."""
    return (
        f"SELECT {number}, list_slice(list(DISTINCT v ORDER BY v) FILTER "
        f"(length(v) BETWEEN 1 AND {SAMPLE_CHARACTERS}), 1, {limit}) FROM (SELECT {_quoted(column)}::VARCHAR "
        f"AS v FROM {_quoted(table, schema)} LIMIT {SAMPLED_ROWS})"
    )
