"""Axes, colors and tooltips of a Vega-Lite specification, and the formats of numbers, times and labels."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from rich.cells import cell_len

from text2sql.charts.figure import Axis, Figure, Point
from text2sql.i18n import Language
from text2sql.result_columns.temporal import FORMATS, Moment, moment

Spec: TypeAlias = dict[str, Any]

# The colorblind-safe palette of Okabe and Ito, without yellow, which is hard to see on white.
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8A6D3B", "#7F7F7F")
WIDTH, HEIGHT = 560, 320
_LABEL_LIMIT = 260  # pixels of a label next to a bar
_CELL_WIDTH = 6.5  # pixels of a Latin letter; a Chinese one is twice as wide
_MAX_TICKS = 8
_MAX_EXACT_TICKS = 60  # with more distinct times, ticks are at round values
# Next to long labels the title would need their width, which is wrong with a fallback font.
TITLE_ON_TOP = {"titleAngle": 0, "titleAlign": "right", "titleX": -4, "titleY": -8, "titleBaseline": "bottom"}


def channel(field: str, kind: str = "quantitative", **properties: Any) -> Spec:
    return {"field": field, "type": kind, **properties}


def data(figure: Figure) -> list[Spec]:
    order = {name: index for index, name in enumerate(figure.names)}
    return [_datum(point, figure, order) for point in figure.points]


def _datum(point: Point, figure: Figure, order: Mapping[str, int]) -> Spec:
    datum: Spec = {"x": point.x, "y": point.y}
    if figure.kind in ("line", "area", "scatter") and figure.x.role == "time":
        parsed = moment(str(point.x))
        datum["x"] = parsed.iso if parsed else None
    if figure.series:
        datum |= {"s": point.series, "o": order[point.series]}
    if point.end is not None:
        datum["e"] = point.end
    return datum


def number_axis(axis: Axis, numbers: list[float], lang: Language, **more: Any) -> Spec:
    return {"title": axis.title or None, "labelFlush": False, **number_format(axis, numbers, lang), **more}


def number_format(axis: Axis, numbers: list[float], lang: Language) -> Spec:
    if axis.share:
        return {"format": ".0%" if max(map(abs, numbers), default=0) > 0.05 else ".1%"}
    largest = max(map(abs, numbers), default=0.0)
    units = ((1e8, "亿"), (1e4, "万")) if lang == "zh" else ((1e9, "B"), (1e6, "M"), (1e3, "K"))
    for size, unit in units:
        if largest >= (10 if size < 1e6 else 1) * size:  # 2M, but 2,000
            return {"labelExpr": f"datum.value ? format(datum.value / {size:.0f}, ',~r') + '{unit}' : '0'"}
    if 0 < largest < 0.01 or largest >= 1e12:
        return {"format": "~e"}
    return {"format": ",~r", **({"tickMinStep": 1} if axis.whole else {})}


def time_axis(figure: Figure) -> Spec:
    """Ticks at times of the data if there are few, because automatic ticks may fall between two months."""
    grain = figure.x.grain or "day"
    axis: Spec = {
        "title": figure.x.title,
        "format": FORMATS[grain],
        "labelOverlap": "greedy",
        "labelFlush": False,
        "grid": False,
    }
    moments = sorted({parsed for point in figure.points if (parsed := moment(str(point.x)))})
    if len(moments) <= _MAX_EXACT_TICKS:
        step = max(1, -(-len(moments) // _MAX_TICKS))
        axis["values"] = [_date_time(time) for time in moments[::step]]
    else:
        axis["tickCount"] = _MAX_TICKS
    return channel("x", "temporal", axis=axis)


def _date_time(time: Moment) -> Spec:
    at = time.at
    day = {"year": at.year, "month": at.month, "date": at.day}
    return {**day, "hours": at.hour, "minutes": at.minute, "seconds": at.second}


def label_axis(figure: Figure, *, step: float = 0) -> Spec:
    """`step` is the width in pixels for a label below a bar; 0 for labels next to horizontal bars."""
    axis: Spec = {"title": figure.x.title or None, "labelLimit": _LABEL_LIMIT, "ticks": False}
    if step:
        fits = max(map(cell_len, figure.labels), default=0) * _CELL_WIDTH <= step
        axis |= {"labelAngle": 0 if fits else -40, "labelLimit": 140, "labelOverlap": step < 14 and "greedy"}
    else:
        axis |= TITLE_ON_TOP
    return channel("x", "nominal", sort=figure.labels, axis=axis)


def color_encoding(figure: Figure) -> Spec:
    if not figure.series:
        return {}
    scale = {"domain": figure.names, "range": [*COLORS[: len(figure.names)]]}
    legend = {"title": figure.series, "labelLimit": 200, "symbolLimit": 0}
    return {"color": channel("s", "nominal", scale=scale, legend=legend, sort=figure.names)}


def tooltip(figure: Figure, x_type: str = "nominal") -> list[Spec]:
    x_channel = channel("x", x_type, title=figure.x.title or "x")
    if x_type == "temporal":
        x_channel["format"] = FORMATS[figure.x.grain or "day"]
    y_format = ".1%" if figure.y.share else ",~r" if figure.y.whole else ",.6~r"
    y_channel = channel("y", title=figure.y.title or "y", format=y_format)
    series = [channel("s", "nominal", title=figure.series)] if figure.series else []
    return [x_channel, *series, y_channel]
