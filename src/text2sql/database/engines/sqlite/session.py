"""One connection to a SQLite file."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from text2sql.database.engine import RawResult
from text2sql.database.engines.sqlite.authorizer import Authorizer
from text2sql.database.engines.sqlite.catalog import read_catalog
from text2sql.database.engines.sqlite.errors import translate
from text2sql.database.engines.sqlite.restriction import Restriction
from text2sql.database.row_batches import fetch_in_batches
from text2sql.types import Catalog, Plan, Policy, ResultColumn

_STEPS = 10_000  # virtual machine steps between clock checks; about a millisecond


class SqliteSession:
    """A read-only session."""

    def __init__(self, connection: sqlite3.Connection, *, writing: bool = False) -> None:
        self._connection = connection
        self._authorizer = Authorizer(writing=writing)
        connection.set_authorizer(self._authorizer)

    def begin(self, seconds: float) -> None:
        """The file is opened read-only, so only the clock must be started."""
        deadline = time.monotonic() + seconds
        self._connection.set_progress_handler(lambda: int(time.monotonic() >= deadline), _STEPS)

    def restrict(self, readable: Policy | None) -> None:
        if readable is None and self._authorizer.restriction is None:
            return
        with self._introspecting():
            self._authorizer.restriction = Restriction(self._connection, readable) if readable else None
        # Setting it again makes SQLite recompile statements that were compiled under another policy.
        self._connection.set_authorizer(self._authorizer)

    def execute(self, sql: str, rows: int) -> RawResult:  # noqa: ARG002 SQLite has no such option
        cursor = self._execute(sql, sql)
        columns = tuple(ResultColumn(name, "") for name, *_ in cursor.description or ())
        return RawResult(columns, _rows(cursor))

    def explain(self, sql: str) -> Plan:
        with closing(self._execute(f"EXPLAIN QUERY PLAN {sql}", sql)) as rows:
            depth = {0: -1}
            lines = []
            for number, parent, _, detail in rows:
                depth[number] = depth.get(parent, -1) + 1
                lines.append("  " * depth[number] + detail)
        return Plan("\n".join(lines))

    def catalog(self, samples: int) -> Catalog:
        with self._introspecting():
            return read_catalog(self._connection, samples)

    def cancel(self) -> None:
        with suppress(sqlite3.ProgrammingError):  # closed already
            self._connection.interrupt()

    def reset(self) -> None:
        """Temporary objects, settings and transactions are denied, so only the clock must be reset."""
        self._connection.set_progress_handler(None, 0)
        self.restrict(None)
        if self._connection.in_transaction:
            raise RuntimeError("a transaction was left open")

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()

    def _execute(self, statement: str, sql: str) -> sqlite3.Cursor:
        """Under a policy, report a hidden name as unknown; otherwise the caller translates errors."""
        restriction = self._authorizer.restriction
        if restriction is None:
            return self._connection.execute(statement)
        restriction.begin(sql)
        try:
            return self._connection.execute(statement)
        except sqlite3.Error as error:
            translated = translate(error, sql)
            if translated is None:
                raise
            raise restriction.explain(translated) from error

    @contextmanager
    def _introspecting(self) -> Iterator[None]:
        self._authorizer.introspecting = True
        try:
            yield
        finally:
            self._authorizer.introspecting = False


def _rows(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    try:
        yield from fetch_in_batches(cursor.fetchmany)
    finally:
        with suppress(sqlite3.ProgrammingError):  # closed already, if the request was stopped
            cursor.close()
