"""MySQL's schema in six queries of information_schema, and sample values in a few more."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import pymysql

from text2sql.database.catalogue import gathered, in_time, make_catalogue
from text2sql.database.dialects import BY_NAME
from text2sql.database.engines.mysql.connection import Wire
from text2sql.types import Catalogue, Column, ForeignKey, Index, Table

SAMPLE_SECONDS = 5.0
SAMPLE_QUERIES, COLUMNS_A_QUERY = 10, 100
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100
_quoted = BY_NAME["mysql"].quoted
_TEXTUAL = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set")
_SYSTEM = "('information_schema', 'mysql', 'performance_schema', 'sys')"

_Key = tuple[str, str]
_Groups = dict[_Key, list[list[Any]]]
_Values = dict[tuple[str, str, str], tuple[str, ...]]


def read(wire: Wire, database: str, samples: int) -> Catalogue:
    """The named database; all that the account may see where none is named."""
    # An equality with a constant is what lets the server look at one directory instead of all.
    here = f"table_schema = {wire.escape(database)}" if database else f"table_schema NOT IN {_SYSTEM}"
    wire.do("SET SESSION group_concat_max_len = 67108864")
    tables = wire.do(
        "SELECT table_schema, table_name, table_type, table_comment, table_rows"
        f" FROM information_schema.tables WHERE {here}"
    )
    facts = _Facts(
        columns=_grouped(
            wire,
            "ordinal_position, column_name, column_type, is_nullable, column_comment, data_type",
            f"columns WHERE {here} AND privileges LIKE '%select%'",
        ),
        indexes=_grouped(
            wire, "index_name, seq_in_index, column_name, non_unique", f"statistics WHERE {here}"
        ),
        foreign=_grouped(
            wire,
            "constraint_name, ordinal_position, column_name, referenced_table_schema, referenced_table_name,"
            " referenced_column_name",
            f"key_column_usage WHERE {here} AND referenced_table_name IS NOT NULL",
        ),
    )
    values = _samples(wire, [one for one in tables if _kind(one[2]) == "table"], facts, samples)
    views = _grouped(wire, "view_definition", f"views WHERE {here}")
    definitions = [(f"{schema}.{name}", str(rows[0][0])) for (schema, name), rows in views.items()]
    seen = (one for one in tables if facts.columns[one[0], one[1]])
    column_of = cache(Column)  # the same few columns stand in many tables
    made = [_table(one, facts, values, column_of) for one in seen]
    return make_catalogue("mysql", database, made, definitions)


@dataclass(frozen=True)
class _Facts:
    """What the queries brought, by schema and table."""

    columns: _Groups
    indexes: _Groups
    foreign: _Groups


def _grouped(wire: Wire, names: str, source: str) -> _Groups:
    groups: _Groups = defaultdict(list)
    for schema, name, *rest in _all(wire, f"table_schema, table_name, {names}", source):
        groups[schema, name].append(rest)
    for rows in groups.values():
        rows.sort()  # by their first parts, which are numbers or unique
    return groups


def _all(wire: Wire, names: str, source: str) -> list[list[Any]]:
    """Every fact in one cell: a third of the time that PyMySQL needs for a row a fact."""
    query = (
        f"SELECT COUNT(*), GROUP_CONCAT(JSON_ARRAY({names}) SEPARATOR ',') FROM information_schema.{source}"
    )
    ((count, text),) = wire.do(query)
    try:
        facts: list[list[Any]] = json.loads(f"[{text or ''}]")
    except ValueError:
        facts = []
    if len(facts) != count:  # larger than the server lets one cell be
        return [list(row) for row in wire.do(f"SELECT {names} FROM information_schema.{source}")]
    return facts


def _kind(told: str) -> Literal["table", "view"]:
    return "view" if "VIEW" in told else "table"


def _table(row: tuple[Any, ...], facts: _Facts, values: _Values, column_of: Callable[..., Column]) -> Table:
    schema, name, told, comment, estimate = row
    kind, columns = _kind(told), facts.columns[schema, name]
    indexes = _indexes(facts.indexes[schema, name], {column for _, column, *_ in columns})
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
        foreign_keys=tuple(_foreign_keys(facts.foreign[schema, name])),
        indexes=indexes,
        rows=None if kind == "view" or estimate is None else int(estimate),
    )


def _indexes(rows: list[list[Any]], visible: set[str]) -> tuple[Index, ...]:
    """Those whose columns may all be seen; an index on an expression has a part without a name."""
    parts: dict[str, list[str]] = defaultdict(list)
    unique = {}
    for index, _, column, repeats in rows:
        parts[index].append(column or "")
        unique[index] = not int(repeats)
    return tuple(
        Index(index, tuple(columns), unique[index])
        for index, columns in parts.items()
        if visible.issuperset(columns)
    )


def _foreign_keys(rows: list[list[Any]]) -> Iterator[ForeignKey]:
    keys: dict[str, list[list[Any]]] = defaultdict(list)
    for constraint, _, *rest in rows:
        keys[constraint].append(rest)
    for parts in keys.values():
        own, schemas, names, there = zip(*parts, strict=True)
        yield ForeignKey(tuple(own), names[0], tuple(there), schemas[0])


# -- Sample values -------------------------------------------------------------------------------


def _samples(wire: Wire, tables: list[tuple[Any, ...]], facts: _Facts, count: int) -> _Values:
    """The server keeps no list of common values, so the first rows of each table are looked at."""
    values: _Values = {}
    keys = [
        (schema, name, column)
        for schema, name, *_ in tables
        for _, column, *_, kind in facts.columns[schema, name]
        if kind in _TEXTUAL
    ]
    sampled = keys[: SAMPLE_QUERIES * COLUMNS_A_QUERY] if count else []
    for some in in_time(sampled, COLUMNS_A_QUERY, SAMPLE_SECONDS):
        with suppress(
            pymysql.ProgrammingError, pymysql.DataError
        ):  # costs these samples, never the catalogue
            rows = wire.do(_look(some, count))
            short = [row for row in rows if row[1] and len(row[1]) <= SAMPLE_CHARACTERS]
            values |= gathered(some, short, count)
    return values


def _look(keys: Sequence[tuple[str, str, str]], count: int) -> str:
    # One collation for all arms: a union of columns with different ones is an error.
    arms = (
        f"SELECT {number} AS n, v FROM (SELECT DISTINCT"
        f" CONVERT(LEFT({_quoted(column)}, {SAMPLE_CHARACTERS + 1}) USING utf8mb4) COLLATE utf8mb4_bin AS v"
        f" FROM (SELECT {_quoted(column)} FROM {_quoted(table, schema)}"
        f" WHERE {_quoted(column)} IS NOT NULL LIMIT {SAMPLED_ROWS}) s{number} LIMIT {count}) d{number}"
        for number, (schema, table, column) in enumerate(keys)
    )
    return " UNION ALL ".join(arms)
