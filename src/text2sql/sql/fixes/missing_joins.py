"""Fix joins along foreign keys: a join on the wrong columns, and a missing join."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.fixes.joins import add_joins, conjuncts, equality_sides, has_bare_star, shortest_path
from text2sql.sql.schema_index import Link, TableEntry, have_different_types
from text2sql.sql.scope import Scope, Source, copy_identifier

_MAX_JOINS = 4  # tables that are added to one query
_NEEDS_JOIN = (Fault.MISSING_IN_SOURCE, Fault.UNKNOWN_SOURCE, Fault.UNKNOWN_COLUMN, Fault.OUTER_COLUMN)


def join_key(context: FixContext) -> bool:
    """`a JOIN b ON a.id = b.id` where the only foreign key between them is `a.b_id → b.id`."""
    changed = False
    for scope in list(context.scopes):
        for join in scope.joins:
            changed = _bind_to_joined_source(context, scope, join) or changed
            for part in conjuncts(join.args.get("on")):
                changed = _use_foreign_key(context, scope, part) or changed
    return changed


def _bind_to_joined_source(context: FixContext, scope: Scope, join: exp.Join) -> bool:
    """`JOIN club AS T3 ON T1.id = T2.guest_id`, where T1 is a club too: T3 is meant."""
    joined = next((source for source in scope.sources.values() if source.join is join), None)
    sides = [equality_sides(context, scope, part) for part in conjuncts(join.args.get("on"))]
    if joined is None or joined.entry is None or len(sides) != 1 or sides[0] is None:
        return False
    owners = [source for source, _ in sides[0]]
    same_table = [source for source in owners if source.entry is joined.entry]
    if joined in owners or len(same_table) != 1:
        return False
    for column in join.args["on"].find_all(exp.Column):
        if context.owner(scope, column) is same_table[0]:
            context.bind(column, joined)
    return True


def _use_foreign_key(context: FixContext, scope: Scope, part: exp.Expr) -> bool:
    sides = equality_sides(context, scope, part)
    if sides is None:
        return False
    (source, left), (target, right) = sides
    if source is target or source.entry is None or target.entry is None or source.entry is target.entry:
        return False
    links = context.schema.links(source.entry, target.entry)
    if len(links) != 1 or len(links[0].columns) != 1:
        return False
    (pair,) = links[0].pairs
    if (left, right) == pair or not _cannot_be_equal(context, (source.entry, left), (target.entry, right)):
        return False
    part.set("this", context.column(source, pair[0]))
    part.set("expression", context.column(target, pair[1]))
    context.invalidate()
    return True


def _cannot_be_equal(
    context: FixContext, left: tuple[TableEntry, str], right: tuple[TableEntry, str]
) -> bool:
    """True for a column that does not exist, for a text and a number, and for two primary keys of which
    neither refers to another row.
    """
    sides = (left, right)
    if any(key in entry.hidden for entry, key in sides):
        return False
    if any(key not in entry.columns for entry, key in sides):
        return True
    if have_different_types(left[0].columns[left[1]], right[0].columns[right[1]]):
        return True
    column_key = context.grammar.columns.key
    keys = [tuple(column_key(name, True) for name in entry.table.primary_key) for entry, _ in sides]
    return keys == [(left[1],), (right[1],)] and not any(
        link.forward and key in link.columns for entry, key in sides for link in entry.links
    )


def missing_join(context: FixContext) -> bool:
    """Join the table of a column that no source has, along the shortest path of foreign keys."""
    changed = False
    for _ in range(_MAX_JOINS):
        if not any(_join_for(context, faulty) for faulty in context.faulty_columns(*_NEEDS_JOIN)):
            break
        changed = True
    return changed


def _join_for(context: FixContext, faulty: ColumnFault) -> bool:
    scope = faulty.expected_scope
    if not scope.sources or scope.open or has_bare_star(scope):
        return False
    grouped = grouped_by(context, faulty)
    needs_third_table = selects_twice(context, faulty) or grouped is not None
    if faulty.fault is not Fault.OUTER_COLUMN and not needs_third_table and _is_in_scope(context, faulty):
        return False
    sources = [faulty.source] if needs_third_table and faulty.source else scope.sources.values()
    starts = [(source, source.entry) for source in sources if source.entry is not None]
    targets = [grouped] if grouped is not None else _target_tables(context, faulty)
    path = shortest_path(starts, targets) or _path_of_own_source(faulty, targets)
    is_unambiguous = (
        faulty.fault is Fault.UNKNOWN_SOURCE or len(targets) < 2 or _share_key(context, faulty, targets)
    )
    if path is None or not (is_unambiguous or _is_direct(path)):
        return False
    alias = faulty.column.args["table"] if faulty.fault is Fault.UNKNOWN_SOURCE else None
    equal_columns = [
        column for column in faulty.scope.columns if needs_third_table and column == faulty.column
    ]
    name = add_joins(context, scope, *path, alias)
    for column in (faulty.column, *equal_columns):
        column.set("table", copy_identifier(name))
    context.invalidate()
    return True


def _target_tables(context: FixContext, faulty: ColumnFault) -> list[TableEntry]:
    """The tables outside FROM that have the column. If the question asks for the names of exactly one
    of them, only that one.
    """
    used = [source.entry for source in faulty.expected_scope.sources.values()]
    tables = [table for table in _tables_with(context, faulty) if all(table is not entry for entry in used)]
    named = context.intent.named if context.intent is not None else ()
    preferred = [table for table in tables if table.name in named]
    return preferred if len(preferred) == 1 else tables


def _share_key(context: FixContext, faulty: ColumnFault, tables: list[TableEntry]) -> bool:
    """Whether the column is the key of one table and a foreign key to it in the others: any will do."""
    key = context.key(faulty.column)

    def refers_to(table: TableEntry, owner: TableEntry) -> bool:
        return any(link.forward and link.columns == (key,) and link.there is owner for link in table.links)

    return any(all(table is owner or refers_to(table, owner) for table in tables) for owner in tables)


def _path_of_own_source(faulty: ColumnFault, targets: list[TableEntry]) -> tuple[Source, list[Link]] | None:
    """If several sources refer to the table, the path from the one that the column names."""
    source = faulty.source if faulty.fault is Fault.MISSING_IN_SOURCE else None
    if source is None or source.entry is None:
        return None
    path = shortest_path([(source, source.entry)], targets)
    return path if path is not None and _is_direct(path) else None


def _is_direct(path: tuple[Source, list[Link]]) -> bool:
    """Whether the source itself refers to the table."""
    return len(path[1]) == 1 and path[1][0].forward


def selects_twice(context: FixContext, faulty: ColumnFault) -> bool:
    """`SELECT T1.name, T2.name` where only T1 has a name: the second one belongs to a third table."""
    items = faulty.scope.select.expressions
    if faulty.fault is not Fault.MISSING_IN_SOURCE or faulty.column not in items:
        return False
    key = context.key(faulty.column)
    others = (item for item in items if isinstance(item, exp.Column) and item != faulty.column)
    return any(context.key(item) == key and context.fault(faulty.scope, item) is None for item in others)


def grouped_by(context: FixContext, faulty: ColumnFault) -> TableEntry | None:
    """`SELECT T1.name … GROUP BY T1.patient`: the table with the name, whose row `patient` refers to."""
    group, source = faulty.scope.select.args.get("group"), faulty.source
    if faulty.fault is not Fault.MISSING_IN_SOURCE or group is None or source is None or source.entry is None:
        return None
    columns = [column for column in group.expressions if isinstance(column, exp.Column)]
    keys = [context.key(column) for column in columns if context.owner(faulty.scope, column) is source]
    tables = [
        link.there
        for link in source.entry.links
        if link.forward and link.columns == tuple(keys) and context.key(faulty.column) in link.there.columns
    ]
    used = [other.entry for other in faulty.expected_scope.sources.values()]
    return tables[0] if len(tables) == 1 and all(tables[0] is not entry for entry in used) else None


def _is_in_scope(context: FixContext, faulty: ColumnFault) -> bool:
    """Whether sources of the query, or of a query around it, have the column."""
    if faulty.fault is Fault.UNKNOWN_SOURCE:
        tables = _tables_with(context, faulty)
        if tables and tables == context.schema.near(faulty.column.table):
            return False  # it names a table that has the column
    keys = _keys_of_alias(context, faulty)
    scopes = faulty.expected_scope.chain()
    return any(scope.open or all(scope.owners(key) for key in keys) for scope in scopes)


def _keys_of_alias(context: FixContext, faulty: ColumnFault) -> set[str]:
    """The column; if its alias names no source, all columns of that alias, which belong to one table."""
    if faulty.fault is not Fault.UNKNOWN_SOURCE:
        return {context.key(faulty.column)}
    alias = context.names.alias(faulty.column.args["table"])
    qualified = [column for column in faulty.scope.columns if column.args.get("table") is not None]
    return {context.key(column) for column in qualified if context.names.alias(column.args["table"]) == alias}


def _tables_with(context: FixContext, faulty: ColumnFault) -> list[TableEntry]:
    """The tables that may be meant."""
    having_column = context.schema.tables_by_column.get(context.key(faulty.column), [])
    if faulty.fault is not Fault.UNKNOWN_SOURCE:
        return having_column
    keys = _keys_of_alias(context, faulty)
    tables = context.schema.near(faulty.column.table) or having_column
    return [table for table in tables if keys <= set(table.columns)]
