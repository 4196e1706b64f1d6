"""Builds the figure of a chart from a result: its labels, numbers and series."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from text2sql.charts.downsample import MAX_POINTS, downsample, sort_by_axis
from text2sql.charts.figure import Axis, Figure, Point, label_of, one_line
from text2sql.charts.selection import Chart, Kind
from text2sql.i18n import Language, say
from text2sql.result_columns import headers
from text2sql.result_columns.columns import ColumnView, column_views
from text2sql.result_columns.person_names import name_parts
from text2sql.text_normalization import has_chinese, is_expression
from text2sql.types import QueryResult

_MAX_BINS = 20


def build_figure(chart: Chart, result: QueryResult, lang: Language) -> Figure:
    columns = tuple(
        replace(column, title=title)
        for column, title in zip(column_views(result), headers(result, lang), strict=True)
    )
    figure = _BUILDERS.get(chart.kind, _labeled_figure)(chart, columns, lang)
    notes = list(figure.notes)
    missing = sum(point.y is None for point in figure.points)
    notes += [say("chart.missing", lang, count=missing)] if missing else []
    others = [
        column.shown_name
        for column in columns
        if column.role == "measure" and column.index not in (*chart.x, *chart.y)
    ]
    if others and figure.kind not in ("value", "scatter"):
        notes.append(
            say("chart.only", lang, drawn=figure.y.title, others=", ".join(map(one_line, others[:3])))
        )
    notes += [say("chart.cut", lang, rows=f"{result.row_count:,}")] if result.truncated else []
    return replace(figure, notes=tuple(notes))


# -- one builder per kind ------------------------------------------------------------------------


def _labeled_figure(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    """Charts with labels along one axis: bars, lines, areas, pies, heat maps."""
    x_axis = _axis(columns, chart.x)
    labels = _labels(columns, chart.x, lang)
    measures = [columns[index] for index in chart.y]
    y_axis = _axis(columns, chart.y[:1])
    if chart.series is not None:
        series_names = _labels(columns, (chart.series,), lang)
        points = [
            Point(x, y, name) for x, y, name in zip(labels, measures[0].numbers, series_names, strict=True)
        ]
        title = one_line(columns[chart.series].shown_name)
    elif len(measures) > 1:
        names = _unique_names([one_line(measure.shown_name) for measure in measures])
        points = [
            Point(x, measure.numbers[row], name)
            for row, x in enumerate(labels)
            for measure, name in zip(measures, names, strict=True)
        ]
        title, y_axis = say("chart.measure", lang), replace(y_axis, title="")
    else:
        points = [Point(x, y) for x, y in zip(labels, measures[0].numbers, strict=True)]
        title = ""
    if x_axis.role in ("time", "step"):
        points = sort_by_axis(points, x_axis)
    figure = Figure(lang, chart.kind, x_axis, y_axis, title, tuple(points))
    adds_up = measures[0].adds_up and len(measures) == 1
    return downsample(figure, adds_up)


def _value_figure(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    label = _labels(columns, chart.x, lang)[0] if chart.x else ""
    names = _unique_names([one_line(columns[index].shown_name) for index in chart.y])
    if len(names) == 1 and is_expression(names[0]):
        names = [""]
    points = [Point(name, columns[index].numbers[0]) for name, index in zip(names, chart.y, strict=True)]
    axis = _axis(columns, chart.y[:1])
    return Figure(lang, "value", Axis(label, "category"), axis, "", tuple(points))


def _scatter_figure(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    x_column, y_column = columns[chart.x[0]], columns[chart.y[0]]
    axis = _axis(columns, chart.x)
    x_values: Sequence[str | float | None] = (
        _labels(columns, chart.x, lang) if axis.role == "time" else x_column.numbers
    )
    names = [""] * len(y_column.values) if chart.series is None else _labels(columns, (chart.series,), lang)
    points = [
        Point(x, y, name)
        for x, y, name, x_raw in zip(x_values, y_column.numbers, names, x_column.values, strict=True)
        if x is not None and y is not None and x_raw is not None
    ]
    notes = []
    if len(points) < len(y_column.values):
        notes.append(say("chart.missing", lang, count=len(y_column.values) - len(points)))
    if len(points) > MAX_POINTS:
        notes.append(say("chart.sampled", lang, drawn=f"{MAX_POINTS:,}", count=f"{len(points):,}"))
        points = [points[index * len(points) // MAX_POINTS] for index in range(MAX_POINTS)]
    title = "" if chart.series is None else one_line(columns[chart.series].shown_name)
    return Figure(lang, "scatter", axis, _axis(columns, chart.y), title, tuple(points), tuple(notes))


def _histogram_figure(chart: Chart, columns: Sequence[ColumnView], lang: Language) -> Figure:
    column = columns[chart.x[0]]
    numbers = [number for number in column.numbers if number is not None]
    low, step, count = bins(numbers, column.whole)
    counts = Counter(min(count - 1, int((number - low) / step)) for number in numbers)
    points = tuple(
        Point(low + index * step, counts[index], "", low + (index + 1) * step) for index in range(count)
    )
    missing = len(column.values) - len(numbers)
    notes = (say("chart.missing", lang, count=missing),) if missing else ()
    y_axis = Axis(say("chart.count", lang), "measure", whole=True)
    return Figure(lang, "histogram", _axis(columns, chart.x), y_axis, "", points, notes)


_BUILDERS: dict[Kind, Callable[[Chart, Sequence[ColumnView], Language], Figure]] = {
    "value": _value_figure,
    "scatter": _scatter_figure,
    "histogram": _histogram_figure,
}


def bins(numbers: Sequence[float], whole: bool) -> tuple[float, float, int]:
    """The start of the first bin, the bin width and the number of bins: round numbers, about 20 at most."""
    low, high = min(numbers), max(numbers)
    width = (high - low) / max(5, min(_MAX_BINS, math.isqrt(len(numbers))))
    if not 0 < width < math.inf:
        return low, 1.0, 1
    power = 10.0 ** math.floor(math.log10(width))
    step = next((power * factor for factor in (1, 2, 5, 10) if power * factor >= width), width)
    step = max(step, 1.0) if whole else step
    if not step > 0 or low + step == low:  # too close or too large to be distinguished as floats
        return low, max(high - low, 1.0), 1
    start = math.floor(low / step) * step
    return start, step, max(1, min(2 * _MAX_BINS + 2, int((high - start) / step) + 1))


# -- axes and labels -----------------------------------------------------------------------


def _axis(columns: Sequence[ColumnView], indexes: Sequence[int]) -> Axis:
    selected = [columns[column] for column in indexes]
    title = " · ".join(one_line(column.shown_name) for column in selected)
    first = selected[0]
    if len(selected) > 1:
        return Axis(title, "category")
    measure = first.role == "measure"
    return Axis(title, first.role, first.grain, measure and first.is_share, measure and first.whole)


def _labels(columns: Sequence[ColumnView], indexes: Sequence[int], lang: Language) -> list[str]:
    rows = range(len(columns[indexes[0]].values))
    labels = [[_label(columns[index], row, lang) for index in indexes] for row in rows]
    is_name = len(list(name_parts(indexes, [column.name for column in columns]))) < len(indexes)
    if not is_name:
        return [" · ".join(parts) for parts in labels]
    return [("" if any(map(has_chinese, parts)) else " ").join(parts) for parts in labels]


def _label(column: ColumnView, row: int, lang: Language) -> str:
    if column.role == "time" and column.grain is not None and (parsed := column.moment(row)):
        return replace(parsed, grain=column.grain).label
    return label_of(column.values[row], lang)


def _unique_names(names: Sequence[str]) -> list[str]:
    """Make series names unique by numbering repeated ones."""
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique
