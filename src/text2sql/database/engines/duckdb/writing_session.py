"""The one connection to a DuckDB file for one write: a process can open a file for reading or writing, not
both.
"""

import threading
from contextlib import suppress

import duckdb

from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import CheckedWrite


class DuckWritingSession:
    """Runs one write in a transaction."""

    def __init__(self, root: duckdb.DuckDBPyConnection) -> None:
        self._root = root
        self._lock = threading.Lock()  # guards against a cancel from another thread during close

    def begin(self, seconds: float) -> None:  # noqa: ARG002 the watchdog enforces the time limit
        self._root.execute("BEGIN TRANSACTION")

    def write(self, write: CheckedWrite) -> int:
        statements = self._root.extract_statements(write.sql)
        if len(statements) != 1:
            raise SqlSyntaxError("exactly one statement can be executed at a time", code="statements")
        kind = statements[0].type.name
        if kind.lower() != write.kind:
            raise Forbidden(f"only an {write.kind} is executed, not {kind}", code="statement_type")
        ((changed_rows,),) = self._root.execute(statements[0]).fetchall()
        return int(changed_rows)

    def rollback(self) -> None:
        self._root.execute("ROLLBACK")

    def commit(self) -> None:
        self._root.execute("COMMIT")

    def cancel(self) -> None:
        with self._lock, suppress(duckdb.Error):
            self._root.interrupt()

    def close(self) -> None:
        with self._lock, suppress(duckdb.Error):
            self._root.close()
