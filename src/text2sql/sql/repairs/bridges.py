"""Rows matched by columns that say different things: `booking.apartment_id = building.id` skips a table, and
`id NOT IN (SELECT dorm_id …)` takes the wrong key of it.
"""

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft, Fault
from text2sql.sql.repairs.joins import equal, shortest_path, tied
from text2sql.sql.repairs.known import Entry, Link, of_two_kinds
from text2sql.sql.repairs.views import Source, View
from text2sql.sql.scope import again


def bridge(draft: Draft) -> bool:
    """A join of two tables that only others link, on the ends of that way: the others come between."""
    return any(
        _bridged(draft, view, source)
        for view in list(draft.views.all)
        if not view.open and not view.merged
        for source in list(view.sources.values())
    )


def _bridged(draft: Draft, view: View, source: Source) -> bool:
    join = source.join
    sides = tied(draft, view, join) if join is not None else None
    if sides is None or join is None:
        return False
    (near, left), (far, right) = sides
    way = _way(draft, view, (near, left), (far, right))
    if way is None:
        return False
    between, before = [], near.name
    for link in way[:-1]:
        table = draft.table(link.there)
        between.append(exp.Join(this=table, on=equal(draft, link, before, table.this)))
        before = table.this
    at = next(number for number, one in enumerate(view.joins) if one is join)
    join.set("on", equal(draft, way[-1], before, far.name))
    view.select.set("joins", [*view.joins[:at], *between, *view.joins[at:]])
    draft.changed()
    return True


def _way(draft: Draft, view: View, near: tuple[Source, str], far: tuple[Source, str]) -> list[Link] | None:
    """The one way over tables that the query does not have: over one, if it begins or ends where the join
    does, at both of its columns or at the one that there is; over several, if the join cannot be made.
    """
    (source, left), (target, right) = near, far
    one, other = source.entry, target.entry
    if one is None or other is None:
        return None
    if one is other or draft.known.links(one, other) or left in one.hidden or right in other.hidden:
        return None
    there = [held.entry for held in view.sources.values()]
    ways = [
        (to, on)
        for to in one.links
        if all(to.there is not entry for entry in there)
        for on in draft.known.links(to.there, other)
        if not (to.forward and not on.forward)  # two rows that only share a third
    ]
    if not ways and not (left in one.columns and right in other.columns):
        path = shortest_path([(source, one)], [other])
        new = path is not None and all(link.there is not entry for link in path[1][:-1] for entry in there)
        return path[1] if path is not None and new else None
    if len(ways) != 1:
        return None
    to, on = ways[0]
    if (
        left in one.columns
        and right in other.columns
        and of_two_kinds(one.columns[left], other.columns[right])
    ):
        return [to, on]
    ends = [
        to.columns == (left,) or left not in one.columns,
        on.referred == (right,) or right not in other.columns,
    ]
    return [to, on] if all(ends) and (left in one.columns or right in other.columns) else None


def other_table(draft: Draft) -> bool:
    """`JOIN broadcast AS b … b.share`: all that is said of `b` is in one other table, linked to the same."""
    for wrong in draft.wrong(Fault.ABSENT):
        source, view = wrong.source, wrong.at
        partner = _partner(draft, view, source) if source is not None else None
        if source is None or source.join is None or partner is None or view.open or view.merged:
            continue
        on = {id(one) for one in source.join.args["on"].find_all(exp.Column)}
        said = _columns_of(draft, source)
        keys = {draft.key(one) for one in said if id(one) not in on}
        with_on = {draft.key(one) for one in said}
        there = [held.entry for held in view.sources.values()]
        found = [
            link
            for link in partner[1].links
            if all(link.there is not one for one in there)
            and keys <= set(link.there.columns)
            and (len(keys) > 1 or with_on <= set(link.there.columns))
        ]
        if len(found) == 1:
            table = draft.table(found[0].there)
            table.set("alias", exp.TableAlias(this=again(source.name)))
            source.join.set("on", equal(draft, found[0], partner[0].name, source.name))
            draft.put(source.node, table)
            return True
    return False


def _columns_of(draft: Draft, source: Source) -> list[exp.Column]:
    return [
        column
        for _, column in draft.views.every()
        if column.args.get("table") and draft.names.alias(column.args["table"]) == source.key
    ]


def _partner(draft: Draft, view: View, source: Source) -> tuple[Source, Entry] | None:
    """The one table that it is joined to, by one plain condition."""
    sides = tied(draft, view, source.join) if source.join is not None else None
    other = sides[0][0] if sides is not None else None
    return (other, other.entry) if other is not None and other.entry is not None else None


def key_of_list(draft: Draft) -> bool:
    """`student.id NOT IN (SELECT dorm_id FROM lives_in)`, where it is `student_id` that names a student."""
    done = False
    for view in list(draft.views.all):
        for column, chosen, inner in _matched(draft, view):
            done = _on_the_link(draft, (view, column), (inner, chosen)) or done
    return done


def _matched(draft: Draft, view: View) -> list[tuple[exp.Column, exp.Column, View]]:
    """`column IN (SELECT chosen …)` and `column = (SELECT chosen …)` of one SELECT."""
    found = []
    for inner in draft.views.all:
        held, around = inner.select, inner.select.parent
        test = around.parent if isinstance(around, exp.Subquery) else around
        if inner.parent is not view or not isinstance(test, (exp.In, exp.EQ, exp.NEQ)):
            continue
        column, items = test.this, held.expressions
        if isinstance(column, exp.Column) and len(items) == 1 and isinstance(items[0], exp.Column):
            found.append((column, items[0], inner))
    return found


def _on_the_link(draft: Draft, outer: tuple[View, exp.Column], inner: tuple[View, exp.Column]) -> bool:
    (one, left), (other, right) = _owned(draft, *outer), _owned(draft, *inner)
    if one is None or other is None or one.entry is None or other.entry is None or one.entry is other.entry:
        return False
    links = draft.known.links(one.entry, other.entry)
    if len(links) != 1 or len(links[0].columns) != 1 or _names_alike((one.entry, left), (other.entry, right)):
        return False
    (mine,), (theirs,) = links[0].columns, links[0].referred
    if left == mine and right != theirs and _is_a_key(draft, other.entry, right):
        inner[1].set("this", draft.column(other, theirs).this)
    elif right == theirs and left != mine and _is_a_key(draft, one.entry, left):
        outer[1].set("this", draft.column(one, mine).this)
    else:
        return False
    draft.changed()
    return True


def _owned(draft: Draft, view: View, column: exp.Column) -> tuple[Source | None, str]:
    """Of a column that nobody has, the only source that it can be meant of."""
    owner = draft.views.owner(view, column)
    if owner is None and len(view.sources) == 1 and not view.open and draft.fault(view, column):
        owner = next(iter(view.sources.values()))
    return owner, draft.key(column)


def _is_a_key(draft: Draft, entry: Entry, key: str) -> bool:
    """Of this row or of another: what it says is known, and it is something else. So is what is not there."""
    if key not in entry.columns:
        return key not in entry.hidden
    return entry.names_rows(key, draft.grammar)


def _names_alike(one: tuple[Entry, str], other: tuple[Entry, str]) -> bool:
    """Both name rows of one table, or the one names the other's: they may be compared."""
    return bool(_named(*one) & _named(*other))


def _named(entry: Entry, key: str) -> set[tuple[int, str]]:
    named = {
        (id(link.there), link.referred[0]) for link in entry.links if link.forward and link.columns == (key,)
    }
    return named | {(id(entry), key)}
