"""Parse a model's text. If the text is not in the dialect, parse it in the dialect that its syntax suggests:
`TOP 5` and `[name]` are SQL Server's, backticks and SEPARATOR are MySQL's.
"""

import re
from collections.abc import Collection

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from text2sql.sql import parse
from text2sql.sql import pre_parse_checks as raw
from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.normalize_ast import keep_names_below_pivots
from text2sql.sql.parse import dialect_of
from text2sql.sql.refusal import Refused

_MARKS = (
    ("tsql", re.compile(r"(?i)\bSELECT\s+(DISTINCT\s+)?TOP\b|\[[A-Za-z_][^\]\[]*\]")),
    ("mysql", re.compile(r"(?i)`|\bSEPARATOR\b")),
)

_MAX_MISSING = 2  # closing brackets that are appended


def parse_leniently(
    text: str, dialect: str, fixes: Collection[str] = ("open_bracket", "foreign_syntax")
) -> tuple[exp.Expr | None, str]:
    """The query of a text, and the name of the fix that was needed to parse it."""
    try:
        return _query(parse.parse_statement(text, dialect, None, None).tree), ""
    except RecursionError:
        return None, ""
    except Refused as refused:
        if refused.rejected.rule != "unreadable":
            return None, ""
    missing_brackets = _missing_brackets(text) if "open_bracket" in fixes else 0
    if missing_brackets:
        tree, other_fix = parse_leniently(text + ")" * missing_brackets, dialect, fixes)
        return tree, other_fix or "open_bracket"
    for foreign, marks in _MARKS if "foreign_syntax" in fixes else ():
        # in MySQL a double quote begins a text and elsewhere a name: such a text has two readings
        if foreign != dialect and marks.search(text) and '"' not in text:
            tree = _parse_foreign(text, foreign, dialect)
            if tree is not None:
                return tree, "foreign_syntax"
    return None, ""


def _missing_brackets(text: str) -> int:
    """The number of missing brackets at the end; those in texts and names do not count."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "", text)
    missing = bare.count("(") - bare.count(")")
    return missing if 0 < missing <= _MAX_MISSING and not set(bare) & set("'\"`;") else 0


def _query(tree: exp.Expr) -> exp.Expr | None:
    return tree if isinstance(tree, exp.Query) else None


def _parse_foreign(text: str, foreign: str, dialect: str) -> exp.Expr | None:
    try:
        tokens = raw.checked_tokens(text, dialect_of(foreign), GRAMMARS[dialect])
        trees = raw.parse_tokens(tokens, text, dialect_of(foreign))
    except Exception:  # noqa: BLE001 - any error means that the text cannot be parsed
        return None
    return _query(trees[0]) if len(trees) == 1 and trees[0] is not None else None


def to_sql(tree: exp.Expr, dialect: str) -> str:
    if dialect == "duckdb":
        keep_names_below_pivots(tree)
    generator = dialect_of(dialect).generator(comments=False, unsupported_level=ErrorLevel.IGNORE)
    return generator.generate(tree)
