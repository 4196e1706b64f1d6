"""Correct misspelled names of tables and columns, if exactly one name in the schema is similar."""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

from sqlglot import exp

from text2sql.sql.dialects import ascii_lower
from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.schema_index import TableEntry, folded, is_abbreviation, one_letter_off
from text2sql.sql.scope import Source

_Matches: TypeAlias = list[tuple[Source, str]]  # sources and columns that may be meant
_Candidates: TypeAlias = Callable[[FixContext, exp.Column, Iterable[Source]], _Matches]
_LAST_WORD = re.compile(r"[_ ]|(?<=[a-z])(?=[A-Z])")
# Least length of a last word that stands for the whole name: `festival` for `music_festival`.
_MIN_LETTERS = 5
_RENAMABLE = (Fault.MISSING_IN_SOURCE, Fault.UNKNOWN_SOURCE, Fault.UNKNOWN_COLUMN)


def near_table(context: FixContext) -> bool:
    """`FROM singers` where the table is `Singer`."""
    changed = False
    ctes = {ascii_lower(cte.alias) for cte in context.tree.find_all(exp.CTE)}
    for node in list(context.tree.find_all(exp.Table)):
        if not isinstance(node.this, exp.Identifier) or node.catalog or ascii_lower(node.name) in ctes:
            continue
        if context.schema.find(node) is None and not _is_system_table(context, node):
            entry = _near_table(context, node)
            if entry is not None:
                node.set("this", context.identifier(entry.table.name))
                context.invalidate()
                changed = True
    return changed


def _is_system_table(context: FixContext, node: exp.Table) -> bool:
    name = ascii_lower(node.name)
    grammar = context.grammar
    return name.startswith(grammar.system_prefixes or ("\0",)) or name in grammar.dummy_tables


def _near_table(context: FixContext, node: exp.Table) -> TableEntry | None:
    schema = context.grammar.tables.key(node.db, bool(node.args["db"].args.get("quoted"))) if node.db else ""
    entries = context.schema.near(node.name, schema)
    if not entries and not schema:
        entries = [entry for entry in context.schema.entries() if one_letter_off(node.name, entry.table.name)]
    return entries[0] if len(entries) == 1 else None


def near_column(context: FixContext) -> bool:
    """`pet_type` for `PetType`, `singer_name` for the `Name` of `singer`, `id` for its `singer_id`,
    `department_code` for `dept_code`; `home town` for "Home Town", which is parsed as a name and an alias.
    """
    return _join_two_words(context) or _rename_columns(context, near_columns)


def _join_two_words(context: FixContext) -> bool:
    for faulty in context.faulty_columns(Fault.MISSING_IN_SOURCE, Fault.UNKNOWN_COLUMN):
        alias = faulty.column.parent
        if not isinstance(alias, exp.Alias):
            continue
        key = context.grammar.columns.key(f"{faulty.column.name} {alias.alias}", True)
        sources = [faulty.source] if faulty.source is not None else faulty.other_sources()
        owners = [source for source in sources if source.shows(key)]
        if len(owners) == 1:
            context.replace(alias, context.column(owners[0], key))
            return True
    return False


def typo(context: FixContext) -> bool:
    """A column that is one letter off, if no table has the name as it is written."""
    return _rename_columns(context, _one_letter_off)


def _rename_columns(context: FixContext, candidates: _Candidates) -> bool:
    changed = False
    for faulty in context.faulty_columns(*_RENAMABLE):
        own = [faulty.source] if faulty.source is not None else []
        if _is_elsewhere(context, faulty):
            continue
        matches = candidates(context, faulty.column, own)
        matches = matches or candidates(context, faulty.column, faulty.other_sources())
        if len(matches) == 1:
            (source, key) = matches[0]
            is_bare = faulty.fault is Fault.UNKNOWN_COLUMN and len(faulty.expected_scope.sources) == 1
            if partner_of(context, faulty) is source and source is not faulty.source:
                continue
            context.bind(faulty.column, source, key)
            if is_bare:
                faulty.column.set("table", None)
            changed = True
    return changed


def _is_elsewhere(context: FixContext, faulty: ColumnFault) -> bool:
    """`T2.name` where T2 has `region_name` and T3, or a table that the unknown T2 may mean, has `name`."""
    name, key = folded(faulty.column.name), context.key(faulty.column)
    if faulty.fault is Fault.UNKNOWN_SOURCE and has_linked_table_with(faulty, key):
        return True
    if faulty.source is not None and _equal_names(context, faulty.source, name):
        return False
    return any(source.shows(key) for source in faulty.other_sources()) or _is_other_table(context, faulty)


def _is_other_table(context: FixContext, faulty: ColumnFault) -> bool:
    """Whether the source lacks several columns of the query, and a linked table has all of them."""
    lacking = [
        other for other in context.faulty_columns(Fault.MISSING_IN_SOURCE) if other.source is faulty.source
    ]
    keys = {context.key(other.column) for other in lacking}
    entry = faulty.source.entry if faulty.source is not None else None
    links = entry.links if entry is not None else ()
    return len(keys) > 1 and any(keys <= set(link.there.columns) for link in links)


def near_columns(context: FixContext, column: exp.Column, sources: Iterable[Source]) -> _Matches:
    """The columns with a similar name: the best kind of similarity only."""
    sources = list(sources)
    name = folded(column.name)
    if not name:
        return []
    equal = [(source, key) for source in sources for key in _equal_names(context, source, name)]
    if equal:
        return equal
    with_table = [(source, key) for source in sources for key in _names_with_table(context, source, name)]
    return with_table or [
        (source, key) for source in sources for key in _abbreviations(context, source, column.name)
    ]


def _equal_names(context: FixContext, source: Source, name: str) -> list[str]:
    if source.entry is None:
        return [key for key in source.outputs.names if folded(key) == name]
    return [context.grammar.columns.key(column.name, True) for column in source.entry.folded.get(name, ())]


def _abbreviations(context: FixContext, source: Source, name: str) -> list[str]:
    """`department_code` for `dept_code`, `pop` for `Population`."""
    columns = source.entry.table.columns if source.entry is not None else ()
    keys = (context.grammar.columns.key(col.name, True) for col in columns if is_abbreviation(name, col.name))
    return [key for key in keys if key in source.outputs.known]


def _names_with_table(context: FixContext, source: Source, name: str) -> list[str]:
    """A column's name with the table's before or after it, in the query or in the schema."""
    if source.entry is None:
        return []
    table, names = folded(source.entry.table.name), source.outputs.names
    keys = [key for key in names if folded(key) in (table + name, name + table)]
    for short in (name.removeprefix(table), name.removesuffix(table)):
        if short != name and short:
            keys += [key for key in _equal_names(context, source, short) if key not in keys]
    if not keys and name in ("name", table + "name"):
        keys = [key for key in names if folded(key).endswith("name")]
    if not keys and len(name) >= _MIN_LETTERS:
        keys = [key for key in names if folded(_LAST_WORD.split(key)[-1]) == name]
    if not keys and name == "id" and len(source.entry.table.primary_key) == 1:
        key = context.grammar.columns.key(source.entry.table.primary_key[0], True)
        keys = [key] if source.shows(key) and folded(key).endswith("id") else []
    return keys


def _one_letter_off(context: FixContext, column: exp.Column, sources: Iterable[Source]) -> _Matches:
    if context.schema.tables_by_column.get(context.key(column)):
        return []
    pairs = ((source, key) for source in sources for key in source.outputs.names)
    return [(source, key) for source, key in pairs if one_letter_off(column.name, key)]


def has_linked_table_with(faulty: ColumnFault, key: str) -> bool:
    """Whether a table outside FROM that is linked to one of its tables has the column."""
    used = [source.entry for source in faulty.expected_scope.sources.values() if source.entry is not None]
    linked = [link.there for entry in used for link in entry.links]
    return any(key in table.columns and all(table is not entry for entry in used) for table in linked)


def partner_of(context: FixContext, faulty: ColumnFault) -> Source | None:
    """The source on the other side of `=`: a row must not be compared with itself."""
    parent = faulty.column.parent
    if not isinstance(parent, exp.EQ):
        return None
    other = parent.expression if parent.this is faulty.column else parent.this
    return context.owner(faulty.scope, other) if isinstance(other, exp.Column) else None
