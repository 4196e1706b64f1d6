"""Whole periods compared: each a row in order of time, or beside each other for every group."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.blocks import Ctes
from text2sql.sql.compile.buckets import Moment, floor, moment, period_name, shifted
from text2sql.sql.compile.calculations import calculate, calculated_name, change_names, percent_change
from text2sql.sql.compile.combine import combined, union_all
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.layers import Layers
from text2sql.sql.compile.nodes import number, same, text
from text2sql.sql.compile.output import finish, order_items
from text2sql.sql.compile.plan import Plan, Values, named_cells, parts_of, totals
from text2sql.sql.compile.statement import Statement
from text2sql.types import Bucket, Comparison, Filter, OutputColumn, TimeFilter

Range = tuple[Moment, Moment]
_UNITS: tuple[Bucket, ...] = ("month", "quarter", "half", "year")


def compares_periods(planned: Plan) -> bool:
    comparison = planned.query.comparison
    if comparison is None or comparison.kind == "members":
        return False
    return comparison.kind == "periods" or planned.bucket is None


def period_statement(context: Context, planned: Plan) -> Statement:
    dimension, ranges, filters = _ranges(context, planned)
    if planned.columns and len(ranges) == 2:
        return _columns(context, planned, filters)
    return _rows(context, planned, dimension, ranges, filters)


# -- the periods ---------------------------------------------------------------------------------


def _ranges(context: Context, planned: Plan) -> tuple[str, list[Range], list[list[Filter]]]:
    """The time dimension, the periods in order of time, and the filters of each."""
    comparison, filters = planned.comparison, planned.query.filters
    if comparison.kind == "periods":
        if len(comparison.ranges) < 2 or not comparison.dimension:
            raise CannotCompile("no_period")
        others = [each for each in filters if not _is_range(each, comparison.dimension)]
        ranges: list[Range] = list(comparison.ranges)
        return comparison.dimension, ranges, [
            [*others, TimeFilter(comparison.dimension, (each,))] for each in ranges
        ]  # fmt: skip
    chosen = next((each for each in filters if _is_range(each)), None)
    if not isinstance(chosen, TimeFilter) or len(chosen.ranges) != 1:
        raise CannotCompile("no_period")
    start, end = chosen.ranges[0]
    if start is None or end is None:
        raise CannotCompile("no_period")
    ranges = [_before(context, start, end, comparison), (start, end)]
    changed = [
        [replace(chosen, ranges=(each,)) if other is chosen else other for other in filters]
        for each in ranges
    ]
    return chosen.dimension, ranges, changed


def _is_range(each: Filter, dimension: str = "") -> bool:
    if not isinstance(each, TimeFilter) or not each.ranges:
        return False
    return not dimension or each.dimension == dimension


def _before(context: Context, start: Moment, end: Moment, comparison: Comparison) -> Range:
    """The period to compare with. Whole months go back by months; a period until today, such as this
    quarter so far, by its quarter.
    """
    first, last = moment(start), moment(end)
    if comparison.kind == "same_period_last_year":
        return shifted(first, "year", -1), shifted(last, "year", -1)
    if floor(first, "month") == first and floor(last, "month") == last:
        months = (last.year - first.year) * 12 + last.month - first.month
        return shifted(first, "month", -months), first
    if last - timedelta(days=1) <= moment(context.today) <= last:
        for unit in _UNITS:
            if floor(first, unit) == first and last <= shifted(first, unit, 1):
                return shifted(first, unit, -1), shifted(last, unit, -1)
    return first - (last - first), first


# -- rows ----------------------------------------------------------------------------------------


def _rows(
    context: Context,
    planned: Plan,
    dimension: str,
    ranges: Sequence[Range],
    filters: Sequence[Sequence[Filter]],
) -> Statement:
    """One row per period and group, compared with the period before."""
    ctes: Ctes = []
    position, period = context.names.new("period_number"), context.names.new("period")
    groups = [column.alias for column in planned.columns]
    arms: list[exp.Query] = []
    for index, (each, own) in enumerate(zip(ranges, filters, strict=True), start=1):
        layers = totals(context, planned, own, ctes, "period_totals")
        values: dict[str, exp.Expr] = {position: number(index), period: text(period_name(*each))}
        values |= {measure.alias: layers.column(measure.alias) for measure in planned.measures}
        for measure in planned.measures:
            if not groups and measure.is_additive:
                values[measure.alias] = exp.Coalesce(this=values[measure.alias], expressions=[number(0)])
        names = [position, period, *groups, *(measure.alias for measure in planned.measures)]
        arms.append(layers.select(names, values))
    name = context.names.new_table("periods")
    ctes.append((name, union_all(arms)))
    layers = Layers(
        context, ctes, name, [position, period, *groups, *(each.alias for each in planned.measures)]
    )
    values_shown = _joined(context, planned, layers, position)
    values_shown = calculate(context, planned, layers, values_shown)
    statement = finish(
        context,
        planned,
        layers,
        values_shown,
        items=[(position, False), *order_items(planned)],
        leading=[period],
    )
    label = OutputColumn(period, "group", dimension)
    statement.columns = [label, *statement.columns]
    return statement


def _joined(context: Context, planned: Plan, layers: Layers, position: str) -> list[Values]:
    alias = context.names.table_alias(layers.name)
    before = exp.Add(this=context.column(position, alias), expression=number(1))
    on: list[exp.Expr] = [exp.EQ(this=before, expression=layers.column(position))]
    on += [
        same(context.column(column.alias, alias), layers.column(column.alias), context.dialect)
        for column in planned.columns
    ]
    join = exp.Join(this=context.table(layers.name, alias), side="LEFT", on=exp.and_(*on, copy=False))
    added: dict[str, exp.Expr] = {}
    values: list[Values] = []
    for measure in planned.measures:
        name = context.names.new(calculated_name(planned, measure, "previous"))
        added[name] = context.column(measure.alias, alias)
        values.append(
            _changes(planned, added, Values(measure, name),
                     layers.column(measure.alias), added[name])
        )  # fmt: skip
    layers.add("compared", added, joins=[join])
    return values


def _changes(
    planned: Plan,
    added: dict[str, exp.Expr],
    values: Values,
    now: exp.Expr,
    before: exp.Expr,
) -> Values:
    difference, percent = change_names(planned.context, planned, values.measure, planned.comparison)
    if difference:
        added[difference] = exp.Sub(this=now.copy(), expression=before.copy())
    if percent:
        added[percent] = percent_change(now, before)
    return replace(values, difference=difference, percent_change=percent)


# -- columns -------------------------------------------------------------------------------------


def _columns(context: Context, planned: Plan, filters: Sequence[Sequence[Filter]]) -> Statement:
    """One row per group that either period has."""
    ctes: Ctes = []
    now, before = named_cells(context, planned), {}
    previous = {
        measure.alias: context.names.new(calculated_name(planned, measure, "previous"))
        for measure in planned.measures
    }
    for measure in planned.measures:
        if not measure.is_ratio:
            before[measure.cells[0]] = previous[measure.alias]
    for cell, name in now.items():
        before.setdefault(cell, context.names.new(f"previous_{name}"))
    parts = [*parts_of(context, planned, filters[1], now), *parts_of(context, planned, filters[0], before)]
    base = combined(context, ctes, planned.columns, parts)
    names = [*(column.alias for column in planned.columns), *now.values(), *before.values()]
    layers = Layers(context, ctes, base, names)
    computed: dict[str, exp.Expr] = {}
    for measure in planned.measures:
        if measure.alias not in names:
            computed[measure.alias] = measure.value(lambda cell: layers.column(now[cell]))
        if previous[measure.alias] not in names:
            computed[previous[measure.alias]] = measure.value(lambda cell: layers.column(before[cell]))
    if computed:
        layers.add("measured", computed)
    added: dict[str, exp.Expr] = {}
    values = [
        _changes(planned, added, Values(measure, previous[measure.alias]),
                 layers.column(measure.alias), layers.column(previous[measure.alias]))
        for measure in planned.measures
    ]  # fmt: skip
    if added:
        layers.add("compared", added)
    return finish(context, planned, layers, calculate(context, planned, layers, values))
