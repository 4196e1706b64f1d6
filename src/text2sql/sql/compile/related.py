"""Conditions on related rows: EXISTS, NOT EXISTS and counts, safe for NULL.

ClickHouse has no correlated sub-queries: there, IN and NOT IN over keys that are not NULL.
"""

from collections.abc import Callable, Sequence

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.nodes import all_of, any_of, is_not_null, is_null, number
from text2sql.sql.compile.paths import Path, Step
from text2sql.sql.compile.scope import Scope
from text2sql.types import Filter, RelatedFilter

_Conditions = Callable[..., list[exp.Expr]]


def semi_join(
    scope: Scope,
    path: Path,
    step: Step,
    inner: Scope,
    where: Sequence[exp.Expr],
    *,
    negated: bool = False,
    having: exp.Expr | None = None,
) -> exp.Expr:
    """Whether a row at the end of `path` has a row of `inner` behind `step`; with `having`, a group of
    them.
    """
    outer = [scope.column(own, scope.alias(path)) for own, _ in step.pairs]
    keys = [inner.column(other) for _, other in step.pairs]
    if scope.context.dialect == "clickhouse":
        return _in_keys(inner, outer, keys, where, negated=negated, having=having)
    joined = [exp.EQ(this=key, expression=own) for key, own in zip(keys, outer, strict=True)]
    select = inner.select(number(1), where=[*joined, *where])
    if having is not None:
        select.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        select.set("having", exp.Having(this=having))
    exists: exp.Expr = exp.Exists(this=select)
    return exp.Not(this=exists) if negated else exists


def _in_keys(
    inner: Scope,
    outer: list[exp.Column],
    keys: list[exp.Column],
    where: Sequence[exp.Expr],
    *,
    negated: bool,
    having: exp.Expr | None,
) -> exp.Expr:
    select = inner.select(
        *(key.copy() for key in keys), where=[*(is_not_null(key.copy()) for key in keys), *where]
    )
    if having is not None:
        select.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        select.set("having", exp.Having(this=having))
    value: exp.Expr = outer[0] if len(outer) == 1 else exp.Tuple(expressions=list(outer))
    found = exp.In(this=value, query=exp.Subquery(this=select))
    if not negated:
        return found
    return any_of([*(is_null(column.copy()) for column in outer), exp.Not(this=found)])


def related_condition(
    scope: Scope, anchor: Path, path: Path, each: RelatedFilter, conditions: _Conditions
) -> exp.Expr:
    """The condition that a row at the end of `anchor` has so many related rows at the end of `path`."""
    context = scope.context
    first = next((index for index, step in enumerate(path) if step.to_many), None)
    if first is None:
        return _at_most_one(context, scope, (*anchor, *path), each, conditions)
    step, rest = path[first], path[first + 1 :]
    before = (*anchor, *path[:first])

    def joined(*, negated: bool = False, compare: type[exp.Binary] | None = None, than: int = 0) -> exp.Expr:
        inner = Scope(context, step.end)
        end = inner.alias(rest)
        where = conditions(context, inner, each.filters, base=rest)
        having = None
        if compare is not None:
            counted = _counted(context, rest, end)
            having = compare(this=counted, expression=number(than))
        elif rest:
            where.append(is_not_null(inner.column(context.key(rest[-1].end)[0], end)))
        return semi_join(scope, before, step, inner, where, negated=negated, having=having)

    parts: list[exp.Expr] = []
    if each.at_least == 1:
        parts.append(joined())
    elif each.at_least > 1:
        parts.append(joined(compare=exp.GTE, than=each.at_least))
    if each.at_most == 0:
        parts.append(joined(negated=True))
    elif each.at_most is not None:
        parts.append(joined(negated=True, compare=exp.GT, than=each.at_most))
    return all_of(parts) if parts else exp.EQ(this=number(1), expression=number(1))


def _counted(context: Context, rest: Path, alias: str) -> exp.Expr:
    """The number of related rows; of different ones, if several lead to the same."""
    if all(step.to_many for step in rest):
        return exp.Count(this=exp.Star())
    key = context.key(rest[-1].end)
    if len(key) > 1:
        raise CannotCompile("composite_key", table=rest[-1].end)
    return exp.Count(this=exp.Distinct(expressions=[context.column(key[0], alias)]))


def _at_most_one(
    context: Context, scope: Scope, path: Path, each: RelatedFilter, conditions: _Conditions
) -> exp.Expr:
    """The related row is the one that the row refers to, or the row itself."""
    filters: Sequence[Filter] = each.filters
    key = context.key(path[-1].end if path else scope.table)[0]
    exists = all_of(
        [is_not_null(scope.column(key, scope.alias(path))), *conditions(context, scope, filters, base=path)]
    )
    if each.at_least > 1:
        return exp.EQ(this=number(1), expression=number(0))
    if each.at_most == 0:
        # unknown counts as not: a comparison with NULL must not remove the row
        kept = exp.Case(ifs=[exp.If(this=exists, true=number(1))], default=number(0))
        return exp.EQ(this=kept, expression=number(0))
    return exists if each.at_least else exp.EQ(this=number(1), expression=number(1))
