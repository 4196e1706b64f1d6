"""Which source a column is of: one on the wrong alias, a bare one that several have."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.fixes.identifier_typos import a_neighbour_has, near_columns, partner_of
from text2sql.sql.fixes.joins import conjuncts, is_plain
from text2sql.sql.fixes.missing_joins import grouped_by, selects_twice
from text2sql.sql.schema_index import folded
from text2sql.sql.scope import Scope, Source, copy_identifier


def rebind(context: FixContext) -> bool:
    """`T2.Name` where only T1 has `Name`."""
    done = _swapped(context) or _inner(context)
    for wrong in context.faulty_columns(Fault.ABSENT, Fault.STRANGE):
        if selects_twice(context, wrong):
            source = _not_shown(context, wrong)
        elif grouped_by(context, wrong) is not None:
            source = None
        else:
            source = _by_name(wrong) or _only_owner(context, wrong)
        if source is not None:
            context.bind(wrong.column, source)
            done = True
    return done


def _swapped(context: FixContext) -> bool:
    """`SELECT T1.Name, T1.Year`, where T1 has no `Year` and T2 has both: it is T2 that was meant."""
    for wrong in context.faulty_columns(Fault.ABSENT):
        source, items = wrong.source, wrong.scope.select.expressions
        if (
            source is None
            or wrong.expected_scope is not wrong.scope
            or not any(one is wrong.column for one in items)
        ):
            continue
        listed = [
            one
            for one in items
            if isinstance(one, exp.Column)
            and one.args.get("table")
            and context.names.alias(one.args["table"]) == source.key
        ]
        keys = {context.key(one) for one in listed}
        owners = [one for one in wrong.other_sources() if keys <= one.outputs.known]
        if len(listed) > 1 and len(owners) == 1:
            for one in listed:
                context.bind(one, owners[0])
            return True
    return False


def _inner(context: FixContext) -> bool:
    """`x > (SELECT AVG(T1.x) FROM t)`, where T1 is the same table outside: the average of the inner one."""
    done = False
    for scope, column in context.columns():
        owner = context.owner(scope, column) if column.args.get("table") else None
        own = list(scope.sources.values())
        if owner is None or len(own) != 1 or owner is own[0] or owner.entry is not own[0].entry:
            continue
        folded_up = column.find_ancestor(exp.AggFunc, exp.Select)
        if isinstance(folded_up, exp.AggFunc) and owner.entry is not None:
            context.bind(column, own[0])
            done = True
    return done


def _by_name(wrong: ColumnFault) -> Source | None:
    """`singer.Name` where `singer` goes by the alias T1, or `singers.Name`."""
    if wrong.source is not None:
        return None
    name = folded(wrong.column.table)
    for where in wrong.scope.chain():
        named = [
            one
            for one in where.sources.values()
            if name and name in (folded(one.key), folded(one.entry.table.name) if one.entry else "")
        ]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def _not_shown(context: FixContext, wrong: ColumnFault) -> Source | None:
    """`SELECT T1.name, T2.name … JOIN club AS T3`, where T2 has none: the other club's."""
    key = context.key(wrong.column)
    items = [one for one in wrong.scope.select.expressions if isinstance(one, exp.Column)]
    shown = [context.owner(wrong.scope, one) for one in items if context.key(one) == key]
    owners = [one for one in wrong.other_sources() if one.shows(key) and one not in shown]
    return owners[0] if len(owners) == 1 else None


def _only_owner(context: FixContext, wrong: ColumnFault) -> Source | None:
    key = context.key(wrong.column)
    if wrong.fault is Fault.STRANGE and _names_a_table_with(context, wrong.column, key):
        return None
    if wrong.source is not None and near_columns(context, wrong.column, [wrong.source]):
        return None  # its own source has nearly that name: two ways
    owners = [one for one in wrong.other_sources() if one.shows(key)]
    if wrong.fault is Fault.STRANGE and a_neighbour_has(wrong, key):
        return None  # that alias may be of a table that was left out
    if len(owners) > 1 and _are_one(context, wrong.expected_scope, owners, key):
        owners = owners[:1]
    if len(owners) != 1 or partner_of(context, wrong) is owners[0]:
        return None
    return owners[0]


def _names_a_table_with(context: FixContext, column: exp.Column, key: str) -> bool:
    return any(key in one.columns for one in context.schema.near(column.table))


def qualify(context: FixContext) -> bool:
    """A bare column that its equal stands for elsewhere in the SELECT, or that an equi-join makes one."""
    done = False
    for wrong in context.faulty_columns(Fault.AMBIGUOUS):
        key = context.key(wrong.column)
        owners = [one for one in wrong.expected_scope.sources.values() if one.may_have(key)]
        source = _as_written_elsewhere(context, wrong, key)
        if source is None and _are_one(context, wrong.expected_scope, owners, key):
            source = owners[0]
        if source is None and context.intent is not None and folded(key).endswith("name"):
            named = [
                one for one in owners if one.entry is not None and (one.entry.name,) == context.intent.named
            ]
            source = named[0] if len(named) == 1 else None
        if source is not None:
            wrong.column.set("table", copy_identifier(source.name))
            context.invalidate()
            done = True
    return done


def _as_written_elsewhere(context: FixContext, wrong: ColumnFault, key: str) -> Source | None:
    """`SELECT T1.name … GROUP BY name`, and the other way round."""
    select = wrong.scope.select
    group = select.args.get("group")
    written = {
        context.names.alias(one.args["table"])
        for one in (*select.expressions, *(group.expressions if group else ()))
        if isinstance(one, exp.Column) and one.args.get("table") and context.names.column(one.this) == key
    }
    return wrong.scope.sources.get(written.pop()) if len(written) == 1 else None


def _are_one(context: FixContext, scope: Scope, owners: list[Source], key: str) -> bool:
    """Whether inner joins hold that column equal in all of these sources."""
    equal = {owners[0].key} if owners else set()
    pairs = list(_equal_pairs(context, scope, key))
    for _ in pairs:
        for one, other in pairs:
            if one in equal or other in equal:
                equal |= {one, other}
    return len(owners) > 1 and {one.key for one in owners} <= equal


def _equal_pairs(context: FixContext, scope: Scope, key: str) -> Iterator[tuple[str, str]]:
    for join in scope.joins:
        parts = conjuncts(join.args.get("on")) if is_plain(join) else ()
        for part in parts:
            one, other = (part.this, part.expression) if isinstance(part, exp.EQ) else (None, None)
            if not isinstance(one, exp.Column) or not isinstance(other, exp.Column):
                continue
            if one.table and other.table and context.key(one) == context.key(other) == key:
                yield context.names.alias(one.args["table"]), context.names.alias(other.args["table"])
