"""PostgreSQL's schema in five catalogue queries, and sample values in a few more, whatever the size."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, LiteralString

import psycopg
from psycopg import sql as compose

from text2sql.database.catalogue import in_time, make_catalogue
from text2sql.types import Catalogue, Column, ForeignKey, Index, Plan, Table

SAMPLE_SECONDS = 5.0
SAMPLE_QUERIES, COLUMNS_A_QUERY = 10, 100
SAMPLED_ROWS, SAMPLE_CHARACTERS = 500, 100

# Partitions are left out: a question is about the table they make up.
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
# Values the server has counted already: no table is read. The view shows only what the account may read.
_COUNTED: LiteralString = """
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


def read(connection: psycopg.Connection[Any], samples: int) -> Catalogue:
    def rows(query: LiteralString) -> list[tuple[Any, ...]]:
        return connection.execute(query).fetchall()

    tables = rows(_TABLES)
    facts = _Facts(tables, _grouped(rows(_COLUMNS)), _grouped(rows(_CONSTRAINTS)), _grouped(rows(_INDEXES)))
    default = rows("SELECT coalesce(current_schema(), 'public')")[0][0]
    values = _samples(connection, facts, samples) if samples else {}
    views = [(f"{schema}.{name}", text) for _, schema, name, *_, text in tables if text]
    return make_catalogue("postgres", default, [_table(one, facts, values) for one in tables], views)


def plan(text: str) -> Plan:
    top = json.loads(text)[0]["Plan"]
    return Plan(text, rows=top.get("Plan Rows"), cost=top.get("Total Cost"))


def _grouped(rows: Iterable[tuple[Any, ...]]) -> _Groups:
    groups: _Groups = defaultdict(list)
    for oid, *rest in rows:
        groups[oid].append(tuple(rest))
    return groups


@dataclass(frozen=True)
class _Facts:
    """What the queries brought, by the table's oid."""

    tables: list[tuple[Any, ...]]
    columns: _Groups
    keys: _Groups
    indexes: _Groups

    @cached_property
    def named(self) -> dict[int, tuple[str, str]]:
        return {oid: (schema, name) for oid, schema, name, *_ in self.tables}

    def names(self, oid: int) -> dict[int, str]:
        return {number: column for number, column, *_ in self.columns[oid]}


def _table(row: tuple[Any, ...], facts: _Facts, values: _Values) -> Table:
    oid, schema, name, kind, comment, estimate, _ = row
    own = facts.names(oid)
    indexes = (
        (index, _spelled(numbers[:width], own), unique)
        for index, numbers, unique, width in facts.indexes[oid]
    )
    return Table(
        name=name,
        schema=schema,
        kind="view" if kind in "vm" else "table",
        comment=comment or "",
        columns=tuple(
            Column(column, type_, not required, note or "", values.get((schema, name, column), ()))
            for _, column, type_, required, note, _ in facts.columns[oid]
        ),
        primary_key=next((_spelled(on, own) for kind_, on, *_ in facts.keys[oid] if kind_ == "p"), ()),
        foreign_keys=tuple(_foreign_keys(oid, facts)),
        indexes=tuple(Index(*index) for index in indexes if index[1]),
        # -1 is "never counted"; a view has no count
        rows=None if kind == "v" or estimate is None or estimate < 0 else int(estimate),
    )


def _foreign_keys(oid: int, facts: _Facts) -> Iterator[ForeignKey]:
    own = facts.names(oid)
    for kind, numbers, other, referred in facts.keys[oid]:
        if kind == "f" and other in facts.named:
            here, there = _spelled(numbers, own), _spelled(referred, facts.names(other))
            if here and there:
                schema, name = facts.named[other]
                yield ForeignKey(here, name, there, schema)


def _spelled(numbers: Iterable[int] | None, names: dict[int, str]) -> tuple[str, ...]:
    """The columns' names; () where one of them is an expression or may not be seen."""
    found = [names.get(number, "") for number in numbers or ()]
    return tuple(found) if all(found) else ()


# -- Sample values -------------------------------------------------------------------------------


def _samples(connection: psycopg.Connection[Any], facts: _Facts, count: int) -> _Values:
    textual = {
        (schema, name, column): kind
        for oid, schema, name, kind, *_ in facts.tables
        for _, column, *_, is_text in facts.columns[oid]
        if is_text
    }
    values: _Values = {}
    for schema, table, column, found, distinct in connection.execute(_COUNTED):
        # A value that occurs once is in neither list, so few values may not be all values.
        if (schema, table, column) in textual and (len(found) >= count or len(found) == distinct):
            values[schema, table, column] = _short(found, count)
    # A view may cost anything to look into and a foreign table a trip: only tables are read.
    rest = [key for key, kind in textual.items() if key not in values and kind in "rpm"]
    for some in in_time(rest[: SAMPLE_QUERIES * COLUMNS_A_QUERY], COLUMNS_A_QUERY, SAMPLE_SECONDS):
        if not _look(connection, some, count, values):
            break
    return values


def _look(connection: psycopg.Connection[Any], keys: Sequence[_Key], count: int, values: _Values) -> bool:
    """Sample a hundred columns in one query. Failing costs the samples, never the catalogue."""
    arms = [
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
            count=count,
        )
        for number, (schema, table, column) in enumerate(keys)
    ]
    try:
        with connection.transaction():  # a savepoint: an error must not end the transaction around it
            for number, found in connection.execute(compose.SQL(" UNION ALL ").join(arms)):
                values[keys[number]] = _short(sorted(found), count)
    except psycopg.errors.QueryCanceled:
        raise
    except UnicodeError:  # a name that a SQL_ASCII database cannot be told
        return True
    except (psycopg.ProgrammingError, psycopg.DataError, psycopg.OperationalError):
        return not connection.closed
    return True


def _short(found: Iterable[str | None], count: int) -> tuple[str, ...]:
    """A value too long to be a name for something helps nobody choose it."""
    kept = [value for value in found if value and len(value) <= SAMPLE_CHARACTERS]
    return tuple(kept[:count])
