"""The guard: a text becomes a `CheckedSql`, or a `SqlRejected` that says why not.

    text → tokens → one tree → RULES → scopes → limit → text written anew → parsed again, compared

The model's own text never reaches a database: what is sent is generated from the tree that was checked,
without comments, and must read back as that same tree. Only this module builds a `CheckedSql`.
"""

import logging
from collections.abc import Callable
from functools import cache, partial

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from text2sql.sql import rewrite
from text2sql.sql import text as raw
from text2sql.sql.bounds import bounded_generators
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.refusal import Refused, refuse
from text2sql.sql.resolver import Resolver
from text2sql.sql.rules import RULES, Statement, plain_modifiers
from text2sql.sql.spelling import SPELLINGS
from text2sql.types import Catalogue, CheckedSql, Limits, Policy, SqlRejected

# It warns when it gives up and returns a Command; here that is a refusal, not a line on a user's terminal.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

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
) -> CheckedSql | SqlRejected:
    """Page `number`, from 1, of `size` rows, in an order that is the same every time."""
    shape = partial(rewrite.page, number=number, size=size)
    return _checked(text, dialect, schema, policy or _everything(schema), lambda tree: (shape(tree), size))


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
    try:
        statement = _parsed(text, dialect, schema, policy)
        tables = _judged(statement)
        tree, limit = shape(statement.tree)
        judged = hash(tree)  # taken now: writing spends the tree
        sql = _written(tree, dialect)
        _reads_back(sql, judged, statement)
    except Refused as refused:
        return refused.rejected
    except RecursionError:
        return SqlRejected("too_deep", text[:80])
    except Exception:  # noqa: BLE001 - a fault of ours must refuse, not pass and not crash; tests forbid it
        return SqlRejected("internal", text[:80])
    return CheckedSql(sql, dialect, tuple(sorted(tables)), limit)


def _judged(statement: Statement) -> set[str]:
    plain_modifiers(statement)
    statement.nodes = list(statement.tree.walk())
    for rule in (*RULES, bounded_generators):
        rule(statement)
    resolver = Resolver(statement)
    resolver.run()
    return resolver.tables


def _parsed(text: str, dialect: str, schema: Catalogue | None, policy: Policy | None) -> Statement:
    grammar = GRAMMARS[dialect]
    raw.characters(text)
    return Statement(_tree(text, dialect), dialect, grammar, policy, schema)


def _tree(text: str, dialect: str) -> exp.Expr:
    reader = _dialect(dialect)
    tokens = raw.tokens(text, reader, GRAMMARS[dialect])
    try:
        found = reader.parser(error_level=ErrorLevel.IMMEDIATE).parse(list(tokens), text)
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001 - a parser that stumbles, however it does, has not understood
        refuse("unreadable", text)
    trees = [tree for tree in found if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(trees) != 1:
        refuse("one_statement" if trees else "empty", text)
    spelling = SPELLINGS.get(dialect)
    return spelling(trees[0]) if spelling else trees[0]


def _written(tree: exp.Expr, dialect: str) -> str:
    try:
        # copy=False: a copy costs as much as a parse, and nobody needs the tree any more
        generator = _dialect(dialect).generator(comments=False, unsupported_level=ErrorLevel.IGNORE)
        return generator.generate(tree, copy=False)
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001 - what cannot be written cannot be sent
        refuse("unreadable", "")


def _reads_back(sql: str, judged: int, statement: Statement) -> None:
    """The text to be sent must be the tree that was judged: equal trees have equal hashes, as the parser's
    own comparison has it. Where the parser spells a node in another way than it read it, the second tree is
    judged in full, and must write the same text again.
    """
    again = _tree(sql, statement.dialect)
    if hash(again) == judged:
        return
    _judged(Statement(again, statement.dialect, statement.grammar, statement.policy, statement.catalogue))
    if _written(again, statement.dialect) != sql:
        refuse("two_readings", sql)


def _everything(schema: Catalogue | None) -> Policy | None:
    if schema is None:
        return None
    visible = {
        (
            table.name if table.schema in ("", schema.default_schema) else f"{table.schema}.{table.name}"
        ): tuple(column.name for column in table.columns)
        for table in schema.tables
    }
    return Policy(visible, {schema.dialect: schema.default_schema})


@cache
def _dialect(name: str) -> Dialect:
    return Dialect.get_or_raise(name)
