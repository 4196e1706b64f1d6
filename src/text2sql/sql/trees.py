"""Between text and tree, both ways. The check of a query and the check of a write share all of it."""

import logging
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from text2sql.sql import text as raw
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.refusal import Refused, refuse
from text2sql.sql.rows import has_rules, verify
from text2sql.sql.spelling import SPELLINGS
from text2sql.sql.statement import Statement
from text2sql.types import Catalogue, Policy, SqlRejected

# It warns when it gives up and returns a Command; here that is a refusal, not a line on a user's terminal.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

T = TypeVar("T")


def verdict(text: str, work: Callable[[], T]) -> T | SqlRejected:
    """What `work` makes of a text, or why it refused to."""
    try:
        return work()
    except Refused as refused:
        return refused.rejected
    except RecursionError:
        return SqlRejected("too_deep", text[:80])
    except Exception:  # noqa: BLE001 - a fault of ours must refuse, not pass and not crash; tests forbid it
        return SqlRejected("internal", text[:80])


def read(text: str, dialect: str, catalogue: Catalogue | None, policy: Policy | None) -> Statement:
    raw.characters(text)
    return Statement(_tree(text, dialect), dialect, GRAMMARS[dialect], policy, catalogue)


def written(statement: Statement, tree: exp.Expr, judge: Callable[[Statement], object]) -> tuple[str, str]:
    """The text of a tree that was judged, and the same without what row policies put in, where they did. It
    must read as that tree: equal trees have equal hashes, as the parser's own comparison has it. Where the
    parser spells a node in another way than it read it, the second tree is judged in full, and must write the
    same text again.
    """
    judged = hash(tree)  # taken now: writing spends the tree
    sql = _text(tree, statement.dialect)
    again = _tree(sql, statement.dialect)
    same = hash(again) == judged
    plain = ""
    if has_rules(statement):
        again = verify(statement, again)
        plain = _text(again.copy(), statement.dialect)
    if not same:
        judge(statement.read_as(again))
        if _text(again, statement.dialect) != sql:
            refuse("two_readings", sql)
    return sql, plain


def ordering(place: int, dialect: str) -> exp.Expr:
    """`ORDER BY 2` or, for -2, `ORDER BY 2 DESC`, as this dialect reads it: where NULLs go is left to it."""
    tree = _tree(f"SELECT 1 ORDER BY {abs(place):d}{' DESC' if place < 0 else ''}", dialect)
    ordered: exp.Expr = tree.args["order"].expressions[0]
    return ordered if place < 0 else ordered.this  # by place alone, as `rewrite.page` has it


def everything(catalogue: Catalogue) -> Policy:
    """The policy that shows all of a catalogue, and nothing that is not in it."""
    visible = {
        (
            table.name if table.schema in ("", catalogue.default_schema) else f"{table.schema}.{table.name}"
        ): tuple(column.name for column in table.columns)
        for table in catalogue.tables
    }
    return Policy(visible, {catalogue.dialect: catalogue.default_schema}, exact=True)


def _tree(text: str, dialect: str) -> exp.Expr:
    reader = _reader(dialect)
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


def _text(tree: exp.Expr, dialect: str) -> str:
    try:
        # copy=False: a copy costs as much as a parse, and nobody needs the tree any more
        generator = _dialect(dialect).generator(comments=False, unsupported_level=ErrorLevel.IGNORE)
        return generator.generate(tree, copy=False)
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001 - what cannot be written cannot be sent
        refuse("unreadable", "")


@cache
def _reader(name: str) -> Dialect:
    found = Dialect.get_or_raise(name)
    if name == "clickhouse":  # what a UNION without a word means is the connection's to say, and ours says it
        found.SET_OP_DISTINCT_BY_DEFAULT = {**found.SET_OP_DISTINCT_BY_DEFAULT, exp.Union: True}
    return found


@cache
def _dialect(name: str) -> Dialect:
    return Dialect.get_or_raise(name)
