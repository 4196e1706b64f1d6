"""One connection to a SQLite file for one write."""

import sqlite3
from contextlib import closing

from text2sql.database.engines.sqlite.session import SqliteSession
from text2sql.errors import Forbidden
from text2sql.types import CheckedWrite


class SqliteWriting(SqliteSession):
    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, writing=True)

    def begin(self, seconds: float) -> None:
        super().begin(seconds)
        self._own("BEGIN IMMEDIATE")  # takes the lock now: a reader that turns writer can deadlock

    def write(self, write: CheckedWrite) -> int:
        with closing(self._connection.execute(write.sql)) as cursor:
            if cursor.description is not None:
                raise Forbidden("a change that answers with rows", code="rows")
        # Not the cursor's count: it knows none where WITH stands before the statement.
        ((touched,),) = self._connection.execute("SELECT changes()").fetchall()
        return int(touched)

    def rollback(self) -> None:
        self._own("ROLLBACK")

    def commit(self) -> None:
        self._own("COMMIT")

    def _own(self, sql: str) -> None:
        self._authorizer.ending = True
        try:
            self._connection.execute(sql)
        finally:
            self._authorizer.ending = False
