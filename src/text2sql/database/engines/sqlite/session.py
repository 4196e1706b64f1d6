"""One connection to a SQLite file."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

from text2sql.database.batches import in_batches
from text2sql.database.engine import Answering
from text2sql.database.engines.sqlite.authorizer import Authorizer
from text2sql.database.engines.sqlite.catalogue import read_catalogue
from text2sql.types import Catalogue, Plan, ResultColumn

_STEPS = 10_000  # of SQLite's machine between looks at the clock; about a millisecond


class SqliteSession:
    def __init__(self, connection: sqlite3.Connection, *, writing: bool = False) -> None:
        self._connection = connection
        self._authorizer = Authorizer(writing=writing)
        connection.set_authorizer(self._authorizer)

    def begin(self, seconds: float) -> None:
        """The file is open read-only for good; what is left to do is to start the clock."""
        deadline = time.monotonic() + seconds
        self._connection.set_progress_handler(lambda: int(time.monotonic() >= deadline), _STEPS)

    def execute(self, sql: str, rows: int) -> Answering:  # noqa: ARG002 it cannot be told
        cursor = self._connection.execute(sql)
        columns = tuple(ResultColumn(name, "") for name, *_ in cursor.description or ())
        return Answering(columns, _rows(cursor))

    def explain(self, sql: str) -> Plan:
        with closing(self._connection.execute(f"EXPLAIN QUERY PLAN {sql}")) as rows:
            depth = {0: -1}
            lines = []
            for number, parent, _, detail in rows:
                depth[number] = depth.get(parent, -1) + 1
                lines.append("  " * depth[number] + detail)
        return Plan("\n".join(lines))

    def catalogue(self, samples: int) -> Catalogue:
        self._authorizer.introspecting = True
        try:
            return read_catalogue(self._connection, samples)
        finally:
            self._authorizer.introspecting = False

    def cancel(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # closed already
            self._connection.interrupt()

    def reset(self) -> None:
        """Temporary objects, settings and transactions are denied, so only the clock is left to clear."""
        self._connection.set_progress_handler(None, 0)
        if self._connection.in_transaction:
            raise RuntimeError("a transaction was left open")

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()


def _rows(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    try:
        yield from in_batches(cursor.fetchmany)
    finally:
        with suppress(sqlite3.ProgrammingError):  # left behind by a request that was stopped: closed already
            cursor.close()
