"""One connection to Oracle: one query at a time, in a READ ONLY transaction, cancelled by a break."""

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any

import oracledb

from text2sql.database.engine import RawResult
from text2sql.database.engines.oracle import catalog as introspection
from text2sql.database.engines.statement_prefix import require_query_prefix
from text2sql.database.row_batches import fetch_in_batches
from text2sql.database.values import duration
from text2sql.errors import Forbidden
from text2sql.types import Catalog, Plan, ResultColumn

_FEW, _MANY = 16, 256  # rows per round trip, if cells may be large and if not
_LARGE = (oracledb.DB_TYPE_CLOB, oracledb.DB_TYPE_NCLOB, oracledb.DB_TYPE_BLOB)


class OracleSession:
    """A read-only session."""

    def __init__(self, connection: oracledb.Connection) -> None:
        self._connection = connection
        connection.outputtypehandler = _as_values

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        """The timeout applies to one round trip; the watchdog limits the total."""
        self._connection.call_timeout = max(1, round(seconds * 1000))
        with self._connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")

    def execute(self, sql: str, rows: int) -> RawResult:
        self._require_single_query(sql)
        cursor = self._connection.cursor()
        cursor.arraysize = min(_MANY, rows + 1)
        cursor.prefetchrows = cursor.arraysize
        cursor.execute(sql)
        columns = _columns(cursor)
        if any(info.type_code in _LARGE for info in cursor.description or ()):
            cursor.arraysize = _FEW
        return RawResult(columns, _rows(cursor))

    def explain(self, sql: str) -> Plan:
        """Parse the query and resolve its names, without running it. EXPLAIN PLAN would write the plan to a
        table, which a READ ONLY transaction forbids.
        """
        self._require_single_query(sql)
        with self._connection.cursor() as cursor:
            cursor.parse(sql)
            return Plan("\n".join(f"{column.name} {column.type}" for column in _columns(cursor)))

    def catalog(self, samples: int) -> Catalog:
        return introspection.read(self._fetch_all, samples)

    def cancel(self) -> None:
        self._connection.cancel()

    def reset(self) -> None:
        self._connection.call_timeout = 0
        self._connection.rollback()
        if not self._connection.is_healthy():
            raise oracledb.OperationalError("the session is not healthy after a reset")

    def close(self) -> None:
        with suppress(Exception):  # drivers raise anything; the socket is closed
            self._connection.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _require_single_query(self, sql: str) -> None:
        """Accept only what is valid in FROM (…). The server parses it there and never runs it: a READ ONLY
        transaction ends at the first DDL statement, and does not prevent FOR UPDATE, CALL and PL/SQL.

        Parsing a DDL statement runs it, so a statement that does not begin like a query is not even parsed.
        """
        require_query_prefix(sql)
        with self._connection.cursor() as cursor:
            try:
                cursor.parse(f"SELECT COUNT(*) FROM (\n{sql}\n)")
            except oracledb.DatabaseError:
                cursor.parse(sql)  # reports the real error of an invalid query, with its position
                raise Forbidden("only a query can be run here", code="statement") from None

    def _fetch_all(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Run an internal query and fetch all of its rows."""
        with self._connection.cursor() as cursor:
            cursor.arraysize = cursor.prefetchrows = 1_000
            cursor.execute(sql, parameters)
            return list(cursor.fetchall())


def _as_values(cursor: oracledb.Cursor, info: oracledb.FetchInfo) -> Any:
    """Numbers keep all digits, and large objects arrive with their row."""
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
        yield from fetch_in_batches(cursor.fetchmany)
