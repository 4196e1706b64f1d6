"""The guard and the engines agree: on what a query means, and on which tables it reads."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator

import duckdb
import pytest

from contract.engine_databases import EngineDatabase
from contract.making import FACTORIES
from contract.shop import HIDDEN, POLICY, fill, policy_for
from sql_cases import by_dialect
from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.errors import DatabaseError
from text2sql.sql import check
from text2sql.types import CheckedSql, Policy

HIDDEN_TABLES = ("客户 表", "dotted.name")
_CHANGING = re.compile(r"random|rand\(|now|sample|uuid|current_|curdate|age\(", re.IGNORECASE)

# `*` over an unnested array of structs: BigQuery gives its fields, the guard the struct, as the docs say.
_STRUCTS = "UNNEST([STRUCT("


@pytest.fixture(scope="module")
def shop(engine_db: EngineDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineDatabase]:
    with FACTORIES[engine_db.dialect](tmp_path_factory.mktemp("shop")) as made:
        fill(made, with_hidden=True)
        yield _readable(made)


@pytest.fixture(scope="module")
def copy(engine_db: EngineDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineDatabase]:
    with FACTORIES[engine_db.dialect](tmp_path_factory.mktemp("copy")) as made:
        fill(made, with_hidden=False)
        yield _readable(made)


def _readable(made: EngineDatabase) -> EngineDatabase:
    if made.dialect == "postgres":
        made.admin("GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC")
    return made


def _home(engine_db: EngineDatabase, policy: Policy) -> str:
    return policy.default_schema[engine_db.dialect]


def cases(engine_db: EngineDatabase, policy: Policy) -> list[tuple[str, CheckedSql]]:
    """Every honest case of the dialect, as written and as the guard makes it."""
    results = []
    for dialect, _, sql in by_dialect("allowed"):
        if dialect == engine_db.dialect:
            here = (
                sql
                if engine_db.facts.default_schema
                else sql.replace("shop.", f"{_home(engine_db, policy)}.")
            )
            made = check(here, dialect, None, policy)
            assert isinstance(made, CheckedSql), made
            results.append((here, made))
    return results


def rows(database: Database, query: CheckedSql) -> Counter[str] | str:
    try:
        result = database.run(query)
    except DatabaseError as error:
        return error.kind
    return Counter(json.dumps(row) for row in result.rows)


def test_a_checked_query_answers_as_the_original_would_without_the_hidden_columns(
    shop: EngineDatabase, copy: EngineDatabase
) -> None:
    policy = policy_for(shop)
    differing, answered = [], 0
    with open_database(shop.url, Settings()) as whole, open_database(copy.url, Settings()) as visible:
        for sql, made in cases(shop, policy):
            there = sql.replace(f"{_home(shop, policy)}.", "")
            expected = rows(visible, CheckedSql(there, shop.dialect))
            got = rows(whole, made)
            answered += isinstance(got, Counter)
            works_there = isinstance(expected, Counter)  # MariaDB has no TABLE statement, for one
            if works_there and expected != got and not _CHANGING.search(sql) and _STRUCTS not in sql:
                differing.append((sql, made.sql, expected, got))
    assert differing == []
    assert answered >= 10


def _read_by_sqlite(shop: EngineDatabase, sql: str) -> set[str]:
    seen: set[str] = set()

    def note(action: int, table: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_READ and table:
            seen.add(table)
        return sqlite3.SQLITE_OK

    connection = sqlite3.connect(shop.url)
    connection.set_authorizer(note)
    try:
        connection.execute(f"EXPLAIN {sql}")
    finally:
        connection.close()
    return seen - {"json_each", "sqlite_master"}  # it looks a table function up there by itself


def _read_by_duckdb(shop: EngineDatabase, sql: str) -> set[str]:
    with duckdb.connect(shop.url.removeprefix("duckdb:///"), read_only=True) as connection:
        return {name.split(".")[-1].strip('"') for name in connection.get_table_names(sql)}


def _read_by_postgres(shop: EngineDatabase, sql: str) -> set[str]:
    plan = json.dumps(shop.admin(f"EXPLAIN (FORMAT JSON) {sql}")[0][0])
    return set(re.findall(r'"Relation Name": "([^"]+)"', plan))


def _read_by_mysql(shop: EngineDatabase, sql: str) -> set[str]:
    plan = str(shop.admin(f"EXPLAIN FORMAT=JSON {sql}")[0][0])
    aliases = set(re.findall(r'"table_name": "([^"<]+)"', plan))
    written = dict(re.findall(r"(?:FROM|JOIN)\s+[`]?(\w+)[`]?\s+AS\s+[`]?(\w+)", sql))
    named = {alias: table for table, alias in written.items()}
    return {named.get(alias, alias) for alias in aliases}


def _read_by_clickhouse(shop: EngineDatabase, sql: str) -> set[str]:
    plan = "\n".join(line for (line,) in shop.admin(f"SELECT * FROM (EXPLAIN {sql})"))
    return set(re.findall(r"ReadFromMergeTree \(\w+\.([^)]+)\)", plan))


READ_BY: dict[str, Callable[[EngineDatabase, str], set[str]]] = {
    "sqlite": _read_by_sqlite,
    "duckdb": _read_by_duckdb,
    "postgres": _read_by_postgres,
    "mysql": _read_by_mysql,
    "clickhouse": _read_by_clickhouse,
}


def test_the_tables_the_guard_sees_are_the_tables_the_engine_reads(shop: EngineDatabase) -> None:
    """An engine may leave a table out that it does not need; it may never read one more."""
    if shop.dialect not in READ_BY:
        pytest.skip(f"{shop.facts.product}: an emulator, or no server, tells no plan")
    more, planned = [], 0
    for sql, made in cases(shop, policy_for(shop)):
        try:
            seen = READ_BY[shop.dialect](shop, made.sql)
        except Exception:  # noqa: BLE001 - each driver has its own errors, for the few cases it cannot plan
            continue
        planned += 1
        known = {table.split(".")[-1] for table in made.tables}
        if not seen & set(POLICY["tables"]) <= known or seen & set(HIDDEN_TABLES):
            more.append((sql, seen, made.tables))
    assert more == []
    assert planned >= 10


def test_no_honest_query_can_reach_a_hidden_value(shop: EngineDatabase) -> None:
    policy = policy_for(shop)
    words = [f'"{column} ' for columns in HIDDEN.values() for column in columns if column != "salary"]
    with open_database(shop.url, Settings()) as database:
        for _, made in cases(shop, policy):
            result = rows(database, made)
            shown = " ".join(result) if isinstance(result, Counter) else ""
            assert not any(word in shown for word in words), made.sql
