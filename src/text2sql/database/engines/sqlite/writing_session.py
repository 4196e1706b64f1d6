"""One connection to a SQLite file for one write."""

import sqlite3
from contextlib import closing

from text2sql.database.engines.sqlite.session import SqliteSession
from text2sql.errors import Forbidden
from text2sql.types import CheckedWrite


class SqliteWritingSession(SqliteSession):
    """Runs one write in a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, writing=True)

    def begin(self, seconds: float) -> None:
        super().begin(seconds)
        # Takes the lock now: a reader that becomes a writer can deadlock.
        self._run_transaction_control("BEGIN IMMEDIATE")

    def write(self, write: CheckedWrite) -> int:
        with closing(self._connection.execute(write.sql)) as cursor:
            if cursor.description is not None:
                raise Forbidden("a change that returns rows", code="rows")
        # Not the cursor's rowcount: it is unknown for a statement that begins with WITH.
        ((changed_rows,),) = self._connection.execute("SELECT changes()").fetchall()
        return int(changed_rows)

    def rollback(self) -> None:
        self._run_transaction_control("ROLLBACK")

    def commit(self) -> None:
        self._run_transaction_control("COMMIT")

    def _run_transaction_control(self, sql: str) -> None:
        self._authorizer.in_transaction_control = True
        try:
            self._connection.execute(sql)
        finally:
            self._authorizer.in_transaction_control = False
