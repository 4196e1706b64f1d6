"""Oracle's schema in six queries of its dictionary views, and sample values in a few more."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, Protocol

import oracledb

from text2sql.database.catalogue import gathered, in_time, make_catalogue
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalogue, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 5.0
COLUMNS_A_QUERY = 50
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100
_quoted = BY_NAME["oracle"].quoted
_TEXTUAL = ("CHAR", "NCHAR", "VARCHAR2", "NVARCHAR2")

# ALL_ views show what the account may read, which with a schema of its own is more than it owns.
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

_Rows = dict[str, list[Any]]
_Values = dict[tuple[str, str], tuple[str, ...]]


class _Ask(Protocol):
    def __call__(self, sql: str, **given: Any) -> list[tuple[Any, ...]]: ...


def read(ask: _Ask, samples: int) -> Catalogue:
    """The current schema: the account's own, or the one that the address names."""
    ((owner,),) = ask(HERE)
    tables = ask(TABLES, owner=owner)
    columns, keys, indexes = (_grouped(ask(sql, owner=owner)) for sql in (COLUMNS, KEYS, INDEXES))
    views = [(f"{owner}.{name}", text or "") for name, text in ask(VIEWS, owner=owner)]
    values = _samples(ask, owner, tables, columns, samples) if samples else {}
    made = [
        Table(
            name=name,
            schema=owner,
            kind=_kind(told),
            comment=comment or "",
            columns=tuple(_column(name, one, values) for one in columns[name]),
            primary_key=tuple(one[2] for one in keys[name] if one[1] == "P"),
            foreign_keys=tuple(_foreign_keys(keys[name])),
            indexes=tuple(_indexes(indexes[name])),
            rows=None if rows is None else int(rows),
        )
        for name, told, comment, rows in tables
        if columns[name]
    ]
    return make_catalogue("oracle", owner, made, views)


def _grouped(rows: list[tuple[Any, ...]]) -> _Rows:
    found: _Rows = defaultdict(list)
    for name, *rest in rows:
        found[name].append(rest)
    return found


def _kind(told: str) -> Literal["table", "view"]:
    return "view" if told == "VIEW" else "table"


def _column(table: str, row: list[Any], values: _Values) -> Column:
    name, kind, precision, scale, length, nullable, comment = row
    if kind == "NUMBER" and precision is not None:
        kind = f"NUMBER({int(precision)},{int(scale)})" if scale else f"NUMBER({int(precision)})"
    elif kind == "NUMBER" and scale == 0:
        kind = "INTEGER"
    elif kind in _TEXTUAL:
        kind = f"{kind}({int(length)})"
    return Column(name, kind, nullable == "Y", comment or "", values.get((table, name), ()))


def _foreign_keys(rows: list[Any]) -> list[ForeignKey]:
    parts: dict[str, list[Any]] = defaultdict(list)
    for constraint, kind, *rest in rows:
        if kind == "R" and rest[2] is not None:  # None: the account may not see what it refers to
            parts[constraint].append(rest)
    return [
        ForeignKey(tuple(one[0] for one in some), some[0][2], tuple(one[3] for one in some), some[0][1])
        for some in parts.values()
    ]


def _indexes(rows: list[Any]) -> list[Index]:
    parts: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for index, uniqueness, column in rows:
        parts[index, uniqueness == "UNIQUE"].append(column)
    return [Index(index, tuple(columns), unique) for (index, unique), columns in parts.items()]


# -- Sample values -------------------------------------------------------------------------------


def _samples(ask: _Ask, owner: str, tables: list[tuple[Any, ...]], columns: _Rows, count: int) -> _Values:
    keys = [
        (name, column)
        for name, told, *_ in tables
        if _kind(told) == "table"
        for column, kind, *_ in columns[name]
        if kind in _TEXTUAL
    ]
    values: _Values = {}
    for some in in_time(keys, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        with suppress(oracledb.DatabaseError):  # costs these samples, never the catalogue
            values |= gathered(some, ask(look(owner, some)), count)
    return values


def look(owner: str, keys: Sequence[tuple[str, str]]) -> str:
    arms = (
        f"SELECT {number} AS n, v FROM (SELECT DISTINCT TO_CHAR({_quoted(column)}) AS v"
        f" FROM {_quoted(table, owner)} WHERE {_quoted(column)} IS NOT NULL"
        f" AND LENGTH({_quoted(column)}) <= {SAMPLE_CHARACTERS} AND ROWNUM <= {SAMPLED_ROWS})"
        for number, (table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(arms)
