"""Enforces a policy's visible columns: SQLite asks for each column while it compiles a statement.

SQLite does not ask about the columns of USING and NATURAL joins; there the guard's sub-queries of visible
columns are the only protection (docs/security.md).
"""

import re
import sqlite3
from collections.abc import Iterator
from functools import lru_cache

from text2sql.errors import DatabaseError, Forbidden, UnknownColumn, UnknownTable
from text2sql.types import Policy

_KINDS = "SELECT name, type FROM pragma_table_list WHERE schema = 'main'"
_OLD_KINDS = "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"  # before SQLite 3.37
_FUNCTIONS = frozenset({"json_each", "json_tree", "jsonb_each", "jsonb_tree", "generate_series"})
_TOKEN = re.compile(
    r"""(?s)--[^\n]*|/\*.*?(?:\*/|$)|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^]]*)]"""
    r"""|([^\W\d][\w$]*)|\d[\w.]*|(\S)"""
)


class Restriction:
    """One policy on one connection, for one request."""

    def __init__(self, connection: sqlite3.Connection, readable: Policy) -> None:
        modern = sqlite3.sqlite_version_info >= (3, 37)
        kinds = {name.lower(): kind for name, kind in connection.execute(_KINDS if modern else _OLD_KINDS)}
        self._columns = _columns(readable)
        self._views = frozenset(name for name in self._columns if kinds.get(name) == "view")
        # A full-text table stores its rows, with every column, in shadow tables.
        fully_visible = [
            name
            for name in self._columns
            if kinds.get(name) == "virtual" and self._is_fully_visible(connection, name)
        ]
        prefixes = tuple(f"{name}_" for name in fully_visible)
        self._shadows = frozenset(
            name for name, kind in kinds.items() if kind == "shadow" and name.startswith(prefixes)
        )
        self._virtual = frozenset(fully_visible)
        self._functions = _FUNCTIONS - kinds.keys()
        self._below_views: set[str] = set()  # tables that the statement reads through views
        self._denied: tuple[str, str] | None = None  # what the statement was refused for

    def begin(self, sql: str) -> None:
        """SQLite reports the view through which a column is read. It reports a CTE of the same name
        in the same way.
        """
        self._below_views.clear()
        self._denied = None
        for name in _cte_names(sql) if self._views else ():
            if name in self._views:
                raise Forbidden(
                    f"a common table expression is called like the view {name}", code="restricted"
                )

    def allows(self, table: str, column: str, through: str) -> bool:
        allowed = self._allows(table.lower(), column.lower(), through)
        if not allowed and self._denied is None:
            self._denied = table, column
        return allowed

    def _allows(self, table: str, column: str, through: str) -> bool:
        if through.lower() in self._views:
            self._below_views.add(table)
            return True
        if table in self._shadows or table in self._functions:
            return True
        columns = self._columns.get(table)
        if columns is None:
            return not column and table in self._below_views
        return (
            not column or column in columns or (table in self._virtual and column in (table, "rank", "rowid"))
        )

    def explain(self, error: DatabaseError) -> DatabaseError:
        """Report a hidden name like one that does not exist, in the same words."""
        if self._denied is not None and isinstance(error, Forbidden):
            table, column = self._denied
            table_is_visible = table.lower() in self._columns
            return _unknown_column(column) if table_is_visible else _unknown_table(table)
        if isinstance(error, UnknownColumn):
            return _unknown_column(_unqualified(*error.identifiers))
        return _unknown_table(_unqualified(*error.identifiers)) if isinstance(error, UnknownTable) else error

    def _is_fully_visible(self, connection: sqlite3.Connection, name: str) -> bool:
        rows = connection.execute("SELECT lower(name) FROM pragma_table_xinfo(?) WHERE hidden <> 1", (name,))
        return {column for (column,) in rows} <= self._columns[name]


@lru_cache(maxsize=64)
def _cte_names(sql: str) -> tuple[str, ...]:
    """Return names followed by `AS (` or by a bracket: these include all common table expressions."""
    tokens = list(_tokens(sql))
    names = []
    for index, (name, sign) in enumerate(tokens):
        following = [sign or word.lower() for word, sign in tokens[index + 1 : index + 5]]
        while following[1:] and following[0] == "as" and following[1] in ("not", "materialized"):
            del following[1]
        if not sign and (following[:2] == ["as", "("] or following[:1] == ["("]):
            names.append(name.lower())
    return tuple(names)


def _tokens(sql: str) -> Iterator[tuple[str, str]]:
    """Yield (name, "") for a word or quoted name and ("", sign) for a sign; skip comments."""
    for match in _TOKEN.finditer(sql):
        *names, sign = match.groups()
        name = next((name for name in names if name is not None), None)
        if sign is not None:
            yield "", sign
        elif name is not None:
            yield name.replace('""', '"').replace("``", "`").replace("''", "'"), ""


def _columns(readable: Policy) -> dict[str, frozenset[str]]:
    columns: dict[str, frozenset[str]] = {}
    for name, visible in readable.tables.items():
        table = name.lower().removeprefix("main.")
        columns[table] = columns.get(table, frozenset()) | {column.lower() for column in visible}
    return columns


def _unqualified(name: str) -> str:
    """SQLite prefixes an unknown name with the alias or schema, as written."""
    return name.rpartition(".")[2]


def _unknown_table(name: str) -> UnknownTable:
    return UnknownTable(f"no such table: {name}", code="SQLITE_ERROR", identifiers=(name,))


def _unknown_column(name: str) -> UnknownColumn:
    return UnknownColumn(f"no such column: {name}", code="SQLITE_ERROR", identifiers=(name,))
