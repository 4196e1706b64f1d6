"""Conditions that no row can meet: `age > 30 AND age < 20`, `id = ?`, the key of a joined row IS NULL, more
than the most of all.
"""

from itertools import combinations

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.fixes.joins import conditions, conjuncts, filter_by, is_plain
from text2sql.sql.scope import Scope, Source

_ABOVE, _BELOW = (exp.GT, exp.GTE), (exp.LT, exp.LTE)


def both_at_once(context: FixContext) -> bool:
    """What was asked for is whatever has a row of each kind: the one list INTERSECT the other."""
    tree, scope = context.tree, context.outermost
    if scope is None or not is_plain_list(scope):
        return False
    parts = conjuncts(scope.select.args["where"].this)
    against = [pair for pair in combinations(parts, 2) if _exclude_each_other(context, scope, *pair)]
    if len(against) != 1:
        return False
    context.replace(
        tree, exp.Intersect(this=_without(tree, against[0][1]), expression=_without(tree, against[0][0]))
    )
    return True


def is_plain_list(scope: Scope, *, where: bool = True) -> bool:
    """Columns of rows: a count or the first rows of two lists would be something else."""
    asked = scope.select.args
    if scope.open or (where and not asked.get("where")) or any(asked.get(one) for one in _MORE):
        return False
    return all(isinstance(one.unalias(), exp.Column) and not one.is_star for one in scope.select.expressions)


_MORE = ("group", "having", "order", "limit", "offset", "with_", "windows", "qualify")


def _exclude_each_other(context: FixContext, scope: Scope, one: exp.Expr, other: exp.Expr) -> bool:
    left, right = _compared(context, scope, one), _compared(context, scope, other)
    if left is None or right is None or left[:2] != right[:2]:
        return False
    if isinstance(one, exp.EQ) and isinstance(other, exp.EQ):
        return left[2].is_string == right[2].is_string and left[2].name.lower() != right[2].name.lower()
    if isinstance(one, _BELOW) and isinstance(other, _ABOVE):
        left, right = right, left
    elif not (isinstance(one, _ABOVE) and isinstance(other, _BELOW)):
        return False
    numbers = not left[2].is_string and not right[2].is_string
    return numbers and float(left[2].name) > float(right[2].name)


def _compared(context: FixContext, scope: Scope, part: exp.Expr) -> tuple[Source, str, exp.Literal] | None:
    """`column = literal`, `>` and the like; the column's source and key, and the literal."""
    if not isinstance(part, (exp.EQ, *_ABOVE, *_BELOW)):
        return None
    column, literal = part.this, part.expression
    if not isinstance(column, exp.Column) or not isinstance(literal, exp.Literal):
        return None
    owner = context.owner(scope, column)
    return (owner, context.key(column), literal) if owner is not None else None


def _without(tree: exp.Expr, part: exp.Expr) -> exp.Expr:
    """A copy of the query without one of its conditions."""
    copy = tree.copy()
    parts = conjuncts(tree.args["where"].this)
    kept = [one.copy() for one in parts if one is not part]
    copy.set("where", exp.Where(this=exp.and_(*kept, copy=False)))
    return copy


def beyond_all(context: FixContext) -> bool:
    """`country = 'Chile' AND area > (SELECT MAX(area) FROM lake)`: no lake is larger than all of them. Those
    beyond all of Chile's are asked for; so too where the sub-query says Chile as well.
    """
    for scope in list(context.scopes):
        parts = conditions(scope)
        for source, inner in filter(None, [_compared_with_all(context, scope, one) for one in parts]):
            (other,) = inner.sources.values()
            own = {told: one for one in parts if (told := _told(context, scope, one, source))}
            within = [_told(context, inner, one, other) for one in conditions(inner)]
            gone = [own[told] for told in within if told in own]
            if not within and len(own) == 1:
                (((key, _), said),) = own.items()
                column, literal = context.column_in(inner, other, key), said.expression.copy()
                filter_by(inner, [exp.EQ(this=column, expression=literal)])
                gone = [said]
            elif not gone or len(gone) < len(within):
                continue
            filter_by(scope, [one for one in parts if not any(one is held for held in gone)])
            context.invalidate()
            return True
    return False


def _compared_with_all(context: FixContext, scope: Scope, part: exp.Expr) -> tuple[Source, Scope] | None:
    """Of `x > (SELECT MAX(x) FROM t …)`, or `<` and MIN, where x is t's: its source, and the sub-query."""
    folded = exp.Max if isinstance(part, exp.GT) else exp.Min if isinstance(part, exp.LT) else None
    column, query = part.this, part.args.get("expression")
    if folded is None or not isinstance(column, exp.Column) or not isinstance(query, exp.Subquery):
        return None
    source = context.owner(scope, column)
    inner = context.scope_of(query)
    if source is None or inner is None or len(inner.sources) != 1 or len(inner.select.expressions) != 1:
        return None
    item, (other,) = inner.select.expressions[0], inner.sources.values()
    same = isinstance(item, folded) and isinstance(item.this, exp.Column)
    same = same and context.key(item.this) == context.key(column) and other.entry is source.entry is not None
    return (source, inner) if same and not any(inner.select.args.get(one) for one in _MORE) else None


def _told(context: FixContext, scope: Scope, part: exp.Expr, source: Source) -> tuple[str, str] | None:
    """`country = 'Chile'`, of that source: the column's key, and the text."""
    held = _compared(context, scope, part) if isinstance(part, exp.EQ) else None
    return (held[1], held[2].name) if held is not None and held[0] is source and held[2].is_string else None


def for_each(context: FixContext) -> bool:
    """`SELECT COUNT(*) FROM orders WHERE customer_id = ?`: asked of every customer, so by customer."""
    scope = context.outermost
    where = scope.select.args.get("where") if scope else None
    if scope is None or where is None or scope.select.args.get("group"):
        return False
    parts = conjuncts(where.this)
    asked = [one for one in parts if isinstance(one, exp.EQ) and isinstance(one.expression, exp.Placeholder)]
    folded = any(one.find(exp.AggFunc) for one in scope.select.expressions)
    if not folded or len(asked) != 1 or not isinstance(asked[0].this, exp.Column):
        return False
    column, select = asked[0].this, scope.select
    kept = [one.copy() for one in parts if one is not asked[0]]
    select.set("where", exp.Where(this=exp.and_(*kept, copy=False)) if kept else None)
    select.set("group", exp.Group(expressions=[column.copy()]))
    if all(one.unalias() != column for one in select.expressions):
        select.set("expressions", [column.copy(), *select.expressions])
    context.invalidate()
    return True


def anti_join(context: FixContext) -> bool:
    """`JOIN visit AS v ON … WHERE v.id IS NULL`: those without one, whom only an outer join keeps."""
    done = False
    for scope in list(context.scopes):
        where = scope.select.args.get("where")
        for part in conjuncts(where.this) if where else ():
            if isinstance(part, exp.Is) and isinstance(part.expression, exp.Null):
                done = _made_outer(context, scope, part.this) or done
    return done


def _made_outer(context: FixContext, scope: Scope, column: exp.Expr) -> bool:
    """If the column is what its table is joined by, or its key: of a row that was found it is never NULL. Of
    another column it may be, but a question that denies something asks for those without a row.
    """
    if not isinstance(column, exp.Column):
        return False
    source, key = context.owner(scope, column), context.key(column)
    if source is None or source.entry is None or source.join is None or not is_plain(source.join):
        return False
    on = source.join.args["on"].find_all(exp.Column)
    joined = [context.key(one) for one in on if _is_of(context, one, source)]
    parts = [context.grammar.columns.key(one, True) for one in source.entry.table.primary_key]
    if key not in (*joined, *parts) and not source.entry.is_key([key], context.grammar):
        shown = any(context.owner(scope, one) is source for one in scope.select.expressions)
        if context.negation is None or shown or not joined:
            return False
        context.bind(column, source, joined[0])
    source.join.set("kind", None)
    source.join.set("side", "LEFT")
    context.invalidate()
    return True


def counted_none(context: FixContext) -> bool:
    """`JOIN visit AS v ON … GROUP BY … HAVING COUNT(*) = 0`: a group that is there has a row. Those without
    one, whom only an outer join keeps.
    """
    scope = context.outermost
    having = scope.select.args.get("having") if scope else None
    if scope is None or having is None or len(scope.sources) != 2 or scope.open:
        return False
    counts = [one for one in conjuncts(having.this) if _is_none(one)]
    sources = [one for one in scope.sources.values() if one.join is not None and is_plain(one.join)]
    if len(counts) != 1 or len(sources) != 1 or sources[0].join is None:
        return False
    counted, join = sources[0], sources[0].join
    on = [one for one in join.args["on"].find_all(exp.Column) if _is_of(context, one, counted)]
    elsewhere = [
        one for one in scope.select.find_all(exp.Column) if not one.find_ancestor(exp.Join, exp.Having)
    ]
    if len(on) != 1 or any(context.owner(scope, one) is counted for one in elsewhere):
        return False
    join.set("kind", None)
    join.set("side", "LEFT")
    counts[0].this.set("this", on[0].copy())
    context.invalidate()
    return True


def _is_none(part: exp.Expr) -> bool:
    """`COUNT(…) = 0`, `COUNT(…) < 1`."""
    if not isinstance(part.this, exp.Count) or isinstance(part.this.this, exp.Distinct):
        return False
    bound = part.expression.name if isinstance(part.expression, exp.Literal) else ""
    return (type(part), bound) in ((exp.EQ, "0"), (exp.LT, "1"), (exp.LTE, "0"))


def _is_of(context: FixContext, column: exp.Column, source: Source) -> bool:
    table = column.args.get("table")
    return table is not None and context.names.alias(table) == source.key
