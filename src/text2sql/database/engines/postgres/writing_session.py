"""One connection to PostgreSQL for one write."""

import psycopg

from text2sql.database.engines.postgres.session import LOCK_MS, PostgresSession
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import CheckedWrite


class PostgresWritingSession(PostgresSession):
    """Runs one write in a transaction."""

    def begin(self, seconds: float) -> None:
        limit = max(2, round(seconds * 1000))
        self._connection.execute(
            f"BEGIN READ WRITE; SET LOCAL statement_timeout = {limit};"
            f" SET LOCAL lock_timeout = {min(LOCK_MS, limit // 2)}"
        )

    def write(self, write: CheckedWrite) -> int:
        text = self._require_single_write(write)
        self._pgconn.send_query_params(text, None)
        result = self._finish()
        tag = (result.command_status or b"").decode().lower()
        if tag.split(" ")[0] != write.kind:
            raise Forbidden(f"only an {write.kind} is kept, not {tag}", code="command_tag")
        # Check deferred constraints now: a rehearsal never commits.
        self._connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        return int(result.command_tuples or 0)

    def rollback(self) -> None:
        self._connection.execute("ROLLBACK")

    def commit(self) -> None:
        status = self._connection.execute("COMMIT").statusmessage
        if status != "COMMIT":  # COMMIT of a failed transaction rolls back without an error
            raise psycopg.InternalError(f"the server answered {status} to COMMIT")

    def _require_single_write(self, write: CheckedWrite) -> bytes:
        """Accept only what can be prepared: the server's grammar allows queries, INSERT, UPDATE, DELETE and
        MERGE there, no second statement, and runs nothing. The command tag distinguishes them.
        """
        text = write.sql.encode()
        if b"\0" in text:
            raise SqlSyntaxError("a NUL character in the statement")
        try:
            self._parse(b"PREPARE text2sql AS " + text)
        except psycopg.errors.SyntaxError:
            raise Forbidden("only an INSERT, UPDATE or DELETE can be run here", code="42601") from None
        return text
