"""Which source a column is of: one on the wrong alias, a bare one that several have."""

from collections.abc import Iterator

from sqlglot import exp

from text2sql.sql.repairs.draft import Draft, Fault, Wrong
from text2sql.sql.repairs.joins import conjuncts, is_plain
from text2sql.sql.repairs.known import folded
from text2sql.sql.repairs.missing import grouped_by, selects_twice
from text2sql.sql.repairs.names import a_neighbour_has, near_columns, partner_of
from text2sql.sql.repairs.views import Source, View
from text2sql.sql.scope import again


def rebind(draft: Draft) -> bool:
    """`T2.Name` where only T1 has `Name`."""
    done = _swapped(draft) or _inner(draft)
    for wrong in draft.wrong(Fault.ABSENT, Fault.STRANGE):
        if selects_twice(draft, wrong):
            source = _not_shown(draft, wrong)
        elif grouped_by(draft, wrong) is not None:
            source = None
        else:
            source = _by_name(wrong) or _only_owner(draft, wrong)
        if source is not None:
            draft.bind(wrong.column, source)
            done = True
    return done


def _swapped(draft: Draft) -> bool:
    """`SELECT T1.Name, T1.Year`, where T1 has no `Year` and T2 has both: it is T2 that was meant."""
    for wrong in draft.wrong(Fault.ABSENT):
        source, items = wrong.source, wrong.view.select.expressions
        if source is None or wrong.at is not wrong.view or not any(one is wrong.column for one in items):
            continue
        listed = [
            one
            for one in items
            if isinstance(one, exp.Column)
            and one.args.get("table")
            and draft.names.alias(one.args["table"]) == source.key
        ]
        keys = {draft.key(one) for one in listed}
        owners = [one for one in wrong.others() if keys <= set(one.shape.columns)]
        if len(listed) > 1 and len(owners) == 1:
            for one in listed:
                draft.bind(one, owners[0])
            return True
    return False


def _inner(draft: Draft) -> bool:
    """`x > (SELECT AVG(T1.x) FROM t)`, where T1 is the same table outside: the average of the inner one."""
    done = False
    for view, column in draft.views.every():
        owner = draft.views.owner(view, column) if column.args.get("table") else None
        own = list(view.sources.values())
        if owner is None or len(own) != 1 or owner is own[0] or owner.entry is not own[0].entry:
            continue
        folded_up = column.find_ancestor(exp.AggFunc, exp.Select)
        if isinstance(folded_up, exp.AggFunc) and owner.entry is not None:
            draft.bind(column, own[0])
            done = True
    return done


def _by_name(wrong: Wrong) -> Source | None:
    """`singer.Name` where `singer` goes by the alias T1, or `singers.Name`."""
    if wrong.source is not None:
        return None
    name = folded(wrong.column.table)
    where: View | None = wrong.view
    while where is not None:
        named = [
            one
            for one in where.sources.values()
            if name and name in (folded(one.key), folded(one.entry.table.name) if one.entry else "")
        ]
        if named:
            return named[0] if len(named) == 1 else None
        where = where.parent
    return None


def _not_shown(draft: Draft, wrong: Wrong) -> Source | None:
    """`SELECT T1.name, T2.name … JOIN club AS T3`, where T2 has none: the other club's."""
    key = draft.key(wrong.column)
    items = [one for one in wrong.view.select.expressions if isinstance(one, exp.Column)]
    shown = [draft.views.owner(wrong.view, one) for one in items if draft.key(one) == key]
    owners = [one for one in wrong.others() if key in one.shape.columns and one not in shown]
    return owners[0] if len(owners) == 1 else None


def _only_owner(draft: Draft, wrong: Wrong) -> Source | None:
    key = draft.key(wrong.column)
    if wrong.fault is Fault.STRANGE and _names_a_table_with(draft, wrong.column, key):
        return None
    if wrong.source is not None and near_columns(draft, wrong.column, [wrong.source]):
        return None  # its own source has nearly that name: two ways
    owners = [one for one in wrong.others() if key in one.shape.columns]
    if wrong.fault is Fault.STRANGE and a_neighbour_has(wrong, key):
        return None  # that alias may be of a table that was left out
    if len(owners) > 1 and _are_one(draft, wrong.at, owners, key):
        owners = owners[:1]
    if len(owners) != 1 or partner_of(draft, wrong) is owners[0]:
        return None
    return owners[0]


def _names_a_table_with(draft: Draft, column: exp.Column, key: str) -> bool:
    return any(key in one.columns for one in draft.known.near(column.table))


def qualify(draft: Draft) -> bool:
    """A bare column that its equal stands for elsewhere in the SELECT, or that an equi-join makes one."""
    done = False
    for wrong in draft.wrong(Fault.AMBIGUOUS):
        key = draft.key(wrong.column)
        owners = [one for one in wrong.at.sources.values() if one.may_have(key)]
        source = _as_written_elsewhere(draft, wrong, key)
        if source is None and _are_one(draft, wrong.at, owners, key):
            source = owners[0]
        if source is None and draft.said is not None and folded(key).endswith("name"):
            named = [one for one in owners if one.entry is not None and (one.entry.name,) == draft.said.named]
            source = named[0] if len(named) == 1 else None
        if source is not None:
            wrong.column.set("table", again(source.name))
            draft.changed()
            done = True
    return done


def _as_written_elsewhere(draft: Draft, wrong: Wrong, key: str) -> Source | None:
    """`SELECT T1.name … GROUP BY name`, and the other way round."""
    select = wrong.view.select
    group = select.args.get("group")
    written = {
        draft.names.alias(one.args["table"])
        for one in (*select.expressions, *(group.expressions if group else ()))
        if isinstance(one, exp.Column) and one.args.get("table") and draft.names.column(one.this) == key
    }
    return wrong.view.sources.get(written.pop()) if len(written) == 1 else None


def _are_one(draft: Draft, view: View, owners: list[Source], key: str) -> bool:
    """Whether inner joins hold that column equal in all of these sources."""
    equal = {owners[0].key} if owners else set()
    pairs = list(_equal_pairs(draft, view, key))
    for _ in pairs:
        for one, other in pairs:
            if one in equal or other in equal:
                equal |= {one, other}
    return len(owners) > 1 and {one.key for one in owners} <= equal


def _equal_pairs(draft: Draft, view: View, key: str) -> Iterator[tuple[str, str]]:
    for join in view.joins:
        parts = conjuncts(join.args.get("on")) if is_plain(join) else ()
        for part in parts:
            one, other = (part.this, part.expression) if isinstance(part, exp.EQ) else (None, None)
            if not isinstance(one, exp.Column) or not isinstance(other, exp.Column):
                continue
            if one.table and other.table and draft.key(one) == draft.key(other) == key:
                yield draft.names.alias(one.args["table"]), draft.names.alias(other.args["table"])
