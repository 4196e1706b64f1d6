"""Two conditions that no row can meet: `age > 30 AND age < 20`, `city = 'Oslo' AND city = 'Rome'`."""

from itertools import combinations

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft
from text2sql.sql.repairs.joins import conjuncts
from text2sql.sql.repairs.views import Source, View

_ABOVE, _BELOW = (exp.GT, exp.GTE), (exp.LT, exp.LTE)


def both_at_once(draft: Draft) -> bool:
    """What was asked for is whatever has a row of each kind: the one list INTERSECT the other."""
    tree = draft.tree
    view = next((one for one in draft.views.all if one.select is tree), None)
    if view is None or not _is_plain_list(view):
        return False
    parts = conjuncts(view.select.args["where"].this)
    against = [pair for pair in combinations(parts, 2) if _exclude_each_other(draft, view, *pair)]
    if len(against) != 1:
        return False
    draft.put(
        tree, exp.Intersect(this=_without(tree, against[0][1]), expression=_without(tree, against[0][0]))
    )
    return True


def _is_plain_list(view: View) -> bool:
    """Columns of rows: a count or the first rows of two lists would be something else."""
    asked = view.select.args
    if view.open or not asked.get("where") or any(asked.get(one) for one in _MORE):
        return False
    return all(isinstance(one.unalias(), exp.Column) and not one.is_star for one in view.select.expressions)


_MORE = ("group", "having", "order", "limit", "offset", "with_", "windows", "qualify")


def _exclude_each_other(draft: Draft, view: View, one: exp.Expr, other: exp.Expr) -> bool:
    left, right = _compared(draft, view, one), _compared(draft, view, other)
    if left is None or right is None or left[:2] != right[:2]:
        return False
    if isinstance(one, exp.EQ) and isinstance(other, exp.EQ):
        return left[2].is_string == right[2].is_string and left[2].name.lower() != right[2].name.lower()
    if isinstance(one, _BELOW) and isinstance(other, _ABOVE):
        left, right = right, left
    elif not (isinstance(one, _ABOVE) and isinstance(other, _BELOW)):
        return False
    numbers = not left[2].is_string and not right[2].is_string
    return numbers and float(left[2].name) > float(right[2].name)


def _compared(draft: Draft, view: View, part: exp.Expr) -> tuple[Source, str, exp.Literal] | None:
    """`column = literal`, `>` and the like; the column's source and key, and the literal."""
    if not isinstance(part, (exp.EQ, *_ABOVE, *_BELOW)):
        return None
    column, literal = part.this, part.expression
    if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
        return None
    owner = draft.views.owner(view, column)
    return (owner, draft.key(column), literal) if owner is not None else None


def _without(tree: exp.Expr, part: exp.Expr) -> exp.Expr:
    """A copy of the query without one of its conditions."""
    copy = tree.copy()
    parts = conjuncts(tree.args["where"].this)
    kept = [one.copy() for one in parts if one is not part]
    copy.set("where", exp.Where(this=exp.and_(*kept, copy=False)))
    return copy
