"""The figure of a result: which columns are its labels, numbers and series, one function a kind of chart."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from text2sql.charts.bounds import POINTS, bounded, in_order
from text2sql.charts.choosing import Chart, Kind
from text2sql.charts.columns import ColumnView, views
from text2sql.charts.figure import Axis, Figure, Point, label_of, one_line
from text2sql.charts.moments import as_grain
from text2sql.messages import Language, say
from text2sql.types import QueryResult

_BINS = 20


def figure(chart: Chart, result: QueryResult, lang: Language) -> Figure:
    columns = views(result)
    made = _PREPARED.get(chart.kind, _plotted)(chart, columns, lang)
    notes = list(made.notes)
    missing = sum(point.y is None for point in made.points)
    notes += [say("chart.missing", lang, count=missing)] if missing else []
    others = [one.name for one in columns if one.role == "measure" and one.at not in (*chart.x, *chart.y)]
    if others and made.kind not in ("value", "scatter"):
        notes.append(say("chart.only", lang, drawn=made.y.title, others=", ".join(map(one_line, others[:3]))))
    notes += [say("chart.cut", lang, rows=f"{result.row_count:,}")] if result.truncated else []
    return replace(made, notes=tuple(notes))


# -- one figure a kind ---------------------------------------------------------------------------


def _plotted(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    """Everything with labels along one axis: bars, lines, areas, pies, heat maps."""
    x_axis = _axis(columns, chart.x)
    labels = _labels(columns, chart.x, lang)
    measures = [columns[at] for at in chart.y]
    y_axis = _axis(columns, chart.y[:1])
    if chart.series is not None:
        names = _labels(columns, (chart.series,), lang)
        points = [Point(x, y, name) for x, y, name in zip(labels, measures[0].numbers, names, strict=True)]
        title = one_line(columns[chart.series].name)
    elif len(measures) > 1:
        told = _told_apart([one_line(one.name) for one in measures])
        points = [
            Point(x, one.numbers[row], name)
            for row, x in enumerate(labels)
            for one, name in zip(measures, told, strict=True)
        ]
        title, y_axis = say("chart.measure", lang), replace(y_axis, title="")
    else:
        points = [Point(x, y) for x, y in zip(labels, measures[0].numbers, strict=True)]
        title = ""
    if x_axis.role in ("time", "step"):
        points = in_order(points, x_axis)
    made = Figure(lang, chart.kind, x_axis, y_axis, title, tuple(points))
    adds_up = measures[0].adds_up and len(measures) == 1
    return bounded(made, adds_up)


def _value(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    label = _labels(columns, chart.x, lang)[0] if chart.x else ""
    names = _told_apart([one_line(columns[at].name) for at in chart.y])
    points = [Point(name, columns[at].numbers[0]) for name, at in zip(names, chart.y, strict=True)]
    axis = _axis(columns, chart.y[:1])
    return Figure(lang, "value", Axis(label, "category"), axis, "", tuple(points))


def _scatter(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    across, up = columns[chart.x[0]], columns[chart.y[0]]
    axis = _axis(columns, chart.x)
    left: Sequence[str | float | None] = (
        _labels(columns, chart.x, lang) if axis.role == "time" else across.numbers
    )
    names = [""] * len(up.values) if chart.series is None else _labels(columns, (chart.series,), lang)
    points = [
        Point(x, y, name)
        for x, y, name, given in zip(left, up.numbers, names, across.values, strict=True)
        if x is not None and y is not None and given is not None
    ]
    notes = []
    if len(points) < len(up.values):
        notes.append(say("chart.missing", lang, count=len(up.values) - len(points)))
    if len(points) > POINTS:
        notes.append(say("chart.sampled", lang, drawn=f"{POINTS:,}", count=f"{len(points):,}"))
        points = [points[at * len(points) // POINTS] for at in range(POINTS)]
    title = "" if chart.series is None else one_line(columns[chart.series].name)
    return Figure(lang, "scatter", axis, _axis(columns, chart.y), title, tuple(points), tuple(notes))


def _histogram(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    column = columns[chart.x[0]]
    numbers = [one for one in column.numbers if one is not None]
    low, step, count = bins(numbers, column.whole)
    held = Counter(min(count - 1, int((one - low) / step)) for one in numbers)
    points = tuple(Point(low + at * step, held[at], "", low + (at + 1) * step) for at in range(count))
    missing = len(column.values) - len(numbers)
    notes = (say("chart.missing", lang, count=missing),) if missing else ()
    up = Axis(say("chart.count", lang), "measure", whole=True)
    return Figure(lang, "histogram", _axis(columns, chart.x), up, "", points, notes)


_PREPARED: dict[Kind, Callable[[Chart, Sequence[ColumnView], Language], Figure]] = {
    "value": _value,
    "scatter": _scatter,
    "histogram": _histogram,
}


def bins(numbers: Sequence[float], whole: bool) -> tuple[float, float, int]:
    """Where the first bin begins, how wide one is, how many there are: round numbers, at most 20 or so."""
    low, high = min(numbers), max(numbers)
    width = (high - low) / max(5, min(_BINS, math.isqrt(len(numbers))))
    if not 0 < width < math.inf:
        return low, 1.0, 1
    power = 10.0 ** math.floor(math.log10(width))
    step = next((power * one for one in (1, 2, 5, 10) if power * one >= width), width)
    step = max(step, 1.0) if whole else step
    if not step > 0 or low + step == low:  # numbers too close, or too large, for a float to tell apart
        return low, max(high - low, 1.0), 1
    start = math.floor(low / step) * step
    return start, step, max(1, min(2 * _BINS + 2, int((high - start) / step) + 1))


# -- what an axis is about -----------------------------------------------------------------------


def _axis(columns: Sequence[ColumnView], at: Sequence[int]) -> Axis:
    held = [columns[one] for one in at]
    title = " · ".join(one_line(one.name) for one in held)
    first = held[0]
    if len(held) > 1:
        return Axis(title, "category")
    measure = first.role == "measure"
    return Axis(title, first.role, first.grain, measure and first.is_share, measure and first.whole)


def _labels(columns: Sequence[ColumnView], at: Sequence[int], lang: Language) -> list[str]:
    rows = range(len(columns[at[0]].values))
    return [" · ".join(_label(columns[one], row, lang) for one in at) for row in rows]


def _label(column: ColumnView, row: int, lang: Language) -> str:
    if column.role == "time" and column.grain is not None and (found := column.moment(row)):
        return as_grain(found, column.grain).label
    return label_of(column.values[row], lang)


def _told_apart(names: Sequence[str]) -> list[str]:
    """Two columns may share a name; two series may not."""
    seen: Counter[str] = Counter()
    told = []
    for name in names:
        seen[name] += 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told
