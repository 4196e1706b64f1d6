"""Selects the charts that fit a result, best first. Rules use the roles of columns, not the text of cells.

| result | chart |
|---|---|
| one row with a number | value |
| a unique label per row, and a number | bar; pie if the values are parts of a whole |
| times or calendar parts, and a number | line; area; bar |
| the same and a category | line with one series per category; stacked, area, heat map |
| two categories and a number | grouped, stacked or heat map, by their number |
| two numbers | scatter |
| one column of many numbers | histogram |
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from text2sql.result_columns.columns import ColumnView, column_views
from text2sql.result_columns.person_names import name_parts
from text2sql.types import QueryResult

Kind: TypeAlias = Literal[
    "value", "bar", "grouped", "stacked", "line", "area", "scatter", "histogram", "pie", "heatmap"
]
KINDS: tuple[Kind, ...] = get_args(Kind)

_MAX_SLICES = 6
_MAX_VALUES = 4  # numbers that fit side by side
_MAX_SERIES = 8  # colors that can be distinguished
_MAX_GROUPED = (12, 4)  # categories, and bars per category
_MAX_STACKS = 30
_MAX_SCALE_RATIO = 20  # of two measures on one axis
_SPARSE_DENSITY = 0.2
_MIN_HISTOGRAM_VALUES = 20  # fewer values have no distribution; twelve without labels may be months

# Names of charts in a question, and words that ask for shares.
_KIND_PATTERNS: tuple[tuple[str, Kind], ...] = (
    (r"\bpie\b|饼图", "pie"),
    (r"\bheat\s?map|热力图|热图", "heatmap"),
    (r"\bhistogram|直方图", "histogram"),
    (r"\bscatter|散点图", "scatter"),
    (r"\bstacked|堆叠|堆积", "stacked"),
    (r"\bgrouped bar|分组柱|簇状", "grouped"),
    (r"\barea (?:chart|graph)|面积图", "area"),
    (r"\bline (?:chart|graph|plot)|折线图|曲线图", "line"),
    (r"\bbar (?:chart|graph|plot)|\bbars\b|柱状图|条形图|柱形图", "bar"),
)
_SHARE_PATTERN = re.compile(r"\bshares?\b|\bproportion|\bpercent|占比|比例|份额|构成", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chart:
    """A kind of chart and column positions, without cell values, so that checkpoints can store it."""

    kind: Kind
    x: tuple[int, ...] = ()  # several are joined into one label
    y: tuple[int, ...] = ()  # several are separate series
    series: int | None = None


def to_plain(chart: Chart) -> dict[str, Any]:
    return {**asdict(chart), "x": list(chart.x), "y": list(chart.y)}


def from_plain(data: Mapping[str, Any]) -> Chart:
    return Chart(data["kind"], tuple(data["x"]), tuple(data["y"]), data["series"])


def choose(result: QueryResult, question: str = "") -> Chart | None:
    return next(iter(fitting(result, question)), None)


def kinds(result: QueryResult, question: str = "") -> tuple[Kind, ...]:
    return tuple(chart.kind for chart in fitting(result, question))


def chart_of_kind(result: QueryResult, kind: str) -> Chart | None:
    return next((chart for chart in fitting(result) if chart.kind == kind), None)


def fitting(result: QueryResult, question: str = "") -> tuple[Chart, ...]:
    """All kinds that fit, best first; a kind named in the question comes first if it fits."""
    if not result.rows or not result.columns:
        return ()
    chart_by_kind: dict[Kind, Chart] = {}
    shape = ResultShape(column_views(result), whole=not result.truncated and not result.partial)
    for chart in _charts(shape):
        chart_by_kind.setdefault(chart.kind, chart)
    requested: list[Kind] = [
        kind for names, kind in _KIND_PATTERNS if re.search(names, question, re.IGNORECASE)
    ]
    requested += ["pie"] if _SHARE_PATTERN.search(question) and "line" not in chart_by_kind else []
    return tuple(sorted(chart_by_kind.values(), key=lambda chart: chart.kind not in requested[:1]))


# -- the shape of a result -----------------------------------------------------------------------


class ResultShape:
    def __init__(self, columns: Sequence[ColumnView], *, whole: bool) -> None:
        self.whole = whole
        self.rows = len(columns[0].values)
        self.measures = [column for column in columns if column.role == "measure"]
        self.ordered = [column for column in columns if column.role in ("time", "step")]
        self.categories = [column for column in columns if column.role == "category"]
        self.ids = [column for column in columns if column.role == "id"]

    @property
    def labels(self) -> list[ColumnView]:
        """Columns for labels; ids only if there are no categories."""
        return self.categories or self.ids

    def comparable(self) -> tuple[ColumnView, ...]:
        """The first measure and the others of similar magnitude."""
        first, *rest = self.measures
        size = _size(first)
        similar = [
            column
            for column in rest
            if column.is_share == first.is_share
            and size / _MAX_SCALE_RATIO <= _size(column) <= size * _MAX_SCALE_RATIO
        ]
        return (first, *similar[: _MAX_GROUPED[1] - 1])


def _charts(shape: ResultShape) -> Iterator[Chart]:
    if not shape.measures:
        return
    if shape.rows == 1:
        yield _value(shape)
    for rule in RULES:
        yield from rule(shape)


def _value(shape: ResultShape) -> Chart:
    label = shape.categories or [column for column in shape.ordered if column.role == "time"] or shape.ids
    return Chart("value", _indexes(label[:1]), _indexes(shape.measures[:_MAX_VALUES]))


def _over_time(shape: ResultShape) -> Iterator[Chart]:
    """One row per time."""
    axis = next((column for column in shape.ordered if column.unique), None)
    if axis is None or shape.rows < 2:
        return
    x, all_y, y = (axis.index,), _indexes(shape.comparable()), (shape.measures[0].index,)
    prefers_bars = axis.role == "step" and shape.rows <= 7 and not shape.measures[0].is_running
    if prefers_bars:
        yield Chart("bar", x, y)
    if shape.measures[0].is_running and len(all_y) == 1:
        yield Chart("area", x, y)
    yield Chart("line", x, all_y)
    if _no_negatives(shape.measures[:1]):
        yield Chart("area", x, y)
    yield Chart("bar", x, y)
    if len(all_y) > 1 and shape.rows <= _MAX_GROUPED[0]:
        yield Chart("grouped", x, all_y)


def _series_over_time(shape: ResultShape) -> Iterator[Chart]:
    """A time and a category, whose pairs are unique."""
    for axis in shape.ordered:
        series = next((column for column in shape.labels if _pair_is_key(axis, column)), None)
        if series is None or axis.unique or axis.distinct < 2:
            continue
        x, y, measure = (axis.index,), (shape.measures[0].index,), shape.measures[0]
        if series.distinct <= 4 * _MAX_SERIES:
            yield Chart("line", x, y, series.index)
        if measure.adds_up and _no_negatives([measure]):
            if axis.distinct <= _MAX_STACKS:
                yield Chart("stacked", x, y, series.index)
            yield Chart("area", x, y, series.index)
        if axis.distinct <= _MAX_GROUPED[0] and series.distinct <= _MAX_GROUPED[1]:
            yield Chart("grouped", x, y, series.index)
        yield Chart("heatmap", x, y, series.index)
        return


def _by_label(shape: ResultShape) -> Iterator[Chart]:
    """A unique label per row."""
    times_are_unique = any(column.unique for column in shape.ordered)
    if times_are_unique and not any(column.unique for column in shape.categories):
        return
    label = _label_columns(shape)
    if not label:
        return
    first = shape.measures[0]
    comparable = shape.comparable()
    if len(comparable) > 1 and 1 < shape.rows <= _MAX_GROUPED[0]:
        yield Chart("grouped", label, _indexes(comparable))
    yield Chart("bar", label, (first.index,))
    if shape.whole and _forms_a_whole(first, shape.rows) and not any(map(_is_partial_share, shape.measures)):
        yield Chart("pie", label, (first.index,))


def _label_columns(shape: ResultShape) -> tuple[int, ...]:
    """The columns that name each row: a whole name of a person, or the first column of unique labels."""
    by_index = {column.index: column for column in shape.labels}
    names = {index: column.name for index, column in by_index.items()}
    every = [names.get(index, "") for index in range(max(names, default=-1) + 1)]
    for part in name_parts(sorted(names), every):
        rows = set(zip(*(map(repr, by_index[index].values) for index in part), strict=True))
        if len(rows) == shape.rows:
            return part
    return ()


def _two_categories(shape: ResultShape) -> Iterator[Chart]:
    """Two categories, whose pairs are unique."""
    if len(shape.categories) < 2 or any(category.unique for category in (*shape.categories, *shape.ordered)):
        return
    pair = next(
        (
            (first, second)
            for at, first in enumerate(shape.categories)
            for second in shape.categories[at + 1 :]
            if _pair_is_key(first, second)
        ),
        None,
    )
    if pair is None:
        return
    measure = shape.measures[0]
    smaller, larger = sorted(pair, key=lambda column: column.distinct)
    if smaller.distinct > _MAX_SERIES and shape.rows < _SPARSE_DENSITY * smaller.distinct * larger.distinct:
        yield Chart("bar", _indexes(pair), (measure.index,))
        return
    for kind in _stack_or_group(smaller, larger, measure):
        yield Chart(kind, (larger.index,), (measure.index,), smaller.index)


def _stack_or_group(smaller: ColumnView, larger: ColumnView, measure: ColumnView) -> list[Kind]:
    grouped = larger.distinct <= _MAX_GROUPED[0] and smaller.distinct <= _MAX_GROUPED[1]
    stacked = (
        measure.adds_up
        and _no_negatives([measure])
        and smaller.distinct <= _MAX_SERIES
        and larger.distinct <= _MAX_STACKS
    )
    kinds: list[Kind] = ["grouped"] if grouped else []
    kinds += ["stacked"] if stacked else []
    return [*kinds, "heatmap"]


def _scatter(shape: ResultShape) -> Iterator[Chart]:
    points = sum(
        x is not None and y is not None
        for x, y in zip(shape.measures[0].numbers, shape.measures[-1].numbers, strict=True)
    )
    if points < 3:
        return
    series = next(
        (
            category
            for category in shape.categories
            if not category.unique and category.distinct <= _MAX_SERIES
        ),
        None,
    )
    series_index = series.index if series else None
    if len(shape.measures) > 1:
        yield Chart("scatter", (shape.measures[0].index,), (shape.measures[1].index,), series_index)
    elif axis := next(
        (column for column in shape.ordered if column.role == "time" and not column.unique), None
    ):
        yield Chart("scatter", (axis.index,), (shape.measures[0].index,), series_index)


def _histogram(shape: ResultShape) -> Iterator[Chart]:
    if len(shape.measures) > 1 or shape.measures[0].distinct < 3:
        return
    least = _MIN_HISTOGRAM_VALUES if not shape.labels and not shape.ordered else 2 * _MIN_HISTOGRAM_VALUES
    if sum(number is not None for number in shape.measures[0].numbers) >= least:
        yield Chart("histogram", (shape.measures[0].index,))


Rule: TypeAlias = Callable[[ResultShape], Iterator[Chart]]
RULES: tuple[Rule, ...] = (_over_time, _series_over_time, _by_label, _two_categories, _scatter, _histogram)


def _indexes(columns: Sequence[ColumnView]) -> tuple[int, ...]:
    return tuple(column.index for column in columns)


def _size(column: ColumnView) -> float:
    return max((abs(number) for number in column.numbers if number is not None), default=0.0)


def _no_negatives(columns: Sequence[ColumnView]) -> bool:
    return all(number is None or number >= 0 for column in columns for number in column.numbers)


def _pair_is_key(first: ColumnView, second: ColumnView) -> bool:
    if first.index == second.index:
        return False
    return len(set(zip(map(repr, first.values), map(repr, second.values), strict=True))) == len(first.values)


def _is_partial_share(measure: ColumnView) -> bool:
    """Whether shares do not add up to 100 %: then the rows are not the whole."""
    total = sum(number for number in measure.numbers if number is not None)
    return measure.names_a_share and abs(total - 1) >= 0.02 and abs(total - 100) >= 1


def _forms_a_whole(measure: ColumnView, rows: int) -> bool:
    """Whether a pie chart is appropriate: few parts that add up, such as counts, sums or shares."""
    numbers = [number for number in measure.numbers if number is not None]
    total = sum(numbers)
    if not 2 <= rows <= _MAX_SLICES or len(numbers) < rows or min(numbers) < 0 or total <= 0:
        return False
    return measure.may_be_parts or abs(total - 1) < 0.02 or abs(total - 100) < 1
