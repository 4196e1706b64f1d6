"""No more than can be read: the largest bars and series, the latest moments, every so-manieth point."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from text2sql.charts.figure import Axis, Figure, Point, plain_number
from text2sql.messages import say

_BARS = 40  # more than these are the largest ones only
POINTS = 5_000
_LARGEST = 30
_SERIES = 8
_CELLS = 40  # rows and columns of a heat map


def bounded(made: Figure, adds_up: bool) -> Figure:
    """`adds_up`: what is left out can be told as a sum."""
    made = _fewer_series(made, _CELLS if made.kind == "heatmap" else _SERIES, adds_up)
    if made.kind in ("line", "area"):
        return _fewer_points(made)
    if made.x.role in ("time", "step"):
        return _last_labels(made)
    return _largest_labels(made, adds_up)


def _fewer_series(made: Figure, most: int, adds_up: bool) -> Figure:
    if len(made.names) <= most:
        return made
    kept = set(_largest(((point.series, point.y) for point in made.points), most - adds_up))
    note = say("chart.series", made.lang, drawn=len(kept), count=len(made.names), name=made.series)
    points = [point for point in made.points if point.series in kept]
    if adds_up:
        rest: dict[str | float | None, float] = {}
        for point in made.points:
            if point.series not in kept and point.y is not None:
                rest[point.x] = rest.get(point.x, 0.0) + point.y
        points += [Point(x, y, say("chart.others", made.lang)) for x, y in rest.items()]
        if made.x.role in ("time", "step"):
            points = in_order(points, made.x)
    return replace(made, points=tuple(points), notes=(*made.notes, note))


def _largest_labels(made: Figure, adds_up: bool) -> Figure:
    most = _CELLS if made.kind == "heatmap" else _BARS
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
        note = say("chart.largest_of", made.lang, **facts, rest=plain_number(rest))
    else:
        note = say("chart.largest", made.lang, **facts)
    return replace(made, points=tuple(shown), notes=(*made.notes, note))


def _last_labels(made: Figure) -> Figure:
    """Of many moments the latest: there is no largest among them that would make sense."""
    labels = made.labels
    most = 2 * _BARS
    if len(labels) <= most:
        return made
    kept = set(labels[-most:])
    note = say("chart.latest", made.lang, drawn=most, count=f"{len(labels):,}")
    points = tuple(point for point in made.points if str(point.x) in kept)
    return replace(made, points=points, notes=(*made.notes, note))


def _fewer_points(made: Figure) -> Figure:
    if len(made.points) <= POINTS:
        return made
    labels = made.labels
    step = math.ceil(len(made.points) / POINTS)
    kept = set(labels[::step])
    note = say("chart.sampled", made.lang, drawn=f"{len(kept):,}", count=f"{len(labels):,}")
    points = tuple(point for point in made.points if str(point.x) in kept)
    return replace(made, points=points, notes=(*made.notes, note))


def _largest(pairs: Iterable[tuple[str, float | None]], most: int) -> list[str]:
    sizes: dict[str, float] = {}
    for name, number in pairs:
        sizes[name] = sizes.get(name, 0.0) + abs(number or 0.0)
    return sorted(sizes, key=lambda name: -sizes[name])[:most]


def in_order(points: Sequence[Point], axis: Axis) -> list[Point]:
    """Along a calendar, whatever the order of the rows."""
    if axis.role == "time":  # labels of one grain sort as their moments do, and what is none goes last
        return sorted(points, key=lambda point: (not str(point.x)[:1].isdigit(), str(point.x)))
    return sorted(points, key=lambda point: _step_key(str(point.x)))


def _step_key(label: str) -> tuple[bool, float, str]:
    try:
        return False, float(label), ""
    except ValueError:
        return True, 0.0, label
