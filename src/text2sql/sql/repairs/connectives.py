"""*or* and *not*, which a query says otherwise: AND, and `=`."""

import re
from itertools import combinations

from sqlglot import exp

from text2sql.sql.repairs.asked import heard
from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.joins import conditions, filter_by
from text2sql.sql.repairs.views import View
from text2sql.types import Denial, Said

_OR = re.compile(  # *10 or more* is a bound
    r"\bor\b(?! (?:more|less|above|below|before|after|(?:ov|und|few|lat|earli|old|young|high|low)er)\b)|或"
)
_AND = re.compile(r"\band\b|[和且与及]|[.;。；]")
_COMPARED = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like)


def asked_either(draft: Draft) -> bool:
    """*In Spain or older than 30*, and AND between the two: OR."""
    said, view = draft.said, draft.outermost
    if said is None or view is None or any(draft.wrong(*ERRORS)):
        return False
    parts = conditions(view)
    pairs = [(one, other) for one, other in combinations(parts, 2) if _is_either(said, one, other)]
    if len(pairs) != 1:
        return False
    rest = [one for one in parts if not any(one is held for held in pairs[0])]
    filter_by(view, [*rest, exp.paren(exp.or_(*(one.copy() for one in pairs[0]), copy=False))])
    draft.changed()
    return True


def _is_either(said: Said, one: exp.Expr, other: exp.Expr) -> bool:
    """Whether *or*, and no *and*, stands between what the two ask for."""
    places = [_place(said, part) for part in (one, other)]
    if None in places:
        return False
    (_, first), (second, _) = sorted(place for place in places if place is not None)
    between = said.text[first:second]
    return _OR.search(between) is not None and _AND.search(between) is None


def _place(said: Said, part: exp.Expr) -> tuple[int, int] | None:
    """Where the one value that a condition compares with is said, once."""
    held = list(part.find_all(exp.Literal)) if isinstance(part, _COMPARED) else []
    text = held[0].this.strip("%") if len(held) == 1 else ""
    found = heard(said, text) if text else []
    return found[0] if len(found) == 1 else None


def asked_not(draft: Draft) -> bool:
    """*Those that are not in Spain*, and `country = 'Spain'` of the one table that is asked: `<>`."""
    denial, view = draft.denial, draft.outermost
    if denial is None or not denial.values or view is None or len(view.sources) != 1:
        return False
    if any(draft.wrong(*ERRORS)) or draft.tree.find(exp.Not, exp.NEQ, exp.Null, exp.Subquery):
        return False
    found = [
        one for one in conditions(view) if isinstance(one, exp.EQ) and _is_denied(draft, view, one, denial)
    ]
    if len(found) != 1:
        return False
    draft.put(found[0], exp.NEQ(this=found[0].this.copy(), expression=found[0].expression.copy()))
    return True


def _is_denied(draft: Draft, view: View, part: exp.EQ, denial: Denial) -> bool:
    column, literal = part.this, part.expression
    if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
        return False
    origin = draft.origin(view, column)
    return origin is not None and any(
        (hit.table, hit.column, hit.value) == (origin[0].name, origin[1].name, literal.this)
        for hit in denial.values
    )
