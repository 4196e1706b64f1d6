"""What a query needs: its group columns, its numbers, and the buckets to fill."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from text2sql.sql.compile.aggregates import Cell
from text2sql.sql.compile.blocks import Block, Ctes, blocks
from text2sql.sql.compile.buckets import labels_without_gaps
from text2sql.sql.compile.combine import Fill, Part, combined
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.groups import GroupColumn, group_columns
from text2sql.sql.compile.layers import Layers
from text2sql.sql.compile.measures import MeasureColumn, cell_name, measure_columns
from text2sql.types import AnalyticQuery, Comparison, Filter

MOST_FILLED = 2_000  # rows: groups times buckets
_PART_VALUES = {"month": 12, "weekday": 7, "quarter": 4, "day": 31, "hour": 24}


@dataclass(frozen=True)
class Plan:
    context: Context
    query: AnalyticQuery
    columns: list[GroupColumn]
    measures: list[MeasureColumn]

    @property
    def comparison(self) -> Comparison:
        return self.query.comparison or Comparison("previous_period")

    @property
    def bucket(self) -> GroupColumn | None:
        return next((column for column in self.columns if column.is_bucket), None)

    @property
    def cells(self) -> list[Cell]:
        return [cell for measure in self.measures for cell in measure.all_cells]


@dataclass(frozen=True)
class Values:
    """The columns that show one number of the query."""

    measure: MeasureColumn
    previous: str = ""
    difference: str = ""
    percent_change: str = ""
    share: str = ""
    extra: tuple[str, ...] = field(default=())


def plan(context: Context, query: AnalyticQuery) -> Plan:
    columns = group_columns(context, query.groupings)
    measures = measure_columns(context, query.measures, has_groups=bool(columns))
    tables = frozenset(cell.table for measure in measures for cell in measure.all_cells)
    context.united_tables = tables if len(tables) > 1 else frozenset()
    return Plan(context, query, columns, measures)


def is_plain(context: Context, planned: Plan) -> bool:
    """Whether one SELECT is enough."""
    query, ranking = planned.query, planned.query.ranking
    calculated = any(each.share or each.running or each.moving for each in query.measures)
    ranked = ranking is not None and (ranking.per or ranking.ties or (ranking.most and query.order))
    averages = any(threshold.of_average for threshold in query.thresholds)
    if calculated or ranked or averages or query.comparison is not None:
        return False
    sources = {(cell.table, cell.condition) for cell in planned.cells}
    return len(sources) == 1 and fill_of(context, planned, query.filters) is None


def named_cells(context: Context, planned: Plan) -> dict[Cell, str]:
    """A column name for each cell; a number that is one cell shares its name."""
    names = {
        measure.cells[0]: measure.alias for measure in reversed(planned.measures) if not measure.is_ratio
    }
    for cell in planned.cells:
        if cell not in names:
            names[cell] = context.names.new(cell_name(context, cell))
    return names


def parts_of(
    context: Context, planned: Plan, filters: Sequence[Filter], names: dict[Cell, str]
) -> list[Part]:
    found = blocks(context, planned.columns, planned.cells, filters)
    return [Part(block, tuple((cell, names[cell]) for cell in block.cells)) for block in found]


def measured(context: Context, planned: Plan) -> tuple[Layers, list[Values]]:
    """Layers with one row per group and one column per number."""
    ctes: Ctes = []
    layers = totals(context, planned, planned.query.filters, ctes)
    return layers, [Values(measure) for measure in planned.measures]


def totals(
    context: Context, planned: Plan, filters: Sequence[Filter], ctes: Ctes, name: str = "totals"
) -> Layers:
    names = named_cells(context, planned)
    parts = parts_of(context, planned, filters, names)
    fill = fill_of(context, planned, filters)
    base = combined(context, ctes, planned.columns, parts, fill=fill, name=name)
    layers = Layers(context, ctes, base, [*(each.alias for each in planned.columns), *names.values()])
    ratios: dict[str, exp.Expr] = {
        measure.alias: measure.value(lambda cell: layers.column(names[cell]))
        for measure in planned.measures
        if measure.is_ratio or names[measure.cells[0]] != measure.alias
    }
    for measure in planned.measures:
        if measure.total is not None:
            ratios[measure.total_alias] = layers.column(names[measure.total])
    if ratios:
        layers.add("measured", ratios)
    return layers


def fill_of(context: Context, planned: Plan, filters: Sequence[Filter]) -> Fill | None:
    """The labels to fill in: with other groupings only if few rows come of it."""
    bucket = planned.bucket
    if bucket is None:
        return None
    dimension = bucket.reference.dimension
    labels = labels_without_gaps(
        context, dimension, bucket.grouping.bucket, filters, bucket.grouping.dimension
    )
    groups = 1
    for column in planned.columns:
        if column is not bucket and column.is_counted(planned.columns):
            count = _group_count(context, column)
            if count is None:
                return None
            groups *= count
    return Fill(bucket, tuple(labels)) if labels and groups * len(labels) <= MOST_FILLED else None


def _group_count(context: Context, column: GroupColumn) -> int | None:
    """How many groups a column has at most, by the profile."""
    if column.grouping.part is not None:
        return _PART_VALUES[column.grouping.part]
    dimension = column.reference.dimension
    profile = context.column_profile(dimension.table, dimension.column)
    if column.is_bucket or profile is None or profile.distinct is None:
        return None
    return profile.distinct + 1  # NULL


def first_block(context: Context, planned: Plan) -> Block | None:
    """The only block of a plain query."""
    found = blocks(context, planned.columns, planned.cells, planned.query.filters)
    return found[0] if len(found) == 1 else None
