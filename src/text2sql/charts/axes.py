"""The axes, colours and tips of a Vega-Lite specification: how numbers, moments and labels are written."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from rich.cells import cell_len

from text2sql.charts.figure import Axis, Figure, Point
from text2sql.charts.moments import FORMATS, Moment, moment
from text2sql.messages import Language

Spec: TypeAlias = dict[str, Any]

# Okabe and Ito's colours without the yellow, which vanishes on white: told apart by colour-blind eyes, too.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8A6D3B", "#7F7F7F")
WIDE, HIGH = 560, 320
_LABEL_LIMIT = 260  # pixels of a label beside a bar
_CELL = 6.5  # pixels of a letter, half of a Chinese one
_TICKS = 8
_IRREGULAR = 60  # moments; of more than these, round ones are marked
# Beside long labels a title would need their measured width, which a fallback font makes wrong.
TITLE_ON_TOP = {"titleAngle": 0, "titleAlign": "right", "titleX": -4, "titleY": -8, "titleBaseline": "bottom"}


def data(made: Figure) -> list[Spec]:
    order = {name: at for at, name in enumerate(made.names)}
    return [_datum(point, made, order) for point in made.points]


def _datum(point: Point, made: Figure, order: Mapping[str, int]) -> Spec:
    held: Spec = {"x": point.x, "y": point.y}
    if made.kind in ("line", "area", "scatter") and made.x.role == "time":
        at = moment(str(point.x))
        held["x"] = at.iso if at else None
    if made.series:
        held |= {"s": point.series, "o": order[point.series]}
    if point.end is not None:
        held["e"] = point.end
    return held


def number_axis(axis: Axis, numbers: list[float], lang: Language, **more: Any) -> Spec:
    return {"title": axis.title or None, "labelFlush": False, **number_format(axis, numbers, lang), **more}


def number_format(axis: Axis, numbers: list[float], lang: Language) -> Spec:
    if axis.share:
        return {"format": ".0%" if max(map(abs, numbers), default=0) > 0.05 else ".1%"}
    most = max(map(abs, numbers), default=0.0)
    units = ((1e8, "亿"), (1e4, "万")) if lang == "zh" else ((1e9, "B"), (1e6, "M"), (1e3, "K"))
    for size, unit in units:
        if most >= 10 * size:
            return {"labelExpr": f"datum.value ? format(datum.value / {size:.0f}, ',~r') + '{unit}' : '0'"}
    if 0 < most < 0.01 or most >= 1e12:
        return {"format": "~e"}
    return {"format": ",~r", **({"tickMinStep": 1} if axis.whole else {})}


def time_axis(made: Figure) -> Spec:
    """Ticks at moments of the data where those are few: an automatic one would fall between two months."""
    grain = made.x.grain or "day"
    axis: Spec = {
        "title": made.x.title,
        "format": FORMATS[grain],
        "labelOverlap": "greedy",
        "labelFlush": False,
        "grid": False,
    }
    moments = sorted({found for point in made.points if (found := moment(str(point.x)))})
    if len(moments) <= _IRREGULAR:
        step = max(1, -(-len(moments) // _TICKS))
        axis["values"] = [_date_time(one) for one in moments[::step]]
    else:
        axis["tickCount"] = _TICKS
    return {"field": "x", "type": "temporal", "axis": axis}


def _date_time(one: Moment) -> Spec:
    at = one.at
    told = {"year": at.year, "month": at.month, "date": at.day}
    return {**told, "hours": at.hour, "minutes": at.minute, "seconds": at.second}


def label_axis(made: Figure, *, step: float = 0) -> Spec:
    """`step` is the room of a label under its bar; beside its bar it has a line of its own."""
    axis: Spec = {"title": made.x.title or None, "labelLimit": _LABEL_LIMIT, "ticks": False}
    if step:
        fits = max(map(cell_len, made.labels), default=0) * _CELL <= step
        axis |= {"labelAngle": 0 if fits else -40, "labelLimit": 140, "labelOverlap": step < 14 and "greedy"}
    else:
        axis |= TITLE_ON_TOP
    return {"field": "x", "type": "nominal", "sort": made.labels, "axis": axis}


def colour(made: Figure) -> Spec:
    if not made.series:
        return {}
    scale = {"domain": made.names, "range": [*COLOURS[: len(made.names)]]}
    legend = {"title": made.series, "labelLimit": 200, "symbolLimit": 0}
    return {"color": {"field": "s", "type": "nominal", "scale": scale, "legend": legend, "sort": made.names}}


def tooltip(made: Figure, kind: str = "nominal") -> list[Spec]:
    across: Spec = {"field": "x", "type": kind, "title": made.x.title or "x"}
    if kind == "temporal":
        across["format"] = FORMATS[made.x.grain or "day"]
    up: Spec = {"field": "y", "type": "quantitative", "title": made.y.title or "y"}
    up["format"] = ".1%" if made.y.share else ",~r" if made.y.whole else ",.6~r"
    series = [{"field": "s", "type": "nominal", "title": made.series}] if made.series else []
    return [across, *series, up]
