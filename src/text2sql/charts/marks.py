"""Vega-Lite marks, encodings and sizes: one function per kind of chart. Bars are in `bars.py`."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from text2sql.charts.axes import (
    COLORS,
    HEIGHT,
    TITLE_ON_TOP,
    WIDTH,
    Spec,
    channel,
    color_encoding,
    label_axis,
    number_axis,
    number_format,
    time_axis,
    tooltip,
)
from text2sql.charts.bars import LEGEND_ORDER, bar, multi_series_bars, totals
from text2sql.charts.figure import Figure, plain_number
from text2sql.charts.selection import Kind

_MAX_POINT_MARKERS = 40  # lines with more points have no markers


def _value(figure: Figure) -> Spec:
    """Large numbers side by side, each with its name above; the row label is below."""
    single = len(figure.points) == 1
    values = [
        {
            "x": point.x,
            "y": "–" if point.y is None else plain_number(point.y, share=figure.y.share),
            "at": index,
        }
        for index, point in enumerate(figure.points)
    ]
    layers = [
        _text_layer("y", fontSize=40 if single else 30, fontWeight="bold", dy=8),
        _text_layer("x", fontSize=13, dy=-30, limit=180),
    ]
    if figure.x.title:
        below = _text_layer("x", fontSize=13, fontStyle="italic", dy=44, limit=300)
        layers.append({"data": {"values": [{"x": figure.x.title, "at": 0}]}, **below})
    return {
        "data": {"values": values},
        "width": {"step": 320 if single else 200},
        "height": 120,
        "encoding": {"x": channel("at", "ordinal", axis=None)},
        "layer": layers,
        "view": {"stroke": None},
    }


def _text_layer(field: str, **style: Any) -> Spec:
    return {"mark": {"type": "text", **style}, "encoding": {"text": channel(field, "nominal")}}


def _line(figure: Figure) -> Spec:
    """Lines and areas, on a time axis or, for calendar parts such as months, on a label axis."""
    temporal = figure.x.role == "time"
    stacked = figure.kind == "area" and bool(figure.series)
    x_channel = time_axis(figure) if temporal else label_axis(figure, step=WIDTH / max(1, len(figure.labels)))
    axis = number_axis(figure.y, totals(figure) if stacked else figure.numbers, figure.lang)
    y_channel = channel("y", axis=axis, scale={"zero": figure.kind == "area" or _near_zero(figure.numbers)})
    mark: Spec = {"type": figure.kind}
    if figure.kind == "area":
        mark |= {"line": not stacked, "opacity": 0.85 if stacked else 0.35}
        y_channel |= {"stack": "zero" if stacked else None}
    else:
        mark |= {"strokeWidth": 2, "point": len(figure.labels) <= _MAX_POINT_MARKERS}
    if not figure.series:
        mark["color"] = COLORS[0]
    tooltips = tooltip(figure, "temporal" if temporal else "nominal")
    order = {"order": LEGEND_ORDER} if stacked else {}
    return {
        "mark": mark,
        "encoding": {"x": x_channel, "y": y_channel, **color_encoding(figure), **order, "tooltip": tooltips},
        "width": WIDTH,
        "height": HEIGHT,
    }


def _near_zero(numbers: list[float]) -> bool:
    """Whether the axis should start at zero; not if the line would then look flat."""
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    return low <= 0 or high - low > 0.3 * high


def _scatter(figure: Figure) -> Spec:
    temporal = figure.x.role == "time"
    x_values = [point.x for point in figure.points if isinstance(point.x, float)]
    x_channel = time_axis(figure) if temporal else _number_channel("x", figure, x_values)
    crowded = len(figure.points) > 500
    mark: Spec = {"type": "point", "filled": True, "size": 18 if crowded else 45}
    mark |= {"opacity": 0.45 if crowded else 0.75}
    if not figure.series:
        mark["color"] = COLORS[0]
    tooltips = tooltip(figure, "temporal" if temporal else "quantitative")
    y_channel = _number_channel("y", figure, figure.numbers)
    encoding = {"x": x_channel, "y": y_channel, **color_encoding(figure), "tooltip": tooltips}
    return {"mark": mark, "encoding": encoding, "width": WIDTH, "height": HEIGHT}


def _number_channel(field: Literal["x", "y"], figure: Figure, numbers: list[float]) -> Spec:
    axis = figure.x if field == "x" else figure.y
    scale = {"zero": _near_zero(numbers)}
    return channel(field, axis=number_axis(axis, numbers, figure.lang), scale=scale)


def _histogram(figure: Figure) -> Spec:
    edges = [edge for point in figure.points for edge in (point.x, point.end) if isinstance(edge, float)]
    x_axis = number_axis(figure.x, edges, figure.lang, grid=False)
    y_axis = number_axis(figure.y, figure.numbers, figure.lang)
    encoding = {
        "x": channel("x", bin="binned", axis=x_axis, scale={"zero": False, "nice": False}),
        "x2": {"field": "e"},
        "y": channel("y", axis=y_axis),
        "tooltip": [
            channel("x", title="≥", format=",.6~r"),
            channel("e", title="<", format=",.6~r"),
            channel("y", title=figure.y.title, format=",d"),
        ],
    }
    mark = {"type": "bar", "color": COLORS[0]}
    return {"mark": mark, "encoding": encoding, "width": WIDTH, "height": HEIGHT}


def _pie(figure: Figure) -> Spec:
    total = sum(figure.numbers) or 1.0
    parts = [
        {
            "x": point.x,
            "y": point.y,
            "t": f"{(point.y or 0) / total:.1%}",
            "n": f"{point.x}: {plain_number(point.y or 0.0, share=figure.y.share)}",
        }
        for point in figure.points
    ]
    names = [part["n"] for part in parts]
    scale = {"domain": names, "range": [*COLORS[: len(names)]]}
    legend = {"title": figure.x.title or None, "labelLimit": 240}
    tooltips = [
        channel("x", "nominal", title=figure.x.title or "x"),
        channel("y", title=figure.y.title, format=",.6~r"),
        channel("t", "nominal", title="%"),
    ]
    arc = {"type": "arc", "outerRadius": 120, "stroke": "white"}
    label = {"type": "text", "radius": 142, "fontSize": 11}
    return {
        "data": {"values": parts},
        "encoding": {
            "theta": channel("y", stack=True),
            "color": channel("n", "nominal", sort=names, scale=scale, legend=legend),
            "order": {"field": "y", "sort": "descending"},
        },
        "layer": [
            {"mark": arc, "encoding": {"tooltip": tooltips}},
            {"mark": label, "encoding": {"text": channel("t", "nominal"), "color": {"value": "gray"}}},
        ],
        "width": 320,
        "height": 320,
        "view": {"stroke": None},
    }


def _heatmap(figure: Figure) -> Spec:
    numbers = figure.numbers
    low, high = min(numbers, default=0.0), max(numbers, default=0.0)
    diverging = low < 0 < high
    scale: Spec = {"scheme": "blueorange", "domainMid": 0} if diverging else {"scheme": "blues"}
    legend = {"title": figure.y.title, **number_format(figure.y, numbers, figure.lang)}
    step = max(18, min(60, WIDTH // max(1, len(figure.labels))))
    axis = {"title": figure.series, "labelLimit": 180, "ticks": False, **TITLE_ON_TOP}
    y_channel = channel("s", "nominal", sort=figure.names, axis=axis)
    color = channel("y", scale=scale, legend=legend)
    layers: list[Spec] = [
        {"mark": {"type": "rect"}, "encoding": {"color": color, "tooltip": tooltip(figure)}}
    ]
    if len(figure.points) <= 120 and step >= 40:
        layers.append(_cell_numbers(figure, low, high, diverging))
    return {
        "encoding": {"x": label_axis(figure, step=step), "y": y_channel},
        "layer": layers,
        "width": {"step": step},
        "height": {"step": 24},
    }


def _cell_numbers(figure: Figure, low: float, high: float, diverging: bool) -> Spec:
    """The value of each cell: white text on dark cells, black on light ones."""
    edge = low + 0.55 * (high - low)
    largest = max(abs(low), abs(high))
    values = [
        {
            "x": point.x,
            "s": point.series,
            "t": _short(point.y, figure.y.share),
            "d": abs(point.y) > 0.6 * largest if diverging else point.y > edge,
        }
        for point in figure.points
        if point.y is not None
    ]
    shade = {"condition": {"test": "datum.d", "value": "white"}, "value": "black"}
    text = {"text": channel("t", "nominal"), "color": shade}
    return {"data": {"values": values}, "mark": {"type": "text", "fontSize": 10}, "encoding": text}


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
    "grouped": multi_series_bars,
    "stacked": multi_series_bars,
    "line": _line,
    "area": _line,
    "scatter": _scatter,
    "histogram": _histogram,
    "pie": _pie,
    "heatmap": _heatmap,
}
