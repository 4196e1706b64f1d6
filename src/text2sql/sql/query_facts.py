"""Reads what a query says about its rows: what each output is, the order, the limit and the period.

It is informative only and never decides what may run. In doubt a fact is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from text2sql.sql.output_roles import describe_output
from text2sql.sql.periods import period_of
from text2sql.types import OutputColumn, QueryFacts

_DEEPEST = 5  # sub-queries that are followed


def query_facts(sql: str, dialect: str) -> QueryFacts:
    """The facts of a query; none if it cannot be parsed."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return QueryFacts()
    select = tree if isinstance(tree, exp.Select) else tree.find(exp.Select)
    if select is None:
        return QueryFacts()
    scope = _scope(tree, select)
    outputs = tuple(item.unalias() for item in select.expressions)
    is_plain = isinstance(tree, exp.Select)
    conditions = _conditions(select)
    period, others = period_of(conditions)
    return QueryFacts(
        columns=_columns(select, scope),
        tables=scope.tables,
        subject=_subject(select, scope),
        order=_order(tree, select, outputs),
        limit=_limit(tree),
        is_aggregate=_aggregates(select),
        is_distinct=select.args.get("distinct") is not None,
        is_filtered=others or not is_plain or select.args.get("having") is not None or len(scope.joined) > 1,
        period=period if is_plain else None,
    )


@dataclass(frozen=True, slots=True)
class Scope:
    """The sources of a SELECT: tables by their alias, and the queries of CTEs and sub-queries."""

    aliases: Mapping[str, str]
    queries: Mapping[str, exp.Select]
    tables: tuple[str, ...]  # of the whole statement
    joined: tuple[str, ...]  # of this SELECT


def _scope(tree: exp.Expr, select: exp.Select) -> Scope:
    ctes = {cte.alias.lower(): cte.this for cte in tree.find_all(exp.CTE) if isinstance(cte.this, exp.Select)}
    sources = _sources(select)
    queries = {
        source.alias_or_name.lower(): ctes[source.name.lower()]
        for source in sources
        if isinstance(source, exp.Table) and source.name.lower() in ctes
    } | {
        source.alias_or_name.lower(): source.this
        for source in sources
        if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Select)
    }
    aliases = {
        source.alias_or_name.lower(): source.name for source in sources if isinstance(source, exp.Table)
    }
    named = dict.fromkeys(node.name for node in tree.find_all(exp.Table) if node.name.lower() not in ctes)
    return Scope(aliases, queries, tuple(named), tuple(aliases.values()))


def _sources(select: exp.Select) -> list[exp.Expr]:
    first = select.args.get("from_") or select.args.get("from")
    joins = [join.this for join in select.args.get("joins") or ()]
    return [*([first.this] if first is not None else []), *joins]


def _columns(select: exp.Select, scope: Scope) -> tuple[OutputColumn, ...]:
    """Empty if a star stands for an unknown number of columns."""
    if any(item.find(exp.Star) and not item.find(exp.Count) for item in select.expressions):
        return ()
    return tuple(_column(item, select, scope) for item in select.expressions)


def _column(item: exp.Expr, select: exp.Select, scope: Scope, depth: int = 0) -> OutputColumn:
    node = item.unalias()
    inner = _strip(node)
    if (
        isinstance(inner, exp.Column)
        and depth < _DEEPEST
        and (found := _inner_output(inner, scope)) is not None
    ):
        output, query = found
        column = _column(output, query, _scope(query.root(), query), depth + 1)
        name = item.alias_or_name or column.name
        is_group = column.role == "shown" and _groups_by(inner, select)
        return replace(column, name=name, role="group" if is_group else column.role)
    source_table = scope.joined[0] if len(scope.joined) == 1 else ""
    column = describe_output(item, node, scope.aliases, source_table, is_aggregate=_aggregates(select))
    return _with_inner_source(column, inner, scope, depth) if depth < _DEEPEST else column


def _with_inner_source(column: OutputColumn, node: exp.Expr, scope: Scope, depth: int) -> OutputColumn:
    """A calculation on an output of a sub-query is of what that output is of."""
    body = node.this if isinstance(node, exp.Window) else node
    columns = {found.name.lower(): found for found in body.find_all(exp.Column)}
    if len(columns) != 1 or isinstance(node, exp.Column):
        return column
    found = _inner_output(next(iter(columns.values())), scope)
    if found is None:
        return column
    output, query = found
    inner = _column(output, query, _scope(query.root(), query), depth + 1)
    alias = inner.name if len(inner.name) > 2 else ""
    function = inner.function if column.running or column.moving else column.function
    return replace(column, source=inner.source or alias, function=function)


def _strip(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren | exp.Cast | exp.Round | exp.Coalesce):
        node = node.this
    return node


def _inner_output(column: exp.Column, scope: Scope) -> tuple[exp.Expr, exp.Select] | None:
    """The output of a sub-query that a column refers to."""
    candidates = (
        [scope.queries[column.table.lower()]]
        if column.table and column.table.lower() in scope.queries
        else list(scope.queries.values())
        if not column.table
        else []
    )
    for query in candidates:
        for item in query.expressions:
            if item.alias_or_name.lower() == column.name.lower():
                return item, query
    return None


def _groups_by(column: exp.Column, select: exp.Select) -> bool:
    group = select.args.get("group")
    return group is not None and any(
        node.name.lower() == column.name.lower() for node in group.find_all(exp.Column)
    )


def _aggregates(select: exp.Select) -> bool:
    if select.args.get("group") is not None:
        return True
    return any(
        not isinstance(node.parent, exp.Window) and node.parent_select is select
        for item in select.expressions
        for node in item.find_all(exp.AggFunc)
    )


def _subject(select: exp.Select, scope: Scope) -> str:
    """The only table; of several, the one whose columns are listed."""
    if len(scope.joined) == 1:
        return scope.joined[0] if not scope.queries else ""
    if _aggregates(select):
        return ""
    listed = {
        scope.aliases.get(node.table.lower(), "")
        for item in select.expressions
        for node in item.find_all(exp.Column)
    }
    return listed.pop() if len(listed) == 1 else ""


def _order(tree: exp.Expr, select: exp.Select, outputs: Sequence[exp.Expr]) -> tuple[tuple[int, bool], ...]:
    order = tree.args.get("order")
    if order is None:
        return ()
    names = [item.alias_or_name.lower() for item in select.expressions]
    return tuple(
        (_position(item.this, outputs, names), bool(item.args.get("desc"))) for item in order.expressions
    )


def _position(node: exp.Expr, outputs: Sequence[exp.Expr], names: Sequence[str]) -> int:
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdigit():
        return int(node.name) - 1 if 0 < int(node.name) <= len(outputs) else -1
    if isinstance(node, exp.Column) and not node.table and node.name.lower() in names:
        return names.index(node.name.lower())
    return next((at for at, output in enumerate(outputs) if output == node), -1)


def _limit(tree: exp.Expr) -> int | None:
    limit = tree.args.get("limit")
    count = limit.args.get("expression") or limit.args.get("count") if limit is not None else None
    return int(count.name) if isinstance(count, exp.Literal) and count.name.isdigit() else None


def _conditions(select: exp.Select) -> list[exp.Expr]:
    where = select.args.get("where")
    return (
        list(where.this.flatten())
        if where and isinstance(where.this, exp.And)
        else [where.this]
        if where
        else []
    )
