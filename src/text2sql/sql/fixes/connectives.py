"""*or* and *not*, which a query says otherwise: AND, and `=`."""

import re
from itertools import combinations

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.joins import conditions, filter_by
from text2sql.sql.fixes.question_terms import heard
from text2sql.sql.scope import Scope
from text2sql.types import Negation, QuestionIntent

_OR = re.compile(  # *10 or more* is a bound
    r"\bor\b(?! (?:more|less|above|below|before|after|(?:ov|und|few|lat|earli|old|young|high|low)er)\b)|或"
)
_AND = re.compile(r"\band\b|[和且与及]|[.;。；]")
_COMPARED = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)


def asked_either(context: FixContext) -> bool:
    """*In Spain or older than 30*, and AND between the two: OR."""
    said, scope = context.intent, context.outermost
    if said is None or scope is None or any(context.faulty_columns(*ERRORS)):
        return False
    parts = conditions(scope)
    pairs = [(one, other) for one, other in combinations(parts, 2) if _is_either(said, one, other)]
    if len(pairs) != 1:
        return False
    rest = [one for one in parts if not any(one is held for held in pairs[0])]
    filter_by(scope, [*rest, exp.paren(exp.or_(*(one.copy() for one in pairs[0]), copy=False))])
    context.invalidate()
    return True


def _is_either(said: QuestionIntent, one: exp.Expr, other: exp.Expr) -> bool:
    """Whether *or*, and no *and*, stands between what the two ask for."""
    places = [_place(said, part) for part in (one, other)]
    if None in places:
        return False
    (_, first), (second, _) = sorted(place for place in places if place is not None)
    between = said.text[first:second]
    return _OR.search(between) is not None and _AND.search(between) is None


def _place(said: QuestionIntent, part: exp.Expr) -> tuple[int, int] | None:
    """Where the one value that a condition compares with is said, once."""
    held = list(part.find_all(exp.Literal)) if isinstance(part, _COMPARED) else []
    text = held[0].this.strip("%") if len(held) == 1 else ""
    found = heard(said, text) if text else []
    return found[0] if len(found) == 1 else None


def asked_not(context: FixContext) -> bool:
    """*Those that are not in Spain*, and `country = 'Spain'` of the one table that is asked: `<>`."""
    negation, scope = context.negation, context.outermost
    if negation is None or not negation.values or scope is None or len(scope.sources) != 1:
        return False
    if any(context.faulty_columns(*ERRORS)) or context.tree.find(exp.Not, exp.NEQ, exp.Null, exp.Subquery):
        return False
    found = [
        one
        for one in conditions(scope)
        if isinstance(one, exp.EQ) and _is_denied(context, scope, one, negation)
    ]
    if len(found) != 1:
        return False
    context.replace(found[0], exp.NEQ(this=found[0].this.copy(), expression=found[0].expression.copy()))
    return True


def _is_denied(context: FixContext, scope: Scope, part: exp.EQ, negation: Negation) -> bool:
    column, literal = part.this, part.expression
    if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
        return False
    origin = context.origin(scope, column)
    return origin is not None and any(
        (hit.table, hit.column, hit.value) == (origin[0].name, origin[1].name, literal.this)
        for hit in negation.values
    )
