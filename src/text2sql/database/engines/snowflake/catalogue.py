"""Snowflake's schema in three queries and two SHOW commands, and sample values in a few more."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from snowflake.connector.errors import DatabaseError

from text2sql.database.catalogue import gathered, in_time, make_catalogue
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalogue, Column, ForeignKey, Table

SAMPLE_SECONDS = 5.0
COLUMNS_A_QUERY = 50
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100
_quoted = BY_NAME["snowflake"].quoted

_Ask = Callable[[str], list[tuple[Any, ...]]]
_Shown = Callable[[str], list[dict[str, Any]]]
_Rows = dict[str, list[Any]]
_Values = dict[tuple[str, str], tuple[str, ...]]


def read(ask: _Ask, shown: _Shown, schema: str, samples: int) -> Catalogue:
    here = f"table_schema = {_literal(schema)}"
    tables = ask(
        f"SELECT table_name, table_type, comment, row_count FROM information_schema.tables WHERE {here}"
    )
    columns = _grouped(
        ask(
            "SELECT table_name, column_name, data_type, numeric_precision, numeric_scale,"
            " character_maximum_length, is_nullable, comment"
            f" FROM information_schema.columns WHERE {here} ORDER BY table_name, ordinal_position"
        )
    )
    views = ask(f"SELECT table_name, view_definition FROM information_schema.views WHERE {here}")
    primary = _primary_keys(shown(f"SHOW PRIMARY KEYS IN SCHEMA {_quoted(schema)}"))
    foreign = _foreign_keys(shown(f"SHOW IMPORTED KEYS IN SCHEMA {_quoted(schema)}"))
    values = _samples(ask, schema, tables, columns, samples) if samples else {}
    made = [
        Table(
            name=name,
            schema=schema,
            kind="view" if "VIEW" in told else "table",
            comment=comment or "",
            columns=tuple(_column(name, one, values) for one in columns[name]),
            primary_key=primary.get(name, ()),
            foreign_keys=tuple(foreign[name]),
            rows=None if rows is None else int(rows),
        )
        for name, told, comment, rows in tables
        if columns[name]
    ]
    return make_catalogue("snowflake", schema, made, [(name, text or "") for name, text in views])


def _grouped(rows: list[tuple[Any, ...]]) -> _Rows:
    found: _Rows = defaultdict(list)
    for name, *rest in rows:
        found[name].append(rest)
    return found


def _column(table: str, row: list[Any], values: _Values) -> Column:
    name, kind, precision, scale, length, nullable, comment = row
    if kind == "NUMBER" and precision is not None:
        kind = f"NUMBER({int(precision)},{int(scale or 0)})"
    elif kind == "TEXT" and length is not None:
        kind = f"VARCHAR({int(length)})"
    return Column(name, kind, nullable == "YES", comment or "", values.get((table, name), ()))


def _primary_keys(rows: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    parts: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        parts[row["table_name"]].append((int(row["key_sequence"]), row["column_name"]))
    return {table: tuple(column for _, column in sorted(some)) for table, some in parts.items()}


def _foreign_keys(rows: list[dict[str, Any]]) -> dict[str, list[ForeignKey]]:
    parts: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for row in rows:
        there = (row["pk_schema_name"], row["pk_table_name"], row["pk_column_name"])
        parts[row["fk_table_name"], row["fk_name"]].append(
            (int(row["key_sequence"]), row["fk_column_name"], *there)
        )
    found: dict[str, list[ForeignKey]] = defaultdict(list)
    for (table, _), some in parts.items():
        _, own, schemas, names, referred = zip(*sorted(some), strict=True)
        found[table].append(ForeignKey(own, names[0], referred, schemas[0]))
    return found


# -- Sample values -------------------------------------------------------------------------------


def _samples(ask: _Ask, schema: str, tables: list[tuple[Any, ...]], columns: _Rows, count: int) -> _Values:
    keys = [
        (name, column)
        for name, told, _, rows in tables
        if "VIEW" not in told and rows != 0
        for column, kind, *_ in columns[name]
        if kind == "TEXT"
    ]
    values: _Values = {}
    for some in in_time(keys, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        with suppress(DatabaseError):  # costs these samples, never the catalogue
            values |= gathered(some, ask(_look(schema, some)), count)
    return values


def _look(schema: str, keys: Sequence[tuple[str, str]]) -> str:
    arms = (
        f"SELECT DISTINCT {number} AS n, v FROM (SELECT {_quoted(column)} AS v FROM {_quoted(table, schema)}"
        f" LIMIT {SAMPLED_ROWS}) WHERE LENGTH(v) BETWEEN 1 AND {SAMPLE_CHARACTERS}"
        for number, (table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(arms)


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
