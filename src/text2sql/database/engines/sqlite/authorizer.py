"""What a statement may do, asked by SQLite while it compiles: an allow-list, everything else is denied.

`mode=ro` alone still lets a statement attach other files, write a copy with VACUUM INTO, and shadow a table
with a temporary one; `query_only` can be switched off by the statement itself. This cannot. A connection that
writes may change rows as well, and still nothing else.
"""

import sqlite3

_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_CHANGES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
_FORBIDDEN_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})
# Virtual tables that show the file's pages, its schema or the compiled statement.
_FORBIDDEN_TABLES = frozenset({"dbstat", "bytecode", "tables_used"})
# A virtual table that declares itself seems to update the schema and to read its row number. The file is
# read-only and SQLite lets no statement update its schema, so this gives away how many objects there are.
_DECLARATION = ("sqlite_master", "ROWID")
# Full-text search asks these of the database while it reads its own tables.
_HARMLESS_PRAGMAS = frozenset({"data_version"})
_OWN_PRAGMAS = _HARMLESS_PRAGMAS | {
    "table_xinfo",
    "table_list",
    "foreign_key_list",
    "index_list",
    "index_info",
}


class Authorizer:
    def __init__(self, *, writing: bool = False) -> None:
        self.introspecting = False  # our own questions about the schema, never a user's query
        self.ending = False  # our own BEGIN, COMMIT and ROLLBACK
        self._writing = writing

    def __call__(
        self,
        action: int,
        first: str | None,
        second: str | None,
        database: str | None,  # noqa: ARG002 SQLite passes five
        source: str | None,  # noqa: ARG002
    ) -> int:
        return sqlite3.SQLITE_OK if self._may(action, first or "", second or "") else sqlite3.SQLITE_DENY

    def _may(self, action: int, first: str, second: str) -> bool:
        if action == sqlite3.SQLITE_READ:
            return self.introspecting or _readable(first.lower()) or (first, second) == _DECLARATION
        if action in _CHANGES:
            # Of any table: triggers and cascades of the owner's reach beyond the one that is named.
            ours = self._writing and _readable(first.lower())
            return ours or (action == sqlite3.SQLITE_UPDATE and first == _DECLARATION[0])
        if action == sqlite3.SQLITE_FUNCTION:
            return second.lower() not in _FORBIDDEN_FUNCTIONS
        if action == sqlite3.SQLITE_PRAGMA:
            # With a second argument a pragma sets something; of our own, it is the name they are about.
            return first in (_OWN_PRAGMAS if self.introspecting else _HARMLESS_PRAGMAS) and (
                self.introspecting or not second
            )
        return action in _ALLOWED or (self.ending and action == sqlite3.SQLITE_TRANSACTION)


def _readable(table: str) -> bool:
    # `sqlite_` is reserved for SQLite's own tables; a user's table may well be called pragma_something,
    # and reading a pragma through its table asks for the pragma as well, which is denied.
    return not table.startswith("sqlite_") and table not in _FORBIDDEN_TABLES
