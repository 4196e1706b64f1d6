"""The guard of a write: a text becomes a `CheckedWrite`, or a `SqlRejected` that says why not.

    text → one tree → one plain INSERT, UPDATE or DELETE → one visible table → PIECES → scopes → written anew

Every expression and every sub-query in it is held by the rules of a read. A clause that is not named here is
refused whatever it holds; a schema is never changed. Only this module builds a `CheckedWrite`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlglot import exp

from text2sql.sql import trees
from text2sql.sql.catalogue import visible_columns
from text2sql.sql.refusal import refuse
from text2sql.sql.resolver import Resolver
from text2sql.sql.rules import PIECES, plain_modifiers
from text2sql.sql.scope import Names, Scope
from text2sql.sql.statement import Statement
from text2sql.types import Catalogue, CheckedWrite, Policy, SqlRejected, Table

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
# Whether WITH may stand before the statement, in every dialect whose writes have been thought through.
_LEADING_WITH: Mapping[str, bool] = {"sqlite": True, "duckdb": True, "postgres": True, "mysql": False}


def check_write(
    text: str, dialect: str, catalogue: Catalogue, policy: Policy | None = None, *, nonce: str = ""
) -> CheckedWrite | SqlRejected:
    """One INSERT, UPDATE or DELETE on one visible table. `nonce` makes the same text another statement:
    asked for again in a later turn, it may run again.
    """
    if dialect not in _LEADING_WITH:
        return SqlRejected("write_dialect", dialect)
    if policy is not None and policy.rows:
        # keys, cascades and triggers reach rows that may not be seen, and what fails tells of them
        return SqlRejected("row_write")

    def work() -> CheckedWrite:
        statement = trees.read(text, dialect, catalogue, policy or trees.everything(catalogue))
        table, kind = _judged(statement)
        sql, _ = trees.written(statement, statement.tree, _judged)
        return CheckedWrite(sql, dialect, table, kind, _key(dialect, sql, nonce))

    return trees.verdict(text, work)


def _key(dialect: str, sql: str, nonce: str) -> str:
    return hashlib.sha256(json.dumps((dialect, sql, nonce)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class _Target:
    node: exp.Table
    table: Table
    stored: str  # its one name in the policy
    columns: frozenset[str]  # keys of those that are there and may be seen


def _judged(statement: Statement) -> tuple[str, Kind]:
    tree = statement.tree
    kind = _KINDS.get(type(tree))
    if kind is None:
        refuse("not_a_write", tree.sql(comments=False))
    _only_known_clauses(statement, kind)
    plain_modifiers(statement)
    target = _target(statement)
    named = _inserted_columns(statement, target) if kind == "insert" else []
    judged_here = {id(node) for node in (tree, tree.this, *named)} - {id(target.node)}
    statement.nodes = [node for node in tree.walk() if id(node) not in judged_here]
    for rule in PIECES:
        rule(statement)
    resolver = Resolver(statement)
    scope = resolver.with_ctes(tree, Scope())
    if not target.node.db and resolver.names.alias(target.node.this) in scope.ctes:
        refuse("write_target", target.node)  # which of the two is meant differs between engines
    if kind == "insert":
        _inserted(resolver, scope, len(named))
    else:
        _changed(resolver, scope, target)
    return target.stored, kind


def _only_known_clauses(statement: Statement, kind: Kind) -> None:
    tree = statement.tree
    for clause, held in tree.args.items():
        if held and clause not in _CLAUSES[kind]:
            refuse("write_clause", clause.rstrip("_"))
    if tree.args.get("with_") and not _LEADING_WITH[statement.dialect]:
        refuse("write_clause", "with")
    if kind != "insert":
        where = tree.args.get("where")
        if where is None or where.find(exp.Column) is None:
            refuse("no_where", tree.sql(comments=False))


# -- what is written to --------------------------------------------------------------------------


def _target(statement: Statement) -> _Target:
    """The catalogue's table behind the name: visible, and no view."""
    place = statement.tree.this
    node = place.this if isinstance(place, exp.Schema) else place
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        refuse("write_target", node)
    alias = node.args.get("alias")
    unknown = any(held and clause not in _TARGET for clause, held in node.args.items())
    if unknown or (alias and (alias.columns or isinstance(statement.tree, exp.Insert))):
        refuse("write_clause", node)
    visible, stored = visible_columns(statement, node)
    table = _base_table(statement, stored)
    if table is None:
        refuse("write_target", node)
    there = {statement.grammar.columns.stored(column.name) for column in table.columns}
    return _Target(node, table, stored, frozenset(there & set(visible or ())))


def _base_table(statement: Statement, stored: str) -> Table | None:
    catalogue, policy = statement.catalogue, statement.policy
    if catalogue is None or policy is None:
        return None
    fold = statement.grammar.tables.stored
    schema, _, name = stored.rpartition(".")
    home = policy.default_schema.get(statement.dialect) or catalogue.default_schema
    wanted = (fold(schema or home), name)
    for one in catalogue.tables:
        if one.kind == "table" and (fold(one.schema or catalogue.default_schema), fold(one.name)) == wanted:
            return one
    return None


def _inserted_columns(statement: Statement, target: _Target) -> list[exp.Expr]:
    """The columns that an INSERT names. Where it names none they are written out, so that whoever is asked
    sees which they are; a table with hidden columns needs them named.
    """
    tree = statement.tree
    if not isinstance(tree.this, exp.Schema):
        if len(target.columns) < len(target.table.columns):
            refuse("write_column", target.node)
        names = [exp.to_identifier(column.name, quoted=True) for column in target.table.columns]
        tree.set("this", exp.Schema(this=target.node, expressions=names))
    named: list[exp.Expr] = tree.this.expressions
    _each_once(Names(statement.grammar), named, target)
    return named


def _each_once(names: Names, columns: Iterable[exp.Expr], target: _Target) -> None:
    """Every column is there, visible, and named once: engines differ in which of two values wins."""
    left = set(target.columns)
    for column in columns:
        if not isinstance(column, exp.Identifier) or names.column(column) not in left:
            refuse("write_column", column)
        left.remove(names.column(column))


# -- what is written -----------------------------------------------------------------------------


def _inserted(resolver: Resolver, scope: Scope, width: int) -> None:
    source = resolver.statement.tree.args.get("expression")
    if not isinstance(source, (exp.Values, exp.Query)):
        refuse("construct", resolver.statement.tree)
    outputs = resolver.query(source, scope)
    widths = set(_widths(source)) if isinstance(source, exp.Values) else set()
    if outputs is not None:
        widths.add(len(outputs))
    for given in widths - {width}:
        refuse("set_shape", f"{width} ≠ {given}")


def _widths(source: exp.Values) -> Iterator[int]:
    """How many values each row has. DEFAULT is none: a column that is left out has its default."""
    if any(held for clause, held in source.args.items() if clause != "expressions"):
        refuse("write_clause", source)
    for row in source.expressions:
        values = row.expressions if isinstance(row, exp.Tuple) else [row]
        for value in values:
            if isinstance(value, exp.Var):
                refuse("write_clause", value)
        yield len(values)


def _changed(resolver: Resolver, scope: Scope, target: _Target) -> None:
    """SET and WHERE speak of the one table, and of what their sub-queries read."""
    tree, inner = resolver.statement.tree, scope.inside()
    resolver.sources.table(target.node, inner)
    assigned = [_assigned(resolver.names, one, target.node) for one in tree.expressions]
    _each_once(resolver.names, assigned, target)
    for one in tree.expressions:
        resolver.expressions(one.expression, inner)
    resolver.clauses(tree, ("where",), inner)


def _assigned(names: Names, assignment: exp.Expr, target: exp.Table) -> exp.Expr:
    """The column on the left. Its table's name before it is dropped: not every engine takes it there."""
    column = assignment.this if isinstance(assignment, exp.EQ) else None
    if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
        refuse("construct", assignment)
    alias = target.args.get("alias")
    before = column.args.get("table")
    if before is not None:
        called = alias.this if alias else target.this
        if column.args.get("db") or names.alias(before) != names.alias(called):
            refuse("write_column", column)
        column.set("table", None)
    return column.this
