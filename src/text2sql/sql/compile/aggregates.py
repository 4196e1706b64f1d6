"""One aggregate per group: sums, counts, averages and exact percentiles, per dialect."""

from dataclasses import dataclass

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.conditions import conditions, needs_related_rows
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.expressions import bound
from text2sql.sql.compile.nodes import all_of, as_real, case, fill, number
from text2sql.sql.compile.scope import Scope
from text2sql.types import Aggregation, Measure

# Their average of integers or decimals is a rounded decimal.
_ROUNDED_AVERAGE = frozenset({"mysql", "snowflake", "bigquery"})
_PERCENTILE = {
    "duckdb": "QUANTILE_CONT(x, q)",
    "postgres": "PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)",
    "oracle": "PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)",
    "snowflake": "PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x)",
    "clickhouse": "quantileExactInclusive(q)(CAST(x AS Nullable(Float64)))",
}


@dataclass(frozen=True)
class Cell:
    """An aggregation with the table whose rows it aggregates."""

    aggregation: Aggregation
    table: str
    measure: Measure | None = None  # of a count of rows: None
    column: str = ""  # of `count_distinct`: a column of another table, as `table.column`

    @property
    def function(self) -> str:
        return "own" if self.measure is not None and self.measure.is_aggregate else self.aggregation.function

    @property
    def is_zero_without_rows(self) -> bool:
        return self.function in ("count", "count_distinct", "sum")

    @property
    def ignores_duplicates(self) -> bool:
        return self.function in ("count_distinct", "min", "max")

    @property
    def condition(self) -> str:
        return self.measure.filter if self.measure is not None else ""


def cell_of(context: Context, aggregation: Aggregation) -> Cell:
    """Find out whose rows are aggregated."""
    of, function = aggregation.of or context.subject, aggregation.function
    is_table = context.model.dimension(of) is None and context.model.measure(of) is None and ">" not in of
    if function == "count" and is_table:
        return Cell(aggregation, context.entity(of).table)
    if function == "count_distinct":
        return _distinct_cell(context, aggregation, of, is_table=is_table)
    measure = context.model.measure(of)
    if measure is not None and measure.is_aggregate:
        return Cell(aggregation, measure.table, measure)
    measure = context.row_measure(of)
    return Cell(aggregation, measure.table, measure)


def _distinct_cell(context: Context, aggregation: Aggregation, of: str, *, is_table: bool) -> Cell:
    """Different things among the rows of the subject, if each row has one; else among the things
    themselves.
    """
    if is_table:
        table = context.entity(of).table
        key = context.key(table)
        if not context.subject or context.subject == table or len(key) > 1:
            return Cell(Aggregation("count", of, filters=aggregation.filters), table)
        column = key[0]
    else:
        measure = context.model.measure(of)
        if measure is not None:
            return Cell(aggregation, measure.table, context.row_measure(of))
        dimension = context.reference(of).dimension
        table, column = dimension.table, dimension.column
    fact = table
    if context.subject and context.graph.reaches_one(context.subject, table, ()):
        fact = context.subject
    return Cell(aggregation, fact, column=f"{table}\0{column}")


def uses_window(context: Context, cell: Cell) -> bool:
    """Whether the engine has no exact aggregate for it, so that it is computed from ranks."""
    return cell.function in ("median", "percentile") and context.dialect not in _PERCENTILE


def own_filters_multiply(context: Context, cell: Cell) -> bool:
    return needs_related_rows(context, cell.table, cell.aggregation.filters)


def input_of(context: Context, scope: Scope, cell: Cell) -> exp.Expr:
    """The value of one row; NULL for a row that its own filters leave out."""
    value: exp.Expr
    if cell.column:
        table, column = cell.column.split("\0")
        reference = (
            context.reference(cell.aggregation.of) if context.model.dimension(cell.aggregation.of) else None
        )
        path = context.graph.path(scope.table, table, reference.hints if reference else ())
        value = scope.column(column, scope.alias(path))
    elif cell.measure is None:
        value = number(1)
    else:
        value = bound(context, scope, (), cell.measure, cell.measure.expression)
    return _filtered(context, scope, cell, value)


def _filtered(context: Context, scope: Scope, cell: Cell, value: exp.Expr) -> exp.Expr:
    filters = cell.aggregation.filters
    if not filters or own_filters_multiply(context, cell):
        return value  # the filters over to-many steps are in the WHERE of a block of their own
    kept = all_of(conditions(context, scope, filters))
    return case(kept, value, number(0) if cell.function == "sum" else None)


def aggregate(context: Context, scope: Scope, cell: Cell, *, multiplied: bool) -> exp.Expr:
    """The aggregate over the rows of `scope`. `multiplied`: a row may occur several times in a group."""
    function = cell.function
    if cell.measure is not None and function == "own":
        return bound(context, scope, (), cell.measure, cell.measure.expression, aggregates=True)
    if function == "count" and cell.measure is None and multiplied:
        key = scope.column(context.key(scope.table)[0])
        return _count_distinct(_filtered(context, scope, cell, key))
    value = input_of(context, scope, cell)
    if function in ("count", "count_distinct"):
        counted = exp.Star() if isinstance(value, exp.Literal) else value
        return exp.Count(this=counted) if function == "count" else _count_distinct(value)
    if function in ("median", "percentile"):
        return percentile(context, cell, value)
    if function == "average" and context.dialect in _ROUNDED_AVERAGE:
        value = as_real(value)
    return _AGGREGATES[function](this=value)


_AGGREGATES = {"sum": exp.Sum, "average": exp.Avg, "min": exp.Min, "max": exp.Max}


def _count_distinct(value: exp.Expr) -> exp.Expr:
    return exp.Count(this=exp.Distinct(expressions=[value]))


def fraction(cell: Cell) -> float:
    if cell.function == "median":
        return 0.5
    share = cell.aggregation.percentile
    if share is None or not 0 <= share <= 1:
        raise CannotCompile("percentile", percentile=share)
    return share


def percentile(context: Context, cell: Cell, value: exp.Expr) -> exp.Expr:
    share = exp.Literal.number(repr(fraction(cell)))
    return fill(_PERCENTILE[context.dialect], context.dialect, x=value, q=share)


def interpolated(value: exp.Expr, rank: exp.Expr, total: exp.Expr, share: float) -> exp.Expr:
    """A percentile from ranked values: each value weighs as much as it is near to the wanted rank."""
    template = "SUM(CASE WHEN ABS(n - 1 - (c - 1) * q) < 1 THEN x * (1 - ABS(n - 1 - (c - 1) * q)) END)"
    weight = exp.Literal.number(repr(float(share)))
    return fill(template, "postgres", n=as_real(rank), c=total, q=weight, x=value)
