"""Reads PostgreSQL's schema in five catalog queries, and sample values in a few more, whatever the size."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, LiteralString

import psycopg
from psycopg import sql as compose

from text2sql.database.catalog import (
    SAMPLE_CHARACTERS,
    SAMPLED_ROWS,
    chunks_within_time,
    group_rows,
    make_catalog,
)
from text2sql.types import Catalog, Column, ForeignKey, Index, Plan, Table

SAMPLE_SECONDS = 5.0
SAMPLE_QUERIES, COLUMNS_A_QUERY = 10, 100

# Partitions are left out: questions are about the partitioned table.
_VISIBLE = """
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT c.relispartition
      AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
      AND pg_catalog.has_any_column_privilege(c.oid, 'SELECT')
"""
_TABLES: LiteralString = f"""
    SELECT c.oid::int8, n.nspname::text, c.relname::text, c.relkind::text,
           pg_catalog.obj_description(c.oid, 'pg_class'),
           CASE WHEN c.relkind = 'p' AND c.reltuples <= 0 THEN
               (SELECT sum(greatest(k.reltuples, 0)) FROM pg_catalog.pg_partition_tree(c.oid) t
                JOIN pg_catalog.pg_class k ON k.oid = t.relid WHERE t.isleaf)
           ELSE c.reltuples END::float8,
           CASE WHEN c.relkind IN ('v', 'm') THEN md5(pg_catalog.pg_get_viewdef(c.oid)) END
    {_VISIBLE}
"""
_COLUMNS: LiteralString = f"""
    SELECT a.attrelid::int8, a.attnum::int4, a.attname::text,
           pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, d.description,
           t.typcategory IN ('S', 'E')
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_description d ON d.objoid = a.attrelid AND d.objsubid = a.attnum
         AND d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
    WHERE a.attrelid IN (SELECT c.oid {_VISIBLE}) AND a.attnum > 0 AND NOT a.attisdropped
      AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT')
    ORDER BY a.attrelid, a.attnum
"""
_CONSTRAINTS: LiteralString = f"""
    SELECT k.conrelid::int8, k.contype::text, k.conkey::int4[], k.confrelid::int8, k.confkey::int4[]
    FROM pg_catalog.pg_constraint k
    WHERE k.contype IN ('p', 'f') AND k.conrelid IN (SELECT c.oid {_VISIBLE}) ORDER BY k.conname
"""
_INDEXES: LiteralString = f"""
    SELECT i.indrelid::int8, x.relname::text, i.indkey::int4[], i.indisunique, i.indnkeyatts::int4
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
    WHERE i.indisvalid AND i.indpred IS NULL AND i.indrelid IN (SELECT c.oid {_VISIBLE}) ORDER BY x.relname
"""
# Values from the server's statistics: no table is read. The view shows only what the account can read.
_STATISTICS: LiteralString = """
    SELECT schemaname::text, tablename::text, attname::text,
           coalesce(most_common_vals::text::text[], '{}') || coalesce(histogram_bounds::text::text[], '{}'),
           n_distinct
    FROM pg_catalog.pg_stats
    WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema'
      AND coalesce(most_common_vals, histogram_bounds) IS NOT NULL
"""

_Key = tuple[str, str, str]
_Values = dict[_Key, tuple[str, ...]]
_Groups = dict[int, list[tuple[Any, ...]]]


def read(connection: psycopg.Connection[Any], samples: int) -> Catalog:
    def rows(query: LiteralString) -> list[tuple[Any, ...]]:
        return connection.execute(query).fetchall()

    tables = rows(_TABLES)
    schema_rows = _SchemaRows(
        tables, group_rows(rows(_COLUMNS)), group_rows(rows(_CONSTRAINTS)), group_rows(rows(_INDEXES))
    )
    default = rows("SELECT coalesce(current_schema(), 'public')")[0][0]
    values = _samples(connection, schema_rows, samples) if samples else {}
    views = [(f"{schema}.{name}", text) for _, schema, name, *_, text in tables if text]
    return make_catalog("postgres", default, [_table(row, schema_rows, values) for row in tables], views)


def plan(text: str) -> Plan:
    top = json.loads(text)[0]["Plan"]
    return Plan(text, rows=top.get("Plan Rows"), cost=top.get("Total Cost"))


@dataclass(frozen=True)
class _SchemaRows:
    """The query results, by the table's oid."""

    tables: list[tuple[Any, ...]]
    columns: _Groups
    keys: _Groups
    indexes: _Groups

    @cached_property
    def table_names(self) -> dict[int, tuple[str, str]]:
        return {oid: (schema, name) for oid, schema, name, *_ in self.tables}

    def column_names(self, oid: int) -> dict[int, str]:
        return {number: column for number, column, *_ in self.columns[oid]}


def _table(row: tuple[Any, ...], schema_rows: _SchemaRows, values: _Values) -> Table:
    oid, schema, name, kind, comment, estimate, _ = row
    names = schema_rows.column_names(oid)
    indexes = (
        (index, _column_names(numbers[:width], names), unique)
        for index, numbers, unique, width in schema_rows.indexes[oid]
    )
    return Table(
        name=name,
        schema=schema,
        kind="view" if kind in "vm" else "table",
        comment=comment or "",
        columns=tuple(
            Column(
                column, type_name, not required, column_comment or "", values.get((schema, name, column), ())
            )
            for _, column, type_name, required, column_comment, _ in schema_rows.columns[oid]
        ),
        primary_key=next(
            (
                _column_names(numbers, names)
                for constraint_type, numbers, *_ in schema_rows.keys[oid]
                if constraint_type == "p"
            ),
            (),
        ),
        foreign_keys=tuple(_foreign_keys(oid, schema_rows)),
        indexes=tuple(Index(*index) for index in indexes if index[1]),
        # -1 means "never analyzed"; a view has no count
        rows=None if kind == "v" or estimate is None or estimate < 0 else int(estimate),
    )


def _foreign_keys(oid: int, schema_rows: _SchemaRows) -> Iterator[ForeignKey]:
    names = schema_rows.column_names(oid)
    for kind, numbers, referenced_oid, referenced_numbers in schema_rows.keys[oid]:
        if kind == "f" and referenced_oid in schema_rows.table_names:
            columns, referenced_columns = (
                _column_names(numbers, names),
                _column_names(referenced_numbers, schema_rows.column_names(referenced_oid)),
            )
            if columns and referenced_columns:
                schema, name = schema_rows.table_names[referenced_oid]
                yield ForeignKey(columns, name, referenced_columns, schema)


def _column_names(numbers: Iterable[int] | None, column_names: dict[int, str]) -> tuple[str, ...]:
    """Return the columns' names; () if one of them is an expression or not visible."""
    columns = [column_names.get(number, "") for number in numbers or ()]
    return tuple(columns) if all(columns) else ()


# -- Sample values -------------------------------------------------------------------------------


def _samples(connection: psycopg.Connection[Any], schema_rows: _SchemaRows, limit: int) -> _Values:
    text_columns = {
        (schema, name, column): kind
        for oid, schema, name, kind, *_ in schema_rows.tables
        for _, column, *_, is_text in schema_rows.columns[oid]
        if is_text
    }
    values: _Values = {}
    for schema, table, column, common_values, distinct_count in connection.execute(_STATISTICS):
        # A value that occurs once is in neither list, so a short list may be incomplete.
        if (schema, table, column) in text_columns and (
            len(common_values) >= limit or len(common_values) == distinct_count
        ):
            values[schema, table, column] = _short_values(common_values, limit)
    # Views and foreign tables can be expensive: only tables are read.
    remaining = [key for key, kind in text_columns.items() if key not in values and kind in "rpm"]
    for chunk in chunks_within_time(
        remaining[: SAMPLE_QUERIES * COLUMNS_A_QUERY], COLUMNS_A_QUERY, SAMPLE_SECONDS
    ):
        if not _sample_columns(connection, chunk, limit, values):
            break
    return values


def _sample_columns(
    connection: psycopg.Connection[Any], keys: Sequence[_Key], limit: int, values: _Values
) -> bool:
    """Sample a hundred columns in one query. An error loses the samples, never the catalog."""
    selects = [
        compose.SQL(
            "SELECT {number}, ARRAY(SELECT DISTINCT left(v::text, {most}) FROM"
            " (SELECT {column} AS v FROM {schema}.{table} WHERE {column} IS NOT NULL LIMIT {rows}) s"
            " LIMIT {count})"
        ).format(
            number=number,
            most=SAMPLE_CHARACTERS + 1,
            column=compose.Identifier(column),
            schema=compose.Identifier(schema),
            table=compose.Identifier(table),
            rows=SAMPLED_ROWS,
            count=limit,
        )
        for number, (schema, table, column) in enumerate(keys)
    ]
    try:
        with connection.transaction():  # a savepoint: an error must not end the transaction around it
            for number, column_values in connection.execute(compose.SQL(" UNION ALL ").join(selects)):
                values[keys[number]] = _short_values(sorted(column_values), limit)
    except psycopg.errors.QueryCanceled:
        raise
    except UnicodeError:  # a name that cannot be encoded for a SQL_ASCII database
        return True
    except (psycopg.ProgrammingError, psycopg.DataError, psycopg.OperationalError):
        return not connection.closed
    return True


def _short_values(values: Iterable[str | None], limit: int) -> tuple[str, ...]:
    """Drop long values: they are not names that help to choose a column."""
    short = [value for value in values if value and len(value) <= SAMPLE_CHARACTERS]
    return tuple(short[:limit])
