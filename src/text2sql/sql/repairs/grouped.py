"""What is shown of a group: the columns that it is grouped by, its key, the rows of the largest one."""

from sqlglot import exp

from text2sql.sql.repairs.draft import ERRORS, Draft
from text2sql.sql.repairs.entities import is_name
from text2sql.sql.repairs.groups import own_aggregate
from text2sql.sql.repairs.joins import add_joins, conditions, conjuncts, filter_by, has_bare_star
from text2sql.sql.repairs.known import Entry, folded
from text2sql.sql.repairs.views import Source, View


def group_shown(draft: Draft) -> bool:
    """`SELECT rank, COUNT(*) … GROUP BY rank, sex`: rows that nobody could tell apart without the sex."""
    view = draft.outermost
    columns = _grouped(view)
    if view is None or len(columns) < 2 or any(draft.wrong(*ERRORS)):
        return False
    items = [one.unalias() for one in view.select.expressions]
    shown = [one for one in items if isinstance(one, exp.Column)]
    counted = [one for one in items if isinstance(one, exp.AggFunc)]
    missing = [one for one in columns if one not in shown]
    if not counted or len(counted) + len(shown) != len(items) or len(missing) != 1:
        return False
    source = draft.views.owner(view, missing[0])
    if source is None or any(draft.views.owner(view, one) is not source for one in columns):
        return False
    entry, keys = source.entry, [draft.key(one) for one in columns]
    if entry is None or any(entry.names_rows(one, draft.grammar) for one in keys):
        return False
    view.select.set("expressions", [*columns, *counted])
    draft.changed()
    return True


def group_key(draft: Draft) -> bool:
    """`SELECT course_id, COUNT(*) … GROUP BY subject_id`: which of its courses? The subject."""
    view = draft.outermost
    columns = _grouped(view)
    if view is None or len(columns) != 1 or any(draft.wrong(*ERRORS)):
        return False
    items = [one.unalias() for one in view.select.expressions]
    if columns[0] in items or not any(isinstance(one, exp.AggFunc) for one in items):
        return False
    loose = [
        one for one in items if isinstance(one, exp.Column) and _is_another_key(draft, view, one, columns[0])
    ]
    if len(loose) != 1 or not _is_key(draft, view, columns[0]):
        return False
    draft.put(loose[0], columns[0].copy())
    return True


def _grouped(view: View | None) -> list[exp.Column]:
    """The columns of a GROUP BY that has nothing else."""
    group = view.select.args.get("group") if view is not None and not view.open else None
    if group is None or any(held for name, held in group.args.items() if name != "expressions"):
        return []
    found = [one for one in group.expressions if isinstance(one, exp.Column)]
    return found if len(found) == len(group.expressions) else []


def _is_key(draft: Draft, view: View, column: exp.Column) -> bool:
    owner = draft.views.owner(view, column)
    return (
        owner is not None
        and owner.entry is not None
        and owner.entry.names_rows(draft.key(column), draft.grammar)
    )


def _is_another_key(draft: Draft, view: View, column: exp.Column, group: exp.Column) -> bool:
    """The key of the very table that is grouped by another column: every group has many of it."""
    owner, other = draft.views.owner(view, column), draft.views.owner(view, group)
    if owner is None or owner is not other or owner.entry is None:
        return False
    return owner.entry.is_key([draft.key(column)], draft.grammar)


def most_common(draft: Draft) -> bool:
    """`SELECT name FROM t GROUP BY method ORDER BY COUNT(*) DESC LIMIT 1` names one of those who use the most
    common method; all of them were asked for.
    """
    view = draft.outermost
    columns = _grouped(view)
    if view is None or len(columns) != 1 or len(view.sources) != 1 or any(draft.wrong(*ERRORS)):
        return False
    select, items = view.select, view.select.expressions
    (source,) = view.sources.values()
    plain = all(isinstance(one, exp.Column) and draft.key(one) != draft.key(columns[0]) for one in items)
    if not plain or not _counts_one(select) or _decides(draft, source, columns[0]):
        return False
    if any(select.args.get(one) for one in ("having", "distinct", "with_", "offset", "windows", "qualify")):
        return False
    inner = select.copy()
    inner.set("expressions", [columns[0].copy()])
    for clause in ("group", "order", "limit"):
        select.set(clause, None)
    most = exp.EQ(this=columns[0].copy(), expression=exp.Subquery(this=inner))
    filter_by(view, [*conditions(view), most])
    draft.changed()
    return True


def _counts_one(select: exp.Select) -> bool:
    """`ORDER BY COUNT(…) LIMIT 1`"""
    order, limit = select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or len(order.expressions) != 1:
        return False
    return isinstance(order.expressions[0].this, exp.Count) and limit.expression.name == "1"


def _decides(draft: Draft, source: Source, column: exp.Column) -> bool:
    """Whether one value of it means one row."""
    return source.entry is None or source.entry.is_key([draft.key(column)], draft.grammar)


def counted_rows(draft: Draft) -> bool:
    """*The number of members of each party*, and `FROM party GROUP BY id`, where each group is one row: its
    members are counted, which the question names or which alone refer to a party. Two parties may have one
    name: grouped by that, they are counted unless the question names its members.
    """
    view, said = draft.outermost, draft.said
    columns = _grouped(view)
    if said is None or view is None or len(view.sources) != 1 or not columns or any(draft.wrong(*ERRORS)):
        return False
    (source,) = view.sources.values()
    if source.entry is None or has_bare_star(view):
        return False
    keys = [draft.key(one) for one in columns]
    by_key = source.entry.is_key(keys, draft.grammar)
    if not by_key and not any(is_name(source.entry, key) for key in keys):
        return False
    counts = [one for one in view.select.find_all(exp.Count) if _is_of_rows(draft, one, source.entry)]
    if not counts or len(counts) != len(list(view.select.find_all(exp.AggFunc))):
        return False
    links = [one for one in source.entry.links if not one.forward and len(one.columns) == 1]
    own = said.touched.get(source.entry.name, frozenset())
    words = {one.there.name: said.touched.get(one.there.name, frozenset()) - own for one in links}
    named = [one for one in links if words[one.there.name]]
    named = [one for one in named if folded(one.there.name) in map(folded, words[one.there.name])] or named
    chosen = named or (links if by_key else [])
    if len(chosen) != 1:
        return False
    for one in counts:
        one.set("this", exp.Star())
    add_joins(draft, view, source, chosen)
    draft.changed()
    return True


def _is_of_rows(draft: Draft, count: exp.Count, entry: Entry) -> bool:
    """`COUNT(*)`, or of a key."""
    held = count.this
    return isinstance(held, exp.Star) or (
        isinstance(held, exp.Column) and entry.names_rows(draft.key(held), draft.grammar)
    )


def row_in_having(draft: Draft) -> bool:
    """`HAVING COUNT(*) > 2 AND kind = 'a'`, where a group has several kinds: which rows count."""
    done = False
    for view in list(draft.views.all):
        having, group = view.select.args.get("having"), view.select.args.get("group")
        if having is None or group is None or view.open:
            continue
        parts = conjuncts(having.this)
        moved = [
            one for one in parts if not own_aggregate(view, one) and _sorts_rows(draft, view, one, group)
        ]
        if not moved:
            continue
        kept = [one.copy() for one in parts if not any(one is other for other in moved)]
        view.select.set("having", exp.Having(this=exp.and_(*kept, copy=False)) if kept else None)
        filter_by(view, [*conditions(view), *moved])
        draft.changed()
        done = True
    return done


def _sorts_rows(draft: Draft, view: View, part: exp.Expr, group: exp.Group) -> bool:
    """Columns of sources, compared with literals, that the groups are not by."""
    columns = list(part.find_all(exp.Column))
    if not columns or part.find(exp.Query) or any(draft.key(one) in view.aliases for one in columns):
        return False
    grouped = {draft.key(one) for one in group.find_all(exp.Column)}
    return all(
        draft.views.owner(view, one) in view.sources.values() and draft.key(one) not in grouped
        for one in columns
    )
