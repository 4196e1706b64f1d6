"""Generates the text that is sent from a checked tree, and proves that it parses to the same tree."""

from collections.abc import Callable

from sqlglot import exp

from text2sql.sql.parse import text_of, tree_of
from text2sql.sql.pre_parse_checks import MAX_WRITTEN, check_hidden_characters
from text2sql.sql.refusal import refuse
from text2sql.sql.statement import Statement
from text2sql.sql.table_wrapper import wraps
from text2sql.sql.wrapper_verification import unwrap, verify, without_wrappers


def generate_checked(
    statement: Statement, tree: exp.Expr, check: Callable[[Statement], object]
) -> tuple[str, str]:
    """Generate the text of a checked tree. Returns it, and the same text without the wrappers of a policy
    (empty without a policy).

    The text must parse to the same tree; hashes decide, as in the parser's own comparison. If the generator
    spelled a node differently, the second tree goes through all checks again and must generate the same text.
    """
    dialect = statement.dialect
    checked_hash = hash(tree)  # before generation, which consumes the tree
    sql = text_of(tree, dialect)
    check_hidden_characters(sql)  # an escape in the text, such as MySQL's \0, may have become one
    parsed = tree_of(sql, dialect, MAX_WRITTEN)
    wrappers = verify(statement, parsed) if wraps(statement) else []
    same = hash(parsed) == checked_hash
    plain = without_wrappers(sql, wrappers) if same else None
    if plain is None:
        unwrap(wrappers)
        plain = text_of(parsed if same else parsed.copy(), dialect) if wraps(statement) else ""
    if not same:
        check(statement.read_as(parsed))
        if text_of(parsed, dialect) != sql:
            refuse("two_readings", sql)
    return sql, plain if wraps(statement) else ""
