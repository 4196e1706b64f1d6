"""Sub-queries that select the wrong key: `student.id NOT IN (SELECT dorm_id FROM lives_in)`, where the
foreign key `student_id` refers to a student.
"""

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.scope import Scope, Source


def subquery_key(context: FixContext) -> bool:
    """Compare along the only foreign key that links the two tables."""
    changed = False
    for scope in list(context.scopes):
        for column, selected, inner in _comparisons(context, scope):
            changed = _use_foreign_key(context, (scope, column), (inner, selected)) or changed
    return changed


def _comparisons(context: FixContext, scope: Scope) -> list[tuple[exp.Column, exp.Column, Scope]]:
    """`column IN (SELECT selected …)` and `column = (SELECT selected …)` of one SELECT."""
    comparisons = []
    for inner in context.scopes:
        parent = inner.select.parent
        test = parent.parent if isinstance(parent, exp.Subquery) else parent
        if inner.enclosing_select is not scope or not isinstance(test, (exp.In, exp.EQ, exp.NEQ)):
            continue
        column, selected = test.this, inner.select.expressions
        if isinstance(column, exp.Column) and len(selected) == 1 and isinstance(selected[0], exp.Column):
            comparisons.append((column, selected[0], inner))
    return comparisons


def _use_foreign_key(
    context: FixContext, outer: tuple[Scope, exp.Column], inner: tuple[Scope, exp.Column]
) -> bool:
    (source, left), (inner_source, right) = _owner_and_key(context, *outer), _owner_and_key(context, *inner)
    entry = source.entry if source is not None else None
    inner_entry = inner_source.entry if inner_source is not None else None
    if source is None or inner_source is None or entry is None or inner_entry is None or entry is inner_entry:
        return False
    links = context.schema.links(entry, inner_entry)
    if len(links) != 1 or len(links[0].columns) != 1:
        return False
    if entry.identified_rows(left) & inner_entry.identified_rows(right):
        return False  # both columns identify rows of the same table, so they may be compared
    (column,), (inner_column,) = links[0].columns, links[0].referred
    if left == column and right != inner_column and inner_entry.is_other_key(right, context.grammar):
        inner[1].set("this", context.column(inner_source, inner_column).this)
    elif right == inner_column and left != column and entry.is_other_key(left, context.grammar):
        outer[1].set("this", context.column(source, column).this)
    else:
        return False
    context.invalidate()
    return True


def _owner_and_key(context: FixContext, scope: Scope, column: exp.Column) -> tuple[Source | None, str]:
    """The source of a column. A column that does not exist belongs to the only source there is."""
    owner = context.owner(scope, column)
    if owner is None and len(scope.sources) == 1 and not scope.open and context.fault(scope, column):
        owner = next(iter(scope.sources.values()))
    return owner, context.key(column)
