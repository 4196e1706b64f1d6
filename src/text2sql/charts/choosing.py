"""Which charts suit a result, best first. A rule looks at what the columns are, never at what the cells say.

| the result has | drawn as |
|---|---|
| one row with a number | value |
| a label of its own a row, and a number | bar; pie where the parts make a whole |
| moments or steps, and a number | line; area; bar |
| the same and a category | line with a series each; stacked, area, heat map |
| two categories and a number | grouped, stacked or heat map, by how many there are |
| two numbers | scatter |
| one column of many numbers | histogram |
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from text2sql.charts.columns import ColumnView, views
from text2sql.types import QueryResult

Kind: TypeAlias = Literal[
    "value", "bar", "grouped", "stacked", "line", "area", "scatter", "histogram", "pie", "heatmap"
]
KINDS: tuple[Kind, ...] = get_args(Kind)

_SLICES = 6
_VALUES = 4  # numbers that can stand beside each other
_SERIES = 8  # colours that can be told apart
_GROUPED = (12, 4)  # categories and bars each
_STACKS = 30
_TOLD_APART = 20  # how much larger one measure may be for the other to be seen beside it
_SPARSE = 0.2
_MANY = 8  # numbers that have a distribution

# What a person may call a chart, and what asks for shares.
_CALLED: tuple[tuple[str, Kind], ...] = (
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
_OF_A_WHOLE = re.compile(r"\bshares?\b|\bproportion|\bpercent|占比|比例|份额|构成", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Chart:
    """Positions of columns and nothing of their contents: it can stand in a checkpoint."""

    kind: Kind
    x: tuple[int, ...] = ()  # several are one label, joined
    y: tuple[int, ...] = ()  # several are one series each
    series: int | None = None


def to_plain(chart: Chart) -> dict[str, Any]:
    return {**asdict(chart), "x": list(chart.x), "y": list(chart.y)}


def from_plain(held: Mapping[str, Any]) -> Chart:
    return Chart(held["kind"], tuple(held["x"]), tuple(held["y"]), held["series"])


def choose(result: QueryResult, question: str = "") -> Chart | None:
    return next(iter(fitting(result, question)), None)


def kinds(result: QueryResult, question: str = "") -> tuple[Kind, ...]:
    return tuple(chart.kind for chart in fitting(result, question))


def of_kind(result: QueryResult, kind: str) -> Chart | None:
    return next((chart for chart in fitting(result) if chart.kind == kind), None)


def fitting(result: QueryResult, question: str = "") -> tuple[Chart, ...]:
    """Every kind that fits, once; the one that the question names comes first, if it fits."""
    if not result.rows or not result.columns:
        return ()
    found: dict[Kind, Chart] = {}
    for chart in _charts(Shape(views(result), whole=not result.truncated)):
        found.setdefault(chart.kind, chart)
    wanted: list[Kind] = [kind for names, kind in _CALLED if re.search(names, question, re.IGNORECASE)]
    wanted += ["pie"] if _OF_A_WHOLE.search(question) and "line" not in found else []
    return tuple(sorted(found.values(), key=lambda chart: chart.kind not in wanted[:1]))


# -- the shape of a result -----------------------------------------------------------------------


class Shape:
    def __init__(self, columns: Sequence[ColumnView], *, whole: bool) -> None:
        self.whole = whole
        self.rows = len(columns[0].values)
        self.measures = [one for one in columns if one.role == "measure"]
        self.ordered = [one for one in columns if one.role in ("time", "step")]
        self.categories = [one for one in columns if one.role == "category"]
        self.ids = [one for one in columns if one.role == "id"]

    @property
    def labels(self) -> list[ColumnView]:
        """What can stand at a bar; an id only where there is nothing with a meaning."""
        return self.categories or self.ids

    def comparable(self) -> tuple[ColumnView, ...]:
        """The first measure and those that can be seen beside it."""
        first, *rest = self.measures
        size = _size(first)
        beside = [
            one
            for one in rest
            if one.is_share == first.is_share and size / _TOLD_APART <= _size(one) <= size * _TOLD_APART
        ]
        return (first, *beside[: _GROUPED[1] - 1])


def _charts(shape: Shape) -> Iterator[Chart]:
    if not shape.measures:
        return
    if shape.rows == 1:
        yield _value(shape)
    for rule in RULES:
        yield from rule(shape)


def _value(shape: Shape) -> Chart:
    label = shape.categories or [one for one in shape.ordered if one.role == "time"] or shape.ids
    return Chart("value", _at(label[:1]), _at(shape.measures[:_VALUES]))


def _over_time(shape: Shape) -> Iterator[Chart]:
    """One row for each moment."""
    axis = next((one for one in shape.ordered if one.unique), None)
    if axis is None or shape.rows < 2:
        return
    x, all_y, y = (axis.at,), _at(shape.comparable()), (shape.measures[0].at,)
    stands_still = axis.role == "step" and shape.rows <= 7 and not shape.measures[0].is_running
    if stands_still:
        yield Chart("bar", x, y)
    if shape.measures[0].is_running and len(all_y) == 1:
        yield Chart("area", x, y)
    yield Chart("line", x, all_y)
    if _no_negatives(shape.measures[:1]):
        yield Chart("area", x, y)
    yield Chart("bar", x, y)
    if len(all_y) > 1 and shape.rows <= _GROUPED[0]:
        yield Chart("grouped", x, all_y)


def _series_over_time(shape: Shape) -> Iterator[Chart]:
    """Moments and a category, each pair once."""
    for axis in shape.ordered:
        series = next((one for one in shape.labels if _pair_is_key(axis, one)), None)
        if series is None or axis.unique or axis.distinct < 2:
            continue
        x, y, measure = (axis.at,), (shape.measures[0].at,), shape.measures[0]
        if series.distinct <= 4 * _SERIES:
            yield Chart("line", x, y, series.at)
        if measure.adds_up and _no_negatives([measure]):
            if axis.distinct <= _STACKS:
                yield Chart("stacked", x, y, series.at)
            yield Chart("area", x, y, series.at)
        if axis.distinct <= _GROUPED[0] and series.distinct <= _GROUPED[1]:
            yield Chart("grouped", x, y, series.at)
        yield Chart("heatmap", x, y, series.at)
        return


def _by_label(shape: Shape) -> Iterator[Chart]:
    """A label of its own for each row."""
    if any(one.unique for one in shape.ordered) and not any(one.unique for one in shape.categories):
        return
    label = next((one for one in shape.labels if one.unique), None)
    if label is None:
        return
    first = shape.measures[0]
    both = shape.comparable()
    if len(both) > 1 and 1 < shape.rows <= _GROUPED[0]:
        yield Chart("grouped", (label.at,), _at(both))
    yield Chart("bar", (label.at,), (first.at,))
    if shape.whole and _is_a_whole(first, shape.rows):
        yield Chart("pie", (label.at,), (first.at,))


def _two_ways(shape: Shape) -> Iterator[Chart]:
    """Two categories, each pair once."""
    if len(shape.categories) < 2 or any(one.unique for one in (*shape.categories, *shape.ordered)):
        return
    pair = next(
        (
            (one, other)
            for at, one in enumerate(shape.categories)
            for other in shape.categories[at + 1 :]
            if _pair_is_key(one, other)
        ),
        None,
    )
    if pair is None:
        return
    measure = shape.measures[0]
    few, many = sorted(pair, key=lambda one: one.distinct)
    if few.distinct > _SERIES and shape.rows < _SPARSE * few.distinct * many.distinct:
        yield Chart("bar", _at(pair), (measure.at,))
        return
    drawn = _stack_or_group(few, many, measure)
    for kind in drawn:
        yield Chart(kind, (many.at,), (measure.at,), few.at)


def _stack_or_group(few: ColumnView, many: ColumnView, measure: ColumnView) -> list[Kind]:
    grouped = many.distinct <= _GROUPED[0] and few.distinct <= _GROUPED[1]
    stacked = (
        measure.adds_up and _no_negatives([measure]) and few.distinct <= _SERIES and many.distinct <= _STACKS
    )
    found: list[Kind] = ["grouped"] if grouped else []
    found += ["stacked"] if stacked else []
    return [*found, "heatmap"]


def _two_numbers(shape: Shape) -> Iterator[Chart]:
    points = sum(
        one is not None and other is not None
        for one, other in zip(shape.measures[0].numbers, shape.measures[-1].numbers, strict=True)
    )
    if points < 3:
        return
    series = next((one for one in shape.categories if not one.unique and one.distinct <= _SERIES), None)
    colour = series.at if series else None
    if len(shape.measures) > 1:
        yield Chart("scatter", (shape.measures[0].at,), (shape.measures[1].at,), colour)
    elif axis := next((one for one in shape.ordered if one.role == "time" and not one.unique), None):
        yield Chart("scatter", (axis.at,), (shape.measures[0].at,), colour)


def _many_numbers(shape: Shape) -> Iterator[Chart]:
    if len(shape.measures) > 1 or shape.measures[0].distinct < 3:
        return
    least = _MANY if not shape.labels and not shape.ordered else 4 * _MANY
    if sum(number is not None for number in shape.measures[0].numbers) >= least:
        yield Chart("histogram", (shape.measures[0].at,))


Rule: TypeAlias = Callable[[Shape], Iterator[Chart]]
RULES: tuple[Rule, ...] = (_over_time, _series_over_time, _by_label, _two_ways, _two_numbers, _many_numbers)


def _at(columns: Sequence[ColumnView]) -> tuple[int, ...]:
    return tuple(one.at for one in columns)


def _size(column: ColumnView) -> float:
    return max((abs(one) for one in column.numbers if one is not None), default=0.0)


def _no_negatives(columns: Sequence[ColumnView]) -> bool:
    return all(number is None or number >= 0 for one in columns for number in one.numbers)


def _pair_is_key(one: ColumnView, other: ColumnView) -> bool:
    if one.at == other.at:
        return False
    return len(set(zip(map(repr, one.values), map(repr, other.values), strict=True))) == len(one.values)


def _is_a_whole(measure: ColumnView, rows: int) -> bool:
    """A pie is honest for a few parts that make up something: counts, sums, or shares of all."""
    numbers = [one for one in measure.numbers if one is not None]
    total = sum(numbers)
    if not 2 <= rows <= _SLICES or len(numbers) < rows or min(numbers) < 0 or total <= 0:
        return False
    return measure.may_be_parts or abs(total - 1) < 0.02 or abs(total - 100) < 1
