"""What the question says in so many words and the query does not: *different*, *each*, a value."""

import re

from sqlglot import exp

from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.joins import add_joins, conditions, filter_by, has_bare_star, referring
from text2sql.sql.repairs.known import Entry
from text2sql.sql.repairs.values import comparisons
from text2sql.sql.repairs.views import View
from text2sql.types import Said, ValueHit


def said_value(draft: Draft) -> bool:
    """*Violence incidents*, and `kind = 'NOISE'`, which nobody said: the value of that column that was said.
    *Those in France*, and `place = 'Lyon, France'`: whatever has that part.
    """
    said = draft.said
    done = False
    for view, node, column, literals in list(comparisons(draft.views)) if said is not None else ():
        origin, written = draft.origin(view, column), literals[0].this
        if (
            said is None
            or origin is None
            or not isinstance(node, (exp.EQ, exp.Like))
            or is_said(said, written)
        ):
            continue
        place = (origin[0].name, origin[1].name)
        denied = said.denial.values if said.denial is not None else ()
        values = {hit.value for hit in said.heard if (hit.table, hit.column) == place and hit not in denied}
        part = _part_said(said, written)
        if len(values - _texts(draft)) == 1:
            draft.put(literals[0], exp.Literal.string((values - _texts(draft)).pop()))
        elif not values and part:
            draft.put(node, exp.Like(this=column.copy(), expression=exp.Literal.string(f"%{part}%")))
        else:
            continue
        done = True
    return done


def is_said(said: Said, value: str) -> bool:
    """In so many words, or as another word for it."""
    return bool(heard(said, value)) or any(hit.value == value for hit in said.heard)


def heard(said: Said, text: str) -> list[tuple[int, int]]:
    """Where the question has it, as whole words."""
    how = rf"(?<![a-z0-9]){re.escape(text.casefold())}(?![a-z0-9])"
    return [found.span() for found in re.finditer(how, said.text)]


def _part_said(said: Said, value: str) -> str:
    """The one part, between commas or brackets, that the question says."""
    parts = [one.strip() for one in re.split(r"[,;()/–—]", value)]
    found = [one for one in parts if len(one) > 2 and heard(said, one)]
    return found[0] if len(found) == 1 and len(parts) > 1 and not set(found[0]) & set("%_\\") else ""


def _texts(draft: Draft) -> set[str]:
    return {one.this for one in draft.tree.find_all(exp.Literal) if one.is_string}


_UNITS = {
    "万": 10**4, "十万": 10**5, "百万": 10**6, "千万": 10**7, "亿": 10**8, "十亿": 10**9, "百亿": 10**10,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_LARGE = re.compile(r"(\d+(?:\.\d+)?)\s*(十亿|百亿|十万|百万|千万|万|亿|thousand|million|billion|trillion)")
_IN_UNITS = re.compile(r"(?i)thousand|million|billion|trillion|[万亿]")


def said_number(draft: Draft) -> bool:
    """*Over 20 million*, 超过2000万, and a number with a nought too many: as it was said."""
    said = draft.said
    large = [(float(number), _UNITS[unit]) for number, unit in _LARGE.findall(said.text)] if said else []
    done = False
    for number, unit in large:
        meant = round(number * unit)
        held = [one for one in draft.tree.find_all(exp.Literal) if not one.is_string and one.is_int]
        if any(int(one.this) == meant for one in held):
            continue
        slips = [one for one in held if _differs_in_noughts(int(one.this), meant) and _is_counted_out(one)]
        if len(slips) == 1:
            draft.put(slips[0], exp.Literal.number(str(meant)))
            done = True
    return done


def _differs_in_noughts(one: int, other: int) -> bool:
    digits = {str(abs(number)).rstrip("0") for number in (one, other)}
    return len(digits) == 1 and min(one, other) >= 1000


def _is_counted_out(literal: exp.Literal) -> bool:
    """Compared with a column that does not itself count in millions."""
    column = literal.parent.this if literal.parent is not None else None
    return isinstance(column, exp.Column) and not _IN_UNITS.search(column.name)


def asked_value(draft: Draft) -> bool:
    """*Banking companies with …*, and no condition on the one column in sight where `Banking` stands."""
    said, view = draft.said, draft.outermost
    if said is None or view is None or view.open or any(draft.wrong(*ERRORS)):
        return False
    texts = [one.this.casefold() for one in draft.tree.find_all(exp.Literal) if one.is_string]
    done = False
    for hit in said.values:
        view = draft.outermost
        if view is None or (said.denial and (hit in said.denial.values or not _is_shown(view, hit))):
            continue
        if any(hit.value.casefold() in text or hit.said.casefold() in text for text in texts):
            continue
        done = _filtered(draft, view, hit) or done
    if done:
        _forget_numbers(draft, said)
    return done


def _forget_numbers(draft: Draft, said: Said) -> None:
    """`student_id = 100` for a student who was called by a name: the number is made up."""
    view = draft.outermost
    if view is None:
        return
    parts = conditions(view)
    kept = [one for one in parts if not _is_made_up(draft, view, one, said)]
    if 0 < len(kept) < len(parts):
        filter_by(view, kept)
        draft.changed()


def _is_made_up(draft: Draft, view: View, part: exp.Expr, said: Said) -> bool:
    column, number = part.this, part.args.get("expression")
    if not isinstance(part, exp.EQ) or not isinstance(column, exp.Column):
        return False
    if not isinstance(number, exp.Literal) or number.is_string or is_said(said, number.this):
        return False
    owner, key = draft.views.owner(view, column), draft.key(column)
    if owner is None or owner.entry is None:
        return False
    return owner.entry.names_rows(key, draft.grammar)


def _is_shown(view: View, hit: ValueHit) -> bool:
    """Of the only table of FROM, or of the first: what is denied is said of what is joined to it."""
    first = next(iter(view.sources.values()), None)
    return first is not None and first.entry is not None and first.entry.name == hit.table


def _filtered(draft: Draft, view: View, hit: ValueHit) -> bool:
    key = draft.grammar.columns.key(hit.column, True)
    found = [one for one in view.sources.values() if one.entry is not None and one.entry.name == hit.table]
    if not found and joined(draft, view, hit.table):
        wider = draft.outermost
        return wider is not None and _filtered(draft, wider, hit)
    if len(found) != 1 or key not in found[0].shape.columns or is_used(draft, found[0].entry, key):
        return False
    if _is_asked_inside(draft, view, hit.table):
        return False
    column = draft.column_in(view, found[0], key)
    condition = exp.EQ(this=column, expression=exp.Literal.string(hit.value))
    filter_by(view, [*conditions(view), condition])
    draft.changed()
    return True


def _is_asked_inside(draft: Draft, view: View, table: str) -> bool:
    """Whether a sub-query has a condition on that table too: the value may be said of those rows."""
    return any(
        conditions(inner) and any(one.entry and one.entry.name == table for one in inner.sources.values())
        for inner in draft.views.all
        if inner is not view
    )


def joined(draft: Draft, view: View, table: str) -> bool:
    """The table of a value, if one source refers to it: `departments` for the Shipping of employees."""
    ways = referring(view, table)
    if len(ways) != 1 or has_bare_star(view) or draft.tree.find(exp.SetOperation):
        return False
    source, link = ways[0]
    add_joins(draft, view, source, [link])
    draft.changed()
    return True


def is_used(draft: Draft, entry: Entry | None, key: str) -> bool:
    """Whether the query says anything of that column: then what it leaves out, it leaves out knowingly."""
    owners = ((draft.views.owner(view, column), column) for view, column in draft.views.every())
    return any(
        owner is not None and owner.entry is entry and draft.key(column) == key for owner, column in owners
    )


def asked_each(draft: Draft) -> bool:
    """*The total of each city*, and one total of all of them: by city."""
    view, said = draft.outermost, draft.said
    if said is None or not said.each or view is None or view.open or view.select.args.get("group"):
        return False
    items = [one.unalias() for one in view.select.expressions]
    if not items or not all(isinstance(one, exp.AggFunc) for one in items) or any(draft.wrong(*ERRORS)):
        return False
    found = draft.called(view, said.each)
    if len(found) != 1:
        return False
    source, key = found[0]
    if key not in source.shape.columns or is_used(draft, source.entry, key):
        return False
    column = draft.column_in(view, source, key)
    view.select.set("expressions", [column, *view.select.expressions])
    view.select.set("group", exp.Group(expressions=[column.copy()]))
    draft.changed()
    return True


def asked_distinct(draft: Draft) -> bool:
    """*The different names of …*, *how many different cities …*"""
    view = draft.outermost
    if draft.said is None or not draft.said.different or view is None:
        return False
    select = view.select
    if select.args.get("distinct") or select.args.get("limit"):
        return False
    if select.args.get("group"):
        return _each_once(draft, view)
    items = [one.unalias() for one in select.expressions]
    if all(isinstance(one, exp.Column) and not one.is_star for one in items):
        select.set("distinct", exp.Distinct())
    elif len(items) == 1 and isinstance(items[0], exp.Count) and isinstance(items[0].this, exp.Column):
        items[0].set("this", exp.Distinct(expressions=[items[0].this]))
    else:
        return False
    draft.changed()
    return True


def _each_once(draft: Draft, view: View) -> bool:
    """*The number of different rooms* of each group: those counts of the column that is called so."""
    said = draft.said
    if said is None:
        return False
    names = {name for _, name in said.distinct}
    counts = [one for one in view.select.find_all(exp.Count) if isinstance(one.this, exp.Column)]
    found = [one for one in counts if one.this.name in names]
    for one in found:
        one.set("this", exp.Distinct(expressions=[one.this.copy()]))
        draft.changed()
    return bool(found)
