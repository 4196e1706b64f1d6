"""One connection to MySQL or MariaDB for one write."""

from text2sql.database.engines.mysql.session import MysqlSession
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import CheckedWrite

_NOT_UNDONE = 1196  # "some non-transactional changed tables could not be rolled back"


class MysqlWritingSession(MysqlSession):
    """Runs one write in a transaction."""

    _mode = "READ WRITE"

    def write(self, write: CheckedWrite) -> int:
        # The guard generated the SQL: it begins with neither a comment nor WITH.
        if write.sql.split(maxsplit=1)[0].lower() != write.kind:
            raise Forbidden("only an INSERT, UPDATE or DELETE can be run here", code="first_word")
        if "\0" in write.sql:
            raise SqlSyntaxError("a NUL character in the statement")
        self._require_transactions(write)
        if self._connection.send(write.sql):
            raise Forbidden("a change that returns rows", code="rows")
        return self._connection.changed_rows

    def rollback(self) -> None:
        self._connection.do("ROLLBACK")
        warnings = [
            message for _, number, message in self._connection.do("SHOW WARNINGS") if number == _NOT_UNDONE
        ]
        if warnings:
            raise Forbidden(warnings[0], key="database.not_undone", code=str(_NOT_UNDONE))

    def commit(self) -> None:
        self._connection.do("COMMIT")

    def _require_transactions(self, write: CheckedWrite) -> None:
        """A table of MyISAM or MEMORY has no transactions: a rehearsal could not be undone."""
        schema, _, name = write.table.rpartition(".")
        rows = self._connection.do(
            "SELECT e.transactions FROM information_schema.tables t"
            " JOIN information_schema.engines e ON e.engine = t.engine"
            f" WHERE t.table_schema = {self._connection.escape(schema or self._database)}"
            f" AND t.table_name = {self._connection.escape(name)}"
        )
        if rows != (("YES",),):
            raise Forbidden("no transactions", key="database.no_rollback", table=write.table)
