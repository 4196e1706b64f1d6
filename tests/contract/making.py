"""Factories that create a test database on each engine."""

import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import duckdb
import pytest

from contract.emulators import FAKESNOW, LOCAL_BIGQUERY
from contract.engine_databases import EngineDatabase, filled
from text2sql.database.dialects import BY_NAME

Fill = Callable[[EngineDatabase], EngineDatabase]
URL_VARIABLES = {
    "postgres": "TEXT2SQL_TEST_POSTGRES_URL",
    "mysql": "TEXT2SQL_TEST_MYSQL_URL",
    "clickhouse": "TEXT2SQL_TEST_CLICKHOUSE_URL",
    "oracle": "TEXT2SQL_TEST_ORACLE_URL",
    "snowflake": "TEXT2SQL_TEST_SNOWFLAKE_URL",
    "bigquery": "TEXT2SQL_TEST_BIGQUERY_URL",
}
# No server is started for these: tested only if a URL is given. `make clouds` runs an emulator of BigQuery.
NO_SERVER_HERE = frozenset({"oracle", "bigquery"})


@contextmanager
def sqlite_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    path = directory / "shop 库.db"

    def admin(sql: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(path)
        try:
            with connection:
                return connection.execute(sql).fetchall()
        finally:
            connection.close()

    yield fill(EngineDatabase(BY_NAME["sqlite"], str(path), admin))


@contextmanager
def duckdb_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    path = directory / "shop 库.duckdb"

    def admin(sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(path)) as connection:
            return connection.execute(sql).fetchall()

    yield fill(EngineDatabase(BY_NAME["duckdb"], f"duckdb:///{path}", admin))


@contextmanager
def postgres_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    import psycopg

    url = os.environ[URL_VARIABLES["postgres"]]
    name, password = f"t2s_{secrets.token_hex(4)}", secrets.token_hex(8)

    def run(address: str, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    run(url, f"CREATE DATABASE {name}")
    run(url, f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
    inside = _with_account(url, database=name)
    engine_db = EngineDatabase(
        BY_NAME["postgres"], _with_account(url, name, password, name), lambda sql: run(inside, sql)
    )
    try:
        fill(engine_db)
        run(inside, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
        yield engine_db
    finally:
        run(url, f"DROP DATABASE {name} WITH (FORCE)")
        run(url, f"DROP ROLE {name}")


@contextmanager
def mysql_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    import pymysql

    url = urlsplit(os.environ[URL_VARIABLES["mysql"]])
    name, password = f"t2s_{secrets.token_hex(4)}", secrets.token_hex(8)

    def run(database: str | None, sql: str) -> list[tuple[Any, ...]]:
        connection = pymysql.connect(
            host=url.hostname or "",
            port=url.port or 3306,
            user=unquote(url.username or ""),
            password=unquote(url.password or ""),
            database=database,
            autocommit=True,
        )
        try:
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return list(cursor.fetchall())
        finally:
            connection.close()

    run(None, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    run(None, f"CREATE USER {name}@'%' IDENTIFIED BY '{password}'")
    run(None, f"GRANT SELECT, SHOW VIEW ON {name}.* TO {name}@'%'")
    engine_db = EngineDatabase(
        BY_NAME["mysql"], _with_account(url.geturl(), name, password, name), lambda sql: run(name, sql)
    )
    try:
        yield fill(engine_db)
    finally:
        run(None, f"DROP DATABASE {name}")
        run(None, f"DROP USER {name}@'%'")


@contextmanager
def clickhouse_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    import clickhouse_connect

    url = urlsplit(os.environ[URL_VARIABLES["clickhouse"]])
    name = f"t2s_{secrets.token_hex(4)}"
    # As in other databases: columns are nullable, and a table needs no key.
    standard = {
        "default_table_engine": "MergeTree",
        "data_type_default_nullable": 1,
        "create_table_empty_primary_key_by_default": 1,
    }
    client = clickhouse_connect.get_client(
        host=url.hostname or "",
        port=url.port or 8123,
        username=unquote(url.username or "default"),
        password=unquote(url.password or ""),
        settings=standard,
        autogenerate_session_id=False,
        compress=False,
    )

    def admin(sql: str) -> list[tuple[Any, ...]]:
        if sql.startswith("SELECT"):
            return [tuple(row) for row in client.query(sql).result_rows]
        client.command(sql)
        return []

    admin(f"CREATE DATABASE {name}")
    client.database = name
    try:
        yield fill(EngineDatabase(BY_NAME["clickhouse"], url._replace(path=f"/{name}").geturl(), admin))
    finally:
        admin(f"DROP DATABASE {name}")
        client.close()


@contextmanager
def oracle_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    """A separate user, created by the administrator of the given URL. The suite's SQL needs Oracle 23."""
    import oracledb

    url = os.environ[URL_VARIABLES["oracle"]]
    name, password = f"T2S_{secrets.token_hex(4).upper()}", secrets.token_hex(8)

    def run(address: str, sql: str) -> list[tuple[Any, ...]]:
        parts = urlsplit(address)
        account = {"user": unquote(parts.username or ""), "password": unquote(parts.password or "")}
        dsn = f"{parts.hostname}:{parts.port or 1521}{parts.path}"
        with oracledb.connect(**account, dsn=dsn) as connection, connection.cursor() as cursor:
            cursor.execute("ALTER SESSION SET NLS_DATE_FORMAT = 'YYYY-MM-DD'")
            cursor.execute(sql.replace("ADD COLUMN", "ADD").replace("LIMIT 1", "FETCH FIRST 1 ROW ONLY"))
            rows = cursor.fetchall() if cursor.description else []
            connection.commit()
            return rows

    run(url, f'CREATE USER {name} IDENTIFIED BY "{password}" QUOTA UNLIMITED ON users')
    run(
        url, f"GRANT CREATE SESSION, CREATE TABLE, CREATE VIEW, SELECT ANY DICTIONARY, ALTER SYSTEM TO {name}"
    )
    inside = _with_account(url, name, password, urlsplit(url).path.strip("/"))
    try:
        yield fill(EngineDatabase(BY_NAME["oracle"], inside, lambda sql: run(inside, sql)))
    finally:
        run(url, f"DROP USER {name} CASCADE")


@contextmanager
def snowflake_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    """A separate database on fakesnow, or on an account whose role may create one."""
    import snowflake.connector

    url = urlsplit(os.environ[URL_VARIABLES["snowflake"]])
    name = f"T2S_{secrets.token_hex(4).upper()}"
    connection = snowflake.connector.connect(
        account=url.hostname or "",
        user=unquote(url.username or ""),
        password=unquote(url.password or ""),
        enable_server_session_keep_alive_auto_detection=False,
        platform_detection_timeout_seconds=0.0,
        **dict[str, Any](parse_qsl(url.query)),
    )

    def admin(sql: str) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return [tuple(row) for row in cursor.fetchall()]

    facts, emulated = BY_NAME["snowflake"], url.hostname == "fakesnow"
    if emulated:
        facts = replace(facts, gaps=facts.gaps | FAKESNOW.keys())
    try:
        for statement in (f"CREATE DATABASE {name}", f"USE DATABASE {name}"):
            admin(statement)
        admin("CREATE SCHEMA IF NOT EXISTS PUBLIC")
        admin("USE SCHEMA PUBLIC")
        yield fill(EngineDatabase(facts, url._replace(path=f"/{name}/PUBLIC").geturl(), admin))
    finally:
        if not emulated:  # fakesnow keeps databases until it exits
            admin(f"DROP DATABASE {name}")
        connection.close()


@contextmanager
def bigquery_database(directory: Path, fill: Fill = filled) -> Iterator[EngineDatabase]:
    """A separate dataset on local-bigquery, or in a project whose account may create one."""
    from google.api_core.client_options import ClientOptions
    from google.auth.credentials import AnonymousCredentials
    from google.cloud import bigquery

    url = urlsplit(os.environ[URL_VARIABLES["bigquery"]])
    name, options = f"t2s_{secrets.token_hex(4)}", dict(parse_qsl(url.query))
    facts, account = BY_NAME["bigquery"], dict[str, Any]()
    if endpoint := options.get("endpoint"):
        facts = replace(facts, gaps=facts.gaps | LOCAL_BIGQUERY.keys())
        account = {
            "credentials": AnonymousCredentials(),  # type: ignore[no-untyped-call]
            "client_options": ClientOptions(api_endpoint=endpoint),
        }
    project = url.hostname or ""
    with bigquery.Client(project=project, **account) as client:

        def admin(sql: str) -> list[tuple[Any, ...]]:
            config = bigquery.QueryJobConfig(default_dataset=f"{project}.{name}")
            return [
                tuple(row.values()) for row in client.query_and_wait(_for_bigquery(sql), job_config=config)
            ]

        client.create_dataset(name)
        try:
            yield fill(EngineDatabase(facts, url._replace(path=f"/{name}").geturl(), admin))
        finally:
            client.delete_dataset(name, delete_contents=True)


def _for_bigquery(sql: str) -> str:
    """Use BigQuery's type names; keys are not enforced and nothing here depends on them."""
    sql = re.sub(r"VARCHAR\(\d+\)", "STRING", sql)
    return re.sub(r",\s+PRIMARY KEY \([^)]*\)| PRIMARY KEY", "", sql)


FACTORIES = {
    "sqlite": sqlite_database,
    "duckdb": duckdb_database,
    "postgres": postgres_database,
    "mysql": mysql_database,
    "clickhouse": clickhouse_database,
    "oracle": oracle_database,
    "snowflake": snowflake_database,
    "bigquery": bigquery_database,
}
# For fixtures: `params=ENGINE_PARAMS`, then `engine_database(request.param, …)`.
ENGINE_PARAMS = [
    pytest.param(name, marks=pytest.mark.snowflake if name == "snowflake" else ()) for name in FACTORIES
]


@contextmanager
def engine_database(
    name: str, directories: pytest.TempPathFactory, fill: Fill = filled
) -> Iterator[EngineDatabase]:
    """A database with the sample schema, or with what `fill` puts into it. A server that is missing is said
    loudly, and in CI it is a failure.
    """
    variable = URL_VARIABLES.get(name)
    if variable and not os.environ.get(variable):
        missing = f"NOT TESTED: {variable} is not set; run `python tests/servers.py -- pytest`"
        if os.environ.get("CI") == "true" and name not in NO_SERVER_HERE:
            pytest.fail(missing)
        pytest.skip(missing)
    with FACTORIES[name](directories.mktemp(name), fill) as made:
        yield made


def _with_account(url: str, user: str = "", password: str = "", database: str = "") -> str:
    """Return the URL of the same server with another account or database."""
    parts = urlsplit(url)
    account = f"{user}:{quote(password)}" if user else parts.netloc.rpartition("@")[0]
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{account}@{host}", path=f"/{database}").geturl()
