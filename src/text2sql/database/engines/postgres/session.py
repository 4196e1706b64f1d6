"""One connection to PostgreSQL: one query at a time, streamed row by row, cancelled on the server."""

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

from text2sql.database.engine import RawResult
from text2sql.database.engines.postgres import catalog as introspection
from text2sql.database.row_batches import RowBatches
from text2sql.errors import Forbidden, ResourceExhausted, SqlSyntaxError
from text2sql.types import Catalog, Plan, ResultColumn

ROW_BYTES = 64_000_000  # a larger row is aborted while it arrives, as soon as libpq returns control
CANCEL_SECONDS, DRAIN_SECONDS = 2.0, 0.2
LOCK_MS = 10_000
_ROWS = (ExecStatus.TUPLES_OK, ExecStatus.SINGLE_TUPLE)
_DONE = (*_ROWS, ExecStatus.COMMAND_OK)


class PostgresSession:
    """A read-only session."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._pgconn = connection.pgconn
        # A second handle of the socket, which outlives libpq's: to count bytes and to disconnect.
        self._socket_copy = socket.socket(fileno=os.dup(self._pgconn.socket))
        self._cancelling = threading.Lock()  # the connection must not be freed while a cancel request uses it

    # -- the protocol of engine.py ---------------------------------------------------------------

    def begin(self, seconds: float) -> None:
        # The SELECT takes a snapshot: after it neither SET TRANSACTION nor set_config can make the
        # transaction writable. A running statement cannot change its own timeout.
        # The lock timeout is shorter, so that the error distinguishes a lock from a slow query.
        limit = max(2, round(seconds * 1000))
        self._connection.execute(
            f"BEGIN READ ONLY; SET LOCAL statement_timeout = {limit};"
            f" SET LOCAL lock_timeout = {min(LOCK_MS, limit // 2)}; SELECT 1"
        )

    def execute(self, sql: str, rows: int) -> RawResult:  # noqa: ARG002 PostgreSQL has no such option
        query = self._require_single_query(sql)
        self._pgconn.send_query_params(query, None)
        self._pgconn.set_single_row_mode()
        results = self._rows()
        columns = next(results)  # the generator yields the columns first
        return RawResult(columns, RowBatches(results))

    def explain(self, sql: str) -> Plan:
        query = self._require_single_query(sql)
        self._pgconn.send_query_params(b"EXPLAIN (FORMAT JSON) " + query, None)
        result = self._finish()
        plan_text = (result.get_value(0, 0) or b"").decode("utf-8", "replace")
        return introspection.plan(plan_text)

    def catalog(self, samples: int) -> Catalog:
        return introspection.read(self._connection, samples)

    def cancel(self) -> None:
        with self._cancelling:
            if self._connection.closed:
                return
            try:
                self._connection.cancel_safe(timeout=CANCEL_SECONDS)
            except psycopg.Error:
                # The server cannot be reached (a dead network, a full server): release the waiting thread.
                self._disconnect()

    def reset(self) -> None:
        if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
            self._abandon()
            if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
                raise psycopg.OperationalError("the statement did not stop")
        self._connection.execute("ROLLBACK")
        self._connection.execute("DISCARD ALL")  # restores the start-up options
        if self._pgconn.transaction_status != TransactionStatus.IDLE:
            raise psycopg.OperationalError("the session is not idle after a reset")

    def close(self) -> None:
        with self._cancelling:
            self._connection.close()
            self._socket_copy.close()

    # -- one query and nothing else --------------------------------------------------------------

    def _require_single_query(self, sql: str) -> bytes:
        """Accept only what a cursor could be declared for: one SELECT or VALUES that changes nothing.

        The server parses `DECLARE … CURSOR FOR` the text and never runs it; the extended protocol refuses a
        second statement. So SET, COPY, LOCK, DO, CALL, COMMIT and the like fail in the engine's own grammar.
        A real cursor would disable parallel plans; this costs one round trip.
        """
        text = sql.encode()
        if b"\0" in text:
            raise SqlSyntaxError("a NUL character in the statement")  # libpq would send what precedes it
        try:
            self._parse(b"DECLARE text2sql CURSOR FOR " + text)
        except psycopg.OperationalError:
            raise
        except psycopg.Error:
            # Parse the original text: this distinguishes a bad query from other statements.
            self._connection.execute("ROLLBACK; BEGIN READ ONLY")
            self._parse(text)
            raise Forbidden("only a query can be run here") from None
        return text

    def _parse(self, text: bytes) -> None:
        self._pgconn.send_prepare(b"", text)
        self._finish()

    # -- waiting ---------------------------------------------------------------------------------

    def _rows(self) -> Generator[tuple[Any, ...], None, None]:
        """Yield the columns, then rows. Closing it early stops the statement on the server."""
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
        """Read all results and return the last one."""
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
        start = _bytes_received(self._socket_copy)
        while self._pgconn.is_busy():
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not _wait_readable(self._pgconn.socket, remaining):
                raise psycopg.OperationalError("the server did not stop in time")
            self._pgconn.consume_input()
            received = _bytes_received(self._socket_copy) - start
            # Of smaller rows, libpq reads less than two of that size at once. More than that is one row; do
            # not ask libpq whether it is complete, because that would copy it.
            if received > 2 * ROW_BYTES or (received > ROW_BYTES and self._pgconn.is_busy()):
                self._disconnect()  # a server that is sending a row does not check for cancel requests
                raise ResourceExhausted(f"one row is larger than {ROW_BYTES // 1_000_000} MB")
        return self._pgconn.get_result()

    def _abandon(self) -> None:
        """Stop the statement and read the remaining rows if that is quick: a new connection costs 5 ms."""
        self.cancel()
        deadline = time.monotonic() + DRAIN_SECONDS
        try:
            while self._receive(deadline) is not None and time.monotonic() < deadline:
                pass
        except (psycopg.Error, ResourceExhausted):
            self._disconnect()
        if self._pgconn.transaction_status == TransactionStatus.ACTIVE:
            self._disconnect()

    def _disconnect(self) -> None:
        """Wake a thread that waits on the socket: it sees a lost connection. Safe from another thread."""
        with suppress(OSError):  # already gone
            self._socket_copy.shutdown(socket.SHUT_RDWR)


def _wait_readable(descriptor: int, seconds: float | None) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def _bytes_received(socket_copy: socket.socket) -> int:
    """Return the bytes received so far: the only information about a row before libpq has read all of it.

    Linux counts them (tcpi_bytes_received); elsewhere, and on a Unix socket, a row's size is not limited.
    """
    if sys.platform != "linux":
        return 0
    try:
        info = socket_copy.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 136)
    except OSError:
        return 0
    return int.from_bytes(info[128:136], sys.byteorder)
