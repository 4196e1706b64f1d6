"""Bars: alone, grouped and stacked; upright where there is room, lying down where labels are many or long."""

from collections.abc import Mapping

from rich.cells import cell_len

from text2sql.charts.axes import COLOURS, HIGH, WIDE, Spec, colour, label_axis, number_axis, tooltip
from text2sql.charts.figure import Figure, plain_number

IN_LEGEND_ORDER = {"field": "o", "type": "quantitative"}  # of a stack
_UPRIGHT = 12  # bars that can stand side by side
_WRITTEN = 24  # bars that have their number at their end


def _upright(made: Figure) -> bool:
    labels, bars = made.labels, len(made.points) if made.kind == "grouped" else len(made.labels)
    if made.x.role in ("time", "step"):
        return bars <= 60
    return len(labels) <= _UPRIGHT and bars <= 2 * _UPRIGHT and max(map(cell_len, labels), default=0) <= 14


def bar(made: Figure) -> Spec:
    upright = _upright(made)
    numbers = made.numbers
    sizes = _sizes(made, upright)
    label = label_axis(made, step=sizes["width"]["step"] if upright else 0)
    up = {
        "field": "y",
        "type": "quantitative",
        "axis": number_axis(made.y, numbers, made.lang),
        "scale": {"zero": True, **({"padding": 14} if min(numbers, default=0.0) < 0 else {})},
    }
    bars: Spec = {
        "mark": {"type": "bar", "color": COLOURS[0], "cornerRadiusEnd": 2},
        "encoding": {"tooltip": tooltip(made)},
    }
    encoding = {"x": label, "y": up} if upright else {"y": label, "x": up}
    if len(made.points) > _WRITTEN:
        return {**bars, "encoding": {**encoding, **bars["encoding"]}, **sizes}
    return {**sizes, "encoding": encoding, "layer": [bars, *_written(made, upright)]}


def _written(made: Figure, upright: bool) -> list[Spec]:
    """Each bar's number, beyond its end: outside for negative ones as well."""
    told: Mapping[bool, Spec] = {
        False: {"dy": -7} if upright else {"dx": 4, "align": "left"},
        True: {"dy": 8} if upright else {"dx": -4, "align": "right"},
    }
    layers = []
    for negative in (False, True):
        held = [
            {"x": point.x, "y": point.y, "t": plain_number(point.y, share=made.y.share)}
            for point in made.points
            if point.y is not None and (point.y < 0) == negative
        ]
        if held:
            mark = {"type": "text", "fontSize": 10, **told[negative]}
            text = {"text": {"field": "t", "type": "nominal"}}
            layers.append({"data": {"values": held}, "mark": mark, "encoding": text})
    return layers


def _sizes(made: Figure, upright: bool) -> Spec:
    count = max(1, len(made.labels))
    if upright:
        return {"width": {"step": max(14, min(64, WIDE // count))}, "height": HIGH}
    return {"width": WIDE - 80, "height": {"step": 20 if count > _UPRIGHT else 28}}


def split(made: Figure) -> Spec:
    """Grouped and stacked bars."""
    upright, grouped = _upright(made), made.kind == "grouped"
    sizes = _sizes(made, upright)
    if grouped:
        each = len(made.names)
        wide = max(8, min(26, WIDE // max(1, each * len(made.labels)))) * each + 8
        sizes["width" if upright else "height"] = {"step": wide, "for": "position"}
    label = label_axis(made, step=sizes["width"]["step"] if upright else 0)
    up: Spec = {
        "field": "y",
        "type": "quantitative",
        "axis": number_axis(made.y, made.numbers if grouped else totals(made), made.lang),
        "stack": None if grouped else "zero",
    }
    encoding: Spec = {"x": label, "y": up} if upright else {"y": label, "x": up}
    if grouped:
        encoding["xOffset" if upright else "yOffset"] = {"field": "s", "type": "nominal", "sort": made.names}
    encoding |= {**colour(made), "order": IN_LEGEND_ORDER, "tooltip": tooltip(made)}
    return {"mark": {"type": "bar", "cornerRadiusEnd": 1}, "encoding": encoding, **sizes}


def totals(made: Figure) -> list[float]:
    totals: dict[object, float] = {}
    for point in made.points:
        totals[point.x] = totals.get(point.x, 0.0) + (point.y or 0.0)
    return list(totals.values())
