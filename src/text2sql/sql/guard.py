"""The guard for queries: returns a `CheckedSql`, or a `SqlRejected` that names the broken rule.

    text → tokens → tree → RULES → resolve names → wrap tables → add limit → generate text → parse and compare

The model's own text never reaches a database. The guard generates the text that is sent from the checked
tree, without comments, and that text must parse to the same tree. Only this module builds a `CheckedSql`.
"""

from collections.abc import Callable
from functools import partial

from sqlglot import exp

from text2sql.sql import parse, rewrite
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.generation import generate_checked
from text2sql.sql.resolver import Resolver
from text2sql.sql.rules import RULES, refuse_unsafe_modifiers
from text2sql.sql.statement import Statement
from text2sql.sql.table_wrapper import enforce, wraps
from text2sql.types import Catalog, CheckedSql, Limits, Policy, SqlRejected

# Rewrites a resolved tree; returns the new tree and its row limit.
Rewrite = Callable[[exp.Expr, Resolver], tuple[exp.Expr, int | None]]


def check(
    text: str,
    dialect: str,
    schema: Catalog | None = None,
    policy: Policy | None = None,
    *,
    rows: int = Limits().rows,
) -> CheckedSql | SqlRejected:
    """Check one read-only query. It uses visible names only and returns at most `rows` rows."""
    return _check(text, dialect, schema, policy, lambda tree, _: rewrite.limited(tree, rows, dialect))


def check_page(
    text: str,
    dialect: str,
    schema: Catalog | None = None,
    policy: Policy | None = None,
    *,
    number: int,
    size: int,
    order: int = 0,
) -> CheckedSql | SqlRejected:
    """Check a query and rewrite it to return page `number` (from 1) of `size` rows, in a stable order.

    `order` is the position of an output column, from 1; a negative one sorts descending. 0 keeps the query's
    own order.
    """
    by = parse.ordering(order, dialect) if order and dialect in GRAMMARS else None
    page = partial(rewrite.page, dialect=dialect, number=number, size=size, by=by)
    if policy is None and schema is not None:
        policy = parse.unrestricted_policy(schema)
    return _check(text, dialect, schema, policy, lambda tree, resolver: (page(tree, _width(resolver)), size))


def check_count(
    text: str, dialect: str, schema: Catalog | None = None, policy: Policy | None = None
) -> CheckedSql | SqlRejected:
    """Check a query and rewrite it to count its rows."""
    return _check(text, dialect, schema, policy, lambda tree, _: (rewrite.count(tree), 1))


def _check(
    text: str, dialect: str, schema: Catalog | None, policy: Policy | None, rewrite_tree: Rewrite
) -> CheckedSql | SqlRejected:
    if dialect not in GRAMMARS:
        return SqlRejected("dialect", dialect)

    def check_statement() -> CheckedSql:
        statement = parse.parse_statement(text, dialect, schema, policy)
        resolver = _checked_names(statement)
        tree, limit = rewrite_tree(statement.tree, resolver)
        sql, plain = generate_checked(statement, tree, _checked_names)
        return CheckedSql(sql, dialect, tuple(sorted(resolver.tables)), limit, plain)

    return parse.verdict(text, check_statement)


def _checked_names(statement: Statement) -> Resolver:
    """Apply all rules, resolve the names and wrap the tables of a statement."""
    refuse_unsafe_modifiers(statement)
    for rule in RULES:
        rule(statement)
    resolver = Resolver(statement)
    resolver.run()
    if wraps(statement):
        enforce(statement)
    return resolver


def _width(resolver: Resolver) -> int | None:
    """The number of output columns; None for a pivot, whose columns differ between engines."""
    if resolver.outputs.open or resolver.statement.tree.find(exp.Pivot):
        return None
    return len(resolver.outputs.names)
