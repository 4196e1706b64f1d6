"""Oracle without a server: which statements are sent, and how errors and the dictionary are parsed."""

import socket
from collections.abc import Sequence
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import oracledb
import pytest
import sqlglot

from text2sql.config import Settings
from text2sql.database import open_database
from text2sql.database.engines.oracle import catalog
from text2sql.database.engines.oracle.errors import connection_error, translate
from text2sql.database.engines.oracle.session import OracleSession
from text2sql.errors import ConnectionFailed, Forbidden, UsageError
from text2sql.i18n import explain
from text2sql.sql import check
from text2sql.types import CheckedSql, ForeignKey, Index


def ora(number: int, words: str, offset: int = 0) -> oracledb.DatabaseError:
    """An error as the driver creates it."""
    code = f"ORA-{number:05}"
    driver_error = SimpleNamespace(
        code=number, full_code=code, message=f"{code}: {words}\nHelp: …", offset=offset
    )
    return oracledb.DatabaseError(driver_error)


def dpy(number: int, words: str) -> oracledb.OperationalError:
    code = f"DPY-{number}"
    return oracledb.OperationalError(
        SimpleNamespace(code=0, full_code=code, message=f"{code}: {words}", offset=0)
    )


@pytest.mark.parametrize(
    ("error", "kind", "names"),
    [
        (ora(900, "invalid SQL statement"), "syntax", ()),
        (ora(933, "SQL command not properly ended"), "syntax", ()),
        (ora(979, "not a GROUP BY expression"), "syntax", ()),
        (ora(942, 'table or view "SHOP"."NOWHERE" does not exist'), "unknown_table", ("SHOP", "NOWHERE")),
        (ora(904, '"C"."ABSENT": invalid identifier'), "unknown_column", ("C", "ABSENT")),
        (ora(918, '"ID": column ambiguously specified'), "ambiguous_column", ("ID",)),
        (ora(1722, "invalid number"), "type", ()),
        (ora(1858, "a non-numeric character was found"), "type", ()),
        (ora(1031, "insufficient privileges"), "permission", ()),
        (ora(1456, "may not perform insert in a READ ONLY transaction"), "forbidden", ()),
        (ora(1013, "user requested cancel of current operation"), "cancelled", ()),
        (ora(1555, "snapshot too old"), "resource", ()),
        (ora(60, "deadlock detected"), "lock", ()),
        (ora(3113, "end-of-file on communication channel"), "connection", ()),
        (dpy(4024, "call timeout of 500 ms exceeded"), "timeout", ()),
        (dpy(4011, "the database or network closed the connection"), "connection", ()),
        (ora(600, "internal error code"), "other", ()),
    ],
)
def test_an_error_has_its_kind_by_its_number(error: Exception, kind: str, names: Sequence[str]) -> None:
    ours = translate(error)
    assert ours is not None
    assert (ours.kind, ours.identifiers) == (kind, names)
    assert not ours.detail.startswith(("ORA-", "DPY-"))
    assert "\n" not in ours.detail


def test_an_error_has_its_position() -> None:
    translated = translate(ora(904, '"ABSENT": invalid identifier', offset=7))
    assert translated is not None
    assert translated.position == 8


def test_a_foreign_error_is_not_ours() -> None:
    assert translate(ValueError("x")) is None


@pytest.mark.parametrize(
    ("error", "key"),
    [
        (ora(1017, "invalid credential"), "database.login"),
        (ora(12514, "service is not known to the listener"), "database.no_such_database"),
        (ora(12519, "no appropriate service handler found"), "database.full"),
        (dpy(6005, "cannot connect"), "database.connection"),
    ],
)
def test_a_refused_connection_says_why(error: Exception, key: str) -> None:
    assert connection_error(error, "").message_key == key


def test_an_unreachable_server_is_reported_without_the_password() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    with open_database(f"oracle://scott:t1ger-pw@127.0.0.1:{port}/shop", Settings()) as db:
        with pytest.raises(ConnectionFailed) as caught:
            db.ping()
        assert "t1ger-pw" not in explain(caught.value, "en") + repr(caught.value)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        open_database("oracle://scott:tiger@host/shop?encryption=off")
    assert caught.value.message_key == "usage.db_option"


class Cursor:
    """A fake cursor: a statement that is not in `answers` cannot be parsed."""

    def __init__(self, log: list[str], bad: Sequence[str]) -> None:
        self.log, self.bad = log, bad
        self.description: tuple[Any, ...] = ()

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None: ...

    def parse(self, sql: str) -> None:
        self.log.append(f"parse {sql}")
        if sql in self.bad:
            raise ora(907, "missing right parenthesis")

    def execute(self, sql: str) -> None:
        self.log.append(f"execute {sql}")

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        return []


class Connection:
    def __init__(self, bad: Sequence[str] = ()) -> None:
        self.log: list[str] = []
        self.bad = bad

    def cursor(self) -> Cursor:
        return Cursor(self.log, self.bad)


def session(connection: Connection) -> OracleSession:
    return OracleSession(connection)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE orders",
        "/* SELECT */ DROP TABLE orders",
        "-- x\nTRUNCATE TABLE orders",
        "INSERT INTO orders VALUES (1)",
        "BEGIN DELETE FROM orders; END;",
        "CALL x()",
        "EXPLAIN PLAN FOR SELECT 1 FROM dual",
        "",
    ],
)
def test_what_is_no_query_never_reaches_the_driver_where_parsing_it_would_run_it(sql: str) -> None:
    connection = Connection()
    with pytest.raises(Forbidden):
        session(connection).execute(sql, 10)
    assert connection.log == []


def test_a_query_that_cannot_stand_in_a_query_is_not_run() -> None:
    sql = "SELECT * FROM orders FOR UPDATE"
    connection = Connection(bad=[f"SELECT COUNT(*) FROM (\n{sql}\n)"])
    with pytest.raises(Forbidden):
        session(connection).execute(sql, 10)
    assert connection.log == [f"parse SELECT COUNT(*) FROM (\n{sql}\n)", f"parse {sql}"]


def test_a_query_is_parsed_inside_another_and_then_run_in_a_read_only_transaction() -> None:
    connection = Connection()
    oracle_session = session(connection)
    oracle_session.begin(2.5)
    oracle_session.execute("WITH t AS (SELECT 1 AS a FROM dual) SELECT a FROM t", 10)
    assert connection.call_timeout == 2500  # type: ignore[attr-defined]
    assert [line.split(maxsplit=1)[0] for line in connection.log] == ["execute", "parse", "execute"]
    assert connection.log[0] == "execute SET TRANSACTION READ ONLY"


@pytest.mark.parametrize(
    "sql",
    [
        *(
            catalog.TABLES,
            catalog.COLUMNS,
            catalog.KEYS,
            catalog.INDEXES,
            catalog.VIEWS,
            catalog.HERE,
        ),
        catalog.sample_query("SHOP", [("客户 表", "姓 名"), ("CUSTOMERS", "CITY")]),
    ],
)
def test_the_dictionary_queries_are_oracles_sql(sql: str) -> None:
    assert len(sqlglot.parse(sql, read="oracle")) == 1


def test_the_dictionary_becomes_a_catalog() -> None:
    answers: dict[str, list[tuple[Any, ...]]] = {
        catalog.HERE: [("SHOP",)],
        catalog.TABLES: [
            ("CUSTOMERS", "TABLE", "客户 people", Decimal(3)),
            ("ORDERS", "TABLE", None, None),
            ("BIG", "VIEW", None, None),
        ],
        catalog.COLUMNS: [
            ("CUSTOMERS", "ID", "NUMBER", None, Decimal(0), Decimal(0), "N", None),
            ("CUSTOMERS", "CITY", "VARCHAR2", None, None, Decimal(100), "Y", "where they live"),
            ("ORDERS", "CUSTOMER_ID", "NUMBER", Decimal(10), Decimal(2), Decimal(0), "Y", None),
            ("BIG", "MADE", "DATE", None, None, Decimal(0), "Y", None),
        ],
        catalog.KEYS: [
            ("CUSTOMERS", "PK", "P", "ID", None, None, None),
            ("ORDERS", "FK", "R", "CUSTOMER_ID", "SHOP", "CUSTOMERS", "ID"),
            ("ORDERS", "HIDDEN", "R", "CUSTOMER_ID", None, None, None),
        ],
        catalog.INDEXES: [
            ("CUSTOMERS", "BY_CITY", "NONUNIQUE", "CITY"),
            ("CUSTOMERS", "BY_CITY", "NONUNIQUE", "ID"),
        ],
        catalog.VIEWS: [("BIG", "SELECT …")],
        catalog.sample_query("SHOP", [("CUSTOMERS", "CITY")]): [(Decimal(0), "Oslo"), (Decimal(0), "北京")],
    }
    loaded = catalog.read(lambda sql, **_: answers[sql], 1)
    customers, orders, big = (loaded.table(name) for name in ("CUSTOMERS", "ORDERS", "BIG"))
    assert loaded.default_schema == "SHOP"
    assert customers is not None
    assert orders is not None
    assert big is not None
    assert (customers.comment, customers.rows, customers.primary_key) == ("客户 people", 3, ("ID",))
    assert [(column.name, column.type, column.nullable) for column in customers.columns] == [
        ("ID", "INTEGER", False),
        ("CITY", "VARCHAR2(100)", True),
    ]
    assert (customers.columns[1].samples, customers.columns[1].comment) == (("Oslo",), "where they live")
    assert customers.indexes == (Index("BY_CITY", ("CITY", "ID")),)
    assert orders.columns[0].type == "NUMBER(10,2)"
    assert orders.foreign_keys == (ForeignKey(("CUSTOMER_ID",), "CUSTOMERS", ("ID",), "SHOP"),)
    assert (big.kind, big.rows) == ("view", None)


def test_a_limit_is_written_as_oracle_reads_it() -> None:
    checked = check("SELECT name FROM customers", "oracle")
    assert isinstance(checked, CheckedSql)
    assert checked.sql.endswith("FETCH FIRST 1000 ROWS ONLY")
