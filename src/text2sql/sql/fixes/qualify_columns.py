"""Find the source of a column that has the wrong alias, or that is unqualified and in several sources."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.fixes.identifier_typos import has_linked_table_with, near_columns, partner_of
from text2sql.sql.fixes.joins import conjuncts, is_inner_join
from text2sql.sql.fixes.missing_joins import grouped_by, selects_twice
from text2sql.sql.schema_index import folded
from text2sql.sql.scope import Scope, Source, copy_identifier


def rebind(context: FixContext) -> bool:
    """`T2.Name` where only T1 has `Name`."""
    changed = _rebind_all(context) or _rebind_inner(context)
    for faulty in context.faulty_columns(Fault.MISSING_IN_SOURCE, Fault.UNKNOWN_SOURCE):
        if selects_twice(context, faulty):
            source = _not_selected(context, faulty)
        elif grouped_by(context, faulty) is not None:
            source = None
        else:
            source = _source_by_name(faulty) or _only_owner(context, faulty)
        if source is not None:
            context.bind(faulty.column, source)
            changed = True
    return changed


def _rebind_all(context: FixContext) -> bool:
    """`SELECT T1.Name, T1.Year`, where T1 has no `Year` and T2 has both columns: T2 is meant."""
    for faulty in context.faulty_columns(Fault.MISSING_IN_SOURCE):
        source, items = faulty.source, faulty.scope.select.expressions
        if source is None or faulty.expected_scope is not faulty.scope:
            continue
        if not any(item is faulty.column for item in items):
            continue
        columns = [item for item in items if isinstance(item, exp.Column) and item.args.get("table")]
        listed = [column for column in columns if context.names.alias(column.args["table"]) == source.key]
        keys = {context.key(column) for column in listed}
        owners = [other for other in faulty.other_sources() if keys <= other.outputs.known]
        if len(listed) > 1 and len(owners) == 1:
            for column in listed:
                context.bind(column, owners[0])
            return True
    return False


def _rebind_inner(context: FixContext) -> bool:
    """`x > (SELECT AVG(T1.x) FROM t)`, where T1 is the same table in the outer query: the inner one."""
    changed = False
    for scope, column in context.columns():
        owner = context.owner(scope, column) if column.args.get("table") else None
        sources = list(scope.sources.values())
        if owner is None or len(sources) != 1 or owner is sources[0] or owner.entry is not sources[0].entry:
            continue
        aggregate = column.find_ancestor(exp.AggFunc, exp.Select)
        if isinstance(aggregate, exp.AggFunc) and owner.entry is not None:
            context.bind(column, sources[0])
            changed = True
    return changed


def _source_by_name(faulty: ColumnFault) -> Source | None:
    """`singer.Name` where the alias of `singer` is T1, or `singers.Name`."""
    if faulty.source is not None:
        return None
    name = folded(faulty.column.table)
    for scope in faulty.scope.chain():
        matching = [
            source
            for source in scope.sources.values()
            if name and name in (folded(source.key), folded(source.entry.table.name) if source.entry else "")
        ]
        if matching:
            return matching[0] if len(matching) == 1 else None
    return None


def _not_selected(context: FixContext, faulty: ColumnFault) -> Source | None:
    """`SELECT T1.name, T2.name … JOIN club AS T3`, where T2 has no name: that of T3."""
    key = context.key(faulty.column)
    items = [item for item in faulty.scope.select.expressions if isinstance(item, exp.Column)]
    selected = [context.owner(faulty.scope, item) for item in items if context.key(item) == key]
    owners = [other for other in faulty.other_sources() if other.shows(key) and other not in selected]
    return owners[0] if len(owners) == 1 else None


def _only_owner(context: FixContext, faulty: ColumnFault) -> Source | None:
    key = context.key(faulty.column)
    if faulty.fault is Fault.UNKNOWN_SOURCE:
        tables = context.schema.near(faulty.column.table)
        if any(key in table.columns for table in tables) or has_linked_table_with(faulty, key):
            return None  # the alias may belong to a table that was left out
    if faulty.source is not None and near_columns(context, faulty.column, [faulty.source]):
        return None  # its own source has a similar column: two possible corrections
    owners = [other for other in faulty.other_sources() if other.shows(key)]
    if len(owners) > 1 and _are_equal(context, faulty.expected_scope, owners, key):
        owners = owners[:1]
    if len(owners) != 1 or partner_of(context, faulty) is owners[0]:
        return None
    return owners[0]


def qualify(context: FixContext) -> bool:
    """A bare column that is qualified elsewhere in the SELECT, or that an equi-join makes equal in all."""
    changed = False
    for faulty in context.faulty_columns(Fault.AMBIGUOUS):
        key = context.key(faulty.column)
        owners = [source for source in faulty.expected_scope.sources.values() if source.may_have(key)]
        source = _as_qualified_elsewhere(context, faulty, key)
        if source is None and _are_equal(context, faulty.expected_scope, owners, key):
            source = owners[0]
        if source is None and context.intent is not None and folded(key).endswith("name"):
            named = [o for o in owners if o.entry is not None and (o.entry.name,) == context.intent.named]
            source = named[0] if len(named) == 1 else None
        if source is not None:
            faulty.column.set("table", copy_identifier(source.name))
            context.invalidate()
            changed = True
    return changed


def _as_qualified_elsewhere(context: FixContext, faulty: ColumnFault, key: str) -> Source | None:
    """`SELECT T1.name … GROUP BY name`, and the other way round."""
    select = faulty.scope.select
    group = select.args.get("group")
    qualifiers = {
        context.names.alias(item.args["table"])
        for item in (*select.expressions, *(group.expressions if group else ()))
        if isinstance(item, exp.Column) and item.args.get("table") and context.key(item) == key
    }
    return faulty.scope.sources.get(qualifiers.pop()) if len(qualifiers) == 1 else None


def _are_equal(context: FixContext, scope: Scope, owners: list[Source], key: str) -> bool:
    """Whether inner joins make the column equal in all of these sources."""
    equal = {owners[0].key} if owners else set()
    pairs = list(_equal_pairs(context, scope, key))
    for _ in pairs:
        for left, right in pairs:
            if left in equal or right in equal:
                equal |= {left, right}
    return len(owners) > 1 and {owner.key for owner in owners} <= equal


def _equal_pairs(context: FixContext, scope: Scope, key: str) -> Iterator[tuple[str, str]]:
    for join in scope.joins:
        parts = conjuncts(join.args.get("on")) if is_inner_join(join) else ()
        for part in parts:
            left, right = (part.this, part.expression) if isinstance(part, exp.EQ) else (None, None)
            if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
                continue
            if left.table and right.table and context.key(left) == context.key(right) == key:
                yield context.names.alias(left.args["table"]), context.names.alias(right.args["table"])
