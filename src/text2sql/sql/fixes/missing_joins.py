"""Joins against the foreign keys: one on the wrong columns, one that is missing."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.fixes.joins import add_joins, conjuncts, has_bare_star, shortest_path, sides_of
from text2sql.sql.schema_index import Entry, Link, have_different_types
from text2sql.sql.scope import Scope, Source, copy_identifier


def join_key(context: FixContext) -> bool:
    """`a JOIN b ON a.id = b.id` where the one foreign key between them is `a.b_id → b.id`."""
    done = False
    for scope in list(context.scopes):
        for join in scope.joins:
            done = _on_itself(context, scope, join) or done
            for part in conjuncts(join.args.get("on")):
                done = _on_the_key(context, scope, part) or done
    return done


def _on_itself(context: FixContext, scope: Scope, join: exp.Join) -> bool:
    """`JOIN club AS T3 ON T1.id = T2.guest_id`, where T1 is the club that plays at home: T3."""
    joined = next((one for one in scope.sources.values() if one.join is join), None)
    sides = [sides_of(context, scope, part) for part in conjuncts(join.args.get("on"))]
    if joined is None or joined.entry is None or len(sides) != 1 or sides[0] is None:
        return False
    owners = [source for source, _ in sides[0]]
    same = [one for one in owners if one.entry is joined.entry]
    if joined in owners or len(same) != 1:
        return False
    for column in join.args["on"].find_all(exp.Column):
        if context.owner(scope, column) is same[0]:
            context.bind(column, joined)
    return True


def _on_the_key(context: FixContext, scope: Scope, part: exp.Expr) -> bool:
    sides = sides_of(context, scope, part)
    if sides is None:
        return False
    (one, left), (other, right) = sides
    if one is other or one.entry is None or other.entry is None or one.entry is other.entry:
        return False
    links = context.schema.links(one.entry, other.entry)
    if len(links) != 1 or len(links[0].columns) != 1:
        return False
    (pair,) = links[0].pairs
    if (left, right) == pair or not _is_no_pair(context, (one.entry, left), (other.entry, right)):
        return False
    part.set("this", context.column(one, pair[0]))
    part.set("expression", context.column(other, pair[1]))
    context.invalidate()
    return True


def _is_no_pair(context: FixContext, one: tuple[Entry, str], other: tuple[Entry, str]) -> bool:
    """Sure for a column that is not there, for a text and a number, and for two primary keys of which neither
    names another row.
    """
    sides = (one, other)
    if any(key in entry.hidden for entry, key in sides):
        return False
    if any(key not in entry.columns for entry, key in sides):
        return True
    if have_different_types(one[0].columns[one[1]], other[0].columns[other[1]]):
        return True
    keys = [tuple(context.grammar.columns.key(name, True) for name in e.table.primary_key) for e, _ in sides]
    own = keys == [(one[1],), (other[1],)]
    return own and not any(
        link.forward and key in link.columns for entry, key in sides for link in entry.links
    )


_NOT_HERE = (Fault.ABSENT, Fault.STRANGE, Fault.UNKNOWN, Fault.OUTER)


def missing_join(context: FixContext) -> bool:
    """A column that only a table outside FROM has, and one shortest way of foreign keys leads to it."""
    done = False
    for _ in range(4):
        if not any(_joined(context, wrong) for wrong in context.faulty_columns(*_NOT_HERE)):
            break
        done = True
    return done


def _joined(context: FixContext, wrong: ColumnFault) -> bool:
    scope = wrong.expected_scope
    if not scope.sources or scope.open or has_bare_star(scope):
        return False
    third = selects_twice(context, wrong) or grouped_by(context, wrong) is not None
    if wrong.fault is not Fault.OUTER and not third and _is_in_scope(context, wrong):
        return False
    sources = [wrong.source] if third and wrong.source else scope.sources.values()
    held = [(one, one.entry) for one in sources if one.entry is not None]
    there = [one.entry for one in scope.sources.values()]
    named = grouped_by(context, wrong)
    absent = [one for one in _tables_with(context, wrong) if all(one is not entry for entry in there)]
    targets = [named] if named is not None else _said(context, absent)
    path = shortest_path(held, targets) or _from_its_own(wrong, targets)
    sure = wrong.fault is Fault.STRANGE or len(targets) < 2 or _are_one(targets, context.key(wrong.column))
    if path is None or not (sure or _is_beside(path)):
        return False
    called = wrong.column.args["table"] if wrong.fault is Fault.STRANGE else None
    meant_too = [one for one in wrong.scope.columns if third and one == wrong.column]
    name = add_joins(context, scope, *path, called)
    for column in (wrong.column, *meant_too):
        column.set("table", copy_identifier(name))
    context.invalidate()
    return True


def _are_one(tables: list[Entry], key: str) -> bool:
    """Whether the column is the key of one of them, and the others name its rows by it: any will do."""
    return any(
        all(
            one is entry
            or any(link.forward and link.columns == (key,) and link.there is entry for link in one.links)
            for one in tables
        )
        for entry in tables
    )


def _from_its_own(wrong: ColumnFault, targets: list[Entry]) -> tuple[Source, list[Link]] | None:
    """Where several sources refer to the table, the way from the one that the column names."""
    source = wrong.source if wrong.fault is Fault.ABSENT else None
    if source is None or source.entry is None:
        return None
    path = shortest_path([(source, source.entry)], targets)
    return path if path is not None and _is_beside(path) else None


def _said(context: FixContext, tables: list[Entry]) -> list[Entry]:
    """Of several tables that have the column the one whose name was said: *the students' first names*."""
    said = [one for one in tables if context.intent is not None and one.name in context.intent.named]
    return said if len(said) == 1 else tables


def selects_twice(context: FixContext, wrong: ColumnFault) -> bool:
    """`SELECT T1.name, T2.name` where only T1 has one: nobody asks for it twice, it is of a third table; and
    so it is where the same is said again, in ORDER BY.
    """
    shown = wrong.scope.select.expressions
    if wrong.fault is not Fault.ABSENT or wrong.column not in shown:
        return False
    key = context.key(wrong.column)
    items = [one for one in shown if isinstance(one, exp.Column) and one != wrong.column]
    return any(context.key(one) == key and context.fault(wrong.scope, one) is None for one in items)


def grouped_by(context: FixContext, wrong: ColumnFault) -> Entry | None:
    """`SELECT T1.name … GROUP BY T1.patient`: the table that has it, whose row the group is of."""
    group, source = wrong.scope.select.args.get("group"), wrong.source
    if wrong.fault is not Fault.ABSENT or group is None or source is None or source.entry is None:
        return None
    owned = [one for one in group.expressions if isinstance(one, exp.Column)]
    keys = [context.key(one) for one in owned if context.owner(wrong.scope, one) is source]
    found = [
        link.there
        for link in source.entry.links
        if link.forward and link.columns == tuple(keys) and context.key(wrong.column) in link.there.columns
    ]
    there = [one.entry for one in wrong.expected_scope.sources.values()]
    return found[0] if len(found) == 1 and all(found[0] is not one for one in there) else None


def _is_in_scope(context: FixContext, wrong: ColumnFault) -> bool:
    """Whether what is asked for could be had from the sources that are there, or from the query around."""
    if (
        wrong.fault is Fault.STRANGE
        and _tables_with(context, wrong) == context.schema.near(wrong.column.table) != []
    ):
        return False  # it names a table that has it
    keys = _called(context, wrong)
    return any(where.open or all(where.owners(key) for key in keys) for where in wrong.expected_scope.chain())


def _called(context: FixContext, wrong: ColumnFault) -> set[str]:
    """The column; and where its alias is of no source, all columns of that alias: they are of one table."""
    if wrong.fault is not Fault.STRANGE:
        return {context.key(wrong.column)}
    alias = context.names.alias(wrong.column.args["table"])
    tables = [(one, one.args.get("table")) for one in wrong.scope.columns]
    return {
        context.key(one) for one, table in tables if table is not None and context.names.alias(table) == alias
    }


def _tables_with(context: FixContext, wrong: ColumnFault) -> list[Entry]:
    """The tables that could be meant."""
    key = context.key(wrong.column)
    if wrong.fault is not Fault.STRANGE:
        return context.schema.holders.get(key, [])
    called = _called(context, wrong)
    named = context.schema.near(wrong.column.table)
    return [one for one in named or context.schema.holders.get(key, []) if called <= set(one.columns)]


def _is_beside(path: tuple[Source, list[Link]]) -> bool:
    """Of several tables that have the column, the only one that a source refers to itself."""
    return len(path[1]) == 1 and path[1][0].forward
