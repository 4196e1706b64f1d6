"""Columns that say yes or no: *covered services*, and no condition on `is_covered`."""

from sqlglot import exp

from text2sql.sql.repairs.asked import is_used, joined
from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.joins import conditions, filter_by
from text2sql.sql.repairs.known import Entry, is_number
from text2sql.sql.repairs.views import Source, View

_SAYS_SO = ("is", "has")  # how a name begins, if a number tells


def asked_flag(draft: Draft) -> bool:
    """*Clinics where laser is a covered service*: of the services those that are. What the question denies is
    denied of the list that the query leaves out; where it leaves out none, nobody knows of what.
    """
    said = draft.said
    if said is None or any(draft.wrong(*ERRORS)):
        return False
    done = False
    for table, column in said.words:
        key = draft.grammar.columns.key(column, True)
        entry = next((one for one in draft.known.entries() if one.name == table), None)
        true = _true(draft, entry, key) if entry is not None else None
        if true is None or is_used(draft, entry, key):
            continue
        places = _places(draft, table)
        if not places and said.denial is None and table in said.things and _joined(draft, table):
            places = _places(draft, table)
        if len({id(view) for view, _ in places}) < len(places):
            continue  # which of two rows is it said of?
        for view, source in places:
            if said.denial is None or _is_left_out(view):
                condition = exp.EQ(this=draft.column_in(view, source, key), expression=true.copy())
                filter_by(view, [*conditions(view), condition])
                draft.changed()
                done = True
    return done


def _places(draft: Draft, table: str) -> list[tuple[View, Source]]:
    return [
        (view, source)
        for view in draft.views.all
        for source in view.sources.values()
        if source.entry is not None and source.entry.name == table and not view.open
    ]


def _joined(draft: Draft, table: str) -> bool:
    """*More than two approved medicines*, counted by the keys that name them."""
    view = draft.outermost
    return view is not None and not view.open and joined(draft, view, table)


def _is_left_out(view: View) -> bool:
    """By NOT IN, NOT EXISTS, or EXCEPT."""
    around = view.select.find_ancestor(exp.Not, exp.SetOperation)
    return isinstance(around, exp.Not) or (
        isinstance(around, exp.Except) and view.select in around.expression.find_all(exp.Select)
    )


def _true(draft: Draft, entry: Entry, key: str) -> exp.Expr | None:
    """What the column holds where it is so; None of a column that says something else."""
    domains = draft.domains
    if key not in entry.columns:
        return None
    column = entry.columns[key]
    if domains is not None:
        yes, no = (domains.spelled(entry.name, column.name, one) for one in ("yes", "no"))
        if yes and no:
            return exp.Literal.string(yes)
    return exp.Literal.number(1) if is_number(column) and _says_so(column.name) else None


def _says_so(name: str) -> bool:
    """`is_covered`, `IsCovered`; an `island` is none."""
    rest = next((name[len(one) :] for one in _SAYS_SO if name.casefold().startswith(one)), "")
    return rest[:1] == "_" or rest[:1].isupper()
