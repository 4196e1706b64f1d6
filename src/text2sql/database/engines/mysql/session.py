"""One connection to MySQL or MariaDB: one query at a time, streamed, stopped on the server."""

import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import pymysql

from text2sql.database.engine import Answering
from text2sql.database.engines.mysql import catalogue as introspection
from text2sql.database.engines.mysql.connection import Wire
from text2sql.database.engines.mysql.plan import read_plan
from text2sql.database.engines.streamed import Streamed
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import Catalogue, Plan

CANCEL_SECONDS = 2.0
_GRACE = 5.0  # seconds past a statement's limit after which a silent server counts as gone
_DRAIN = 0.2
_LOCK = 10  # seconds
_OUR_OWN = 30.0  # seconds our own statements (reset, settings) may take


class MysqlSession:
    """`another` opens a second connection, without which nothing can be stopped in this protocol."""

    _mode = "READ ONLY"

    def __init__(self, wire: Wire, another: Callable[[], Wire], *, database: str, pinned: str) -> None:
        self._wire = wire
        self._another = another
        self._database = database
        self._pinned = pinned
        self._cancelling = threading.Lock()
        self._closed = False
        wire.expect_within(_OUR_OWN)
        wire.do(pinned)

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        if self._wire.is_mariadb:
            limit = f"max_statement_time = {max(0.001, seconds):.3f}"
        else:
            limit = f"max_execution_time = {max(1, round(seconds * 1000))}"
        # Waiting for a lock ends first, so that the error tells a lock from a slow query.
        lock = max(1, min(_LOCK, int(seconds / 2)))
        locks = f"SESSION lock_wait_timeout = {lock}, SESSION innodb_lock_wait_timeout = {lock}"
        self._wire.do(f"SET SESSION {limit}, {locks}")
        self._wire.do(f"START TRANSACTION {self._mode}")
        self._wire.expect_within(seconds + _GRACE)

    def execute(self, sql: str, rows: int) -> Answering:  # noqa: ARG002 it cannot be told
        self._one_query(sql)
        columns = self._wire.send(sql)
        return Answering(columns, Streamed(self._rows()))

    def explain(self, sql: str) -> Plan:
        self._one_query(sql)
        return read_plan(str(self._wire.do(f"EXPLAIN FORMAT=JSON {sql}")[0][0]))

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._wire, self._database, samples)

    def cancel(self) -> None:
        with self._cancelling:
            if self._closed:
                return
            try:
                other = self._another()
            except (pymysql.Error, OSError):
                # The server cannot be told (a dead network, a full server): whoever waits is let go, and the
                # statement ends at the server's own limit.
                self._wire.hang_up()
                return
            try:
                other.expect_within(CANCEL_SECONDS)
                other.do(f"KILL QUERY {self._wire.number}")
            except pymysql.Error:
                self._wire.hang_up()
            finally:
                other.end()

    def reset(self) -> None:
        if self._wire.answering:
            self._abandon()
        self._wire.expect_within(_OUR_OWN)
        self._wire.reset_session()  # rolls back too
        if self._database:
            self._wire.select_db(self._database)  # a reset leaves the current database as it was
        self._wire.do(self._pinned)

    def close(self) -> None:
        with self._cancelling:
            if not self._closed:
                self._closed = True
                self._wire.end()

    # -- one query and nothing else --------------------------------------------------------------

    def _one_query(self, sql: str) -> None:
        """Only what can stand in EXISTS (…) may run: one query that writes no file and no variable.

        The server parses it there and never runs it. START TRANSACTION READ ONLY alone would not do: DDL
        commits it, and SET, KILL, LOCK, HANDLER and INTO OUTFILE pass it. Costs one round trip.
        """
        if "\0" in sql:
            raise SqlSyntaxError("a NUL character in the statement")
        try:
            self._wire.parse(f"SELECT 1 FROM DUAL WHERE EXISTS (\n{sql}\n)")
        except (pymysql.ProgrammingError, pymysql.NotSupportedError, pymysql.OperationalError):
            if not self._wire.open:
                raise
            self._wire.parse(sql)  # a bad query says here what is wrong with it
            raise Forbidden("only a query can be run here") from None

    def _rows(self) -> Generator[tuple[Any, ...], None, None]:
        try:
            yield from self._wire.rows()
        finally:
            if self._wire.answering:
                self._abandon()

    def _abandon(self) -> None:
        """Stop the statement and read what was under way, if that is quick: a new connection costs 5 ms."""
        self.cancel()
        deadline = time.monotonic() + _DRAIN
        self._wire.expect_within(CANCEL_SECONDS)
        try:
            for _ in self._wire.rows():
                if time.monotonic() > deadline:
                    self._wire.hang_up()
                    break
        except pymysql.Error as error:
            if error.args[:1] != (1317,):  # "interrupted" is what was asked for
                self._wire.hang_up()
        self._wire.forget_result()
