"""One connection to PostgreSQL: one query at a time, streamed row by row, stopped on the server."""

import os
import select
import socket
import sys
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from typing import Any, NoReturn

import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

from text2sql.database.engine import Answering
from text2sql.database.engines.postgres import catalogue as introspection
from text2sql.database.engines.streamed import Streamed
from text2sql.errors import Forbidden, ResourceExhausted, SqlSyntaxError
from text2sql.types import Catalogue, Plan, ResultColumn

ROW_BYTES = 64_000_000  # a row that is larger is given up while it arrives, as soon as libpq lets us look
CANCEL_SECONDS, DRAIN_SECONDS = 2.0, 0.2
LOCK_MS = 10_000
_ROWS = (ExecStatus.TUPLES_OK, ExecStatus.SINGLE_TUPLE)
_DONE = (*_ROWS, ExecStatus.COMMAND_OK)


class PostgresSession:
    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        # A second handle of the socket, which outlives libpq's: to count and to hang up.
        self._twin = socket.socket(fileno=os.dup(self._pgconn.socket))
        self._cancelling = threading.Lock()  # a connection is not freed while a cancel request reads it

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        # The SELECT takes a snapshot: after it neither SET TRANSACTION nor set_config can make the
        # transaction writable. The timer of a statement that runs cannot be moved by that statement.
        # Waiting for a lock ends first, so that the error tells a lock from a slow query.
        limit = max(2, round(seconds * 1000))
        self._connection.execute(
            f"BEGIN READ ONLY; SET LOCAL statement_timeout = {limit};"
            f" SET LOCAL lock_timeout = {min(LOCK_MS, limit // 2)}; SELECT 1"
        )

    def execute(self, sql: str, rows: int) -> Answering:  # noqa: ARG002 it cannot be told
        text = self._one_query(sql)
        self._pgconn.send_query_params(text, None)
        self._pgconn.set_single_row_mode()
        told = self._rows()
        columns = next(told)  # the columns come first, as a row of their own
        return Answering(columns, Streamed(told))

    def explain(self, sql: str) -> Plan:
        text = self._one_query(sql)
        self._pgconn.send_query_params(b"EXPLAIN (FORMAT JSON) " + text, None)
        result = self._finish()
        told = (result.get_value(0, 0) or b"").decode("utf-8", "replace")
        return introspection.plan(told)

    def catalogue(self, samples: int) -> Catalogue:
        return introspection.read(self._connection, samples)

    def cancel(self) -> None:
        with self._cancelling:
            if self._connection.closed:
                return
            try:
                self._connection.cancel_safe(timeout=CANCEL_SECONDS)
            except psycopg.Error:
                # The server cannot be told (a dead network, a full server): whoever waits is let go.
                self._hang_up()

    def reset(self) -> None:
        if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
            self._abandon()
            if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
                raise psycopg.OperationalError("the statement did not stop")
        self._connection.execute("ROLLBACK")
        self._connection.execute("DISCARD ALL")  # back to what the start-up options pinned
        if self._pgconn.transaction_status != TransactionStatus.IDLE:
            raise psycopg.OperationalError("the session is not idle after a reset")

    def close(self) -> None:
        with self._cancelling:
            self._connection.close()
            self._twin.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _one_query(self, sql: str) -> bytes:
        """Only what a cursor could be declared for may run: one SELECT or VALUES that changes nothing.

        The server parses `DECLARE … CURSOR FOR` the text and never runs it; the extended protocol refuses
        a second statement. So SET, COPY, LOCK, DO, CALL, COMMIT and the rest fail in the engine's own
        grammar. A real cursor would cost parallel plans; this costs one round trip.
        """
        text = sql.encode()
        if b"\0" in text:
            raise SqlSyntaxError("a NUL character in the statement")  # libpq would send what is before it
        try:
            self._parse(b"DECLARE text2sql CURSOR FOR " + text)
        except psycopg.OperationalError:
            raise
        except psycopg.Error:
            # Which was it, a bad query or no query? Only the bare text knows, with the right positions.
            self._connection.execute("ROLLBACK; BEGIN READ ONLY")
            self._parse(text)
            raise Forbidden("only a query can be run here") from None
        return text

    def _parse(self, text: bytes) -> None:
        self._pgconn.send_prepare(b"", text)
        self._finish()

    # -- waiting ---------------------------------------------------------------------------------

    def _rows(self) -> Generator[tuple[Any, ...], None, None]:
        """First the columns, then rows. Left early, it stops the statement on the server."""
        transformer = Transformer(self._connection)
        try:
            first = True
            while (result := self._receive()) is not None:
                if result.status not in _ROWS:
                    self._raise(result)
                if first:
                    yield self._columns(result)
                transformer.set_pgresult(result, set_loaders=first)
                first = False
                yield from transformer.load_rows(0, result.ntuples, tuple)
        finally:
            if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
                self._abandon()

    def _columns(self, result: PGresult) -> tuple[ResultColumn, ...]:
        types = self._connection.adapters.types
        columns = []
        for i in range(result.nfields):
            oid = result.ftype(i)
            info = types.get(oid)
            name = (result.fname(i) or b"").decode("utf-8", "replace")
            columns.append(ResultColumn(name, info.get_type_display(oid, result.fmod(i)) if info else ""))
        return tuple(columns)

    def _finish(self) -> PGresult:
        """The last result of what was sent, all of it read."""
        last: PGresult | None = None
        failed: PGresult | None = None
        while (result := self._receive()) is not None:
            last = result
            if result.status not in _DONE:
                failed = failed or result
        if failed is not None or last is None:
            self._raise(failed)
        return last

    def _raise(self, result: PGresult | None) -> NoReturn:
        while self._receive() is not None:
            pass
        if result is None:
            raise psycopg.OperationalError("the server closed the connection")
        raise psycopg.errors.error_from_result(result)

    def _receive(self, deadline: float | None = None) -> PGresult | None:
        while self._pgconn.flush():
            select.select([self._pgconn.socket], [self._pgconn.socket], [])
            self._pgconn.consume_input()
        before = _received(self._twin)
        while self._pgconn.is_busy():
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not _readable(self._pgconn.socket, left):
                raise psycopg.OperationalError("the server did not stop in time")
            self._pgconn.consume_input()
            taken = _received(self._twin) - before
            # Of smaller rows libpq takes less than two of that size in one gulp. What is more is one row, and
            # it is not asked whether that is whole: it would make a copy of it to know.
            if taken > 2 * ROW_BYTES or (taken > ROW_BYTES and self._pgconn.is_busy()):
                self._hang_up()  # a server in the middle of a row does not look for a cancel request
                raise ResourceExhausted(f"one row is larger than {ROW_BYTES // 1_000_000} MB")
        return self._pgconn.get_result()

    def _abandon(self) -> None:
        """Stop the statement and read what was under way, if that is quick: a new connection costs 5 ms."""
        self.cancel()
        deadline = time.monotonic() + DRAIN_SECONDS
        try:
            while self._receive(deadline) is not None and time.monotonic() < deadline:
                pass
        except (psycopg.Error, ResourceExhausted):
            self._hang_up()
        if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
            self._hang_up()

    def _hang_up(self) -> None:
        """Wake whoever waits on the socket: to it the connection is lost. Safe from another thread."""
        with suppress(OSError):  # already gone
            self._twin.shutdown(socket.SHUT_RDWR)


def _readable(descriptor: int, seconds: float | None) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def _received(twin: socket.socket) -> int:
    """Bytes that came in so far: all that can be known of a row before libpq holds the whole of it.

    Linux counts them (tcpi_bytes_received); elsewhere, and on a Unix socket, a row's size has no limit.
    """
    if sys.platform != "linux":
        return 0
    try:
        info = twin.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 136)
    except OSError:
        return 0
    return int.from_bytes(info[128:136], sys.byteorder)
