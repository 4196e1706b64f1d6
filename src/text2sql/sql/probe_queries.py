"""Variants of a query with an empty or slow result: without one of its conditions, or with fewer rows.

Every variant passes through the guard.
"""

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.joins import conjuncts
from text2sql.sql.guard import check
from text2sql.sql.lenient_parse import parse_leniently, to_sql
from text2sql.sql.schema_index import schema_index_for
from text2sql.types import Catalog, CheckedSql, Policy

_CLAUSES = ("where", "having")


def condition_probes(
    sql: str, dialect: str, catalog: Catalog, policy: Policy | None = None, most: int = 4
) -> tuple[tuple[str, CheckedSql], ...]:
    """For each condition of the outermost WHERE and HAVING, its readable text and the query without it,
    limited to one row. If that query returns a row, the condition emptied the result.
    """
    select = _outermost(sql, dialect)
    if select is None:
        return ()
    conditions = [
        (clause, index, condition)
        for clause in _CLAUSES
        for index, condition in enumerate(conjuncts(_condition(select, clause)))
    ]
    probes: list[tuple[str, CheckedSql]] = []
    for clause, index, condition in conditions[:most]:
        probe = to_sql(_probe(_without(select, clause, index)), dialect)
        checked = check(probe, dialect, catalog, policy, rows=1)
        if isinstance(checked, CheckedSql):
            probes.append((_readable(select, condition, dialect, catalog), checked))
    return tuple(probes)


def with_row_limit(
    sql: str, dialect: str, catalog: Catalog, policy: Policy | None = None, *, rows: int
) -> CheckedSql | None:
    """The query limited to `rows` rows; None if it has an order or an aggregate: then fewer rows cost the
    engine as much, or are another answer.
    """
    select = _outermost(sql, dialect)
    if select is None or any(select.args.get(clause) for clause in _NEEDS_ALL_ROWS) or _has_aggregate(select):
        return None
    checked = check(sql, dialect, catalog, policy, rows=rows)
    return checked if isinstance(checked, CheckedSql) and checked.limit == rows else None


_NEEDS_ALL_ROWS = ("order", "group", "having", "distinct", "qualify", "limit", "offset")


def _has_aggregate(select: exp.Select) -> bool:
    return any(item.find(exp.AggFunc, exp.Window) for item in select.expressions)


def _outermost(sql: str, dialect: str) -> exp.Select | None:
    tree, foreign = parse_leniently(sql, dialect) if dialect in GRAMMARS else (None, False)
    while isinstance(tree, exp.Subquery) and not any(
        value for key, value in tree.args.items() if key != "this"
    ):
        tree = tree.this
    return tree if isinstance(tree, exp.Select) and not foreign else None


def _condition(select: exp.Select, clause: str) -> exp.Expr | None:
    node = select.args.get(clause)
    return node.this if node is not None else None


def _without(select: exp.Select, clause: str, index: int) -> exp.Select:
    query = select.copy()
    remaining = [
        condition
        for position, condition in enumerate(conjuncts(_condition(query, clause)))
        if position != index
    ]
    if remaining:
        query.args[clause].set("this", exp.and_(*remaining))
    else:
        query.set(clause, None)
    return query


def _probe(query: exp.Select) -> exp.Select:
    """A query that tests whether there is a row. An aggregate without groups always returns one, so test
    its input.
    """
    for clause in ("order", "limit", "offset"):
        query.set(clause, None)
    constant = [exp.Literal.number(1)]
    if not any(query.args.get(clause) for clause in ("group", "having", "qualify")):
        query.set("distinct", None)
        query.set("expressions", constant)
        return query
    inner = exp.Subquery(this=query, alias=exp.TableAlias(this=exp.to_identifier("text2sql_rows")))
    return exp.Select(expressions=constant, from_=exp.From(this=inner))


def _readable(select: exp.Select, condition: exp.Expr, dialect: str, catalog: Catalog) -> str:
    """The text of a condition, with table names instead of aliases, or without them if there is only one
    table.
    """
    context = FixContext(select, dialect, schema_index_for(catalog, None, dialect))
    text = condition.copy()
    (scope, *_) = [scope for scope in context.scopes if scope.select is select]
    for column in text.find_all(exp.Column):
        table = column.args.get("table")
        source = scope.sources.get(context.names.alias(table)) if table is not None else None
        if source is not None and len(scope.sources) == 1:
            column.set("table", None)
        elif source is not None and source.entry is not None:
            column.set("table", context.identifier(source.entry.table.name))
    return to_sql(text, dialect)
