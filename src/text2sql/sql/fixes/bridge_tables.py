"""Joins that skip a table: `booking.apartment_id = building.id`, where `apartment` links the two."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.joins import join_condition, join_sides, shortest_path
from text2sql.sql.schema_index import Link, TableEntry, have_different_types
from text2sql.sql.scope import Scope, Source


def bridge(context: FixContext) -> bool:
    """Add the tables between two joined tables that no foreign key links directly."""
    return any(
        _add_bridge(context, scope, source)
        for scope in list(context.scopes)
        if not scope.open and not scope.merged
        for source in list(scope.sources.values())
    )


def _add_bridge(context: FixContext, scope: Scope, source: Source) -> bool:
    join = source.join
    sides = join_sides(context, scope, join) if join is not None else None
    if sides is None or join is None:
        return False
    near, far = sides
    path = _path(context, scope, near, far)
    if path is None:
        return False
    bridge_joins, previous_table = [], near[0].name
    for link in path[:-1]:
        table = context.table(link.there)
        bridge_joins.append(
            exp.Join(this=table, on=join_condition(context, link, previous_table, table.this))
        )
        previous_table = table.this
    index = next(index for index, other in enumerate(scope.joins) if other is join)
    join.set("on", join_condition(context, path[-1], previous_table, far[0].name))
    scope.select.set("joins", [*scope.joins[:index], *bridge_joins, *scope.joins[index:]])
    context.invalidate()
    return True


def _path(
    context: FixContext, scope: Scope, near: tuple[Source, str], far: tuple[Source, str]
) -> list[Link] | None:
    """The only path over tables that the query does not use.

    Over one table, it must start or end at the columns of the join; a longer path is taken only if the
    columns of the join do not exist.
    """
    (source, left), (target, right) = near, far
    here, there = source.entry, target.entry
    if here is None or there is None or here is there or context.schema.links(here, there):
        return None
    if left in here.hidden or right in there.hidden:
        return None
    used = [other.entry for other in scope.sources.values()]
    paths = _over_one_table(context, here, there, used)
    exists = (left in here.columns, right in there.columns)
    if not paths and not all(exists):
        path = shortest_path([(source, here)], [there])
        is_new = path is not None and all(link.there is not entry for link in path[1][:-1] for entry in used)
        return path[1] if path is not None and is_new else None
    if len(paths) != 1:
        return None
    first, last = paths[0]
    if all(exists) and have_different_types(here.columns[left], there.columns[right]):
        return [first, last]
    starts_there = first.columns == (left,) or not exists[0]
    ends_there = last.referred == (right,) or not exists[1]
    return [first, last] if starts_there and ends_there and any(exists) else None


def _over_one_table(
    context: FixContext, here: TableEntry, there: TableEntry, used: list[TableEntry | None]
) -> list[tuple[Link, Link]]:
    """The paths over one table. Many-to-one followed by one-to-many does not count: such rows only share a
    parent.
    """
    return [
        (first, last)
        for first in here.links
        if all(first.there is not entry for entry in used)
        for last in context.schema.links(first.there, there)
        if not (first.forward and not last.forward)
    ]
