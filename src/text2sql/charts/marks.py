"""One function a kind of chart: its marks, encodings and sizes."""

from collections.abc import Callable, Mapping

from rich.cells import cell_len

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
from text2sql.charts.choosing import Kind
from text2sql.charts.figure import Figure, plain_number

_UPRIGHT = 12  # bars that can stand side by side
_WRITTEN = 24  # bars that have their number at their end
_DOTTED = 40  # points of a line that are marked
_ORDER = {"field": "o", "type": "quantitative"}  # of a stack, as in the legend


def _value(made: Figure) -> Spec:
    """Numbers in large figures, side by side; over them what they are, and whose."""
    share = made.y.share
    for_each = [
        {
            "x": point.x,
            "y": "–" if point.y is None else plain_number(point.y, share=share),
            "at": at,
        }
        for at, point in enumerate(made.points)
    ]
    place = {"field": "at", "type": "ordinal", "axis": None}
    big, small = ("text", 40 if len(for_each) == 1 else 30), ("text", 13)
    layers = [
        {
            "mark": {"type": "text", "fontSize": big[1], "fontWeight": "bold", "dy": 8},
            "encoding": {"text": {"field": "y", "type": "nominal"}},
        },
        {
            "mark": {"type": "text", "fontSize": small[1], "dy": -30, "limit": 180},
            "encoding": {"text": {"field": "x", "type": "nominal"}},
        },
    ]
    if made.x.title:
        layers.append(
            {
                "data": {"values": [{"x": made.x.title, "at": 0}]},
                "mark": {"type": "text", "fontSize": 13, "fontStyle": "italic", "dy": 44, "limit": 300},
                "encoding": {"text": {"field": "x", "type": "nominal"}},
            }
        )
    return {
        "data": {"values": for_each},
        "width": {"step": 320 if len(for_each) == 1 else 200},
        "height": 120,
        "encoding": {"x": place},
        "layer": layers,
        "view": {"stroke": None},
    }


def _upright(made: Figure) -> bool:
    labels, bars = made.labels, len(made.points) if made.kind == "grouped" else len(made.labels)
    if made.x.role in ("time", "step"):
        return bars <= 60
    return len(labels) <= _UPRIGHT and bars <= 2 * _UPRIGHT and max(map(cell_len, labels), default=0) <= 14


def _bar(made: Figure) -> Spec:
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


def _split(made: Figure) -> Spec:
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
        "axis": number_axis(made.y, made.numbers if grouped else _totals(made), made.lang),
        "stack": None if grouped else "zero",
    }
    encoding: Spec = {"x": label, "y": up} if upright else {"y": label, "x": up}
    if grouped:
        encoding["xOffset" if upright else "yOffset"] = {"field": "s", "type": "nominal", "sort": made.names}
    encoding |= {**colour(made), "order": _ORDER, "tooltip": tooltip(made)}
    return {"mark": {"type": "bar", "cornerRadiusEnd": 1}, "encoding": encoding, **sizes}


def _totals(made: Figure) -> list[float]:
    totals: dict[object, float] = {}
    for point in made.points:
        totals[point.x] = totals.get(point.x, 0.0) + (point.y or 0.0)
    return list(totals.values())


def _line(made: Figure) -> Spec:
    """Lines and areas; steps of a calendar have no moments, and stand side by side."""
    temporal = made.x.role == "time"
    stacked = made.kind == "area" and bool(made.series)
    across = time_axis(made) if temporal else label_axis(made, step=WIDE / max(1, len(made.labels)))
    up: Spec = {
        "field": "y",
        "type": "quantitative",
        "axis": number_axis(made.y, _totals(made) if stacked else made.numbers, made.lang),
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
    order = {"order": _ORDER} if stacked else {}
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
    for size, unit in ((1e9, "B"), (1e6, "M"), (1e4, "K")):
        if abs(number) >= size:
            return f"{number / min(size, 1e3 if unit == 'K' else size):.3g}{unit}"
    return plain_number(round(number, 1))


MARKS: Mapping[Kind, Callable[[Figure], Spec]] = {
    "value": _value,
    "bar": _bar,
    "grouped": _split,
    "stacked": _split,
    "line": _line,
    "area": _line,
    "scatter": _scatter,
    "histogram": _histogram,
    "pie": _pie,
    "heatmap": _heatmap,
}
