"""The contract suite's databases: one sample schema on every engine, and what its administrator can do."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit
from urllib.request import Request, urlopen

from text2sql.database.dialects import Facts
from text2sql.types import CheckedSql

# A cross product that takes minutes on every engine, and needs no table.
NUMBERS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1000) "
FOREVER = NUMBERS + "SELECT count(*) FROM t a, t b, t c, t d"
_NUMBERS = {
    # its recursion takes a millisecond per step
    "clickhouse": "WITH t AS (SELECT number + 1 AS n FROM numbers(1000)) ",
    "oracle": NUMBERS.replace("RECURSIVE ", ""),
    "bigquery": "WITH t AS (SELECT n FROM UNNEST(GENERATE_ARRAY(1, 1000)) AS n) ",
}
_CAPITALS = frozenset({"oracle", "snowflake"})  # unquoted names are stored in capitals
EMULATED = frozenset({"snowflake", "bigquery"})  # the emulator itself reports its server side
ENDLESS_ROWS = NUMBERS + "SELECT a.n AS x, b.n AS y FROM t a, t b, t c, t d"


def checked(sql: str, dialect: str) -> CheckedSql:
    """A query that the guard has not checked: these tests simulate a guard that fails."""
    return CheckedSql(sql, dialect)


@dataclass(frozen=True)
class EngineDatabase:
    """A test database on one engine."""

    facts: Facts
    url: str
    admin: Callable[[str], list[tuple[Any, ...]]]  # runs one statement with all privileges, returns its rows

    @property
    def dialect(self) -> str:
        return self.facts.name

    def checked(self, sql: str) -> CheckedSql:
        """Tests quote names with `"`; some engines use another character."""
        here = sql.replace(NUMBERS, _NUMBERS.get(self.dialect, NUMBERS))
        return checked(spelled(here, self.facts).replace('"', self.facts.quote), self.dialect)

    def named(self, *names: str) -> list[str]:
        """Unquoted names, as the engine stores them."""
        names = tuple(spelled(name, self.facts) for name in names)
        return [name.upper() if self.dialect in _CAPITALS else name for name in names]

    def running(self, piece: str = "t d") -> int:
        """How many statements with this text the server is running, as reported by the server."""
        if self.dialect in EMULATED:
            return int(
                _ask_emulator(self, f"running?piece={quote(piece)}&project={urlsplit(self.url).hostname}")
            )
        return int(self.admin(_RUNNING[self.dialect].format(piece=piece))[0][0])

    def drop_connections(self) -> None:
        """Drop connections as a restart, a firewall or an administrator would."""
        _DROP[self.dialect](self)


def spelled(sql: str, facts: Facts) -> str:
    """Replace characters in the sample schema's unusual names that the engine does not allow."""
    if "odd_names" not in facts.gaps:
        return sql
    return sql.replace("a.b", "a_b").replace("dotted.name", "dotted_name").replace("it's", "its")


def sample_schema(facts: Facts) -> list[str]:
    statements = [
        """CREATE TABLE customers (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL,
           city VARCHAR(100), born DATE)""",
        """CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, customer_id INTEGER NOT NULL,
           amount DECIMAL(10,2), note VARCHAR(200), FOREIGN KEY (customer_id) REFERENCES customers (id))""",
        """CREATE TABLE parts (a INTEGER NOT NULL, b INTEGER NOT NULL, name VARCHAR(50),
           PRIMARY KEY (a, b))""",
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
    if "keys" in facts.gaps:
        statements = [_FOREIGN_KEY.sub("", statement) for statement in statements]
    if "indexes" in facts.gaps:
        statements = [statement for statement in statements if " INDEX " not in statement]
    return [spelled(statement, facts).replace('"', facts.quote) for statement in statements]


_FOREIGN_KEY = re.compile(r",\s+FOREIGN KEY \([^)]*\) REFERENCES \w+ \([^)]*\)")


_SQL_COMMENTS = (
    "COMMENT ON TABLE customers IS '客户 people'",
    "COMMENT ON COLUMN customers.city IS 'where they live'",
)
_COMMENTS = {
    "bigquery": (
        "ALTER TABLE customers SET OPTIONS (description = '客户 people')",
        "ALTER TABLE customers ALTER COLUMN city SET OPTIONS (description = 'where they live')",
    ),
    "duckdb": _SQL_COMMENTS,
    "postgres": (*_SQL_COMMENTS, "ANALYZE"),
    "mysql": (
        "ALTER TABLE customers COMMENT = '客户 people'",
        "ALTER TABLE customers MODIFY city VARCHAR(100) COMMENT 'where they live'",
        "ANALYZE TABLE customers",
    ),
    "oracle": _SQL_COMMENTS,
    "snowflake": (
        "COMMENT ON TABLE customers IS '客户 people'",
        "ALTER TABLE customers ALTER COLUMN city COMMENT 'where they live'",
    ),
    "clickhouse": (
        "ALTER TABLE customers MODIFY COMMENT '客户 people'",
        "ALTER TABLE customers COMMENT COLUMN city 'where they live'",
    ),
}
_RUNNING = {
    "postgres": "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%{piece}%' "
    "AND pid <> pg_backend_pid() AND datname = current_database()",
    "mysql": "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%{piece}%' "
    "AND id <> connection_id() AND db = database()",
    "clickhouse": "SELECT count() FROM system.processes WHERE query LIKE '%{piece}%' "
    "AND query NOT LIKE '%system.processes%'",
    "oracle": "SELECT count(*) FROM v$session s JOIN v$sql q ON q.sql_id = s.sql_id "
    "WHERE s.status = 'ACTIVE' AND q.sql_text LIKE '%{piece}%' AND s.sid <> SYS_CONTEXT('USERENV', 'SID')",
}


def _drop_postgres(engine_db: EngineDatabase) -> None:
    engine_db.admin(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
    )


def _drop_mysql(engine_db: EngineDatabase) -> None:
    for (number,) in engine_db.admin(
        "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()"
    ):
        engine_db.admin(f"KILL CONNECTION {number}")


def _drop_clickhouse(engine_db: EngineDatabase) -> None:
    """Uses `clickhouse_http.py`; a real server closes connections only after some idle seconds."""
    host = engine_db.url.partition("@")[2].partition("/")[0]
    with urlopen(Request(f"http://{host}/drop", method="POST"), timeout=5):
        pass


def _drop_emulated(engine_db: EngineDatabase) -> None:
    _ask_emulator(engine_db, "drop", "POST")


def _ask_emulator(engine_db: EngineDatabase, path: str, method: str = "GET") -> str:
    options = dict(parse_qsl(urlsplit(engine_db.url).query))
    base_url = options.get("endpoint") or f"http://{options['host']}:{options['port']}"
    with urlopen(Request(f"{base_url}/{path}", method=method), timeout=5) as response:
        return str(response.read().decode())


def _drop_oracle(engine_db: EngineDatabase) -> None:
    for sid, serial in engine_db.admin(
        "SELECT sid, serial# FROM v$session WHERE username = USER AND sid <> SYS_CONTEXT('USERENV', 'SID')"
    ):
        engine_db.admin(f"ALTER SYSTEM KILL SESSION '{sid},{serial}' IMMEDIATE")


_DROP: dict[str, Callable[[EngineDatabase], None]] = {
    "postgres": _drop_postgres,
    "mysql": _drop_mysql,
    "clickhouse": _drop_clickhouse,
    "oracle": _drop_oracle,
    **dict.fromkeys(EMULATED, _drop_emulated),
}


def filled(engine_db: EngineDatabase) -> EngineDatabase:
    for statement in sample_schema(engine_db.facts):
        engine_db.admin(statement)
    return engine_db


def as_json(rows: Sequence[object]) -> str:
    return json.dumps(rows, allow_nan=False)
