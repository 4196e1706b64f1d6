"""Filters as conditions of one SELECT, whose rows they never multiply.

A filter on another table is a condition on a to-one join. Over a to-many step it is a semi-join; filters over
the same step hold for the same related row: *customers who ordered a book in 2025*. Two values of one column
are two related rows: *customers who ordered a book and a pen*.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.expressions import bound
from text2sql.sql.compile.nodes import all_of
from text2sql.sql.compile.paths import Path
from text2sql.sql.compile.related import related_condition, semi_join
from text2sql.sql.compile.scope import Scope
from text2sql.sql.compile.time_sql import TimeColumn
from text2sql.sql.compile.value_conditions import part_condition, value_condition
from text2sql.types import AverageFilter, Filter, RelatedFilter, TimeFilter, ValueFilter


@dataclass(frozen=True)
class Condition:
    """A condition on the table at the end of a path; `build` writes it for a scope."""

    path: Path
    build: Callable[[Scope, Path], exp.Expr]
    only: str = ""  # the dimension that it allows one value of, so that one row cannot meet two of them


def conditions(
    context: Context, scope: Scope, filters: Sequence[Filter], *, base: Path = ()
) -> list[exp.Expr]:
    """The filters as conditions of `scope`; their paths begin at the end of `base`."""
    start = base[-1].end if base else scope.table
    direct: list[exp.Expr] = []
    grouped: dict[Path, list[Condition]] = {}
    for condition in (_condition(context, start, each) for each in filters):
        prefix = _to_many_prefix((*base, *condition.path), len(base))
        if prefix is None or scope.has(prefix):
            direct.append(condition.build(scope, (*base, *condition.path)))
        else:
            grouped.setdefault(prefix, []).append(condition)
    for prefix, members in grouped.items():
        direct += [_exists(context, scope, prefix, each, len(base)) for each in _satisfiable(members)]
    return direct


def _satisfiable(members: Sequence[Condition]) -> list[list[Condition]]:
    """The conditions, split so that one related row can meet each part: *bought a lamp and a desk in 2025* is
    a lamp in 2025 and a desk in 2025.
    """
    values: dict[str, list[Condition]] = {}
    for member in members:
        if member.only:
            values.setdefault(member.only, []).append(member)
    parts = max((len(each) for each in values.values()), default=1)
    others = [member for member in members if not member.only]
    return [[*others, *(each[min(part, len(each) - 1)] for each in values.values())] for part in range(parts)]


def needs_related_rows(context: Context, table: str, filters: Sequence[Filter]) -> bool:
    """Whether a filter reaches over a to-many step."""
    return any(step.to_many for each in filters for step in _condition(context, table, each).path)


def _to_many_prefix(path: Path, start: int) -> Path | None:
    """The beginning of a path, up to its first to-many step."""
    for index in range(start, len(path)):
        if path[index].to_many:
            return path[: index + 1]
    return None


def _exists(
    context: Context, scope: Scope, prefix: Path, members: Sequence[Condition], base: int
) -> exp.Expr:
    step = prefix[-1]
    inner = Scope(context, step.end)
    where: list[exp.Expr] = []
    deeper: dict[Path, list[Condition]] = {}
    for member in members:
        rest = member.path[len(prefix) - base :]
        following = _to_many_prefix(rest, 0)
        if following is None:
            where.append(member.build(inner, rest))
        else:
            deeper.setdefault(following, []).append(Condition(rest, member.build, member.only))
    where += [_exists(context, inner, following, each, 0) for following, each in deeper.items()]
    return semi_join(scope, prefix[:-1], step, inner, where)


def _condition(context: Context, start: str, each: Filter) -> Condition:
    if isinstance(each, RelatedFilter):
        return _related(context, start, each)
    if isinstance(each, AverageFilter):
        return _average(context, start, each)
    reference, path = context.located(each.dimension, start)

    def build(scope: Scope, full: Path) -> exp.Expr:
        column = scope.column(reference.dimension.column, scope.alias(full))
        if isinstance(each, ValueFilter):
            return value_condition(context, reference.dimension, column, each)
        return _time(TimeColumn(context, reference.dimension, column), each)

    is_value = isinstance(each, ValueFilter) and each.operator == "="
    return Condition(path, build, each.dimension if is_value else "")


def _time(column: TimeColumn, each: TimeFilter) -> exp.Expr:
    parts: list[exp.Expr] = []
    if each.ranges:
        parts.append(column.in_ranges(each.ranges))
    if each.part is not None:
        parts.append(part_condition(column, each.part, each.part_values))
    if not parts:
        raise CannotCompile("empty_filter", dimension=each.dimension)
    return all_of(parts)


def _related(context: Context, start: str, each: RelatedFilter) -> Condition:
    anchor = context.subject or start
    if anchor != start and not context.graph.reaches_one(start, anchor):
        anchor = start
    hints, entity = context.table_reference(each.table)
    path = context.graph.path_to_rows(anchor, entity.table, hints)
    to_anchor = context.graph.path(start, anchor)

    def build(scope: Scope, full: Path) -> exp.Expr:
        return related_condition(scope, full, path, each, conditions)

    return Condition(to_anchor, build)


def _average(context: Context, start: str, each: AverageFilter) -> Condition:
    """A row's number against the average over all rows of its table."""
    measure = context.row_measure(each.measure)
    path = context.graph.path(start, measure.table)

    def build(scope: Scope, full: Path) -> exp.Expr:
        inner = Scope(context, measure.table)
        value = bound(context, inner, (), measure, measure.expression)
        average = inner.select(exp.Avg(this=value))
        compared = {">": exp.GT, "<": exp.LT, ">=": exp.GTE, "<=": exp.LTE}[each.operator]
        own = bound(context, scope, full, measure, measure.expression)
        return compared(this=own, expression=exp.Subquery(this=average))

    return Condition(path, build)
