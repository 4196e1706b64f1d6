"""Reads Oracle's schema in six queries of its dictionary views, and sample values in a few more."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, Protocol

import oracledb

from text2sql.database.catalog import (
    SAMPLE_CHARACTERS,
    SAMPLED_ROWS,
    chunks_within_time,
    group_rows,
    group_samples,
    make_catalog,
)
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalog, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 5.0
COLUMNS_A_QUERY = 50
_quoted = BY_NAME["oracle"].quoted
_TEXTUAL = ("CHAR", "NCHAR", "VARCHAR2", "NVARCHAR2")

# ALL_ views show everything that the account can read, not only what it owns.
HERE = "SELECT SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM dual"
TABLES = """
    SELECT c.table_name, c.table_type, c.comments, t.num_rows FROM all_tab_comments c
    LEFT JOIN all_tables t ON t.owner = c.owner AND t.table_name = c.table_name
    WHERE c.owner = :owner AND c.table_name NOT LIKE 'BIN$%' AND NVL(t.nested, 'NO') = 'NO'
    AND NVL(t.secondary, 'N') = 'N'"""
COLUMNS = """
    SELECT c.table_name, c.column_name, c.data_type, c.data_precision, c.data_scale, c.char_length,
    c.nullable, m.comments FROM all_tab_columns c
    LEFT JOIN all_col_comments m
    ON m.owner = c.owner AND m.table_name = c.table_name AND m.column_name = c.column_name
    WHERE c.owner = :owner ORDER BY c.table_name, c.column_id"""
KEYS = """
    SELECT k.table_name, k.constraint_name, k.constraint_type, c.column_name, r.owner, r.table_name,
    r.column_name FROM all_constraints k
    JOIN all_cons_columns c ON c.owner = k.owner AND c.constraint_name = k.constraint_name
    LEFT JOIN all_cons_columns r
    ON r.owner = k.r_owner AND r.constraint_name = k.r_constraint_name AND r.position = c.position
    WHERE k.owner = :owner AND k.constraint_type IN ('P', 'R') AND k.status = 'ENABLED'
    ORDER BY k.table_name, k.constraint_name, c.position"""
INDEXES = """
    SELECT i.table_name, i.index_name, i.uniqueness, c.column_name FROM all_indexes i
    JOIN all_ind_columns c ON c.index_owner = i.owner AND c.index_name = i.index_name
    WHERE i.table_owner = :owner AND i.index_type = 'NORMAL'
    ORDER BY i.table_name, i.index_name, c.column_position"""
VIEWS = "SELECT view_name, text_vc FROM all_views WHERE owner = :owner"

_RowsByTable = dict[str, list[tuple[Any, ...]]]
_Values = dict[tuple[str, str], tuple[str, ...]]


class _RunQuery(Protocol):
    def __call__(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]: ...


def read(run_query: _RunQuery, samples: int) -> Catalog:
    """Read the current schema: the account's own, or the one that the URL names."""
    ((owner,),) = run_query(HERE)
    tables = run_query(TABLES, owner=owner)
    columns, keys, indexes = (group_rows(run_query(sql, owner=owner)) for sql in (COLUMNS, KEYS, INDEXES))
    views = [(f"{owner}.{name}", text or "") for name, text in run_query(VIEWS, owner=owner)]
    values = _samples(run_query, owner, tables, columns, samples) if samples else {}
    built = [
        Table(
            name=name,
            schema=owner,
            kind=_table_kind(table_type),
            comment=comment or "",
            columns=tuple(_column(name, row, values) for row in columns[name]),
            primary_key=tuple(row[2] for row in keys[name] if row[1] == "P"),
            foreign_keys=tuple(_foreign_keys(keys[name])),
            indexes=tuple(_indexes(indexes[name])),
            rows=None if rows is None else int(rows),
        )
        for name, table_type, comment, rows in tables
        if columns[name]
    ]
    return make_catalog("oracle", owner, built, views)


def _table_kind(table_type: str) -> Literal["table", "view"]:
    return "view" if table_type == "VIEW" else "table"


def _column(table: str, row: tuple[Any, ...], values: _Values) -> Column:
    name, kind, precision, scale, length, nullable, comment = row
    if kind == "NUMBER" and precision is not None:
        kind = f"NUMBER({int(precision)},{int(scale)})" if scale else f"NUMBER({int(precision)})"
    elif kind == "NUMBER" and scale == 0:
        kind = "INTEGER"
    elif kind in _TEXTUAL:
        kind = f"{kind}({int(length)})"
    return Column(name, kind, nullable == "Y", comment or "", values.get((table, name), ()))


def _foreign_keys(rows: list[Any]) -> list[ForeignKey]:
    # A referenced table of None: the account cannot read it.
    readable = [(row[0], *row[2:]) for row in rows if row[1] == "R" and row[4] is not None]
    keys = []
    for key_columns in group_rows(readable).values():
        columns, schemas, tables, referenced_columns = zip(*key_columns, strict=True)
        keys.append(ForeignKey(columns, tables[0], referenced_columns, schemas[0]))
    return keys


def _indexes(rows: list[Any]) -> list[Index]:
    parts: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for index, uniqueness, column in rows:
        parts[index, uniqueness == "UNIQUE"].append(column)
    return [Index(index, tuple(columns), unique) for (index, unique), columns in parts.items()]


# -- Sample values -------------------------------------------------------------------------------


def _samples(
    run_query: _RunQuery, owner: str, tables: list[tuple[Any, ...]], columns: _RowsByTable, limit: int
) -> _Values:
    keys = [
        (name, column)
        for name, table_type, *_ in tables
        if _table_kind(table_type) == "table"
        for column, kind, *_ in columns[name]
        if kind in _TEXTUAL
    ]
    values: _Values = {}
    for chunk in chunks_within_time(keys, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        with suppress(oracledb.DatabaseError):  # an error loses these samples, never the catalog
            values |= group_samples(chunk, run_query(sample_query(owner, chunk)), limit)
    return values


def sample_query(owner: str, keys: Sequence[tuple[str, str]]) -> str:
    selects = (
        f"SELECT {number} AS n, v FROM (SELECT DISTINCT TO_CHAR({_quoted(column)}) AS v"
        f" FROM {_quoted(table, owner)} WHERE {_quoted(column)} IS NOT NULL"
        f" AND LENGTH({_quoted(column)}) <= {SAMPLE_CHARACTERS} AND ROWNUM <= {SAMPLED_ROWS})"
        for number, (table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(selects)
