"""An average or a total where the question speaks of one."""

import re

from sqlglot import exp

from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.joins import conditions, filter_by
from text2sql.sql.repairs.known import is_number
from text2sql.sql.repairs.views import View
from text2sql.types import Said
from text2sql.wording import words

_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE)
_MEASURES: dict[str, type[exp.AggFunc]] = {"avg": exp.Avg, "sum": exp.Sum}
_FOLDED = re.compile(r"(?i)avg|average|mean|total|sum")


def asked_measure(draft: Draft) -> bool:
    """*Stations whose average rainfall is above 50*, and those with any rain above 50: HAVING AVG."""
    said, view = draft.said, draft.outermost
    if said is None or view is None or view.open or any(draft.wrong(*ERRORS)):
        return False
    group, where = view.select.args.get("group"), view.select.args.get("where")
    if group is None or where is None or view.select.args.get("having"):
        return False
    parts = conditions(view)
    found = [(one, measure) for one in parts if (measure := _measure_of(draft, view, one, group, said))]
    if len(found) != 1:
        return False
    ((part, measure),) = found
    measured = part.copy()
    measured.set("this", _MEASURES[measure](this=measured.this))
    filter_by(view, [one for one in parts if one is not part])
    view.select.set("having", exp.Having(this=measured))
    draft.changed()
    return True


def _measure_of(draft: Draft, view: View, part: exp.Expr, group: exp.Group, said: Said) -> str:
    """What is meant of a number that is compared row by row: where the question names the column only so, or
    speaks of one measure, and the query of none.
    """
    if not _is_numbered(part):
        return ""
    origin = draft.origin(view, part.this)
    place = (origin[0].table.name, origin[1].name) if origin is not None else None
    if place in said.averaged:
        return "avg"
    if draft.tree.find(exp.AggFunc) or not _is_measured(draft, view, part, group):
        return ""
    return said.measure


def _is_numbered(part: exp.Expr) -> bool:
    """A column compared with a number."""
    if not isinstance(part, _COMPARED) or not isinstance(part.this, exp.Column):
        return False
    return isinstance(part.expression, exp.Literal) and not part.expression.is_string


def _is_measured(draft: Draft, view: View, part: exp.Expr, group: exp.Group) -> bool:
    """A number of something else than what the rows are grouped by, and not itself an average or a total."""
    owner = draft.views.owner(view, part.this)
    grouped = {draft.views.owner(view, one) for one in group.find_all(exp.Column)}
    return owner is not None and owner not in grouped and not _FOLDED.search(part.this.name)


def asked_total(draft: Draft) -> bool:
    """*The total number of rooms*, and a count of rows that each say how many `rooms` they have: the sum."""
    said, view = draft.said, draft.outermost
    if said is None or not said.totalled or view is None or view.open or any(draft.wrong(*ERRORS)):
        return False
    counts = [one for one in view.select.find_all(exp.Count) if not isinstance(one.this, exp.Distinct)]
    found = draft.called(view, said.totalled)
    if len(counts) != 1 or len(found) != 1 or draft.tree.find(exp.Sum):
        return False
    (source, column), entry = found[0], found[0][0].entry
    if entry is None or column not in entry.columns or not is_number(entry.columns[column]):
        return False
    if entry.names_rows(column, draft.grammar):
        return False
    draft.put(counts[0], exp.Sum(this=draft.column_in(view, source, column)))
    return True


def said_measure(draft: Draft) -> bool:
    """*The average ranking*, and `AVG(ranking_points)`, of which nobody said the points: `AVG(ranking)`."""
    said = draft.said
    if said is None or not said.text.isascii() or any(draft.wrong(*ERRORS)):
        return False
    done = False
    for view, column in list(draft.views.every()):
        folded = column.parent
        if not isinstance(folded, (exp.Avg, exp.Sum)):
            continue
        measured = said.averaged if isinstance(folded, exp.Avg) else said.totalled
        origin, owner = draft.origin(view, column), draft.views.owner(view, column)
        if origin is None or owner is None:
            continue
        table, name = origin[0].table.name, set(words(origin[1].name))
        meant = [one for of, one in measured if of == table and set(words(one)) < name]
        if len(meant) == 1 and not name - set(words(meant[0])) & set(words(said.text)):
            draft.put(column, draft.column_in(view, owner, draft.grammar.columns.key(meant[0], True)))
            done = True
    return done
