"""Numbers calculated over the groups: shares, running totals, moving averages, members against the first."""

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.groups import find
from text2sql.sql.compile.layers import Layers
from text2sql.sql.compile.measures import MeasureColumn
from text2sql.sql.compile.nodes import as_real, case, constant, divide, number, ordered, times
from text2sql.sql.compile.plan import Plan, Values
from text2sql.types import Comparison, ValueFilter


def calculate(context: Context, planned: Plan, layers: Layers, values: Sequence[Values]) -> list[Values]:
    """Add the calculated columns; a running total or moving average replaces its number."""
    added: dict[str, exp.Expr] = {}
    result: list[Values] = []
    for each in values:
        shown = each
        if each.measure.use.share:
            shown = replace(
                shown, share=context.names.new(calculated_name(planned, each.measure, "share_percent"))
            )
            added[shown.share] = _share(planned, layers, each.measure)
        if each.measure.use.running or each.measure.use.moving:
            added[each.measure.alias] = _over_time(context, planned, layers, each.measure)
        result.append(shown)
    if added:
        layers.add("calculated", added)
    comparison = planned.query.comparison
    if comparison is not None and comparison.kind == "members":
        return _members(context, planned, layers, result, comparison)
    return result


def calculated_name(planned: Plan, measure: MeasureColumn, name: str) -> str:
    return name if len(planned.measures) == 1 else f"{measure.alias}_{name}"


def _share(planned: Plan, layers: Layers, measure: MeasureColumn) -> exp.Expr:
    value = layers.column(measure.alias)
    if measure.total is not None:
        return times(divide(value, layers.column(measure.total_alias)), 100)
    total = exp.Window(this=exp.Sum(this=value.copy()))
    if measure.use.share_within:
        within = find(planned.columns, measure.use.share_within)
        total.set("partition_by", [layers.column(column.alias) for column in within])
    return times(divide(value, total), 100)


def _over_time(context: Context, planned: Plan, layers: Layers, measure: MeasureColumn) -> exp.Expr:
    bucket = planned.bucket or next((column for column in planned.columns if column.is_time), None)
    if bucket is None:
        raise CannotCompile("no_bucket", measure=measure.alias)
    value: exp.Expr = layers.column(measure.alias)
    moving = measure.use.moving
    others = [layers.column(column.alias) for column in planned.columns if column is not bucket]
    start = str(moving - 1) if moving else "UNBOUNDED"
    function = exp.Avg(this=as_real(value)) if moving else exp.Sum(this=value)
    spec = exp.WindowSpec(
        kind="ROWS", start=number(moving - 1) if moving else start, start_side="PRECEDING", end="CURRENT ROW"
    )
    order = ordered(layers.column(bucket.alias), context.dialect, in_window=True)
    return exp.Window(this=function, partition_by=others, order=exp.Order(expressions=order), spec=spec)


def _members(
    context: Context, planned: Plan, layers: Layers, values: Sequence[Values], comparison: Comparison
) -> list[Values]:
    """Every member against the first one: the first of the filter's values, else the largest."""
    first = planned.columns[0] if planned.columns else None
    if first is None:
        raise CannotCompile("no_members")
    members = [column for column in planned.columns if column.grouping == first.grouping]
    position = context.names.new("member_position")
    layers.add("members", {position: _position(context, planned, layers)})
    result: list[Values] = []
    bases: dict[str, exp.Expr] = {}
    for each in values:
        base = context.names.new(f"{each.measure.alias}_of_first")
        value: exp.Expr = case(
            exp.EQ(this=layers.column(position), expression=number(1)), layers.column(each.measure.alias)
        )
        others = [layers.column(column.alias) for column in planned.columns if column not in members]
        bases[base] = exp.Window(this=exp.Max(this=value), partition_by=others)
        result.append(replace(each, extra=(base,)))
    layers.add("compared", bases)
    is_other = exp.GT(this=layers.column(position), expression=number(1))
    changes: dict[str, exp.Expr] = {}
    shown: list[Values] = []
    for each in result:
        value, base_value = layers.column(each.measure.alias), layers.column(each.extra[0])
        names = change_names(context, planned, each.measure, comparison)
        if names[0]:
            changes[names[0]] = case(is_other.copy(), exp.Sub(this=value, expression=base_value))
        if names[1]:
            changes[names[1]] = case(is_other.copy(), percent_change(value, base_value))
        shown.append(replace(each, difference=names[0], percent_change=names[1]))
    if changes:
        layers.add("differences", changes)
    return shown


def _position(context: Context, planned: Plan, layers: Layers) -> exp.Expr:
    first = planned.columns[0]
    values = next(
        (
            each.values
            for each in planned.query.filters
            if isinstance(each, ValueFilter) and each.operator == "=" and first.is_called(each.dimension)
        ),
        (),
    )
    column = layers.column(first.alias)
    if values:
        branches = [
            exp.If(this=exp.EQ(this=column.copy(), expression=constant(value)), true=number(index))
            for index, value in enumerate(values, start=1)
        ]
        return exp.Case(ifs=branches, default=number(len(values) + 1))
    by = ordered(layers.column(planned.measures[0].alias), context.dialect, descending=True)
    by += ordered(column, context.dialect)
    return exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=by))


def change_names(
    context: Context, planned: Plan, measure: MeasureColumn, comparison: Comparison
) -> tuple[str, str]:
    """The names of the columns of a difference, `change` and `change_percent`, as far as they are wanted."""
    difference = (
        context.names.new(calculated_name(planned, measure, "change")) if comparison.difference else ""
    )
    percent = (
        context.names.new(calculated_name(planned, measure, "change_percent")) if comparison.percent else ""
    )
    return difference, percent


def percent_change(value: exp.Expr, previous: exp.Expr) -> exp.Expr:
    """(value - previous) / |previous| * 100; NULL if the previous value is 0 or missing."""
    difference = exp.Sub(this=as_real(value.copy()), expression=previous.copy())
    divided = divide(exp.Paren(this=difference), exp.Abs(this=previous.copy()))
    return times(divided, 100)
