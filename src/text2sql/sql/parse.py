"""Checked parsing, and SQL generation, shared by the guard for queries and the guard for writes."""

import logging
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from text2sql.sql import pre_parse_checks as raw
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.normalize_ast import NORMALIZERS, REWRITES, arrows_as_paths, keep_names_below_pivots
from text2sql.sql.refusal import Refused, refuse
from text2sql.sql.statement import Statement
from text2sql.types import Catalog, Policy, SqlRejected

# sqlglot warns when it falls back to a Command, which the guard refuses: keep that off a user's terminal.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

log = logging.getLogger(__name__)

T = TypeVar("T")

_ARROWS = frozenset({"sqlite", "postgres", "mysql", "oracle", "duckdb"})  # with the operator `->` of JSON


def verdict(text: str, check: Callable[[], T]) -> T | SqlRejected:
    """The result of `check`, or a `SqlRejected` if it refused the text or failed."""
    try:
        return check()
    except Refused as refused:
        return refused.rejected
    except RecursionError:
        return SqlRejected("too_deep", text[:80])
    except MemoryError:
        return SqlRejected("too_costly")
    except Exception as error:  # noqa: BLE001 - a bug in the guard must refuse, neither pass nor crash
        # Log the location and class only: the message may contain a piece of the statement.
        log.error("the guard failed: %s at %s", type(error).__name__, _error_location(error))  # noqa: TRY400
        return SqlRejected("internal", text[:80])


def _error_location(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}"


def parse_statement(text: str, dialect: str, catalog: Catalog | None, policy: Policy | None) -> Statement:
    """Parse a text into a statement, or refuse it."""
    raw.check_characters(text)
    return Statement(tree_of(text, dialect), dialect, GRAMMARS[dialect], policy, catalog)


def ordering(position: int, dialect: str) -> exp.Expr:
    """The item of `ORDER BY 2` or, for -2, of `ORDER BY 2 DESC`, with the dialect's default order of
    NULLs.
    """
    tree = tree_of(f"SELECT 1 ORDER BY {abs(position):d}{' DESC' if position < 0 else ''}", dialect)
    ordered: exp.Expr = tree.args["order"].expressions[0]
    return ordered if position < 0 else ordered.this  # a bare position, as in `rewrite.page`


def unrestricted_policy(catalog: Catalog) -> Policy:
    """The policy that shows everything in a catalog, and nothing else."""
    visible = {
        (
            table.name if table.schema in ("", catalog.default_schema) else f"{table.schema}.{table.name}"
        ): tuple(column.name for column in table.columns)
        for table in catalog.tables
    }
    return Policy(visible, {catalog.dialect: catalog.default_schema}, exact=True, complete=True)


def tree_of(text: str, dialect: str, max_tokens: int = raw.MAX_TOKENS) -> exp.Expr:
    """Parse a text into its only statement, in the form in which the guard checks it, or refuse it."""
    reader = _reader(dialect)
    tokens = raw.checked_tokens(text, reader, GRAMMARS[dialect], max_tokens)
    rewrite = REWRITES.get(dialect)
    if rewrite and (query := rewrite(text, tokens)):
        text, tokens = query, raw.checked_tokens(query, reader, GRAMMARS[dialect])
    try:
        parsed = raw.parse_tokens(tokens, text, reader)
    except (RecursionError, Refused):
        raise
    except Exception:  # noqa: BLE001 - any error of the parser means that it did not understand the text
        refuse("unreadable", text)
    trees = [tree for tree in parsed if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(trees) != 1:
        refuse("one_statement" if trees else "empty", text)
    normalize = NORMALIZERS.get(dialect)
    tree = normalize(trees[0]) if normalize else trees[0]
    return arrows_as_paths(tree, dialect) if dialect in _ARROWS and "->" in text else tree


def text_of(tree: exp.Expr, dialect: str) -> str:
    """Generate the text of a tree, without comments. This consumes the tree."""
    try:
        # copy=False: a copy costs as much as a parse, and the tree is not used again
        if dialect == "duckdb":
            keep_names_below_pivots(tree)
        generator = dialect_of(dialect).generator(comments=False, unsupported_level=ErrorLevel.RAISE)
        return generator.generate(tree, copy=False)
    except RecursionError:
        raise
    except Exception:  # noqa: BLE001 - any error of the generator means that there is no text to send
        refuse("unreadable", "")


@cache
def _reader(name: str) -> Dialect:
    dialect = Dialect.get_or_raise(name)
    if name == "clickhouse":  # our connections set union_default_mode, so that a bare UNION means DISTINCT
        dialect.SET_OP_DISTINCT_BY_DEFAULT = {**dialect.SET_OP_DISTINCT_BY_DEFAULT, exp.Union: True}
    return dialect


@cache
def dialect_of(name: str) -> Dialect:
    return Dialect.get_or_raise(name)
