"""The final SELECT: thresholds, ranking, order and limit, and what each column is."""

from collections.abc import Sequence

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.blocks import blocks
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.groups import GroupColumn, find
from text2sql.sql.compile.layers import Layers
from text2sql.sql.compile.measures import MeasureColumn
from text2sql.sql.compile.nodes import as_real, number, ordered
from text2sql.sql.compile.plan import Plan, Values, measured
from text2sql.sql.compile.statement import Statement
from text2sql.types import OutputColumn, Ranking, Threshold

_COMPARE: dict[str, type[exp.Binary]] = {
    "<": exp.LT, "<=": exp.LTE, ">": exp.GT, ">=": exp.GTE, "=": exp.EQ, "!=": exp.NEQ,
}  # fmt: skip
Item = tuple[str, bool]  # the name of a column, and whether its order is descending


def plain(context: Context, planned: Plan) -> Statement:
    """One SELECT; CTEs only for what a block itself needs."""
    found = blocks(context, planned.columns, planned.cells, planned.query.filters)
    if len(found) > 1:  # percentiles from ranks, or filters over to-many steps
        layers, values = measured(context, planned)
        return finish(context, planned, layers, values)
    (block,) = found
    groups = dict(zip((column.alias for column in planned.columns), block.groups, strict=True))
    items = [
        context.named(groups[column.alias].copy(), column.alias)
        for column in planned.columns
        if column.is_shown
    ]
    numbers = {
        measure.alias: measure.value(lambda cell: block.cells[cell].copy()) for measure in planned.measures
    }
    items += [context.named(value, alias) for alias, value in numbers.items()]
    select = block.select(items)
    having = [
        _threshold(numbers[_measure(planned, each.measure).alias].copy(), each)
        for each in planned.query.thresholds
    ]
    if having:
        select.set("having", exp.Having(this=exp.and_(*having, copy=False)))
    # The alias of a plain column may be the name of several columns, so it is sorted by its expression.
    spelled = {column.alias: groups[column.alias] for column in planned.columns if not column.is_time}
    if context.dialect == "mysql":  # which sorts NULL last by an expression, where an alias is none
        spelled |= numbers
    by: list[exp.Expr] = []
    for name, descending in order_items(planned):
        value = spelled[name].copy() if name in spelled else context.column(name)
        by += ordered(value, context.dialect, descending=descending)
    outputs = [column.output for column in planned.columns if column.is_shown]
    outputs += [measure.output for measure in planned.measures]
    return Statement(_cut(planned, select, by), outputs, block.ctes)


def finish(
    context: Context,
    planned: Plan,
    layers: Layers,
    values: Sequence[Values],
    *,
    items: Sequence[Item] = (),
    leading: Sequence[str] = (),
) -> Statement:
    """Select the shown columns of the last layer, after the columns `leading`."""
    query, ranking = planned.query, planned.query.ranking
    outputs = [column.output for column in planned.columns if column.is_shown]
    outputs += [output for each in values for output in value_outputs(each)]
    where = _thresholds(context, planned, layers)
    by = list(items) or order_items(planned)
    shows_rank = False
    if ranking is not None and (ranking.per or ranking.ties or (ranking.most and query.order)):
        rank = context.names.new("rank_in_group" if ranking.per else "rank_number")
        layers.add("ranked", {rank: _rank(context, planned, layers)}, where=where)
        kept = exp.LTE(this=layers.column(rank), expression=number(ranking.most))
        where = [kept] if ranking.most else []
        shows_rank = bool(ranking.per) and not ranking.most
        if shows_rank:
            outputs.append(OutputColumn(rank, "rank"))
    select = layers.select([*leading, *(output.name for output in outputs)])
    if where:
        select.set("where", exp.Where(this=exp.and_(*where, copy=False)))
    terms: list[exp.Expr] = []
    for name, descending in by:
        terms += ordered(layers.column(name), context.dialect, descending=descending)
    return Statement(_cut(planned, select, terms), outputs, layers.ctes)


def value_outputs(values: Values) -> list[OutputColumn]:
    measure = values.measure
    output = measure.output
    outputs = [output]
    if values.previous:
        outputs.append(
            OutputColumn(values.previous, "previous", output.source, output.function, unit=output.unit)
        )
    if values.difference:
        outputs.append(
            OutputColumn(values.difference, "difference", output.source, output.function, unit=output.unit)
        )
    if values.percent_change:
        outputs.append(
            OutputColumn(values.percent_change, "percent_change", output.source, output.function, unit="%")
        )
    if values.share:
        outputs.append(OutputColumn(values.share, "share", output.source, output.function, unit="%"))
    return outputs


def order_items(planned: Plan) -> list[Item]:
    """By what the rows are sorted. What is left of the groups makes the order total."""
    query, ranking = planned.query, planned.query.ranking
    groups = [column.alias for column in planned.columns]
    items: list[Item] = []
    for order in query.order:
        items += [(name, order.descending) for name in _names(planned, order.dimension)]
    if not items and ranking is not None:
        per = [column.alias for column in find(planned.columns, ranking.per)] if ranking.per else []
        items = [(name, False) for name in per]
        items.append((_measure(planned, ranking.measure).alias, ranking.descending))
    if not items:
        items = [(column.alias, False) for column in planned.columns if column.is_time]
        if not items and groups:
            items = [(planned.measures[0].alias, True)]
    chosen = {name for name, _ in items}
    return items + [(name, False) for name in groups if name not in chosen]


def _names(planned: Plan, name: str) -> list[str]:
    """The columns that an order means: of a grouping, or a number."""
    for measure in planned.measures:
        if name in (measure.alias, measure.source):
            return [measure.alias]
    return [column.alias for column in find(planned.columns, name)]


def _measure(planned: Plan, index: int) -> MeasureColumn:
    if not 0 <= index < len(planned.measures):
        raise CannotCompile("measure_index", index=index)
    return planned.measures[index]


def _threshold(value: exp.Expr, each: Threshold, average: exp.Expr | None = None) -> exp.Expr:
    bound = number(each.value) if average is None else exp.Mul(this=average, expression=number(each.value))
    left = exp.Paren(this=value) if isinstance(value, exp.Binary) else value
    return _COMPARE[each.operator](this=left, expression=bound)


def _thresholds(context: Context, planned: Plan, layers: Layers) -> list[exp.Expr]:
    averages: dict[int, str] = {}
    for each in planned.query.thresholds:
        if each.of_average and each.measure not in averages:
            averages[each.measure] = context.names.new("average_of_groups")
    if averages:
        layers.add("averaged", {
            name: exp.Window(this=exp.Avg(this=as_real(layers.column(_measure(planned, index).alias))))
            for index, name in averages.items()
        })  # fmt: skip
    return [
        _threshold(
            layers.column(_measure(planned, each.measure).alias),
            each,
            layers.column(averages[each.measure]) if each.of_average else None,
        )
        for each in planned.query.thresholds
    ]


def _rank(context: Context, planned: Plan, layers: Layers) -> exp.Expr:
    ranking = planned.query.ranking or Ranking()
    per: list[GroupColumn] = find(planned.columns, ranking.per) if ranking.per else []
    measure = _measure(planned, ranking.measure)
    by = ordered(layers.column(measure.alias), context.dialect, descending=ranking.descending, in_window=True)
    if not ranking.ties:
        for column in planned.columns:
            if column not in per:
                by += ordered(layers.column(column.alias), context.dialect, in_window=True)
    function: exp.Expr = exp.Rank() if ranking.ties else exp.RowNumber()
    return exp.Window(
        this=function,
        partition_by=[layers.column(column.alias) for column in per],
        order=exp.Order(expressions=by),
    )


def _cut(planned: Plan, select: exp.Select, by: Sequence[exp.Expr]) -> exp.Select:
    query, ranking = planned.query, planned.query.ranking
    if by:
        select.set("order", exp.Order(expressions=list(by)))
    limits = [query.limit]
    if ranking is not None and not (ranking.per or ranking.ties or query.order):
        limits.append(ranking.most)
    if any(limits):
        select.set("limit", exp.Limit(expression=number(min(limit for limit in limits if limit))))
    return select
