"""An authorizer that SQLite calls while it compiles a statement: an allow-list, everything else is denied.

`mode=ro` alone still lets a statement attach other files, write a copy with VACUUM INTO, and shadow a table
with a temporary one; the statement itself can switch off `query_only`. It cannot switch off the authorizer. A
connection that writes may also change rows, and nothing else.
"""

import sqlite3

from text2sql.database.engines.sqlite.restriction import Restriction

_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_CHANGES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
# Virtual tables that show the file's pages, its schema or the compiled statement.
_FORBIDDEN_TABLES = frozenset({"dbstat", "bytecode", "tables_used"})
# While a virtual table declares itself, SQLite reports an update of the schema and a read of its rowid. The
# file is read-only and no statement can update the schema, so this reveals only the number of objects.
_DECLARATION = ("sqlite_master", "ROWID")
# Full-text search runs these pragmas while it reads its own tables.
_HARMLESS_PRAGMAS = frozenset({"data_version"})
_OWN_PRAGMAS = _HARMLESS_PRAGMAS | {
    "table_xinfo",
    "table_list",
    "foreign_key_list",
    "index_list",
    "index_info",
}


class Authorizer:
    """The authorizer of one connection."""

    def __init__(self, *, writing: bool = False) -> None:
        self.introspecting = False  # during the package's own schema queries, never a user's query
        self.in_transaction_control = False  # during the package's own BEGIN, COMMIT and ROLLBACK
        self.restriction: Restriction | None = None  # the policy in force
        self._writing = writing

    def __call__(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,  # noqa: ARG002 SQLite passes five
        source: str | None,
    ) -> int:
        allowed = self._is_allowed(action, first or "", second or "", source or "")
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def _is_allowed(self, action: int, first: str, second: str, through: str) -> bool:
        if action == sqlite3.SQLITE_READ:
            return self._is_read_allowed(first, second, through)
        if action in _CHANGES:
            # Any table: the owner's triggers and cascades change other tables than the one named.
            is_writable = self._writing and _readable(first.lower())
            return is_writable or (action == sqlite3.SQLITE_UPDATE and first == _DECLARATION[0])
        if action == sqlite3.SQLITE_FUNCTION:
            return second.lower() not in _FORBIDDEN_FUNCTIONS
        if action == sqlite3.SQLITE_PRAGMA:
            # With a second argument a pragma sets a value; for the own pragmas it is a table's name.
            return first in (_OWN_PRAGMAS if self.introspecting else _HARMLESS_PRAGMAS) and (
                self.introspecting or not second
            )
        return action in _ALLOWED or (self.in_transaction_control and action == sqlite3.SQLITE_TRANSACTION)

    def _is_read_allowed(self, table: str, column: str, through: str) -> bool:
        if self.introspecting or (table, column) == _DECLARATION:
            return True
        if not _readable(table.lower()):
            return False
        return self.restriction is None or self.restriction.allows(table, column, through)


def _readable(table: str) -> bool:
    # `sqlite_` is reserved for SQLite's own tables; a user's table may well be called pragma_something,
    # and reading a pragma through its table asks for the pragma as well, which is denied.
    return not table.startswith("sqlite_") and table not in _FORBIDDEN_TABLES
