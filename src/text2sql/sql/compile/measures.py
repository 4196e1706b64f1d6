"""The numbers of a query: their cells, their expressions over cells, and their readable names."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from text2sql.errors import CannotCompile
from text2sql.sql.compile.aggregates import Cell, cell_of
from text2sql.sql.compile.context import Context
from text2sql.sql.compile.names import plain_name
from text2sql.sql.compile.nodes import divide, times
from text2sql.types import Aggregation, MeasureUse, OutputColumn, Ratio

_PREFIXES = {"average": "average", "median": "median", "min": "smallest", "max": "largest", "sum": "total"}
_ADDITIVE = ("count", "count_distinct", "sum")


@dataclass(frozen=True)
class MeasureColumn:
    """A number of the query: an aggregate, or a ratio of two."""

    alias: str
    use: MeasureUse
    cells: tuple[Cell, ...]
    percent: bool = False  # of a ratio
    total: Cell | None = None  # what a share without groups is a share of: the same, without own filters
    total_alias: str = ""

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        return self.cells if self.total is None else (*self.cells, self.total)

    @property
    def is_ratio(self) -> bool:
        return len(self.cells) == 2

    @property
    def is_additive(self) -> bool:
        """Whether the sum over all groups is the total."""
        return not self.is_ratio and self.cells[0].function in _ADDITIVE

    @property
    def source(self) -> str:
        return self.cells[0].aggregation.of

    def value(self, cell: Callable[[Cell], exp.Expr]) -> exp.Expr:
        """The number, given its cells."""
        if not self.is_ratio:
            return cell(self.cells[0])
        result = divide(cell(self.cells[0]), cell(self.cells[1]))
        return times(result, 100) if self.percent else result

    @property
    def output(self) -> OutputColumn:
        cell = self.cells[0]
        function = "ratio" if self.is_ratio else cell.aggregation.function
        is_count = function in ("count", "count_distinct", "ratio")
        unit = "%" if self.percent else "" if is_count or cell.measure is None else cell.measure.unit
        return OutputColumn(
            self.alias, "value", self.source, function, unit=unit,
            running=self.use.running, moving=self.use.moving,
        )  # fmt: skip


def measure_columns(context: Context, uses: Sequence[MeasureUse], *, has_groups: bool) -> list[MeasureColumn]:
    return [_measure_column(context, use, has_groups=has_groups) for use in uses]


def _measure_column(context: Context, use: MeasureUse, *, has_groups: bool) -> MeasureColumn:
    if use.share and isinstance(use.value, Ratio):
        raise CannotCompile("share", function="ratio")
    ratio, declared = _as_ratio(context, use.value)
    if ratio is None and isinstance(use.value, Aggregation):
        cell = cell_of(context, use.value)
        if use.share and cell.function not in _ADDITIVE:
            raise CannotCompile("share", function=cell.function)
        alias = context.names.new(*_names(context, cell))
        if use.share and not has_groups and use.value.filters:
            total = replace(cell, aggregation=replace(cell.aggregation, filters=()))
            return MeasureColumn(alias, use, (cell,), False, total, context.names.new(f"all_{alias}"))
        return MeasureColumn(alias, use, (cell,))
    if ratio is None:
        raise CannotCompile("unknown_measure", name=str(use.value))
    cells = (cell_of(context, ratio.numerator), cell_of(context, ratio.denominator))
    return MeasureColumn(
        context.names.new(*_ratio_names(context, ratio, cells, declared)), use, cells, ratio.percent
    )


def _as_ratio(context: Context, value: Aggregation | Ratio) -> tuple[Ratio | None, str]:
    """A ratio, or the ratio that a declared measure is, and its name."""
    if isinstance(value, Ratio):
        return value, ""
    measure = context.model.measure(value.of)
    if measure is None or not measure.numerator:
        return None, ""
    parts = [
        Aggregation(each.aggregate, each.name, filters=value.filters)
        for each in (context.measure(measure.numerator), context.measure(measure.denominator))
    ]
    return Ratio(parts[0], parts[1], percent=measure.unit == "%"), measure.name


def cell_name(context: Context, cell: Cell) -> str:
    return _names(context, cell)[0]


def _names(context: Context, cell: Cell) -> tuple[str, ...]:
    """Readable names, best first."""
    function, of = cell.aggregation.function, cell.aggregation.of or context.subject
    thing = plain_name(of.rpartition(">")[2].rpartition(".")[2])
    if cell.function == "own":
        return thing, f"{thing}_value"
    if function in ("count", "count_distinct"):
        is_table = context.model.dimension(of) is None and context.model.measure(of) is None
        if function == "count_distinct" and not is_table:
            return (f"distinct_{thing}",)
        return (thing, f"{thing}_count") if thing.endswith("s") else (f"{thing}_count",)
    if function == "percentile":
        return (f"p{round((cell.aggregation.percentile or 0) * 100)}_{thing}",)
    is_declared = context.model.measure(of) is not None and "." not in of
    prefixed = f"{_PREFIXES[function]}_{thing}"
    if thing.startswith("total") and function == "sum":
        prefixed = f"{plain_name(of.rpartition('.')[0].rpartition('.')[2])}_{thing}"
    return (thing, prefixed) if is_declared and function == "sum" else (prefixed,)


def _ratio_names(context: Context, ratio: Ratio, cells: tuple[Cell, Cell], declared: str) -> tuple[str, ...]:
    if declared:
        return declared, f"{plain_name(declared)}_value"
    top, bottom = (_names(context, cell)[0] for cell in cells)
    name = f"{top}_percent" if ratio.percent else f"{top}_per_{bottom}"
    return (name,)
