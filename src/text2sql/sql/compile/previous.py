"""Each time bucket beside an earlier one. The earlier buckets are joined by their labels, not by their
positions, and are computed from before the beginning of the time filter.
"""

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.blocks import Ctes
from text2sql.sql.compile.buckets import shifted
from text2sql.sql.compile.calculations import calculated_name, change_names, percent_change
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.groups import GroupColumn
from text2sql.sql.compile.layers import Layers
from text2sql.sql.compile.nodes import as_integer, as_text, concat, fill, number, part_of, same
from text2sql.sql.compile.plan import Plan, Values, totals
from text2sql.sql.compile.time_templates import DAYS_BEFORE, HOUR_BEFORE
from text2sql.types import Bucket, Comparison, Filter, TimeFilter

_PER_YEAR: dict[Bucket, int] = {"month": 12, "quarter": 4, "half": 2}
_NUMBER_AT: dict[Bucket, tuple[int, int]] = {"month": (6, 2), "quarter": (7, 1), "half": (7, 1)}


def with_previous(context: Context, planned: Plan) -> tuple[Layers, list[Values]]:
    """The totals with the columns of the earlier bucket."""
    comparison, bucket = planned.comparison, planned.bucket
    if bucket is None:
        raise CannotCompile("no_bucket", measure=planned.measures[0].alias)
    ctes: Ctes = []
    layers = totals(context, planned, planned.query.filters, ctes)
    filters = _earlier(planned.query.filters, bucket, comparison)
    if filters == list(planned.query.filters):
        source = layers.name
    else:
        source = totals(context, planned, filters, ctes, "earlier").name
    alias = context.names.table_alias(source)
    on: list[exp.Expr] = [
        _is_earlier(
            context, layers.column(bucket.alias), context.column(bucket.alias, alias), bucket, comparison
        )
    ]
    on += [
        same(context.column(column.alias, alias), layers.column(column.alias), context.dialect)
        for column in planned.columns
        if column is not bucket
    ]
    join = exp.Join(this=context.table(source, alias), side="LEFT", on=exp.and_(*on, copy=False))
    added: dict[str, exp.Expr] = {}
    values: list[Values] = []
    for measure in planned.measures:
        name = context.names.new(calculated_name(planned, measure, "previous"))
        difference, percent = change_names(context, planned, measure, comparison)
        now, before = layers.column(measure.alias), context.column(measure.alias, alias)
        added[name] = before
        if difference:
            added[difference] = exp.Sub(this=now, expression=before.copy())
        if percent:
            added[percent] = percent_change(now, before)
        values.append(Values(measure, name, difference, percent))
    layers.add("compared", added, joins=[join])
    return layers, values


def _earlier(filters: Sequence[Filter], bucket: GroupColumn, comparison: Comparison) -> list[Filter]:
    """The filters, with time ranges that begin one bucket or one year earlier."""
    unit: Bucket = bucket.grouping.bucket if comparison.kind == "previous_period" else "year"
    result: list[Filter] = []
    for each in filters:
        if not isinstance(each, TimeFilter) or each.dimension != bucket.grouping.dimension:
            result.append(each)
            continue
        ranges = tuple(
            (None if start is None else shifted(start, unit, -1), end) for start, end in each.ranges
        )
        keeps_part = each.part if comparison.kind != "previous_period" else None
        if ranges or keeps_part:
            result.append(replace(each, ranges=ranges, part=keeps_part))
    return result


def _is_earlier(
    context: Context, now: exp.Expr, before: exp.Expr, bucket: GroupColumn, comparison: Comparison
) -> exp.Expr:
    """Whether the label `before` is that of the bucket to compare with."""
    unit, dialect = bucket.grouping.bucket, context.dialect
    if comparison.kind == "same_period_last_year":
        return exp.EQ(this=before, expression=_year_before(now, unit, dialect))
    if unit in _PER_YEAR:
        following = exp.Add(this=_index(before, unit), expression=number(1))
        return exp.EQ(this=following, expression=_index(now, unit))
    if unit == "year":
        return exp.EQ(this=before, expression=_year_before(now, unit, dialect))
    if unit == "hour":
        return exp.EQ(this=before, expression=fill(HOUR_BEFORE[dialect], dialect, x=now))
    return exp.EQ(this=before, expression=_days_before(now, 7 if unit == "week" else 1, dialect))


def _days_before(label: exp.Expr, days: int, dialect: str) -> exp.Expr:
    return fill(DAYS_BEFORE[dialect], dialect, x=label, n=number(days))


def _year_before(label: exp.Expr, unit: Bucket, dialect: str) -> exp.Expr:
    """The label of the same bucket a year earlier; of the same weekday 52 weeks earlier."""
    if unit == "week":
        return _days_before(label, 364, dialect)
    year = exp.Sub(this=as_integer(part_of(label, 1, 4)), expression=number(1))
    text = as_text(year, dialect)
    return text if unit == "year" else concat(text, exp.Substring(this=label.copy(), start=number(5)))


def _index(label: exp.Expr, unit: Bucket) -> exp.Expr:
    """A number that counts months, quarters or halves."""
    year = exp.Mul(this=as_integer(part_of(label, 1, 4)), expression=number(_PER_YEAR[unit]))
    return exp.Add(this=year, expression=as_integer(part_of(label.copy(), *_NUMBER_AT[unit])))
