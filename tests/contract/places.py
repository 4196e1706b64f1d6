"""Where the contract suite runs: one sample schema on every engine, and what its administrator can do."""

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import duckdb

from text2sql.database.dialects import BY_NAME, Facts
from text2sql.types import CheckedSql

URL_VARIABLES = {"postgres": "TEXT2SQL_TEST_POSTGRES_URL", "mysql": "TEXT2SQL_TEST_MYSQL_URL"}

# A product that takes minutes everywhere, and needs no table.
NUMBERS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1000) "
FOREVER = NUMBERS + "SELECT count(*) FROM t a, t b, t c, t d"
ENDLESS_ROWS = NUMBERS + "SELECT a.n, b.n FROM t a, t b, t c, t d"


def checked(sql: str, dialect: str) -> CheckedSql:
    """A query that no guard has seen: what these tests send is the case of the guard taken away."""
    return CheckedSql(sql, dialect)


@dataclass(frozen=True)
class Place:
    facts: Facts
    url: str
    admin: Callable[[str], list[tuple[Any, ...]]]  # one statement with every right, its rows

    @property
    def dialect(self) -> str:
        return self.facts.name

    def checked(self, sql: str) -> CheckedSql:
        """`"` quotes names in these tests; MySQL has another character for it."""
        return checked(sql.replace('"', self.facts.quote), self.dialect)

    def running(self, piece: str = "t d") -> int:
        """How many statements with this text the server is working on, as the server sees it."""
        return int(self.admin(_RUNNING[self.dialect].format(piece=piece))[0][0])

    def drop_connections(self) -> None:
        """As a restart, a firewall or an administrator would."""
        _DROP[self.dialect](self)


def sample_schema(facts: Facts) -> list[str]:
    statements = [
        """CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR(100) NOT NULL, city VARCHAR(100),
           born DATE)""",
        """CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, amount DECIMAL(10,2),
           note VARCHAR(200), FOREIGN KEY (customer_id) REFERENCES customers (id))""",
        """CREATE TABLE parts (a INTEGER, b INTEGER, name VARCHAR(50), PRIMARY KEY (a, b))""",
        """CREATE TABLE uses (order_id INTEGER, part_a INTEGER, part_b INTEGER,
           FOREIGN KEY (part_a, part_b) REFERENCES parts (a, b))""",
        'CREATE TABLE "order" ("group" INTEGER, "select" VARCHAR(20))',
        'CREATE TABLE "客户 表" ("姓 名" VARCHAR(20), "a.b" INTEGER)',
        'CREATE TABLE "dotted.name" ("it\'s" INTEGER)',
        "CREATE INDEX by_city ON customers (city, name)",
        "CREATE UNIQUE INDEX one_note ON orders (note)",
        "CREATE VIEW big_orders AS SELECT id, amount FROM orders WHERE amount > 10",
        "INSERT INTO customers VALUES (1, '王芳', '北京', '1990-02-03'), (2, 'Ann', 'Oslo', NULL), "
        "(3, 'Bob', 'Oslo', '2000-12-31')",
        "INSERT INTO orders VALUES (1, 1, 12.50, 'first'), (2, 1, 0.10, NULL), (3, 3, 99.99, 'x')",
        """INSERT INTO "客户 表" VALUES ('李雷', 7)""",
        *_COMMENTS.get(facts.name, ()),
    ]
    return [statement.replace('"', facts.quote) for statement in statements]


_SQL_COMMENTS = (
    "COMMENT ON TABLE customers IS '客户 people'",
    "COMMENT ON COLUMN customers.city IS 'where they live'",
)
_COMMENTS = {
    "duckdb": _SQL_COMMENTS,
    "postgres": (*_SQL_COMMENTS, "ANALYZE"),
    "mysql": (
        "ALTER TABLE customers COMMENT = '客户 people'",
        "ALTER TABLE customers MODIFY city VARCHAR(100) COMMENT 'where they live'",
        "ANALYZE TABLE customers",
    ),
}
_RUNNING = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%{piece}%' "
    "AND pid <> pg_backend_pid() AND datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%{piece}%' "
    "AND id <> connection_id() AND db = database()",
}


def _drop_postgres(place: Place) -> None:
    place.admin(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )


def _drop_mysql(place: Place) -> None:
    for (number,) in place.admin(
        "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"
    ):
        place.admin(f"KILL CONNECTION {number}")


_DROP: dict[str, Callable[[Place], None]] = {"postgres": _drop_postgres, "mysql": _drop_mysql}


# -- one way to make a place for each engine -----------------------------------------------------


@contextmanager
def sqlite_place(directory: Path) -> Iterator[Place]:
    path = directory / "shop 库.db"

    def admin(sql: str) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(path)
        try:
            with connection:
                return connection.execute(sql).fetchall()
        finally:
            connection.close()

    yield _filled(Place(BY_NAME["sqlite"], str(path), admin))


@contextmanager
def duckdb_place(directory: Path) -> Iterator[Place]:
    path = directory / "shop 库.duckdb"

    def admin(sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(path)) as connection:
            return connection.execute(sql).fetchall()

    yield _filled(Place(BY_NAME["duckdb"], f"duckdb:///{path}", admin))


@contextmanager
def postgres_place(directory: Path) -> Iterator[Place]:
    import psycopg

    url = os.environ[URL_VARIABLES["postgres"]]
    name, password = f"t2s_{secrets.token_hex(4)}", secrets.token_hex(8)

    def run(address: str, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    run(url, f"CREATE DATABASE {name}")
    run(url, f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
    inside = _moved(url, database=name)
    place = Place(BY_NAME["postgres"], _moved(url, name, password, name), lambda sql: run(inside, sql))
    try:
        _filled(place)
        run(inside, f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {name}")
        yield place
    finally:
        run(url, f"DROP DATABASE {name} WITH (FORCE)")
        run(url, f"DROP ROLE {name}")


@contextmanager
def mysql_place(directory: Path) -> Iterator[Place]:
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
    place = Place(BY_NAME["mysql"], _moved(url.geturl(), name, password, name), lambda sql: run(name, sql))
    try:
        yield _filled(place)
    finally:
        run(None, f"DROP DATABASE {name}")
        run(None, f"DROP USER {name}@'%'")


PLACES = {
    "sqlite": sqlite_place,
    "duckdb": duckdb_place,
    "postgres": postgres_place,
    "mysql": mysql_place,
}


def _filled(place: Place) -> Place:
    for statement in sample_schema(place.facts):
        place.admin(statement)
    return place


def _moved(url: str, user: str = "", password: str = "", database: str = "") -> str:
    """The same server with another account or database."""
    parts = urlsplit(url)
    account = f"{user}:{quote(password)}" if user else parts.netloc.rpartition("@")[0]
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{account}@{host}", path=f"/{database}").geturl()


def as_json(rows: Sequence[object]) -> str:
    return json.dumps(rows, allow_nan=False)
