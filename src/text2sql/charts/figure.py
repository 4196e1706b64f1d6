"""What a chart draws: labels and numbers, bounded, with a word about everything that was left out.

The picture, the sketch and the chart server all draw this one figure: none of them can say something else.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from text2sql.charts.choosing import Chart, Kind
from text2sql.charts.columns import ColumnView, Role, views
from text2sql.charts.moments import Grain, as_grain
from text2sql.messages import Language, say
from text2sql.types import QueryResult, Value

BARS = 40  # more than these are the largest ones only
_LARGEST = 30
_SERIES = 8
_CELLS = 40  # rows and columns of a heat map
_POINTS = 5_000
_BINS = 20
_LABEL = 120  # letters


@dataclass(frozen=True, slots=True)
class Point:
    x: str | float | None
    y: float | None
    series: str = ""
    end: float | None = None  # of a histogram's bin


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    role: Role
    grain: Grain | None = None
    share: bool = False  # reads as a percentage
    whole: bool = False  # integers


@dataclass(frozen=True, slots=True)
class Figure:
    lang: Language
    kind: Kind
    x: Axis
    y: Axis
    series: str  # the title of the series, empty if there are none
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(str(point.x) for point in self.points))

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(point.series for point in self.points)) if self.series else []

    @property
    def numbers(self) -> list[float]:
        return [point.y for point in self.points if point.y is not None]


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


def one_line(text: str) -> str:
    """A label of one line: what steers a terminal or reverses a text is not for a label either."""
    kept = (" " if unicodedata.category(one) in ("Cc", "Zl", "Zp") else one for one in text)
    plain = " ".join(
        "".join(one for one in kept if unicodedata.category(one) not in ("Cf", "Cs", "Co", "Cn")).split()
    )
    return plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"


def label_of(value: Value, lang: Language) -> str:
    if value is None:
        return say("chart.null", lang)
    if isinstance(value, bool):
        return say("answer.yes" if value else "answer.no", lang)
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return one_line(str(value)) or say("chart.blank", lang)


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
        points = _in_order(points, x_axis)
    made = Figure(lang, chart.kind, x_axis, y_axis, title, tuple(points))
    adds_up = measures[0].adds_up and len(measures) == 1
    return _bounded(made, adds_up, lang)


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
    if len(points) > _POINTS:
        notes.append(say("chart.sampled", lang, drawn=f"{_POINTS:,}", count=f"{len(points):,}"))
        points = [points[at * len(points) // _POINTS] for at in range(_POINTS)]
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


def _in_order(points: Sequence[Point], axis: Axis) -> list[Point]:
    if axis.role == "time":  # labels of one grain sort as their moments do, and what is none goes last
        return sorted(points, key=lambda point: (not str(point.x)[:1].isdigit(), str(point.x)))
    return sorted(points, key=lambda point: _step_key(str(point.x)))


def _step_key(label: str) -> tuple[bool, float, str]:
    try:
        return False, float(label), ""
    except ValueError:
        return True, 0.0, label


# -- no more than can be read --------------------------------------------------------------------


def _bounded(made: Figure, adds_up: bool, lang: Language) -> Figure:
    made = _fewer_series(made, _CELLS if made.kind == "heatmap" else _SERIES, adds_up, lang)
    if made.kind in ("line", "area"):
        return _fewer_points(made, lang)
    if made.x.role in ("time", "step"):
        return _last_labels(made, lang)
    return _largest_labels(made, adds_up, lang)


def _fewer_series(made: Figure, most: int, adds_up: bool, lang: Language) -> Figure:
    if len(made.names) <= most:
        return made
    kept = set(_largest(((point.series, point.y) for point in made.points), most - adds_up))
    note = say("chart.series", lang, drawn=len(kept), count=len(made.names), name=made.series)
    points = [point for point in made.points if point.series in kept]
    if adds_up:
        rest: dict[str | float | None, float] = {}
        for point in made.points:
            if point.series not in kept and point.y is not None:
                rest[point.x] = rest.get(point.x, 0.0) + point.y
        points += [Point(x, y, say("chart.others", lang)) for x, y in rest.items()]
        if made.x.role in ("time", "step"):
            points = _in_order(points, made.x)
    return replace(made, points=tuple(points), notes=(*made.notes, note))


def _largest_labels(made: Figure, adds_up: bool, lang: Language) -> Figure:
    most = _CELLS if made.kind == "heatmap" else BARS
    labels = made.labels
    if len(labels) <= most:
        return made
    kept = _largest(((str(point.x), point.y) for point in made.points), _LARGEST)
    place = {label: at for at, label in enumerate(kept)}
    shown = sorted(
        (point for point in made.points if str(point.x) in place), key=lambda point: place[str(point.x)]
    )
    facts = {"drawn": len(kept), "count": f"{len(labels):,}", "left": f"{len(labels) - len(kept):,}"}
    if adds_up:
        rest = math.fsum(point.y or 0.0 for point in made.points if str(point.x) not in place)
        note = say("chart.largest_of", lang, **facts, rest=plain_number(rest))
    else:
        note = say("chart.largest", lang, **facts)
    return replace(made, points=tuple(shown), notes=(*made.notes, note))


def _last_labels(made: Figure, lang: Language) -> Figure:
    """Of many moments the latest: there is no largest among them that would make sense."""
    labels = made.labels
    most = 2 * BARS
    if len(labels) <= most:
        return made
    kept = set(labels[-most:])
    note = say("chart.latest", lang, drawn=most, count=f"{len(labels):,}")
    points = tuple(point for point in made.points if str(point.x) in kept)
    return replace(made, points=points, notes=(*made.notes, note))


def _fewer_points(made: Figure, lang: Language) -> Figure:
    if len(made.points) <= _POINTS:
        return made
    labels = made.labels
    step = math.ceil(len(made.points) / _POINTS)
    kept = set(labels[::step])
    note = say("chart.sampled", lang, drawn=f"{len(kept):,}", count=f"{len(labels):,}")
    points = tuple(point for point in made.points if str(point.x) in kept)
    return replace(made, points=points, notes=(*made.notes, note))


def _largest(pairs: Iterable[tuple[str, float | None]], most: int) -> list[str]:
    sizes: dict[str, float] = {}
    for name, number in pairs:
        sizes[name] = sizes.get(name, 0.0) + abs(number or 0.0)
    return sorted(sizes, key=lambda name: -sizes[name])[:most]


def plain_number(number: float, *, share: bool = False) -> str:
    """As a person writes it: no more figures than say something."""
    if share:
        return f"{number:.1%}"
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    if 0 < abs(number) < 0.01 or abs(number) >= 1e15:
        return f"{number:.3g}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")
