"""Fixes of aggregates: a condition in the wrong clause, a missing GROUP BY, a count of a missing column."""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import ColumnFault, Fault, FixContext
from text2sql.sql.fixes.joins import conjuncts
from text2sql.sql.schema_index import folded
from text2sql.sql.scope import Scope

# -- conditions --


def aggregate_in_where(context: FixContext) -> bool:
    """`WHERE COUNT(*) > 3`: conditions on groups belong to HAVING. Without GROUP BY, the groups are those of
    the selected columns.
    """
    changed = False
    for scope in list(context.scopes):
        select = scope.select
        where, group = select.args.get("where"), select.args.get("group")
        columns = _selected_columns(scope)
        if where is None or (group is None and not columns):
            continue
        parts = conjuncts(where.this)
        moved = [part for part in parts if _has_aggregate(scope, part)]
        if not moved:
            continue
        remaining = [part.copy() for part in parts if not any(part is other for other in moved)]
        having = select.args.get("having")
        all_having = [*([having.this.copy()] if having else []), *(part.copy() for part in moved)]
        select.set("where", exp.Where(this=exp.and_(*remaining)) if remaining else None)
        select.set("having", exp.Having(this=exp.and_(*all_having)))
        if group is None:
            select.set("group", exp.Group(expressions=[column.copy() for column in columns]))
        context.invalidate()
        changed = True
    return changed


def aggregate_in_order(context: FixContext) -> bool:
    """`SELECT name … ORDER BY COUNT(*)`: the groups are those of the selected columns."""
    changed = False
    for scope in list(context.scopes):
        select = scope.select
        order, columns = select.args.get("order"), _selected_columns(scope)
        if (
            order is None
            or not columns
            or len(columns) != len(select.expressions)
            or select.args.get("group")
        ):
            continue
        if _has_aggregate(scope, order):
            select.set("group", exp.Group(expressions=[column.copy() for column in columns]))
            select.set("distinct", None)
            context.invalidate()
            changed = True
    return changed


def _selected_columns(scope: Scope) -> list[exp.Column]:
    items = [item.unalias() for item in scope.select.expressions]
    return [item for item in items if isinstance(item, exp.Column) and not item.is_star]


def _has_aggregate(scope: Scope, node: exp.Expr) -> bool:
    """Whether it contains an aggregate of this SELECT, not of a sub-query or a window."""
    return any(
        aggregate.find_ancestor(exp.Select) is scope.select and aggregate.find_ancestor(exp.Window) is None
        for aggregate in node.find_all(exp.AggFunc)
    )


# -- counts --


def count_rows(context: FixContext) -> bool:
    """`COUNT(T2.student_id)` where no table has such a column: `COUNT(*)`."""
    counted = [
        faulty.column
        for faulty in context.faulty_columns(Fault.MISSING_IN_SOURCE, Fault.UNKNOWN_COLUMN)
        if isinstance(faulty.column.parent, exp.Count) and not _may_exist(context, faulty)
    ]
    for column in counted:
        context.replace(column, exp.Star())
    return bool(counted)


def _may_exist(context: FixContext, faulty: ColumnFault) -> bool:
    """Whether a table has the column, or a source one whose name contains it: `parent` may be `parent_id`."""
    name = folded(faulty.column.name)
    names = (folded(key) for source in faulty.expected_scope.sources.values() for key in source.outputs.names)
    return bool(context.schema.tables_by_column.get(context.key(faulty.column))) or any(
        name in other for other in names
    )


# -- aliases --

# The clauses in which an engine rejects aliases of the SELECT list.
_WITHOUT_ALIASES = {
    "postgres": ("where", "having", "joins"),
    "mysql": ("where", "joins"),
    "bigquery": ("where", "joins"),
    "oracle": ("where", "having", "group", "joins"),
}


def alias_in_clause(context: FixContext) -> bool:
    """`SELECT price * 2 AS double … WHERE double > 3`: the alias is replaced by its expression."""
    changed = False
    for scope in list(context.scopes):
        for clause in _WITHOUT_ALIASES.get(context.dialect, ()):
            for column in list(scope.columns):
                key = context.key(column)
                meaning = scope.aliases.get(key) if not column.args.get("table") else None
                if meaning is None or scope.open or any(s.may_have(key) for s in scope.sources.values()):
                    continue
                if _clause_of(column, scope) == clause and _may_stand_in(meaning, clause):
                    needs_brackets = isinstance(meaning, (exp.Binary, exp.Connector, exp.Unary))
                    new = exp.Paren(this=meaning.copy()) if needs_brackets else meaning.copy()
                    context.replace(column, new)
                    changed = True
    return changed


def _clause_of(column: exp.Expr, scope: Scope) -> str:
    while column.parent is not None and column.parent is not scope.select:
        column = column.parent
    return column.arg_key or ""


def _may_stand_in(meaning: exp.Expr, clause: str) -> bool:
    if meaning.find(exp.Window, exp.Query):
        return False
    return clause == "having" or meaning.find(exp.AggFunc) is None


# -- GROUP BY --

_ANY_ROW = ("sqlite",)  # engines that take some row of the group
_KNOW_KEYS = ("postgres", "mysql")  # engines that know that a primary key determines its row


def group_by(context: FixContext) -> bool:
    """`SELECT city, COUNT(*) FROM t`, and `GROUP BY id` where the name of that id is selected too."""
    if context.dialect in _ANY_ROW:
        return False
    changed = False
    for scope in list(context.scopes):
        missing = _missing_in_group(context, scope)
        if missing:
            group = scope.select.args.get("group") or exp.Group()
            group.set("expressions", [*group.expressions, *(column.copy() for column in missing)])
            scope.select.set("group", group)
            context.invalidate()
            changed = True
    return changed


def _missing_in_group(context: FixContext, scope: Scope) -> list[exp.Column]:
    """The plain columns beside aggregates that are not grouped by."""
    items = [item.unalias() for item in scope.select.expressions]
    columns, aggregates = _selected_columns(scope), [item for item in items if _is_aggregate(item)]
    if not columns or not aggregates or len(columns) + len(aggregates) != len(items):
        return []
    group = scope.select.args.get("group")
    if scope.select.args.get("distinct"):
        return []
    if group is None:
        # MAX or MIN alone may be meant to pick a row: two possible corrections
        counts = any(item.find(exp.Count, exp.Sum, exp.Avg) for item in aggregates)
        return columns if counts else []
    if any(clause != "expressions" and value for clause, value in group.args.items()):
        return []
    return [column for column in columns if _follows_from_key(context, scope, column, group)]


def _is_aggregate(item: exp.Expr) -> bool:
    """Whether it is an aggregate without a bare column beside it."""
    if item.find(exp.Window, exp.Query) or not item.find(exp.AggFunc):
        return False
    return all(column.find_ancestor(exp.AggFunc) for column in item.find_all(exp.Column))


def _follows_from_key(context: FixContext, scope: Scope, column: exp.Column, group: exp.Group) -> bool:
    grouped = [item for item in group.expressions if isinstance(item, exp.Column)]
    owner = context.owner(scope, column)
    if len(grouped) != len(group.expressions) or owner is None or owner.entry is None:
        return False
    keys = {context.key(item) for item in grouped if context.owner(scope, item) is owner}
    if context.key(column) in keys or context.origin(scope, column) is None:
        return False
    # Through a row policy, engines do not see the key of the table.
    knows_key = context.dialect in _KNOW_KEYS and not context.has_row_policy
    return not knows_key and owner.entry.is_key(keys, context.grammar)
