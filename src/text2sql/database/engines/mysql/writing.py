"""One connection to MySQL or MariaDB for one write."""

from text2sql.database.engines.mysql.session import MysqlSession
from text2sql.errors import Forbidden, SqlSyntaxError
from text2sql.types import CheckedWrite

_NOT_UNDONE = 1196  # "some non-transactional changed tables could not be rolled back"


class MysqlWriting(MysqlSession):
    _mode = "READ WRITE"

    def write(self, write: CheckedWrite) -> int:
        # The text is the guard's: no comment stands before its first word, and no WITH.
        if write.sql.split(maxsplit=1)[0].lower() != write.kind:
            raise Forbidden("only an INSERT, UPDATE or DELETE can be run here", code="first_word")
        if "\0" in write.sql:
            raise SqlSyntaxError("a NUL character in the statement")
        self._can_be_undone(write)
        if self._wire.send(write.sql):
            raise Forbidden("a change that answers with rows", code="rows")
        return self._wire.touched

    def rollback(self) -> None:
        self._wire.do("ROLLBACK")
        told = [message for _, number, message in self._wire.do("SHOW WARNINGS") if number == _NOT_UNDONE]
        if told:
            raise Forbidden(told[0], key="database.not_undone", code=str(_NOT_UNDONE))

    def commit(self) -> None:
        self._wire.do("COMMIT")

    def _can_be_undone(self, write: CheckedWrite) -> None:
        """A table of MyISAM or MEMORY has no transactions: what was tried there has happened."""
        schema, _, name = write.table.rpartition(".")
        rows = self._wire.do(
            "SELECT e.transactions FROM information_schema.tables t"
            " JOIN information_schema.engines e ON e.engine = t.engine"
            f" WHERE t.table_schema = {self._wire.escape(schema or self._database)}"
            f" AND t.table_name = {self._wire.escape(name)}"
        )
        if rows != (("YES",),):
            raise Forbidden("no transactions", key="database.no_rollback", table=write.table)
