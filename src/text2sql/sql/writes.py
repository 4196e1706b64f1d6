"""The guard for writes: returns a `CheckedWrite`, or a `SqlRejected` that names the broken rule.

    text → tree → INSERT, UPDATE or DELETE → one visible table → rules → resolve names → generate text

The rules for queries apply to every expression and sub-query in a write. A clause that this module does not
list is refused, whatever it contains; a write never changes the schema. Only this module builds a
`CheckedWrite`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp

from text2sql.sql import parse
from text2sql.sql.generation import generate_checked
from text2sql.sql.refusal import refuse
from text2sql.sql.resolver import Resolver
from text2sql.sql.rules import EXPRESSION_RULES, refuse_unsafe_modifiers
from text2sql.sql.scope import NameNormalizer, Outputs, Scope, Source
from text2sql.sql.statement import Statement
from text2sql.sql.table_policy import visible_columns
from text2sql.sql.table_wrapper import enforce, wraps
from text2sql.types import Catalog, CheckedWrite, Policy, SqlRejected, Table

Kind: TypeAlias = Literal["insert", "update", "delete"]

_KINDS: Mapping[type[exp.Expr], Kind] = {
    exp.Insert: "insert",
    exp.Update: "update",
    exp.Delete: "delete",
}
# Not here: RETURNING, ON CONFLICT, OR REPLACE, IGNORE, FROM and USING, ORDER BY and LIMIT, DEFAULT VALUES.
_CLAUSES: Mapping[Kind, frozenset[str]] = {
    "insert": frozenset({"with_", "this", "expression"}),
    "update": frozenset({"with_", "this", "expressions", "where"}),
    "delete": frozenset({"with_", "this", "where"}),
}
_TARGET = frozenset({"this", "db", "catalog", "alias"})
# The dialects in which writes are supported, and whether WITH may precede the statement there.
_LEADING_WITH: Mapping[str, bool] = {"sqlite": True, "duckdb": True, "postgres": True, "mysql": False}


def check_write(
    text: str, dialect: str, catalog: Catalog, policy: Policy | None = None, *, nonce: str = ""
) -> CheckedWrite | SqlRejected:
    """Check one INSERT, UPDATE or DELETE on one visible table. The key of the result identifies the
    statement; another `nonce` makes another key, so that the same text may run again in a later turn.
    """
    if dialect not in _LEADING_WITH:
        return SqlRejected("write_dialect", dialect)
    if policy is not None and policy.rows:
        # keys, cascades and triggers reach hidden rows, and errors reveal them
        return SqlRejected("row_write")

    def check_statement() -> CheckedWrite:
        statement = parse.parse_statement(
            text, dialect, catalog, policy or parse.unrestricted_policy(catalog)
        )
        table, kind = _checked_target(statement)
        sql, plain = generate_checked(statement, statement.tree, _checked_target)
        return CheckedWrite(sql, dialect, table, kind, _key(dialect, sql, nonce), plain)

    return parse.verdict(text, check_statement)


def _key(dialect: str, sql: str, nonce: str) -> str:
    return hashlib.sha256(json.dumps((dialect, sql, nonce)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Target:
    """The table that a write modifies."""

    node: exp.Table
    table: Table
    stored: str  # its stored name in the policy
    columns: frozenset[str]  # normalized names of the columns that exist and are visible


def _checked_target(statement: Statement) -> tuple[str, Kind]:
    tree = statement.tree
    kind = _KINDS.get(type(tree))
    if kind is None:
        refuse("not_a_write", tree.sql(comments=False))
    _check_clauses(statement, kind)
    refuse_unsafe_modifiers(statement)
    target = _target(statement)
    named = _inserted_columns(statement, target) if kind == "insert" else []
    checked_here = {id(node) for node in (tree, tree.this, *named)} - {id(target.node)}
    statement.set_nodes([node for node in tree.walk() if id(node) not in checked_here])
    for rule in EXPRESSION_RULES:
        rule(statement)
    resolver = Resolver(statement)
    scope = resolver.resolve_ctes(tree, Scope())
    if not target.node.db and resolver.names.alias(target.node.this) in scope.ctes:
        refuse("write_target", target.node)  # engines differ in which of the two they mean
    resolver.mark_visited(tree, tree.this, *target.node.walk(), *named)
    if kind == "insert":
        _resolve_insert(resolver, scope, len(named))
    else:
        _resolve_assignments(resolver, scope, target)
    resolver.check_complete()
    if wraps(statement):
        enforce(statement)
    return target.stored, kind


def _check_clauses(statement: Statement, kind: Kind) -> None:
    tree = statement.tree
    for clause, value in tree.args.items():
        if value and clause not in _CLAUSES[kind]:
            refuse("write_clause", clause.rstrip("_"))
    if tree.args.get("with_") and not _LEADING_WITH[statement.dialect]:
        refuse("write_clause", "with")
    if kind != "insert":
        where = tree.args.get("where")
        if where is None or where.find(exp.Column) is None:
            refuse("no_where", tree.sql(comments=False))


# -- the target --------------------------------------------------------------------------


def _target(statement: Statement) -> _Target:
    """Look up the target: a visible table of the catalog, not a view."""
    target_node = statement.tree.this
    node = target_node.this if isinstance(target_node, exp.Schema) else target_node
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        refuse("write_target", node)
    alias = node.args.get("alias")
    unknown = any(value and clause not in _TARGET for clause, value in node.args.items())
    if unknown or (alias and (alias.columns or isinstance(statement.tree, exp.Insert))):
        refuse("write_clause", node)
    visible, stored = visible_columns(statement, node)
    table = _base_table(statement, stored)
    if table is None:
        refuse("write_target", node)
    existing = {statement.grammar.columns.stored(column.name) for column in table.columns}
    return _Target(node, table, stored, frozenset(existing & set(visible or ())))


def _base_table(statement: Statement, stored: str) -> Table | None:
    catalog, policy = statement.catalog, statement.policy
    if catalog is None or policy is None:
        return None
    fold = statement.grammar.tables.stored
    schema, _, name = stored.rpartition(".")
    default_schema = policy.default_schema.get(statement.dialect) or catalog.default_schema
    key = (fold(schema or default_schema), name)
    for table in catalog.tables:
        if table.kind == "table" and (fold(table.schema or catalog.default_schema), fold(table.name)) == key:
            return table
    return None


def _inserted_columns(statement: Statement, target: _Target) -> list[exp.Expr]:
    """The columns that an INSERT names. If it names none, add all of them, so that the user who confirms the
    write sees them; a table with hidden columns requires a column list.
    """
    tree = statement.tree
    if not isinstance(tree.this, exp.Schema):
        if len(target.columns) < len(target.table.columns):
            refuse("write_column", target.node)
        names = [exp.to_identifier(column.name, quoted=True) for column in target.table.columns]
        tree.set("this", exp.Schema(this=target.node, expressions=names))
    named: list[exp.Expr] = tree.this.expressions
    _check_columns(NameNormalizer(statement.grammar), named, target)
    return named


def _check_columns(names: NameNormalizer, columns: Iterable[exp.Expr], target: _Target) -> None:
    """Refuse a column that does not exist, is hidden, or is named twice: engines differ in which value
    wins.
    """
    remaining = set(target.columns)
    for column in columns:
        if not isinstance(column, exp.Identifier) or names.column(column) not in remaining:
            refuse("write_column", column)
        remaining.remove(names.column(column))


# -- the values -----------------------------------------------------------------------------


def _resolve_insert(resolver: Resolver, scope: Scope, width: int) -> None:
    source = resolver.statement.tree.args.get("expression")
    if not isinstance(source, (exp.Values, exp.Query)):
        refuse("construct", resolver.statement.tree)
    outputs = resolver.resolve_query(source, scope)
    widths = set(_widths(source)) if isinstance(source, exp.Values) else set()
    if not outputs.open and not widths:
        widths.add(len(outputs.names))
    for value_count in widths - {width}:
        refuse("set_shape", f"{width} ≠ {value_count}")


def _widths(source: exp.Values) -> Iterator[int]:
    """The number of values in each row. DEFAULT is refused: leave the column out instead."""
    if any(value for clause, value in source.args.items() if clause != "expressions"):
        refuse("write_clause", source)
    for row in source.expressions:
        values = row.expressions if isinstance(row, exp.Tuple) else [row]
        for value in values:
            if isinstance(value, exp.Var):
                refuse("write_clause", value)
        yield len(values)


def _resolve_assignments(resolver: Resolver, scope: Scope, target: _Target) -> None:
    """Resolve SET and WHERE, which refer to the target and to what their sub-queries read."""
    tree, inner = resolver.statement.tree, scope.nested()
    alias = target.node.args.get("alias")
    name = alias.this if alias else target.node.this
    inner.add(
        Source(name, Outputs(tuple(sorted(target.columns))), is_table=True, is_target=True),
        resolver.names.alias(name),
    )
    assigned = [_assigned_column(resolver.names, assignment, target.node) for assignment in tree.expressions]
    _check_columns(resolver.names, assigned, target)
    for assignment in tree.expressions:
        resolver.mark_visited(assignment, *assignment.this.walk())
        resolver.resolve_expressions(assignment.expression, inner)
    resolver.resolve_clauses(tree, ("where",), inner)


def _assigned_column(names: NameNormalizer, assignment: exp.Expr, target: exp.Table) -> exp.Expr:
    """The column on the left of an assignment. Its table name is dropped: not every engine accepts it
    there.
    """
    column = assignment.this if isinstance(assignment, exp.EQ) else None
    if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
        refuse("construct", assignment)
    alias = target.args.get("alias")
    qualifier = column.args.get("table")
    if qualifier is not None:
        target_name = alias.this if alias else target.this
        if column.args.get("db") or names.alias(qualifier) != names.alias(target_name):
            refuse("write_column", column)
        column.set("table", None)
    return column.this
