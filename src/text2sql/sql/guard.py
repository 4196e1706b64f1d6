"""The guard: a text becomes a `CheckedSql`, or a `SqlRejected` that says why not.

    text → tokens → one tree → RULES → scopes → rows → limit → text written anew → parsed again, compared

The model's own text never reaches a database: what is sent is generated from the tree that was checked,
without comments, and must read back as that same tree. Only this module builds a `CheckedSql`.
"""

from collections.abc import Callable
from functools import partial

from sqlglot import exp

from text2sql.sql import rewrite, trees
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.resolver import Resolver
from text2sql.sql.rows import enforce, has_rules
from text2sql.sql.rules import RULES, plain_modifiers
from text2sql.sql.statement import Statement
from text2sql.types import Catalogue, CheckedSql, Limits, Policy, SqlRejected

Shape = Callable[[exp.Expr], tuple[exp.Expr, int | None]]


def check(
    text: str,
    dialect: str,
    schema: Catalogue | None = None,
    policy: Policy | None = None,
    *,
    rows: int = Limits().rows,
) -> CheckedSql | SqlRejected:
    """One read-only query, of visible tables and columns only, that returns at most `rows` rows."""
    return _checked(text, dialect, schema, policy, partial(rewrite.limited, rows=rows))


def check_page(
    text: str,
    dialect: str,
    schema: Catalogue | None = None,
    policy: Policy | None = None,
    *,
    number: int,
    size: int,
    order: int = 0,
) -> CheckedSql | SqlRejected:
    """Page `number`, from 1, of `size` rows, in an order that is the same every time.

    `order` is the place of an output column, from 1, negative for the other way round; 0 is the query's own.
    """
    by = trees.ordering(order, dialect) if order and dialect in GRAMMARS else None
    shape = partial(rewrite.page, number=number, size=size, by=by)
    if policy is None and schema is not None:
        policy = trees.everything(schema)
    return _checked(text, dialect, schema, policy, lambda tree: (shape(tree), size))


def check_count(
    text: str, dialect: str, schema: Catalogue | None = None, policy: Policy | None = None
) -> CheckedSql | SqlRejected:
    """How many rows the query has in all."""
    return _checked(text, dialect, schema, policy, lambda tree: (rewrite.count(tree), 1))


def _checked(
    text: str, dialect: str, schema: Catalogue | None, policy: Policy | None, shape: Shape
) -> CheckedSql | SqlRejected:
    if dialect not in GRAMMARS:
        return SqlRejected("dialect", dialect)

    def work() -> CheckedSql:
        statement = trees.read(text, dialect, schema, policy)
        tables = _judged(statement)
        tree, limit = shape(statement.tree)
        sql, plain = trees.written(statement, tree, _judged)
        return CheckedSql(sql, dialect, tuple(sorted(tables)), limit, plain)

    return trees.verdict(text, work)


def _judged(statement: Statement) -> set[str]:
    plain_modifiers(statement)
    statement.nodes = list(statement.tree.walk())
    for rule in RULES:
        rule(statement)
    resolver = Resolver(statement)
    resolver.run()
    if has_rules(statement):
        enforce(statement)
    return resolver.tables
