"""From which end: *the oldest* is the one with the least date of birth, where a greater age has the most."""

import re

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft
from text2sql.sql.repairs.views import View
from text2sql.wording import words

_OLD = re.compile(r"\b(?:old|eld)est\b|最老|最年长|最古老|(?:年龄|年纪|岁数)(?:最大|[从由]大到小)")
_YOUNG = re.compile(r"\byoungest\b|最年轻|(?:年龄|年纪|岁数)(?:最小|[从由]小到大)")
_BEGAN = frozenset(
    "birth birthday birthdate born dob founded founding foundation established built constructed".split()
)


def asked_age(draft: Draft) -> bool:
    """*The oldest member*, and `ORDER BY birth_date DESC`, or the MAX of it: the youngest."""
    text = draft.said.text if draft.said is not None else ""
    old, young = _OLD.search(text), _YOUNG.search(text)
    if old is None and young is None:
        return False
    oldest_first = old is not None and (young is None or old.start() < young.start())
    done = False
    for view in draft.views.all:
        order = view.select.args.get("order")
        first = order.expressions[0] if order is not None else None
        if (
            first is not None
            and _began(draft, view, first.this)
            and bool(first.args.get("desc")) == oldest_first
        ):
            first.set("desc", not oldest_first)
            first.set("nulls_first", not first.args.get("nulls_first"))  # as the engine has it from that end
            done = True
        if old is not None and young is not None:
            continue  # *from the oldest to the youngest*: what is asked for is an order
        wrong, right = (exp.Max, exp.Min) if oldest_first else (exp.Min, exp.Max)
        for node in [one.parent for one in view.columns if isinstance(one.parent, wrong)]:
            if _began(draft, view, node.this):
                draft.put(node, right(this=node.this.copy()))
                done = True
    return done


def _began(draft: Draft, view: View, column: exp.Expr) -> bool:
    """Whether it tells since when there is somebody or something."""
    origin = draft.origin(view, column) if isinstance(column, exp.Column) else None
    return origin is not None and bool(_BEGAN & set(words(origin[1].name)))
