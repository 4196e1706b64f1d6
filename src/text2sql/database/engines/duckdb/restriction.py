"""Enforces a policy with a separate DuckDB database whose catalog contains only views of the readable
columns.

DuckDB has no accounts. Under a policy a session works in an empty in-memory database, in which each readable
table is a view of its readable columns; the file is attached read-only under a random name. DuckDB's syntax
tree of a statement is checked: one that names another catalog, a table that is not one of these views, or an
unlisted table function is refused, so that the file itself cannot be named.
"""

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb

from text2sql.database.dialects import BY_NAME
from text2sql.errors import DatabaseError, Forbidden, UnknownColumn, UnknownTable
from text2sql.types import Policy

_quoted = BY_NAME["duckdb"].quoted
_TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest", "json_each", "json_tree", "repeat_row"})
# Functions whose text argument is a statement or a table's name.
_FUNCTIONS = re.compile(
    r"json_execute_serialized_sql|query|query_table|current_setting|getvariable|pragma_.*|duckdb_.*"
)
_COLUMNS = """
    SELECT schema_name, table_name, column_name FROM duckdb_columns()
    WHERE database_name = ? AND NOT internal ORDER BY column_index
"""
_OWN_VIEWS = "SELECT lower(view_name) FROM duckdb_views() WHERE internal"


class Restriction:
    """The views of one policy."""

    def __init__(self, root: duckdb.DuckDBPyConnection, path: Path, readable: Policy) -> None:
        """`root` is a new in-memory database that can still access files."""
        self.readable = readable
        self._catalog = random_name()
        path_literal = str(path).replace("'", "''")
        root.execute(f"ATTACH '{path_literal}' AS {self._catalog} (READ_ONLY)")
        self._internal_views = {name for (name,) in root.execute(_OWN_VIEWS).fetchall()}
        self._views = {name.lower() for name in self._make_views(root)}

    def check(self, cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
        """Raise unless the statement reads only the views, its own CTEs and listed functions."""
        tree = json.loads(cursor.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()[0][0])
        if tree.get("error"):
            raise Forbidden(f"it has no syntax tree: {tree.get('error_message')}", code="restricted")
        nodes = list(_nodes(tree))
        cte_names = {name.lower() for node in nodes for name in _cte_names_of(node)}
        for name in cte_names & self._internal_views:
            raise Forbidden(
                f"a common table expression is called like a view of DuckDB's: {name}", code="restricted"
            )
        for node in nodes:
            self._check_node(node, cte_names)

    def explain(self, error: DatabaseError) -> DatabaseError:
        """Suggested names may be hidden ones; the message contains only the name in question."""
        if isinstance(error, UnknownTable):
            return _unknown_table(*error.identifiers)
        if isinstance(error, UnknownColumn):
            name = error.identifiers[0]
            return UnknownColumn(
                f'column "{name}" not found', code=error.code, position=error.position, identifiers=(name,)
            )
        return error

    def _check_node(self, node: Mapping[str, Any], cte_names: set[str]) -> None:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            name, schema = str(node["table_name"]), str(node.get("schema_name") or "")
            local = not schema and name.lower() in cte_names
            if node.get("catalog_name") or not (local or self._qualified(schema, name) in self._views):
                raise _unknown_table(name)
        elif kind == "SHOW_REF":
            raise Forbidden("only queries are executed, not SHOW", code="restricted")
        elif kind == "TABLE_FUNCTION":
            name = str(node["function"].get("function_name", "")).lower()
            if name not in _TABLE_FUNCTIONS:
                raise Forbidden(f"{name} is not to be used under a policy", code="restricted")
        elif node.get("class") == "FUNCTION" and _FUNCTIONS.fullmatch(str(node.get("function_name")).lower()):
            raise Forbidden(f"{node['function_name']} is not to be used under a policy", code="restricted")

    def _make_views(self, root: duckdb.DuckDBPyConnection) -> Iterator[str]:
        readable_columns = {}
        for name, columns in self.readable.tables.items():
            schema, dot, table = name.partition(".")
            readable_columns[name.lower()] = readable_columns[self._qualified("", name)] = {
                column.lower() for column in columns
            }
            if dot:
                readable_columns[self._qualified(schema, table)] = readable_columns[name.lower()]
        columns_by_table: dict[tuple[str, str], list[str]] = {}
        for schema, table, column in root.execute(_COLUMNS, [self._catalog]).fetchall():
            if column.lower() in readable_columns.get(self._qualified(schema, table), ()):
                columns_by_table.setdefault((schema, table), []).append(column)
        for (schema, table), visible in columns_by_table.items():
            column_list, source = (
                ", ".join(map(_quoted, visible)),
                f"{self._catalog}.{_quoted(table, schema)}",
            )
            root.execute(f"CREATE SCHEMA IF NOT EXISTS {_quoted(schema)}")
            root.execute(f"CREATE VIEW {_quoted(table, schema)} AS SELECT {column_list} FROM {source}")
            yield self._qualified(schema, table)

    @staticmethod
    def _qualified(schema: str, table: str) -> str:
        return f"{schema or 'main'}.{table}".lower()


def random_name() -> str:
    return f"hidden_{secrets.token_hex(16)}"


def _nodes(value: Any) -> Iterator[Mapping[str, Any]]:
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)


def _cte_names_of(node: Mapping[str, Any]) -> Iterator[str]:
    """The names of the common table expressions of a query."""
    if isinstance(node.get("cte_map"), dict):
        for entry in node["cte_map"].get("map", ()):
            yield str(entry["key"])
    if node.get("type") in ("RECURSIVE_CTE_NODE", "CTE_NODE"):
        yield str(node.get("cte_name", ""))


def _unknown_table(name: str) -> UnknownTable:
    return UnknownTable(f'table "{name}" does not exist', code="CatalogException", identifiers=(name,))
