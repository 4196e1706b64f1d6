"""One function a kind of chart: its marks, encodings and sizes. Bars are in `bars.py`."""

from collections.abc import Callable, Mapping
from typing import Any

from text2sql.charts.axes import (
    COLOURS,
    HIGH,
    TITLE_ON_TOP,
    WIDE,
    Spec,
    colour,
    label_axis,
    number_axis,
    number_format,
    time_axis,
    tooltip,
)
from text2sql.charts.bars import IN_LEGEND_ORDER, bar, split, totals
from text2sql.charts.choosing import Kind
from text2sql.charts.figure import Figure, plain_number

_DOTTED = 40  # points of a line that are marked


def _value(made: Figure) -> Spec:
    """Numbers in large figures, side by side; over them what they are, and whose."""
    alone = len(made.points) == 1
    held = [
        {"x": point.x, "y": "–" if point.y is None else plain_number(point.y, share=made.y.share), "at": at}
        for at, point in enumerate(made.points)
    ]
    layers = [
        _words("y", fontSize=40 if alone else 30, fontWeight="bold", dy=8),
        _words("x", fontSize=13, dy=-30, limit=180),
    ]
    if made.x.title:
        below = _words("x", fontSize=13, fontStyle="italic", dy=44, limit=300)
        layers.append({"data": {"values": [{"x": made.x.title, "at": 0}]}, **below})
    return {
        "data": {"values": held},
        "width": {"step": 320 if alone else 200},
        "height": 120,
        "encoding": {"x": {"field": "at", "type": "ordinal", "axis": None}},
        "layer": layers,
        "view": {"stroke": None},
    }


def _words(field: str, **look: Any) -> Spec:
    return {"mark": {"type": "text", **look}, "encoding": {"text": {"field": field, "type": "nominal"}}}


def _line(made: Figure) -> Spec:
    """Lines and areas; steps of a calendar have no moments, and stand side by side."""
    temporal = made.x.role == "time"
    stacked = made.kind == "area" and bool(made.series)
    across = time_axis(made) if temporal else label_axis(made, step=WIDE / max(1, len(made.labels)))
    up: Spec = {
        "field": "y",
        "type": "quantitative",
        "axis": number_axis(made.y, totals(made) if stacked else made.numbers, made.lang),
        "scale": {"zero": made.kind == "area" or _near_zero(made.numbers)},
    }
    mark: Spec = {"type": made.kind}
    if made.kind == "area":
        mark |= {"line": not stacked, "opacity": 0.85 if stacked else 0.35}
        up |= {"stack": "zero" if stacked else None}
    else:
        mark |= {"strokeWidth": 2, "point": len(made.labels) <= _DOTTED}
    if not made.series:
        mark["color"] = COLOURS[0]
    told = tooltip(made, "temporal" if temporal else "nominal")
    order = {"order": IN_LEGEND_ORDER} if stacked else {}
    return {
        "mark": mark,
        "encoding": {"x": across, "y": up, **colour(made), **order, "tooltip": told},
        "width": WIDE,
        "height": HIGH,
    }


def _near_zero(numbers: list[float]) -> bool:
    """A line may leave zero out when its ups and downs would be flat; then it is not near it."""
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    return low <= 0 or high - low > 0.3 * high


def _scatter(made: Figure) -> Spec:
    left = [point.x for point in made.points if isinstance(point.x, float)]
    across: Spec = {
        "field": "x",
        "type": "quantitative",
        "axis": number_axis(made.x, left, made.lang),
        "scale": {"zero": _near_zero(left)},
    }
    temporal = made.x.role == "time"
    up = {
        "field": "y",
        "type": "quantitative",
        "axis": number_axis(made.y, made.numbers, made.lang),
        "scale": {"zero": _near_zero(made.numbers)},
    }
    crowded = len(made.points) > 500
    mark: Spec = {"type": "point", "filled": True, "size": 18 if crowded else 45}
    mark |= {"opacity": 0.45 if crowded else 0.75}
    if not made.series:
        mark["color"] = COLOURS[0]
    told = tooltip(made, "temporal" if temporal else "quantitative")
    encoding = {"x": time_axis(made) if temporal else across, "y": up, **colour(made), "tooltip": told}
    return {"mark": mark, "encoding": encoding, "width": WIDE, "height": HIGH}


def _histogram(made: Figure) -> Spec:
    edges = [edge for point in made.points for edge in (point.x, point.end) if isinstance(edge, float)]
    across = {
        "field": "x",
        "type": "quantitative",
        "bin": "binned",
        "axis": number_axis(made.x, edges, made.lang, grid=False),
        "scale": {"zero": False, "nice": False},
    }
    up = {
        "field": "y",
        "type": "quantitative",
        "axis": number_axis(made.y, made.numbers, made.lang),
    }
    tips = [
        {"field": "x", "type": "quantitative", "title": "≥", "format": ",.6~r"},
        {"field": "e", "type": "quantitative", "title": "<", "format": ",.6~r"},
        {"field": "y", "type": "quantitative", "title": made.y.title, "format": ",d"},
    ]
    return {
        "mark": {"type": "bar", "color": COLOURS[0]},
        "encoding": {"x": across, "x2": {"field": "e"}, "y": up, "tooltip": tips},
        "width": WIDE,
        "height": HIGH,
    }


def _pie(made: Figure) -> Spec:
    total = sum(made.numbers) or 1.0
    parts = [
        {
            "x": point.x,
            "y": point.y,
            "t": f"{(point.y or 0) / total:.1%}",
            "n": f"{point.x}: {plain_number(point.y or 0.0, share=made.y.share)}",
        }
        for point in made.points
    ]
    names = [one["n"] for one in parts]
    slices = {
        "field": "n",
        "type": "nominal",
        "sort": names,
        "scale": {"domain": names, "range": [*COLOURS[: len(names)]]},
        "legend": {"title": made.x.title or None, "labelLimit": 240},
    }
    angle = {"field": "y", "type": "quantitative", "stack": True}
    tips = [
        {"field": "x", "type": "nominal", "title": made.x.title or "x"},
        {"field": "y", "type": "quantitative", "title": made.y.title, "format": ",.6~r"},
        {"field": "t", "type": "nominal", "title": "%"},
    ]
    return {
        "data": {"values": parts},
        "encoding": {"theta": angle, "color": slices, "order": {"field": "y", "sort": "descending"}},
        "layer": [
            {"mark": {"type": "arc", "outerRadius": 120, "stroke": "white"}, "encoding": {"tooltip": tips}},
            {
                "mark": {"type": "text", "radius": 142, "fontSize": 11},
                "encoding": {"text": {"field": "t", "type": "nominal"}, "color": {"value": "gray"}},
            },
        ],
        "width": 320,
        "height": 320,
        "view": {"stroke": None},
    }


def _heatmap(made: Figure) -> Spec:
    numbers = made.numbers
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    diverging = low < 0 < high
    scale: Spec = {"scheme": "blueorange", "domainMid": 0} if diverging else {"scheme": "blues"}
    legend = {"title": made.y.title, **number_format(made.y, numbers, made.lang)}
    wide = max(18, min(60, WIDE // max(1, len(made.labels))))
    across = label_axis(made, step=wide)
    up = {
        "field": "s",
        "type": "nominal",
        "sort": made.names,
        "axis": {"title": made.series, "labelLimit": 180, "ticks": False, **TITLE_ON_TOP},
    }
    cells: Spec = {
        "mark": {"type": "rect"},
        "encoding": {
            "color": {"field": "y", "type": "quantitative", "scale": scale, "legend": legend},
            "tooltip": tooltip(made),
        },
    }
    layers = [cells]
    if len(made.points) <= 120 and wide >= 40:
        layers.append(_cell_numbers(made, low, high, diverging))
    return {
        "encoding": {"x": across, "y": up},
        "layer": layers,
        "width": {"step": wide},
        "height": {"step": 24},
    }


def _cell_numbers(made: Figure, low: float, high: float, diverging: bool) -> Spec:
    """White on dark cells, black on light ones."""
    edge = low + 0.55 * (high - low)
    largest = max(abs(low), abs(high))
    held = [
        {
            "x": point.x,
            "s": point.series,
            "t": _short(point.y, made.y.share),
            "d": abs(point.y) > 0.6 * largest if diverging else point.y > edge,
        }
        for point in made.points
        if point.y is not None
    ]
    shade = {"condition": {"test": "datum.d", "value": "white"}, "value": "black"}
    text = {"text": {"field": "t", "type": "nominal"}, "color": shade}
    return {"data": {"values": held}, "mark": {"type": "text", "fontSize": 10}, "encoding": text}


def _short(number: float, share: bool) -> str:
    if share:
        return f"{number:.0%}"
    for least, size, unit in ((1e9, 1e9, "B"), (1e6, 1e6, "M"), (1e4, 1e3, "K")):
        if abs(number) >= least:
            return f"{number / size:.3g}{unit}"
    return plain_number(round(number, 1))


MARKS: Mapping[Kind, Callable[[Figure], Spec]] = {
    "value": _value,
    "bar": bar,
    "grouped": split,
    "stacked": split,
    "line": _line,
    "area": _line,
    "scatter": _scatter,
    "histogram": _histogram,
    "pie": _pie,
    "heatmap": _heatmap,
}
