"""Which texts a query compares with which real columns: what there is to check against their domains."""

from dataclasses import dataclass

from sqlglot import exp

from text2sql.sql.dialects import GRAMMARS
from text2sql.sql.repairs.draft import Draft
from text2sql.sql.repairs.known import known
from text2sql.sql.repairs.reading import read
from text2sql.sql.repairs.values import comparisons, quoted_text
from text2sql.types import Catalogue


@dataclass(frozen=True, slots=True)
class Literal:
    table: str  # the real one, `schema.name` outside the default schema
    column: str  # as the engine stores it
    value: str
    negated: bool = False


def literals(sql: str, dialect: str, catalogue: Catalogue) -> tuple[Literal, ...]:
    """Texts compared by `=`, `<>`, IN, or LIKE without a wildcard, in the order in which they stand. A column
    is followed through aliases, sub-queries and CTEs; where that is not sure its texts are left out.
    """
    tree, _ = read(sql, dialect) if dialect in GRAMMARS else (None, False)
    if tree is None:
        return ()
    draft = Draft(tree, dialect, known(catalogue, None, dialect), text=sql)
    quoted_text(draft)
    found: list[Literal] = []
    for view, node, column, texts in comparisons(draft.views):
        origin = draft.origin(view, column)
        if origin is not None:
            entry, held = origin
            negated = is_negated(node)
            found += [Literal(entry.name, held.name, text.this, negated) for text in texts]
    return tuple(dict.fromkeys(found))


def is_negated(node: exp.Expr) -> bool:
    """`<>`, NOT IN, NOT LIKE, and whatever stands under a NOT; twice is not at all."""
    negated = isinstance(node, (exp.NEQ, exp.NullSafeNEQ))
    around = node.parent
    while around is not None and not isinstance(around, exp.Query):
        negated = negated != isinstance(around, exp.Not)
        around = around.parent
    return negated
