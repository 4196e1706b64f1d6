"""Verification of the wrappers in a generated text, with an interpretation of names of its own."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.predicates import BASE
from text2sql.sql.refusal import refuse
from text2sql.sql.scope import copy_identifier, is_self_referencing
from text2sql.sql.statement import Statement
from text2sql.sql.table_policy import real_name
from text2sql.sql.table_wrapper import OUTSIDE, Wrapper, is_reserved, wrapper_of


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A verified wrapper in a statement."""

    node: exp.Subquery
    source: exp.Expr  # the FROM item that it contained: the table, or FINAL and the table
    table: exp.Table
    wrapper: Wrapper

    @property
    def is_named_like_its_table(self) -> bool:
        alias: exp.Expr = self.node.args["alias"]
        return alias == exp.TableAlias(this=copy_identifier(self.table.this))


def verify(statement: Statement, tree: exp.Expr) -> list[Wrapped]:
    """Check the tree of a generated text: each table is inside exactly its wrapper, and nothing else uses a
    wrapper's name. Returns the wrappers. Their SELECTs become leaves, as in the tree that was generated.
    """
    target = _write_target(tree)
    wrappers: list[Wrapped] = []
    nodes = [tree]
    for node in nodes:  # grows
        if isinstance(node, exp.Subquery):
            wrapped = _wrapped(statement, node)
            if wrapped is not None:
                wrappers.append(wrapped)
        elif isinstance(node, exp.Identifier):
            if is_reserved(node):
                refuse("row_policy", node)
        elif isinstance(node, exp.Table) and node is not target and not _is_derived(statement, node):
            refuse("unresolved", node)
        nodes.extend(node.iter_expressions())
    return wrappers


def unwrap(wrappers: Iterable[Wrapped]) -> None:
    """Replace verified wrappers by their tables."""
    for wrapped in wrappers:
        outside = {key: wrapped.node.args.get(key) for key in OUTSIDE}
        if wrapped.is_named_like_its_table:
            outside["alias"] = None
        for key, value in outside.items():
            wrapped.table.set(key, value)
        wrapped.node.replace(wrapped.source)


def without_wrappers(sql: str, wrappers: Iterable[Wrapped]) -> str | None:
    """The text with tables in place of their wrappers, by the positions that the parser recorded; None if a
    wrapper is not at such a position, or its table has clauses of its own.
    """
    edits: list[tuple[int, int, str]] = []
    for wrapped in wrappers:
        wrapper, position = wrapped.wrapper, wrapped.table.this.meta.get("start")
        if position is None or not wrapper.table_text:
            return None
        start = position - wrapper.table_position - 1
        end = start + len(wrapper.text) + 2
        if sql[start:end] != f"({wrapper.text})":
            return None
        if wrapped.is_named_like_its_table:
            alias_end = wrapped.node.args["alias"].this.meta.get("end", 0) + 1
            if sql[end:alias_end].removeprefix(" AS").lstrip() != wrapper.table_text.rpartition(".")[2]:
                return None
            end = alias_end
        edits.append((start, end, wrapper.table_text))
    for start, end, text in sorted(edits, reverse=True):
        sql = sql[:start] + text + sql[end:]
    return sql


def _is_derived(statement: Statement, node: exp.Table) -> bool:
    """Whether it is a function, a CTE, or a table that contains no data."""
    is_named = isinstance(node.this, exp.Identifier)
    return not is_named or _is_cte(statement, node) or _is_dummy(statement, node)


def _wrapped(statement: Statement, node: exp.Subquery) -> Wrapped | None:
    """A sub-query that is exactly the wrapper of its table; None for any other sub-query."""
    select = node.this
    start = select.args.get("from_") if isinstance(select, exp.Select) else None
    source: exp.Expr | None = start.this if start is not None else None
    table = source.this if isinstance(source, exp.Final) else source
    if source is None or not isinstance(table, exp.Table) or table.alias != BASE:
        return None
    if not isinstance(table.this, exp.Identifier):
        return None
    stored = None if _is_cte(statement, table) else real_name(statement, table)
    if stored is None or node.parent is None or node.args.get("alias") is None:
        return None
    wrapper = wrapper_of(statement, table, stored, final=source is not table)
    if select != wrapper.tree:
        return None
    node.set("this", wrapper.leaf())
    return Wrapped(node, source, table, wrapper)


def _write_target(tree: exp.Expr) -> exp.Expr | None:
    """The table that a write modifies. It cannot be a sub-query; the guard checks its columns by name."""
    if not isinstance(tree, (exp.Insert, exp.Update, exp.Delete)):
        return None
    target: exp.Expr = tree.this
    return target.this if isinstance(target, exp.Schema) else target


# -- independent name lookup ---------------------------------------------------------------------------


def _is_cte(statement: Statement, node: exp.Table) -> bool:
    """Whether an unqualified name means a CTE of an enclosing WITH, judged by the tree alone."""
    if node.db:
        return False
    key = _alias_key(statement, node.this)
    path: list[exp.Expr] = [node]  # up to the root
    while (parent := path[-1].parent) is not None:
        clause = parent if isinstance(parent, exp.With) else parent.args.get("with_")
        if isinstance(clause, exp.With) and clause is not path[-1]:
            for cte in clause.expressions:
                if cte is path[-1] and not _is_recursive(statement, clause, cte, path):
                    break
                if _alias_key(statement, cte.args["alias"].this) == key:
                    return True
                if cte is path[-1]:
                    break
            if parent is clause and not statement.grammar.nested_ctes:
                return False
        path.append(parent)
    return False


def _is_dummy(statement: Statement, node: exp.Table) -> bool:
    return not node.db and ascii_lower(node.name) in statement.grammar.dummy_tables


def _alias_key(statement: Statement, name: exp.Expr) -> str:
    return statement.grammar.aliases.key(name.name, bool(name.args.get("quoted")))


def _is_recursive(statement: Statement, clause: exp.With, cte: exp.Expr, path: list[exp.Expr]) -> bool:
    """Whether the path to the root leaves a CTE through the arm that may refer to it."""
    return is_self_referencing(statement.grammar, clause, cte) and path[-3] is cte.this.expression
