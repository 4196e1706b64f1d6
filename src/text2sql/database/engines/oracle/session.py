"""One connection to Oracle: one query at a time, in a READ ONLY transaction, stopped by a break."""

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

import oracledb

from text2sql.database.batches import in_batches
from text2sql.database.engine import Answering
from text2sql.database.engines.beginning import must_begin_like_a_query
from text2sql.database.engines.oracle import catalogue as introspection
from text2sql.database.values import duration
from text2sql.errors import Forbidden
from text2sql.types import Catalogue, Plan, ResultColumn

_FEW, _MANY = 16, 256  # rows a round trip, where cells may be large and where they are not
_LARGE = (oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_NCLOB, oracledb.DB_TYPE_BLOB)


class OracleSession:
    def __init__(self, connection: oracledb.Connection) -> None:
        self._connection = connection
        connection.outputtypehandler = _as_values

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        """The limit is for one round trip; the watchdog adds them up."""
        self._connection.call_timeout = max(1, round(seconds * 1000))
        with self._connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")

    def execute(self, sql: str, rows: int) -> Answering:
        self._one_query(sql)
        cursor = self._connection.cursor()
        cursor.arraysize = min(_MANY, rows + 1)
        cursor.prefetchrows = cursor.arraysize
        cursor.execute(sql)
        columns = _columns(cursor)
        if any(info.type_code in _LARGE for info in cursor.description or ()):
            cursor.arraysize = _FEW
        return Answering(columns, _rows(cursor))

    def explain(self, sql: str) -> Plan:
        """Parsed, with its names resolved, and not run. EXPLAIN PLAN would write the plan to a table, which a
        READ ONLY transaction forbids.
        """
        self._one_query(sql)
        with self._connection.cursor() as cursor:
            cursor.parse(sql)
            return Plan("\n".join(f"{column.name} {column.type}" for column in _columns(cursor)))

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._all, samples)

    def cancel(self) -> None:
        self._connection.cancel()

    def reset(self) -> None:
        self._connection.call_timeout = 0
        self._connection.rollback()
        if not self._connection.is_healthy():
            raise oracledb.OperationalError("the session is not healthy after a reset")

    def close(self) -> None:
        with suppress(Exception):  # whatever the driver raises: the socket is gone
            self._connection.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _one_query(self, sql: str) -> None:
        """Only what can stand in FROM (…) may run. The server parses it there and never runs it: a READ ONLY
        transaction ends at the first DDL statement, and lets FOR UPDATE, CALL and PL/SQL try.

        Parsing a DDL statement runs it, so what does not begin like a query is not even parsed.
        """
        must_begin_like_a_query(sql)
        with self._connection.cursor() as cursor:
            try:
                cursor.parse(f"SELECT COUNT(*) FROM (\n{sql}\n)")
            except oracledb.DatabaseError:
                cursor.parse(sql)  # a bad query says here what is wrong with it, and where
                raise Forbidden("only a query can be run here", code="statement") from None

    def _all(self, sql: str, **given: Any) -> list[tuple[Any, ...]]:
        """A query of our own, all of its rows at once."""
        with self._connection.cursor() as cursor:
            cursor.arraysize = cursor.prefetchrows = 1_000
            cursor.execute(sql, given)
            return list(cursor.fetchall())


def _as_values(cursor: oracledb.Cursor, info: oracledb.FetchInfo) -> Any:
    """Numbers keep their digits, and large objects arrive with their row."""
    size = cursor.arraysize
    if info.type_code is oracledb.DB_TYPE_NUMBER:
        return cursor.var(Decimal, arraysize=size)
    if info.type_code in (oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_NCLOB):
        return cursor.var(oracledb.DB_TYPE_LONG, arraysize=size)
    if info.type_code is oracledb.DB_TYPE_BLOB:
        return cursor.var(oracledb.DB_TYPE_LONG_RAW, arraysize=size)
    if info.type_code is oracledb.DB_TYPE_INTERVAL_YM:
        months = lambda value: duration(value.years * 12 + value.months, 0, 0)  # noqa: E731
        return cursor.var(oracledb.DB_TYPE_INTERVAL_YM, arraysize=size, outconverter=months)
    return None


def _columns(cursor: oracledb.Cursor) -> tuple[ResultColumn, ...]:
    return tuple(ResultColumn(info.name, _type(info)) for info in cursor.description or ())


def _type(info: Any) -> str:
    """DB_TYPE_NUMBER with a precision is NUMBER(10,2)."""
    name = str(info.type_code.name).removeprefix("DB_TYPE_")
    if name == "NUMBER" and info.precision:
        return f"NUMBER({info.precision},{info.scale})" if info.scale else f"NUMBER({info.precision})"
    return {"VARCHAR": "VARCHAR2", "NVARCHAR": "NVARCHAR2"}.get(name, name)


def _rows(cursor: oracledb.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    with cursor:
        yield from in_batches(cursor.fetchmany)
