"""From which end: *the oldest* has the least date of birth, where the greatest age is the most; *the best*
has the least rank.
"""

import re

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft
from text2sql.sql.repairs.views import View
from text2sql.wording import words

_OLD = re.compile(r"\b(?:old|eld)est\b|最老|最年长|最古老|(?:年龄|年纪|岁数)(?:最大|[从由]大到小)")
_YOUNG = re.compile(r"\byoungest\b|最年轻|(?:年龄|年纪|岁数)(?:最小|[从由]小到大)")
_BEST = re.compile(r"\bbest\b|最[好佳]|排名最[高前]|排名最靠前")
_RANKS = frozenset(("rank", "ranking"))
_BEGAN = frozenset(  # since when there is somebody or something
    "birth birthday birthdate born dob founded founding foundation established built constructed".split()
)


def asked_age(draft: Draft) -> bool:
    """*The oldest member*, and `ORDER BY birth_date DESC`, or the MAX of it: the youngest."""
    text = draft.said.text if draft.said is not None else ""
    old, young = _OLD.search(text), _YOUNG.search(text)
    if old is None and young is None:
        return False
    oldest_first = old is not None and (young is None or old.start() < young.start())
    done = _turned(draft, _BEGAN, upwards=oldest_first)
    if old is not None and young is not None:
        return done  # *from the oldest to the youngest*: what is asked for is an order
    wrong, right = (exp.Max, exp.Min) if oldest_first else (exp.Min, exp.Max)
    for view, column in list(draft.views.every()):
        if isinstance(column.parent, wrong) and _tells(draft, view, column, _BEGAN):
            draft.put(column.parent, right(this=column.copy()))
            done = True
    return done


def asked_best(draft: Draft) -> bool:
    """*The best-ranked team*, and `ORDER BY rank DESC`: the first of a ranking has the least."""
    text = draft.said.text if draft.said is not None else ""
    return _BEST.search(text) is not None and _turned(draft, _RANKS, upwards=True)


def _turned(draft: Draft, names: frozenset[str], *, upwards: bool) -> bool:
    """Orders by a column of such a name, or by an aggregate of it, that begin at the other end."""
    done = False
    for view in draft.views.all:
        order = view.select.args.get("order")
        first = order.expressions[0] if order is not None else None
        if first is None:
            continue
        by = first.this.this if isinstance(first.this, exp.AggFunc) else first.this
        if _tells(draft, view, by, names) and bool(first.args.get("desc")) == upwards:
            first.set("desc", not upwards)
            first.set("nulls_first", not first.args.get("nulls_first"))  # as the engine has it from that end
            done = True
    return done


def _tells(draft: Draft, view: View, column: exp.Expr, names: frozenset[str]) -> bool:
    origin = draft.origin(view, column) if isinstance(column, exp.Column) else None
    return origin is not None and bool(names & set(words(origin[1].name)))
