"""One connection to PostgreSQL for one write."""

import psycopg

from text2sql.database.engines.postgres.session import LOCK_MS, PostgresSession
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import CheckedWrite


class PostgresWriting(PostgresSession):
    def begin(self, seconds: float) -> None:
        limit = max(2, round(seconds * 1000))
        self._connection.execute(
            f"BEGIN READ WRITE; SET LOCAL statement_timeout = {limit};"
            f" SET LOCAL lock_timeout = {min(LOCK_MS, limit // 2)}"
        )

    def write(self, write: CheckedWrite) -> int:
        text = self._one_write(write)
        self._pgconn.send_query_params(text, None)
        result = self._finish()
        tag = (result.command_status or b"").decode().lower()
        if tag.split(" ")[0] != write.kind:
            raise Forbidden(f"only an {write.kind} is kept, not {tag}", code="command_tag")
        # Constraints that wait for the end are checked now: a rehearsal has no such end.
        self._connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        return int(result.command_tuples or 0)

    def rollback(self) -> None:
        self._connection.execute("ROLLBACK")

    def commit(self) -> None:
        done = self._connection.execute("COMMIT").statusmessage
        if done != "COMMIT":  # a transaction that has failed is rolled back without an error
            raise psycopg.InternalError(f"the server answered {done} to COMMIT")

    def _one_write(self, write: CheckedWrite) -> bytes:
        """Only what can be prepared may run: the server's grammar takes queries, INSERT, UPDATE, DELETE and
        MERGE there, no second statement, and runs nothing. The command's tag tells them apart.
        """
        text = write.sql.encode()
        if b"\0" in text:
            raise SqlSyntaxError("a NUL character in the statement")
        try:
            self._parse(b"PREPARE text2sql AS " + text)
        except psycopg.errors.SyntaxError:
            raise Forbidden("only an INSERT, UPDATE or DELETE can be run here", code="42601") from None
        return text
