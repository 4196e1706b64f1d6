"""What is shown of a group: the columns that it is grouped by, its key, the rows of the largest one."""

from sqlglot import exp

from text2sql.sql.fixes.aggregation import own_aggregate
from text2sql.sql.fixes.fix_context import ERRORS, FixContext
from text2sql.sql.fixes.group_by_key import is_name
from text2sql.sql.fixes.joins import add_joins, conditions, conjuncts, filter_by, has_bare_star
from text2sql.sql.schema_index import Entry, folded
from text2sql.sql.scope import Scope, Source


def group_shown(context: FixContext) -> bool:
    """`SELECT rank, COUNT(*) … GROUP BY rank, sex`: rows that nobody could tell apart without the sex."""
    scope = context.outermost
    columns = _grouped(scope)
    if scope is None or len(columns) < 2 or any(context.faulty_columns(*ERRORS)):
        return False
    items = [one.unalias() for one in scope.select.expressions]
    shown = [one for one in items if isinstance(one, exp.Column)]
    counted = [one for one in items if isinstance(one, exp.AggFunc)]
    missing = [one for one in columns if one not in shown]
    if not counted or len(counted) + len(shown) != len(items) or len(missing) != 1:
        return False
    source = context.owner(scope, missing[0])
    if source is None or any(context.owner(scope, one) is not source for one in columns):
        return False
    entry, keys = source.entry, [context.key(one) for one in columns]
    if entry is None or any(entry.names_rows(one, context.grammar) for one in keys):
        return False
    scope.select.set("expressions", [*columns, *counted])
    context.invalidate()
    return True


def group_key(context: FixContext) -> bool:
    """`SELECT course_id, COUNT(*) … GROUP BY subject_id`: which of its courses? The subject."""
    scope = context.outermost
    columns = _grouped(scope)
    if scope is None or len(columns) != 1 or any(context.faulty_columns(*ERRORS)):
        return False
    items = [one.unalias() for one in scope.select.expressions]
    if columns[0] in items or not any(isinstance(one, exp.AggFunc) for one in items):
        return False
    loose = [
        one
        for one in items
        if isinstance(one, exp.Column) and _is_another_key(context, scope, one, columns[0])
    ]
    if len(loose) != 1 or not _is_key(context, scope, columns[0]):
        return False
    context.replace(loose[0], columns[0].copy())
    return True


def _grouped(scope: Scope | None) -> list[exp.Column]:
    """The columns of a GROUP BY that has nothing else."""
    group = scope.select.args.get("group") if scope is not None and not scope.open else None
    if group is None or any(held for name, held in group.args.items() if name != "expressions"):
        return []
    found = [one for one in group.expressions if isinstance(one, exp.Column)]
    return found if len(found) == len(group.expressions) else []


def _is_key(context: FixContext, scope: Scope, column: exp.Column) -> bool:
    owner = context.owner(scope, column)
    return (
        owner is not None
        and owner.entry is not None
        and owner.entry.names_rows(context.key(column), context.grammar)
    )


def _is_another_key(context: FixContext, scope: Scope, column: exp.Column, group: exp.Column) -> bool:
    """The key of the very table that is grouped by another column: every group has many of it."""
    owner, other = context.owner(scope, column), context.owner(scope, group)
    if owner is None or owner is not other or owner.entry is None:
        return False
    return owner.entry.is_key([context.key(column)], context.grammar)


def most_common(context: FixContext) -> bool:
    """`SELECT name FROM t GROUP BY method ORDER BY COUNT(*) DESC LIMIT 1` names one of those who use the most
    common method; all of them were asked for.
    """
    scope = context.outermost
    columns = _grouped(scope)
    if scope is None or len(columns) != 1 or len(scope.sources) != 1 or any(context.faulty_columns(*ERRORS)):
        return False
    select, items = scope.select, scope.select.expressions
    (source,) = scope.sources.values()
    plain = all(isinstance(one, exp.Column) and context.key(one) != context.key(columns[0]) for one in items)
    if not plain or not _counts_one(select) or _decides(context, source, columns[0]):
        return False
    if any(select.args.get(one) for one in ("having", "distinct", "with_", "offset", "windows", "qualify")):
        return False
    inner = select.copy()
    inner.set("expressions", [columns[0].copy()])
    for clause in ("group", "order", "limit"):
        select.set(clause, None)
    most = exp.EQ(this=columns[0].copy(), expression=exp.Subquery(this=inner))
    filter_by(scope, [*conditions(scope), most])
    context.invalidate()
    return True


def _counts_one(select: exp.Select) -> bool:
    """`ORDER BY COUNT(…) LIMIT 1`"""
    order, limit = select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or len(order.expressions) != 1:
        return False
    return isinstance(order.expressions[0].this, exp.Count) and limit.expression.name == "1"


def _decides(context: FixContext, source: Source, column: exp.Column) -> bool:
    """Whether one value of it means one row."""
    return source.entry is None or source.entry.is_key([context.key(column)], context.grammar)


def counted_rows(context: FixContext) -> bool:
    """*The number of members of each party*, and `FROM party GROUP BY id`, where each group is one row: its
    members are counted, which the question names or which alone refer to a party. Two parties may have one
    name: grouped by that, they are counted unless the question names its members.
    """
    scope, said = context.outermost, context.intent
    columns = _grouped(scope)
    if (
        said is None
        or scope is None
        or len(scope.sources) != 1
        or not columns
        or any(context.faulty_columns(*ERRORS))
    ):
        return False
    (source,) = scope.sources.values()
    if source.entry is None or has_bare_star(scope):
        return False
    keys = [context.key(one) for one in columns]
    by_key = source.entry.is_key(keys, context.grammar)
    if not by_key and not any(is_name(source.entry, key) for key in keys):
        return False
    counts = [one for one in scope.select.find_all(exp.Count) if _is_of_rows(context, one, source.entry)]
    if not counts or len(counts) != len(list(scope.select.find_all(exp.AggFunc))):
        return False
    links = [one for one in source.entry.links if not one.forward and len(one.columns) == 1]
    own = said.touched.get(source.entry.name, frozenset())
    words = {one.there.name: said.touched.get(one.there.name, frozenset()) - own for one in links}
    named = [one for one in links if words[one.there.name]]
    named = [one for one in named if folded(one.there.name) in map(folded, words[one.there.name])] or named
    chosen = named or (links if by_key else [])
    if len(chosen) != 1:
        return False
    for one in counts:
        one.set("this", exp.Star())
    add_joins(context, scope, source, chosen)
    context.invalidate()
    return True


def _is_of_rows(context: FixContext, count: exp.Count, entry: Entry) -> bool:
    """`COUNT(*)`, or of a key."""
    held = count.this
    return isinstance(held, exp.Star) or (
        isinstance(held, exp.Column) and entry.names_rows(context.key(held), context.grammar)
    )


def row_in_having(context: FixContext) -> bool:
    """`HAVING COUNT(*) > 2 AND kind = 'a'`, where a group has several kinds: which rows count."""
    done = False
    for scope in list(context.scopes):
        having, group = scope.select.args.get("having"), scope.select.args.get("group")
        if having is None or group is None or scope.open:
            continue
        parts = conjuncts(having.this)
        moved = [
            one for one in parts if not own_aggregate(scope, one) and _sorts_rows(context, scope, one, group)
        ]
        if not moved:
            continue
        kept = [one.copy() for one in parts if not any(one is other for other in moved)]
        scope.select.set("having", exp.Having(this=exp.and_(*kept, copy=False)) if kept else None)
        filter_by(scope, [*conditions(scope), *moved])
        context.invalidate()
        done = True
    return done


def _sorts_rows(context: FixContext, scope: Scope, part: exp.Expr, group: exp.Group) -> bool:
    """Columns of sources, compared with literals, that the groups are not by."""
    columns = list(part.find_all(exp.Column))
    if not columns or part.find(exp.Query) or any(context.key(one) in scope.aliases for one in columns):
        return False
    grouped = {context.key(one) for one in group.find_all(exp.Column)}
    return all(
        context.owner(scope, one) in scope.sources.values() and context.key(one) not in grouped
        for one in columns
    )
