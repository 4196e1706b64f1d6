"""Finds the text literals that a query compares with columns of tables, to check them against the
columns' values.
"""

from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.value_spelling import comparisons, quoted_text
from text2sql.sql.lenient_parse import parse_leniently
from text2sql.sql.schema_index import schema_index_for
from text2sql.types import Catalog


@dataclass(frozen=True, slots=True)
class Literal:
    table: str  # the stored name, `schema.name` outside the default schema
    column: str  # as the engine stores it
    value: str
    negated: bool = False


def literals(sql: str, dialect: str, catalog: Catalog) -> tuple[Literal, ...]:
    """The texts compared by `=`, `<>`, IN, or LIKE without a wildcard, in order. Columns are traced through
    aliases, sub-queries and CTEs; comparisons with other columns are omitted.
    """
    tree, _ = parse_leniently(sql, dialect) if dialect in GRAMMARS else (None, False)
    if tree is None:
        return ()
    context = FixContext(tree, dialect, schema_index_for(catalog, None, dialect), text=sql)
    quoted_text(context)
    compared_literals: list[Literal] = []
    for scope, node, column, texts in comparisons(context):
        origin = context.origin(scope, column)
        if origin is not None:
            entry, stored_column = origin
            negated = is_negated(node)
            compared_literals += [
                Literal(entry.name, stored_column.name, text.this, negated) for text in texts
            ]
    return tuple(dict.fromkeys(compared_literals))


def is_negated(node: exp.Expr) -> bool:
    """Whether a comparison is negated: `<>`, NOT IN, NOT LIKE, or below an odd number of NOTs."""
    negated = isinstance(node, (exp.NEQ, exp.NullSafeNEQ))
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Query):
        negated = negated != isinstance(parent, exp.Not)
        parent = parent.parent
    return negated
