"""One connection to MySQL or MariaDB: one query at a time, streamed, cancelled on the server."""

import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import pymysql

from text2sql.database.engine import RawResult
from text2sql.database.engines.mysql import catalog as introspection
from text2sql.database.engines.mysql.connection import MysqlConnection
from text2sql.database.engines.mysql.plan import read_plan
from text2sql.database.row_batches import RowBatches
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import Catalog, Plan

CANCEL_SECONDS = 2.0
_GRACE_SECONDS = 5.0  # past a statement's limit, after which a silent server counts as lost
_DRAIN_SECONDS = 0.2
_LOCK_SECONDS = 10  # limit of a wait for a lock
_INTERNAL_SECONDS = 30.0  # limit of internal statements (reset, settings)


class MysqlSession:
    """A read-only session. `open_connection` opens a second connection: this protocol can cancel only from
    there.
    """

    _mode = "READ ONLY"

    def __init__(
        self,
        connection: MysqlConnection,
        open_connection: Callable[[], MysqlConnection],
        *,
        database: str,
        pinned: str,
    ) -> None:
        self._connection = connection
        self._open_connection = open_connection
        self._database = database
        self._pinned = pinned
        self._cancelling = threading.Lock()
        self._closed = False
        connection.set_timeout(_INTERNAL_SECONDS)
        connection.do(pinned)

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        if self._connection.is_mariadb:
            limit = f"max_statement_time = {max(0.001, seconds):.3f}"
        else:
            limit = f"max_execution_time = {max(1, round(seconds * 1000))}"
        # The lock timeout is shorter, so that the error distinguishes a lock from a slow query.
        lock = max(1, min(_LOCK_SECONDS, int(seconds / 2)))
        locks = f"SESSION lock_wait_timeout = {lock}, SESSION innodb_lock_wait_timeout = {lock}"
        self._connection.do(f"SET SESSION {limit}, {locks}")
        self._connection.do(f"START TRANSACTION {self._mode}")
        self._connection.set_timeout(seconds + _GRACE_SECONDS)

    def execute(self, sql: str, rows: int) -> RawResult:  # noqa: ARG002 MySQL has no such option
        self._require_single_query(sql)
        columns = self._connection.send(sql)
        return RawResult(columns, RowBatches(self._rows()))

    def explain(self, sql: str) -> Plan:
        self._require_single_query(sql)
        return read_plan(str(self._connection.do(f"EXPLAIN FORMAT=JSON {sql}")[0][0]))

    def catalog(self, samples: int) -> Catalog:
        return introspection.read(self._connection, self._database, samples)

    def cancel(self) -> None:
        with self._cancelling:
            if self._closed:
                return
            try:
                second = self._open_connection()
            except (pymysql.Error, OSError):
                # The server cannot be reached (a dead network, a full server): release the waiting thread.
                # The statement ends at the server's own limit.
                self._connection.disconnect()
                return
            try:
                second.set_timeout(CANCEL_SECONDS)
                second.do(f"KILL QUERY {self._connection.connection_id}")
            except pymysql.Error:
                self._connection.disconnect()
            finally:
                second.end()

    def reset(self) -> None:
        if self._connection.has_unread_rows:
            self._abandon()
        self._connection.set_timeout(_INTERNAL_SECONDS)
        self._connection.reset_session()  # rolls back too
        if self._database:
            self._connection.select_db(self._database)  # a reset does not restore the current database
        self._connection.do(self._pinned)

    def close(self) -> None:
        with self._cancelling:
            if not self._closed:
                self._closed = True
                self._connection.end()

    # -- one query and nothing else --------------------------------------------------------------

    def _require_single_query(self, sql: str) -> None:
        """Accept only what is valid in EXISTS (…): one query that writes no file and no variable.

        The server parses it there and never runs it. START TRANSACTION READ ONLY is not enough: DDL commits
        it, and SET, KILL, LOCK, HANDLER and INTO OUTFILE pass. Costs one round trip.
        """
        if "\0" in sql:
            raise SqlSyntaxError("a NUL character in the statement")
        try:
            self._connection.parse(f"SELECT 1 FROM DUAL WHERE EXISTS (\n{sql}\n)")
        except (pymysql.ProgrammingError, pymysql.NotSupportedError, pymysql.OperationalError):
            if not self._connection.open:
                raise
            self._connection.parse(sql)  # reports the real error of an invalid query
            raise Forbidden("only a query can be run here") from None

    def _rows(self) -> Generator[tuple[Any, ...], None, None]:
        try:
            yield from self._connection.rows()
        finally:
            if self._connection.has_unread_rows:
                self._abandon()

    def _abandon(self) -> None:
        """Stop the statement and read the remaining rows if that is quick: a new connection costs 5 ms."""
        self.cancel()
        deadline = time.monotonic() + _DRAIN_SECONDS
        self._connection.set_timeout(CANCEL_SECONDS)
        try:
            for _ in self._connection.rows():
                if time.monotonic() > deadline:
                    self._connection.disconnect()
                    break
        except pymysql.Error as error:
            if error.args[:1] != (1317,):  # "interrupted" is expected
                self._connection.disconnect()
        self._connection.discard_result()
