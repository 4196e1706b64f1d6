"""Names that are nearly right: a table or a column misspelled, a column on the wrong alias, a bare name that
two sources have. One candidate is a repair; two are none.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.repairs.draft import Draft, Fault, Wrong
from text2sql.sql.repairs.joins import conjuncts, grouped_by, is_plain, selects_twice
from text2sql.sql.repairs.known import Entry, folded, is_short_for, one_letter_off
from text2sql.sql.repairs.views import Source, View
from text2sql.sql.scope import again

_Candidates: TypeAlias = Callable[[Draft, exp.Column, Iterable[Source]], list[tuple[Source, str]]]
_LAST = re.compile(r"[_ ]|(?<=[a-z])(?=[A-Z])")
_LEAST = 5  # letters of a last word that stands for the whole name: `festival` for `music_festival`
_AT_FAULT = (Fault.ABSENT, Fault.STRANGE, Fault.UNKNOWN)


def near_table(draft: Draft) -> bool:
    """`FROM singers` where the table is `Singer`."""
    done = False
    ctes = {ascii_lower(one.alias) for one in draft.tree.find_all(exp.CTE)}
    for node in list(draft.tree.find_all(exp.Table)):
        if not isinstance(node.this, exp.Identifier) or node.catalog or ascii_lower(node.name) in ctes:
            continue
        if draft.views.entry(node) is None and not _is_the_engines(draft, node):
            entry = _near_table(draft, node)
            if entry is not None:
                node.set("this", draft.identifier(entry.table.name))
                draft.changed()
                done = True
    return done


def _is_the_engines(draft: Draft, node: exp.Table) -> bool:
    name = ascii_lower(node.name)
    grammar = draft.grammar
    return name.startswith(grammar.system_prefixes or ("\0",)) or name in grammar.dummy_tables


def _near_table(draft: Draft, node: exp.Table) -> Entry | None:
    schema = draft.grammar.tables.key(node.db, bool(node.args["db"].args.get("quoted"))) if node.db else ""
    found = draft.known.near(node.name, schema)
    if not found and not schema:
        found = [one for one in draft.known.entries() if one_letter_off(node.name, one.table.name)]
    return found[0] if len(found) == 1 else None


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
    if wrong.source is not None and _near_columns(draft, wrong.column, [wrong.source]):
        return None  # its own source has nearly that name: two ways
    owners = [one for one in wrong.others() if key in one.shape.columns]
    if wrong.fault is Fault.STRANGE and _a_neighbour_has(wrong, key):
        return None  # that alias may be of a table that was left out
    if len(owners) > 1 and _are_one(draft, wrong.at, owners, key):
        owners = owners[:1]
    if len(owners) != 1 or _partner(draft, wrong) is owners[0]:
        return None
    return owners[0]


def _a_neighbour_has(wrong: Wrong, key: str) -> bool:
    held = [one.entry for one in wrong.at.sources.values() if one.entry is not None]
    beside = [link.there for one in held for link in one.links]
    return any(key in one.columns and all(one is not other for other in held) for one in beside)


def _names_a_table_with(draft: Draft, column: exp.Column, key: str) -> bool:
    return any(key in one.columns for one in draft.known.near(column.table))


def _partner(draft: Draft, wrong: Wrong) -> Source | None:
    """The source on the other side of `=`: to bind both sides to it would compare a row with itself."""
    parent = wrong.column.parent
    if not isinstance(parent, exp.EQ):
        return None
    other = parent.expression if parent.this is wrong.column else parent.this
    return draft.views.owner(wrong.view, other) if isinstance(other, exp.Column) else None


def near_column(draft: Draft) -> bool:
    """`pet_type` for `PetType`, `singer_name` for the `Name` of `singer`, `id` for its `singer_id`,
    `department_code` for `dept_code`; `home town` for "Home Town", which reads like a name and its alias.
    """
    return _in_two_words(draft) or _renamed(draft, _near_columns)


def _in_two_words(draft: Draft) -> bool:
    for wrong in draft.wrong(Fault.ABSENT, Fault.UNKNOWN):
        alias = wrong.column.parent
        if not isinstance(alias, exp.Alias):
            continue
        key = draft.grammar.columns.key(f"{wrong.column.name} {alias.alias}", True)
        sources = [wrong.source] if wrong.source is not None else wrong.others()
        found = [one for one in sources if key in one.shape.columns]
        if len(found) == 1:
            draft.put(alias, draft.column(found[0], key))
            return True
    return False


def typo(draft: Draft) -> bool:
    """One letter off, where no table at all has the name as it is written."""
    return _renamed(draft, _nearly_equal)


def _renamed(draft: Draft, candidates: _Candidates) -> bool:
    done = False
    for wrong in draft.wrong(*_AT_FAULT):
        own = [wrong.source] if wrong.source is not None else []
        if _two_ways(draft, wrong):
            continue
        found = candidates(draft, wrong.column, own) or candidates(draft, wrong.column, wrong.others())
        if len(found) == 1:
            (source, key) = found[0]
            bare = wrong.fault is Fault.UNKNOWN and len(wrong.at.sources) == 1
            if _partner(draft, wrong) is source and source is not wrong.source:
                continue
            draft.bind(wrong.column, source, key)
            if bare:
                wrong.column.set("table", None)
            done = True
    return done


def _two_ways(draft: Draft, wrong: Wrong) -> bool:
    """`T2.name` where T2 has `region_name` and T3, or a table that the unknown T2 may be of, has `name`."""
    name, key = folded(wrong.column.name), draft.key(wrong.column)
    equal = wrong.source is not None and _named(draft, wrong.source, name)
    if wrong.fault is Fault.STRANGE and _a_neighbour_has(wrong, key):
        return True
    return not equal and (
        any(key in one.shape.columns for one in wrong.others()) or _is_left_out(draft, wrong)
    )


def _is_left_out(draft: Draft, wrong: Wrong) -> bool:
    """Whether several columns of that source are not there and all of them are in a table beside it."""
    lacking = [one for one in draft.wrong(Fault.ABSENT) if one.source is wrong.source]
    keys = {draft.key(one.column) for one in lacking}
    beside = wrong.source.entry.links if wrong.source is not None and wrong.source.entry is not None else ()
    return len(keys) > 1 and any(keys <= set(link.there.columns) for link in beside)


def _near_columns(draft: Draft, column: exp.Column, sources: Iterable[Source]) -> list[tuple[Source, str]]:
    sources = list(sources)
    name = folded(column.name)
    if not name:
        return []
    equal = [(one, key) for one in sources for key in _named(draft, one, name)]
    after = equal or [(one, key) for one in sources for key in _named_after_table(draft, one, name)]
    return after or [(one, key) for one in sources for key in _abbreviated(draft, one, column.name)]


def _named(draft: Draft, source: Source, name: str) -> list[str]:
    if source.entry is None:
        return [key for key in source.shape.columns if folded(key) == name]
    return [draft.grammar.columns.key(one.name, True) for one in source.entry.folded.get(name, ())]


def _abbreviated(draft: Draft, source: Source, name: str) -> list[str]:
    """`department_code` for `dept_code`, `pop` for `Population`."""
    columns = source.entry.table.columns if source.entry is not None else ()
    return [
        key
        for one in columns
        if (key := draft.grammar.columns.key(one.name, True)) in source.shape.columns
        and is_short_for(name, one.name)
    ]


def _named_after_table(draft: Draft, source: Source, name: str) -> list[str]:
    """A column's name with the table's before or after it, on either side."""
    if source.entry is None:
        return []
    table = folded(source.entry.table.name)
    found = [key for key in source.shape.columns if folded(key) in (table + name, name + table)]
    for short in (name.removeprefix(table), name.removesuffix(table)):
        if short != name and short:
            found += [key for key in _named(draft, source, short) if key not in found]
    if not found and name in ("name", table + "name"):
        found = [key for key in source.shape.columns if folded(key).endswith("name")]
    if not found and len(name) >= _LEAST:
        found = [key for key in source.shape.columns if folded(_LAST.split(key)[-1]) == name]
    if not found and name == "id" and len(source.entry.table.primary_key) == 1:
        key = draft.grammar.columns.key(source.entry.table.primary_key[0], True)
        found = [key] if key in source.shape.columns and folded(key).endswith("id") else []
    return found


def _nearly_equal(draft: Draft, column: exp.Column, sources: Iterable[Source]) -> list[tuple[Source, str]]:
    if draft.known.holders.get(draft.key(column)):
        return []
    return [(one, key) for one in sources for key in one.shape.columns if one_letter_off(column.name, key)]


# -- a bare name that several sources have --


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
