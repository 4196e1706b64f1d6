"""Limits a figure to a readable size: the largest bars and series, the latest times, every nth point."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from text2sql.charts.figure import Axis, Figure, Point, plain_number
from text2sql.i18n import say

_MAX_BARS = 40  # with more bars, only the largest are shown
MAX_POINTS = 5_000
_MAX_BARS = 30
_MAX_SERIES = 8
_MAX_CELLS = 40  # rows and columns of a heat map


def downsample(figure: Figure, adds_up: bool) -> Figure:
    """`adds_up`: omitted values can be summarized as a sum."""
    figure = _fewer_series(figure, _MAX_CELLS if figure.kind == "heatmap" else _MAX_SERIES, adds_up)
    if figure.kind in ("line", "area"):
        return _fewer_points(figure)
    if figure.x.role in ("time", "step"):
        return _last_labels(figure)
    return _largest_labels(figure, adds_up)


def _fewer_series(figure: Figure, limit: int, adds_up: bool) -> Figure:
    if len(figure.names) <= limit:
        return figure
    selected = set(_largest(((point.series, point.y) for point in figure.points), limit - adds_up))
    note = say("chart.series", figure.lang, drawn=len(selected), count=len(figure.names), name=figure.series)
    points = [point for point in figure.points if point.series in selected]
    if adds_up:
        rest: dict[str | float | None, float] = {}
        for point in figure.points:
            if point.series not in selected and point.y is not None:
                rest[point.x] = rest.get(point.x, 0.0) + point.y
        points += [Point(x, y, say("chart.others", figure.lang)) for x, y in rest.items()]
        if figure.x.role in ("time", "step"):
            points = sort_by_axis(points, figure.x)
    return replace(figure, points=tuple(points), notes=(*figure.notes, note))


def _largest_labels(figure: Figure, adds_up: bool) -> Figure:
    limit = _MAX_CELLS if figure.kind == "heatmap" else _MAX_BARS
    labels = figure.labels
    if len(labels) <= limit:
        return figure
    selected = _largest(((str(point.x), point.y) for point in figure.points), _MAX_BARS)
    position = {label: index for index, label in enumerate(selected)}
    shown = sorted(
        (point for point in figure.points if str(point.x) in position),
        key=lambda point: position[str(point.x)],
    )
    facts = {"drawn": len(selected), "count": f"{len(labels):,}", "left": f"{len(labels) - len(selected):,}"}
    if adds_up:
        rest = math.fsum(point.y or 0.0 for point in figure.points if str(point.x) not in position)
        note = say("chart.largest_of", figure.lang, **facts, rest=plain_number(rest))
    else:
        note = say("chart.largest", figure.lang, **facts)
    return replace(figure, points=tuple(shown), notes=(*figure.notes, note))


def _last_labels(figure: Figure) -> Figure:
    """Keep the latest labels of a time axis, where picking the largest would be misleading."""
    labels = figure.labels
    limit = 2 * _MAX_BARS
    if len(labels) <= limit:
        return figure
    selected = set(labels[-limit:])
    note = say("chart.latest", figure.lang, drawn=limit, count=f"{len(labels):,}")
    points = tuple(point for point in figure.points if str(point.x) in selected)
    return replace(figure, points=points, notes=(*figure.notes, note))


def _fewer_points(figure: Figure) -> Figure:
    if len(figure.points) <= MAX_POINTS:
        return figure
    labels = figure.labels
    step = math.ceil(len(figure.points) / MAX_POINTS)
    selected = set(labels[::step])
    note = say("chart.sampled", figure.lang, drawn=f"{len(selected):,}", count=f"{len(labels):,}")
    points = tuple(point for point in figure.points if str(point.x) in selected)
    return replace(figure, points=points, notes=(*figure.notes, note))


def _largest(pairs: Iterable[tuple[str, float | None]], limit: int) -> list[str]:
    sizes: dict[str, float] = {}
    for name, number in pairs:
        sizes[name] = sizes.get(name, 0.0) + abs(number or 0.0)
    return sorted(sizes, key=lambda name: -sizes[name])[:limit]


def sort_by_axis(points: Sequence[Point], axis: Axis) -> list[Point]:
    """Sort points chronologically, whatever the order of the rows."""
    if axis.role == "time":  # labels of one grain sort chronologically; labels that are no time go last
        return sorted(points, key=lambda point: (not str(point.x)[:1].isdigit(), str(point.x)))
    return sorted(points, key=lambda point: _step_key(str(point.x)))


def _step_key(label: str) -> tuple[bool, float, str]:
    try:
        return False, float(label), ""
    except ValueError:
        return True, 0.0, label
