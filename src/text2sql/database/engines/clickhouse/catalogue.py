"""ClickHouse's schema in two queries of its system tables, and sample values in a few more."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from clickhouse_connect.driver.exceptions import ClickHouseError

from text2sql.database.catalogue import in_time, make_catalogue
from text2sql.database.dialects import BY_NAME
from text2sql.types import Catalogue, Column, Index, Table

SAMPLE_SECONDS = 5.0
COLUMNS_A_QUERY = 50
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100
_quoted = BY_NAME["clickhouse"].quoted
_SYSTEM = "('system', 'INFORMATION_SCHEMA', 'information_schema')"
_VIEWS = ("View", "MaterializedView", "LiveView", "WindowView")
_TEXTUAL = ("String", "FixedString", "Enum8", "Enum16")

_Ask = Callable[[str], list[tuple[Any, ...]]]
_Key = tuple[str, str]
_Values = dict[tuple[str, str, str], tuple[str, ...]]


def read(ask: _Ask, database: str, samples: int) -> Catalogue:
    """The named database; all that the account may see where none is named."""
    here = f"database = {_literal(database)}" if database else f"database NOT IN {_SYSTEM}"
    # What a materialized view keeps its rows in is a table too, and nobody's question.
    tables = ask(
        "SELECT database, name, engine, comment, total_rows, as_select FROM system.tables"
        f" WHERE {here} AND NOT is_temporary AND NOT startsWith(name, '.inner')"
    )
    columns: dict[_Key, list[Any]] = defaultdict(list)
    for schema, table, *rest in ask(
        "SELECT database, table, name, type, comment, is_in_primary_key FROM system.columns"
        f" WHERE {here} ORDER BY database, table, position"
    ):
        columns[schema, table].append(rest)
    found = _samples(ask, tables, columns, samples) if samples else {}
    return make_catalogue(
        "clickhouse",
        database or "default",
        [_table(one, columns[one[0], one[1]], found) for one in tables if columns[one[0], one[1]]],
        [(f"{schema}.{name}", text) for schema, name, *_, text in tables if text],
    )


def _table(row: tuple[Any, ...], columns: list[Any], values: _Values) -> Table:
    schema, name, engine, comment, rows, _ = row
    order = tuple(column for column, _, _, sorts in columns if sorts)
    return Table(
        name=name,
        schema=schema,
        kind="view" if engine in _VIEWS else "table",
        comment=comment,
        columns=tuple(
            Column(column, plain, optional, told, values.get((schema, name, column), ()))
            for column, kind, told, _ in columns
            for plain, optional in [bare(kind)]
        ),
        # What ClickHouse calls a primary key is an order: nothing keeps a row from being there twice.
        indexes=(Index("primary", order),) if order else (),
        rows=rows,
    )


def bare(kind: str) -> tuple[str, bool]:
    """`LowCardinality(Nullable(String))` is a String that may be NULL."""
    optional = False
    while kind.startswith(("Nullable(", "LowCardinality(")):
        optional = optional or kind.startswith("Nullable(")
        kind = kind.partition("(")[2][:-1]
    return kind, optional


# -- Sample values -------------------------------------------------------------------------------


def _samples(ask: _Ask, tables: list[Any], columns: dict[_Key, list[Any]], count: int) -> _Values:
    keys = [
        (schema, name, column)
        for schema, name, engine, _, rows, _ in tables
        if engine not in _VIEWS and rows
        for column, kind, *_ in columns[schema, name]
        if bare(kind)[0].partition("(")[0] in _TEXTUAL
    ]
    values: _Values = {}
    for some in in_time(keys, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        try:
            found = ask(_look(some, count))
        except ClickHouseError:
            continue  # costs these samples, never the catalogue
        for number, seen in found:
            values[some[number]] = tuple(seen)
    return values


def _look(keys: Sequence[tuple[str, str, str]], count: int) -> str:
    """The first few, in order, of the values that stand in the first rows."""
    arms = (
        f"SELECT {number} AS n, arraySlice(arraySort(groupUniqArray(assumeNotNull(v))), 1, {count}) AS found"
        f" FROM (SELECT toString({_quoted(column)}) AS v FROM {_quoted(table, schema)} LIMIT {SAMPLED_ROWS})"
        f" WHERE v IS NOT NULL AND lengthUTF8(v) BETWEEN 1 AND {SAMPLE_CHARACTERS}"
        for number, (schema, table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(arms)


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
