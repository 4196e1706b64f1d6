"""Rows matched by columns that say different things: `booking.apartment_id = building.id` skips a table, and
`id NOT IN (SELECT dorm_id …)` takes the wrong key of it.
"""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.joins import equal, shortest_path, tied
from text2sql.sql.schema_index import Link, have_different_types
from text2sql.sql.scope import Scope, Source


def bridge(context: FixContext) -> bool:
    """A join of two tables that only others link, on the ends of that way: the others come between."""
    return any(
        _bridged(context, scope, source)
        for scope in list(context.scopes)
        if not scope.open and not scope.merged
        for source in list(scope.sources.values())
    )


def _bridged(context: FixContext, scope: Scope, source: Source) -> bool:
    join = source.join
    sides = tied(context, scope, join) if join is not None else None
    if sides is None or join is None:
        return False
    (near, left), (far, right) = sides
    way = _way(context, scope, (near, left), (far, right))
    if way is None:
        return False
    between, before = [], near.name
    for link in way[:-1]:
        table = context.table(link.there)
        between.append(exp.Join(this=table, on=equal(context, link, before, table.this)))
        before = table.this
    at = next(number for number, one in enumerate(scope.joins) if one is join)
    join.set("on", equal(context, way[-1], before, far.name))
    scope.select.set("joins", [*scope.joins[:at], *between, *scope.joins[at:]])
    context.invalidate()
    return True


def _way(
    context: FixContext, scope: Scope, near: tuple[Source, str], far: tuple[Source, str]
) -> list[Link] | None:
    """The one way over tables that the query does not have: over one, if it begins or ends where the join
    does, at both of its columns or at the one that there is; over several, if the join cannot be made.
    """
    (source, left), (target, right) = near, far
    one, other = source.entry, target.entry
    if one is None or other is None:
        return None
    if one is other or context.schema.links(one, other) or left in one.hidden or right in other.hidden:
        return None
    there = [held.entry for held in scope.sources.values()]
    ways = [
        (to, on)
        for to in one.links
        if all(to.there is not entry for entry in there)
        for on in context.schema.links(to.there, other)
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
        and have_different_types(one.columns[left], other.columns[right])
    ):
        return [to, on]
    ends = [
        to.columns == (left,) or left not in one.columns,
        on.referred == (right,) or right not in other.columns,
    ]
    return [to, on] if all(ends) and (left in one.columns or right in other.columns) else None
