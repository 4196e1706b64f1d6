"""Databases to attack, one per engine: filled, with the least-privilege account of `grants`, and a snapshot
of everything that an attack may have changed, taken by an administrator on a separate connection.
"""

import hashlib
import secrets
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import duckdb
import psycopg
import pymysql
from psycopg import sql as compose

from text2sql.database.grants import PASSWORD, grants
from text2sql.types import Policy

CANARY = "canary-7f3a91"
POLICY = Policy(
    {"customers": ("id", "name", "city"), "orders": ("id", "customer_id", "total", "status")},
    {"postgres": "public", "mysql": "shop"},
)
_TABLES = (
    "CREATE TABLE customers (id int PRIMARY KEY, name varchar(20), city varchar(20), ssn varchar(20))",
    "CREATE TABLE orders (id int PRIMARY KEY, customer_id int, total decimal(12,2), status varchar(20))",
    "CREATE TABLE secrets (id int, secret_value varchar(20))",
    "CREATE VIEW v_secrets AS SELECT * FROM secrets",
    "INSERT INTO customers VALUES (1, 'Ann', 'Oslo', 'ssn-1'), (2, 'Bo', 'Rome', 'ssn-2')",
    "INSERT INTO secrets VALUES (1, 's3cr3t')",
    "INSERT INTO orders VALUES " + ", ".join(f"({i}, {1 + i % 2}, {i}.5, 'new')" for i in range(1, 61)),
)
OWN: dict[str, tuple[str, ...]] = {
    "sqlite": _TABLES,
    "duckdb": _TABLES,
    "postgres": (
        *_TABLES,
        "CREATE SCHEMA private",
        "CREATE TABLE private.payments AS SELECT 1 AS id, 's3cr3t' AS card",
        "CREATE SEQUENCE order_seq",
        "CREATE MATERIALIZED VIEW sales AS SELECT status, sum(total) FROM orders GROUP BY 1",
        "CREATE FUNCTION get_secret(i int) RETURNS text LANGUAGE sql SECURITY DEFINER"
        " AS 'SELECT secret_value FROM secrets WHERE id = i'",
        "CREATE FUNCTION purge_orders() RETURNS int LANGUAGE plpgsql AS"
        " 'BEGIN DELETE FROM orders; RETURN 1; END'",
        "CREATE PROCEDURE wipe() LANGUAGE plpgsql AS 'BEGIN DELETE FROM orders; END'",
        "CREATE EXTENSION dblink",
        "CREATE EXTENSION tablefunc",
    ),
    "mysql": (
        *_TABLES,
        "CREATE TABLE private.payments AS SELECT 1 AS id, 's3cr3t' AS card",
        "CREATE FUNCTION get_secret() RETURNS varchar(20) READS SQL DATA RETURN (SELECT max(secret_value)"
        " FROM secrets)",
        "CREATE FUNCTION purge_orders() RETURNS int MODIFIES SQL DATA"
        " BEGIN DELETE FROM orders; RETURN 1; END",
        "CREATE PROCEDURE wipe() BEGIN DELETE FROM orders; END",
    ),
}


@dataclass(frozen=True)
class AttackTarget:
    dialect: str
    url: str  # the policy's account, for `open_database`
    look: Callable[[], dict[str, Any]]  # snapshot of everything that must not change
    busy: Callable[[], int]  # number of the account's statements that are still running
    probes: Sequence[str]  # queries that show the session's state
    has_accounts: bool
    folder: Path = field(default_factory=Path)  # a directory that every process may write to

    @property
    def canary(self) -> Path:
        return self.folder / "canary.csv"

    @property
    def target(self) -> Path:
        return self.folder / "written"


@contextmanager
def attack_target(
    dialect: str, server: str, statements: Sequence[str], policy: Policy
) -> Iterator[AttackTarget]:
    """`server` is the administrator's URL of a disposable server, "" if the engine has none."""
    with tempfile.TemporaryDirectory(prefix="text2sql-wall-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "canary.csv").write_text(f"a,b\n{CANARY},2\n")
        folder.chmod(0o777)
        (folder / "canary.csv").chmod(0o644)
        with _MAKERS[dialect](folder, server, statements, policy) as target:
            yield target


def digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:16]


# -- PostgreSQL ----------------------------------------------------------------------------------

_POSTGRES_FACTS = {
    "relations": "SELECT oid, relname, relkind, relacl::text, relnatts FROM pg_class ORDER BY 1",
    "routines": "SELECT oid, proname, proacl::text FROM pg_proc ORDER BY 1",
    "schemas": "SELECT nspname, nspacl::text FROM pg_namespace ORDER BY 1",
    "extensions": "SELECT extname FROM pg_extension ORDER BY 1",
    "triggers": "SELECT tgname FROM pg_trigger ORDER BY 1",
    "rules": "SELECT oid FROM pg_rewrite ORDER BY 1",
    "collations": "SELECT count(*) FROM pg_collation",
    "comments": "SELECT count(*) FROM pg_description",
    "roles": "SELECT rolname, rolsuper, rolinherit, rolconnlimit, rolpassword FROM pg_authid ORDER BY 1",
    "role settings": "SELECT setdatabase, setrole, setconfig::text FROM pg_db_role_setting ORDER BY 1, 2",
    "memberships": "SELECT roleid, member FROM pg_auth_members ORDER BY 1, 2",
    "databases": "SELECT datname, datacl::text FROM pg_database ORDER BY 1",
    "settings": "SELECT name, setting FROM pg_settings ORDER BY 1",
    "large objects": "SELECT count(*) FROM pg_largeobject_metadata",
    "prepared": "SELECT count(*) FROM pg_prepared_xacts",
    "slots": "SELECT count(*) FROM pg_replication_slots",
    "subscriptions": "SELECT count(*) FROM pg_subscription",
    "advisory locks": "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
    "sequences": "SELECT sequencename, last_value FROM pg_sequences ORDER BY 1",
}
_POSTGRES_PROBES = (
    # The limit of the query itself is what is left of its request's time; a language brings its settings
    # with it when it is first used.
    "SELECT name, setting FROM pg_settings WHERE name !~ '^(statement_timeout|lock_timeout|plpgsql[.].*)$'",
    "SELECT current_user, session_user, current_schemas(true), current_setting('role')",
    "SELECT count(*) FROM pg_prepared_statements WHERE from_sql",
    "SELECT count(*) FROM pg_cursors WHERE is_holdable",
    "SELECT count(*) FROM pg_listening_channels()",
    "SELECT count(*) FROM pg_class WHERE relpersistence = 't'",
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
    "SELECT current_setting('transaction_read_only')",
)


@contextmanager
def _postgres(folder: Path, admin: str, statements: Sequence[str], policy: Policy) -> Iterator[AttackTarget]:
    name, password = f"wall_{secrets.token_hex(4)}", secrets.token_hex(8)
    inside = urlsplit(admin)._replace(path=f"/{name}").geturl()

    def run(url: str, text: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(text.encode())
            return cursor.fetchall() if cursor.description else []

    def look() -> dict[str, Any]:
        facts: dict[str, Any] = {}
        with psycopg.connect(inside, autocommit=True) as connection:
            for what, query in _POSTGRES_FACTS.items():
                facts[what] = connection.execute(query.encode()).fetchall()
            tables = connection.execute(
                "SELECT schemaname, tablename FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema)'"
            )
            for schema, table in tables.fetchall():
                rows = compose.SQL("SELECT t::text FROM {} t ORDER BY 1").format(
                    compose.Identifier(schema, table)
                )
                facts[f"{schema}.{table}"] = digest(connection.execute(rows).fetchall())
        return facts

    def busy() -> int:
        rows = run(
            inside, f"SELECT count(*) FROM pg_stat_activity WHERE usename = '{name}' AND state <> 'idle'"
        )
        return int(rows[0][0])

    run(admin, f"CREATE DATABASE {name}")
    try:
        for statement in statements:
            run(inside, statement)
        run(inside, grants(policy, "postgres", name).replace(PASSWORD, password))
        netloc = f"{name}:{password}@{urlsplit(admin).netloc.rpartition('@')[2]}"
        url = urlsplit(inside)._replace(netloc=netloc).geturl()
        yield AttackTarget("postgres", url, look, busy, _POSTGRES_PROBES, True, folder)
    finally:
        run(admin, f"DROP DATABASE {name} WITH (FORCE)")
        for role in (name, f"{name}_others"):
            run(admin, f"DROP ROLE IF EXISTS {role}")


# -- MySQL and MariaDB ---------------------------------------------------------------------------

_MOVING = ("timestamp", "gtid", "last_insert_id", "identity", "uptime", "rand_seed", "pseudo_thread_id")
# The last one is reported correctly by a new connection and wrongly after a reset, but always enforced.
_OWN_LIMITS = (
    "warning_count",
    "error_count",
    "max_statement_time",
    "lock_wait_timeout",
    "max_user_connections",
)
_MYSQL_FACTS = {
    "tables": "SELECT table_schema, table_name, table_type, create_time FROM information_schema.tables"
    " WHERE table_schema NOT IN ('information_schema', 'performance_schema', 'sys') ORDER BY 1, 2",
    "columns": "SELECT table_name, column_name, column_type FROM information_schema.columns"
    " WHERE table_schema IN ('shop', 'private') ORDER BY 1, 2",
    "schemas": "SELECT schema_name FROM information_schema.schemata ORDER BY 1",
    "routines": "SELECT routine_schema, routine_name FROM information_schema.routines"
    " WHERE routine_schema <> 'sys' ORDER BY 1, 2",
    "triggers": "SELECT trigger_schema, trigger_name FROM information_schema.triggers ORDER BY 1, 2",
    "events": "SELECT event_name FROM information_schema.events ORDER BY 1",
    "views": "SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = 'shop'",
    "plugins": "SELECT plugin_name, plugin_status FROM information_schema.plugins ORDER BY 1",
    "accounts": "SELECT user, host, authentication_string FROM mysql.user ORDER BY 1, 2",
    "grants": "SELECT grantee, privilege_type FROM information_schema.user_privileges ORDER BY 1, 2",
    "settings": "SHOW GLOBAL VARIABLES",
    "locks": "SELECT IS_FREE_LOCK('pwn'), IS_FREE_LOCK('x'), IS_FREE_LOCK('a')",
}
_MYSQL_PROBES = (
    "SELECT variable_name, variable_value FROM information_schema.session_variables WHERE NOT ("
    + " OR ".join(f"variable_name LIKE '%{name}%'" for name in (*_MOVING, *_OWN_LIMITS))
    + ") ORDER BY 1",
    "SELECT database(), user(), current_user(), @pwn, @a, @x, last_insert_id()",
    "SELECT IS_USED_LOCK('pwn'), IS_USED_LOCK('x'), IS_USED_LOCK('a'), IS_USED_LOCK('lock1')",
)


@contextmanager
def _mysql(folder: Path, admin: str, statements: Sequence[str], policy: Policy) -> Iterator[AttackTarget]:
    server = urlsplit(admin)
    name, password = f"wall_{secrets.token_hex(4)}", secrets.token_hex(8)

    @contextmanager
    def connected(database: str | None) -> Iterator[Callable[[str], list[tuple[Any, ...]]]]:
        connection = pymysql.connect(
            host=server.hostname or "",
            port=server.port or 3306,
            user=unquote(server.username or ""),
            password=unquote(server.password or ""),
            database=database,
            autocommit=True,
        )

        def run(text: str) -> list[tuple[Any, ...]]:
            with connection.cursor() as cursor:
                cursor.execute(text)
                return list(cursor.fetchall())

        try:
            yield run
        finally:
            connection.close()

    def look() -> dict[str, Any]:
        with connected("shop") as run:
            # sorted here: the server holds shop.customers and shop.CUSTOMERS for equals
            facts: dict[str, Any] = {what: sorted(run(query)) for what, query in _MYSQL_FACTS.items()}
            facts["settings"] = [row for row in facts["settings"] if not any(m in row[0] for m in _MOVING)]
            bases = [f"`{row[0]}`.`{row[1]}`" for row in facts["tables"] if row[0] in ("shop", "private")]
            facts["rows"] = run(f"CHECKSUM TABLE {', '.join(bases)}")
            return facts

    def busy() -> int:
        with connected(None) as run:
            query = "SELECT count(*) FROM information_schema.processlist WHERE info IS NOT NULL"
            return int(run(f"{query} AND user = '{name}'")[0][0])

    with connected(None) as run:
        for database in ("shop", "private"):
            run(f"DROP DATABASE IF EXISTS {database}")
            run(f"CREATE DATABASE {database} CHARACTER SET utf8mb4")
    try:
        with connected("shop") as run:
            for statement in statements:
                run(statement)
            for statement in grants(policy, "mysql", name).replace(PASSWORD, password).split(";\n"):
                if statement.strip():
                    run(statement)
        netloc = f"{name}:{password}@{server.netloc.rpartition('@')[2]}"
        url = server._replace(netloc=netloc, path="/shop").geturl()
        yield AttackTarget("mysql", url, look, busy, _MYSQL_PROBES, True, folder)
    finally:
        with connected(None) as run:
            run(f"DROP USER IF EXISTS {name}@'%'")
            for database in ("shop", "private"):
                run(f"DROP DATABASE IF EXISTS {database}")


# -- Files ---------------------------------------------------------------------------------------


def _bytes(path: Path) -> Callable[[], dict[str, Any]]:
    return lambda: {"file": hashlib.sha256(path.read_bytes()).hexdigest()}


@contextmanager
def _sqlite(folder: Path, admin: str, statements: Sequence[str], policy: Policy) -> Iterator[AttackTarget]:
    path = folder / "shop.db"
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    probes = (
        "SELECT count(*) FROM sqlite_master",
        "SELECT count(*) FROM orders",
        "SELECT 'a' LIKE 'A'",
        "SELECT count(*) FROM customers WHERE name IS NOT NULL",
    )
    yield AttackTarget("sqlite", str(path), _bytes(path), lambda: 0, probes, False, folder)


@contextmanager
def _duckdb(folder: Path, admin: str, statements: Sequence[str], policy: Policy) -> Iterator[AttackTarget]:
    path = folder / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    probes = (
        # A session that was stopped is another process, which spills into a directory of its own.
        "SELECT name, regexp_replace(value, 'spill-[0-9]+', 'spill') FROM duckdb_settings() "
        "WHERE name NOT IN ('streaming_buffer_size') ORDER BY 1",
        "SELECT count(*) FROM duckdb_tables()",
        "SELECT count(*) FROM duckdb_views() WHERE NOT internal",
        "SELECT count(*) FROM duckdb_functions() WHERE NOT internal",
        "SELECT database_name FROM duckdb_databases() ORDER BY 1",
        "SELECT count(*) FROM orders",
        "SELECT current_schema(), current_database(), getvariable('pwn'), getvariable('x')",
    )
    yield AttackTarget("duckdb", f"duckdb:///{path}", _bytes(path), lambda: 0, probes, False, folder)


_MAKERS = {"postgres": _postgres, "mysql": _mysql, "sqlite": _sqlite, "duckdb": _duckdb}
