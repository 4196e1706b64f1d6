"""DuckDB's schema in five queries, and sample values in a few more, whatever the size."""

from collections import defaultdict
from typing import Any

import duckdb

from text2sql.database.catalogue import in_time, make_catalogue
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalogue, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 2.0
COLUMNS_A_QUERY = 200
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100
_quoted = BY_NAME["duckdb"].quoted

_HERE = "database_name = current_database() AND NOT internal"
_TABLES = f"""
    SELECT schema_name, table_name, 'table', comment, estimated_size, NULL FROM duckdb_tables() WHERE {_HERE}
    UNION ALL
    SELECT schema_name, view_name, 'view', comment, NULL, sql FROM duckdb_views() WHERE {_HERE}
"""
_COLUMNS = f"""
    SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
    FROM duckdb_columns() WHERE {_HERE} ORDER BY schema_name, table_name, column_index
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

_Place = tuple[str, str]


def read_catalogue(cursor: duckdb.DuckDBPyConnection, samples: int) -> Catalogue:
    tables = cursor.execute(_TABLES).fetchall()
    columns = _by_table(cursor.execute(_COLUMNS).fetchall())
    primary, foreign, indexes = _constraints(cursor)
    found = _samples(cursor, tables, columns, samples) if samples else {}
    return make_catalogue(
        "duckdb",
        "main",
        (
            Table(
                name=name,
                schema=schema,
                kind=kind,
                comment=comment or "",
                columns=tuple(
                    Column(column, declared, nullable, told or "", found.get((schema, name, column), ()))
                    for column, declared, nullable, told in columns[schema, name]
                ),
                primary_key=primary.get((schema, name), ()),
                foreign_keys=tuple(foreign[schema, name]),
                indexes=tuple(indexes[schema, name]),
                rows=rows,
            )
            for schema, name, kind, comment, rows, _ in tables
        ),
        definitions=[(f"{schema}.{name}", text) for schema, name, *_, text in tables if text],
    )


def _by_table(rows: list[Any]) -> dict[_Place, list[Any]]:
    found: dict[_Place, list[Any]] = defaultdict(list)
    for schema, table, *rest in rows:
        found[schema, table].append(tuple(rest))
    return found


def _constraints(
    cursor: duckdb.DuckDBPyConnection,
) -> tuple[dict[_Place, tuple[str, ...]], dict[_Place, list[ForeignKey]], dict[_Place, list[Index]]]:
    primary: dict[_Place, tuple[str, ...]] = {}
    foreign: dict[_Place, list[ForeignKey]] = defaultdict(list)
    indexes: dict[_Place, list[Index]] = defaultdict(list)
    for schema, table, kind, name, columns, other, referred in cursor.execute(_CONSTRAINTS).fetchall():
        if kind == "PRIMARY KEY":
            primary[schema, table] = tuple(columns)
        elif kind == "UNIQUE":
            indexes[schema, table].append(Index(name, tuple(columns), unique=True))
        else:
            foreign[schema, table].append(ForeignKey(tuple(columns), other, tuple(referred), schema))
    for schema, table, name, unique, expressions in cursor.execute(_INDEXES).fetchall():
        indexes[schema, table].append(Index(name, _indexed(expressions), unique))
    return primary, foreign, indexes


def _indexed(expressions: str) -> tuple[str, ...]:
    """DuckDB gives a list's text: plain names as they are, quoted ones in two kinds of quotes."""
    return tuple(
        part.strip().strip("'").strip('"').replace('""', '"') for part in expressions.strip("[]").split(", ")
    )


def _samples(
    cursor: duckdb.DuckDBPyConnection, tables: list[Any], columns: dict[_Place, list[Any]], most: int
) -> dict[tuple[str, str, str], tuple[str, ...]]:
    wanted = [
        (schema, table, column)
        for schema, table, kind, _, rows, _ in tables
        if kind == "table" and rows
        for column, declared, *_ in columns[schema, table]
        if declared == "VARCHAR" or declared.startswith("ENUM")
    ]
    found: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for chunk in in_time(wanted, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        query = " UNION ALL ".join(_sample(number, *place, most) for number, place in enumerate(chunk))
        for number, texts in cursor.execute(query).fetchall():
            found[chunk[number]] = tuple(texts or ())
    return found


def _sample(number: int, schema: str, table: str, column: str, most: int) -> str:
    """The first few, in order, of the values that stand in the first rows."""
    return (
        f"SELECT {number}, list_slice(list(DISTINCT v ORDER BY v) FILTER "
        f"(length(v) BETWEEN 1 AND {SAMPLE_CHARACTERS}), 1, {most}) FROM (SELECT {_quoted(column)}::VARCHAR "
        f"AS v FROM {_quoted(table, schema)} LIMIT {SAMPLED_ROWS})"
    )
