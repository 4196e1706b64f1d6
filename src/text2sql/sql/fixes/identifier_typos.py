"""Names that are nearly right: a table or a column misspelled. One candidate is a repair; two are none."""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.schema_index import Entry, folded, is_abbreviation, one_letter_off
from text2sql.sql.scope import Source

_Candidates: TypeAlias = Callable[[FixContext, exp.Column, Iterable[Source]], list[tuple[Source, str]]]
_LAST = re.compile(r"[_ ]|(?<=[a-z])(?=[A-Z])")
_LEAST = 5  # letters of a last word that stands for the whole name: `festival` for `music_festival`
_AT_FAULT = (Fault.ABSENT, Fault.STRANGE, Fault.UNKNOWN)


def near_table(context: FixContext) -> bool:
    """`FROM singers` where the table is `Singer`."""
    done = False
    ctes = {ascii_lower(one.alias) for one in context.tree.find_all(exp.CTE)}
    for node in list(context.tree.find_all(exp.Table)):
        if not isinstance(node.this, exp.Identifier) or node.catalog or ascii_lower(node.name) in ctes:
            continue
        if context.schema.find(node) is None and not _is_the_engines(context, node):
            entry = _near_table(context, node)
            if entry is not None:
                node.set("this", context.identifier(entry.table.name))
                context.invalidate()
                done = True
    return done


def _is_the_engines(context: FixContext, node: exp.Table) -> bool:
    name = ascii_lower(node.name)
    grammar = context.grammar
    return name.startswith(grammar.system_prefixes or ("\0",)) or name in grammar.dummy_tables


def _near_table(context: FixContext, node: exp.Table) -> Entry | None:
    schema = context.grammar.tables.key(node.db, bool(node.args["db"].args.get("quoted"))) if node.db else ""
    found = context.schema.near(node.name, schema)
    if not found and not schema:
        found = [one for one in context.schema.entries() if one_letter_off(node.name, one.table.name)]
    return found[0] if len(found) == 1 else None


def near_column(context: FixContext) -> bool:
    """`pet_type` for `PetType`, `singer_name` for the `Name` of `singer`, `id` for its `singer_id`,
    `department_code` for `dept_code`; `home town` for "Home Town", which reads like a name and its alias.
    """
    return _in_two_words(context) or _renamed(context, near_columns)


def _in_two_words(context: FixContext) -> bool:
    for wrong in context.faulty_columns(Fault.ABSENT, Fault.UNKNOWN):
        alias = wrong.column.parent
        if not isinstance(alias, exp.Alias):
            continue
        key = context.grammar.columns.key(f"{wrong.column.name} {alias.alias}", True)
        sources = [wrong.source] if wrong.source is not None else wrong.other_sources()
        found = [one for one in sources if one.shows(key)]
        if len(found) == 1:
            context.replace(alias, context.column(found[0], key))
            return True
    return False


def typo(context: FixContext) -> bool:
    """One letter off, where no table at all has the name as it is written."""
    return _renamed(context, _nearly_equal)


def _renamed(context: FixContext, candidates: _Candidates) -> bool:
    done = False
    for wrong in context.faulty_columns(*_AT_FAULT):
        own = [wrong.source] if wrong.source is not None else []
        if _two_ways(context, wrong):
            continue
        found = candidates(context, wrong.column, own) or candidates(
            context, wrong.column, wrong.other_sources()
        )
        if len(found) == 1:
            (source, key) = found[0]
            bare = wrong.fault is Fault.UNKNOWN and len(wrong.expected_scope.sources) == 1
            if partner_of(context, wrong) is source and source is not wrong.source:
                continue
            context.bind(wrong.column, source, key)
            if bare:
                wrong.column.set("table", None)
            done = True
    return done


def _two_ways(context: FixContext, wrong: ColumnFault) -> bool:
    """`T2.name` where T2 has `region_name` and T3, or a table that the unknown T2 may be of, has `name`."""
    name, key = folded(wrong.column.name), context.key(wrong.column)
    equal = wrong.source is not None and _named(context, wrong.source, name)
    if wrong.fault is Fault.STRANGE and a_neighbour_has(wrong, key):
        return True
    return not equal and (
        any(one.shows(key) for one in wrong.other_sources()) or _is_left_out(context, wrong)
    )


def _is_left_out(context: FixContext, wrong: ColumnFault) -> bool:
    """Whether several columns of that source are not there and all of them are in a table beside it."""
    lacking = [one for one in context.faulty_columns(Fault.ABSENT) if one.source is wrong.source]
    keys = {context.key(one.column) for one in lacking}
    beside = wrong.source.entry.links if wrong.source is not None and wrong.source.entry is not None else ()
    return len(keys) > 1 and any(keys <= set(link.there.columns) for link in beside)


def near_columns(
    context: FixContext, column: exp.Column, sources: Iterable[Source]
) -> list[tuple[Source, str]]:
    sources = list(sources)
    name = folded(column.name)
    if not name:
        return []
    equal = [(one, key) for one in sources for key in _named(context, one, name)]
    after = equal or [(one, key) for one in sources for key in _named_after_table(context, one, name)]
    return after or [(one, key) for one in sources for key in _abbreviated(context, one, column.name)]


def _named(context: FixContext, source: Source, name: str) -> list[str]:
    if source.entry is None:
        return [key for key in source.outputs.names if folded(key) == name]
    return [context.grammar.columns.key(one.name, True) for one in source.entry.folded.get(name, ())]


def _abbreviated(context: FixContext, source: Source, name: str) -> list[str]:
    """`department_code` for `dept_code`, `pop` for `Population`."""
    columns = source.entry.table.columns if source.entry is not None else ()
    return [
        key
        for one in columns
        if (key := context.grammar.columns.key(one.name, True)) in source.outputs.known
        and is_abbreviation(name, one.name)
    ]


def _named_after_table(context: FixContext, source: Source, name: str) -> list[str]:
    """A column's name with the table's before or after it, on either side."""
    if source.entry is None:
        return []
    table = folded(source.entry.table.name)
    found = [key for key in source.outputs.names if folded(key) in (table + name, name + table)]
    for short in (name.removeprefix(table), name.removesuffix(table)):
        if short != name and short:
            found += [key for key in _named(context, source, short) if key not in found]
    if not found and name in ("name", table + "name"):
        found = [key for key in source.outputs.names if folded(key).endswith("name")]
    if not found and len(name) >= _LEAST:
        found = [key for key in source.outputs.names if folded(_LAST.split(key)[-1]) == name]
    if not found and name == "id" and len(source.entry.table.primary_key) == 1:
        key = context.grammar.columns.key(source.entry.table.primary_key[0], True)
        found = [key] if source.shows(key) and folded(key).endswith("id") else []
    return found


def _nearly_equal(
    context: FixContext, column: exp.Column, sources: Iterable[Source]
) -> list[tuple[Source, str]]:
    if context.schema.holders.get(context.key(column)):
        return []
    return [(one, key) for one in sources for key in one.outputs.names if one_letter_off(column.name, key)]


def a_neighbour_has(wrong: ColumnFault, key: str) -> bool:
    held = [one.entry for one in wrong.expected_scope.sources.values() if one.entry is not None]
    beside = [link.there for one in held for link in one.links]
    return any(key in one.columns and all(one is not other for other in held) for one in beside)


def partner_of(context: FixContext, wrong: ColumnFault) -> Source | None:
    """The source on the other side of `=`: to bind both sides to it would compare a row with itself."""
    parent = wrong.column.parent
    if not isinstance(parent, exp.EQ):
        return None
    other = parent.expression if parent.this is wrong.column else parent.this
    return context.owner(wrong.scope, other) if isinstance(other, exp.Column) else None
