"""Rows matched by columns that say different things: `booking.apartment_id = building.id` skips a table, and
`id NOT IN (SELECT dorm_id …)` takes the wrong key of it.
"""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import Fault, FixContext
from text2sql.sql.fixes.joins import equal, shortest_path, tied
from text2sql.sql.schema_index import Entry, Link, have_different_types
from text2sql.sql.scope import Scope, Source, copy_identifier


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


def other_table(context: FixContext) -> bool:
    """`JOIN broadcast AS b … b.share`: all that is said of `b` is in one other table, linked to the same."""
    for wrong in context.faulty_columns(Fault.ABSENT):
        source, scope = wrong.source, wrong.expected_scope
        partner = _partner(context, scope, source) if source is not None else None
        if source is None or source.join is None or partner is None or scope.open or scope.merged:
            continue
        on = {id(one) for one in source.join.args["on"].find_all(exp.Column)}
        said = _columns_of(context, source)
        keys = {context.key(one) for one in said if id(one) not in on}
        with_on = {context.key(one) for one in said}
        there = [held.entry for held in scope.sources.values()]
        found = [
            link
            for link in partner[1].links
            if all(link.there is not one for one in there)
            and keys <= set(link.there.columns)
            and (len(keys) > 1 or with_on <= set(link.there.columns))
        ]
        if len(found) == 1:
            table = context.table(found[0].there)
            table.set("alias", exp.TableAlias(this=copy_identifier(source.name)))
            source.join.set("on", equal(context, found[0], partner[0].name, source.name))
            context.replace(source.node, table)
            return True
    return False


def _columns_of(context: FixContext, source: Source) -> list[exp.Column]:
    return [
        column
        for _, column in context.columns()
        if column.args.get("table") and context.names.alias(column.args["table"]) == source.key
    ]


def _partner(context: FixContext, scope: Scope, source: Source) -> tuple[Source, Entry] | None:
    """The one table that it is joined to, by one plain condition."""
    sides = tied(context, scope, source.join) if source.join is not None else None
    other = sides[0][0] if sides is not None else None
    return (other, other.entry) if other is not None and other.entry is not None else None


def key_of_list(context: FixContext) -> bool:
    """`student.id NOT IN (SELECT dorm_id FROM lives_in)`, where it is `student_id` that names a student."""
    done = False
    for scope in list(context.scopes):
        for column, chosen, inner in _matched(context, scope):
            done = _on_the_link(context, (scope, column), (inner, chosen)) or done
    return done


def _matched(context: FixContext, scope: Scope) -> list[tuple[exp.Column, exp.Column, Scope]]:
    """`column IN (SELECT chosen …)` and `column = (SELECT chosen …)` of one SELECT."""
    found = []
    for inner in context.scopes:
        held, around = inner.select, inner.select.parent
        test = around.parent if isinstance(around, exp.Subquery) else around
        if inner.enclosing_select is not scope or not isinstance(test, (exp.In, exp.EQ, exp.NEQ)):
            continue
        column, items = test.this, held.expressions
        if isinstance(column, exp.Column) and len(items) == 1 and isinstance(items[0], exp.Column):
            found.append((column, items[0], inner))
    return found


def _on_the_link(
    context: FixContext, outer: tuple[Scope, exp.Column], inner: tuple[Scope, exp.Column]
) -> bool:
    (one, left), (other, right) = _owned(context, *outer), _owned(context, *inner)
    if one is None or other is None or one.entry is None or other.entry is None or one.entry is other.entry:
        return False
    links = context.schema.links(one.entry, other.entry)
    if len(links) != 1 or len(links[0].columns) != 1 or _names_alike((one.entry, left), (other.entry, right)):
        return False
    (mine,), (theirs,) = links[0].columns, links[0].referred
    if left == mine and right != theirs and _is_a_key(context, other.entry, right):
        inner[1].set("this", context.column(other, theirs).this)
    elif right == theirs and left != mine and _is_a_key(context, one.entry, left):
        outer[1].set("this", context.column(one, mine).this)
    else:
        return False
    context.invalidate()
    return True


def _owned(context: FixContext, scope: Scope, column: exp.Column) -> tuple[Source | None, str]:
    """Of a column that nobody has, the only source that it can be meant of."""
    owner = context.owner(scope, column)
    if owner is None and len(scope.sources) == 1 and not scope.open and context.fault(scope, column):
        owner = next(iter(scope.sources.values()))
    return owner, context.key(column)


def _is_a_key(context: FixContext, entry: Entry, key: str) -> bool:
    """Of this row or of another: what it says is known, and it is something else. So is what is not there."""
    if key not in entry.columns:
        return key not in entry.hidden
    return entry.names_rows(key, context.grammar)


def _names_alike(one: tuple[Entry, str], other: tuple[Entry, str]) -> bool:
    """Both name rows of one table, or the one names the other's: they may be compared."""
    return bool(_named(*one) & _named(*other))


def _named(entry: Entry, key: str) -> set[tuple[int, str]]:
    named = {
        (id(link.there), link.referred[0]) for link in entry.links if link.forward and link.columns == (key,)
    }
    return named | {(id(entry), key)}
