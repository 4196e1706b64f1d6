"""Bar charts: simple, grouped and stacked; horizontal if there are many labels or long ones."""

from collections.abc import Mapping

from rich.cells import cell_len

from text2sql.charts.axes import (
    COLORS,
    HEIGHT,
    WIDTH,
    Spec,
    channel,
    color_encoding,
    label_axis,
    number_axis,
    tooltip,
)
from text2sql.charts.figure import Figure, plain_number

LEGEND_ORDER = channel("o")  # of the parts of a stack
_MAX_VERTICAL_BARS = 12  # bars that fit side by side
_MAX_LABELED_BARS = 24  # bars with their value at the end
_DIGIT_WIDTH = 6  # pixels of a character of such a value
_ROUNDED_FROM = 10_000  # decimals of larger values are noise above a bar


def _is_vertical(figure: Figure) -> bool:
    labels, bars = figure.labels, len(figure.points) if figure.kind == "grouped" else len(figure.labels)
    if figure.x.role in ("time", "step"):
        return bars <= 60
    return (
        len(labels) <= _MAX_VERTICAL_BARS
        and bars <= 2 * _MAX_VERTICAL_BARS
        and max(map(cell_len, labels), default=0) <= 14
    )


def bar(figure: Figure) -> Spec:
    vertical = _is_vertical(figure)
    numbers = figure.numbers
    size = _size(figure, vertical)
    step = size["width"]["step"] if vertical else 0
    label = label_axis(figure, step=step)
    scale = {"zero": True, **({"padding": 14} if min(numbers, default=0.0) < 0 else {})}
    y_channel = channel("y", axis=number_axis(figure.y, numbers, figure.lang), scale=scale)
    mark = {"type": "bar", "color": COLORS[0], "cornerRadiusEnd": 2}
    bars: Spec = {"mark": mark, "encoding": {"tooltip": tooltip(figure)}}
    encoding = {"x": label, "y": y_channel} if vertical else {"y": label, "x": y_channel}
    if len(figure.points) > _MAX_LABELED_BARS:
        return {**bars, "encoding": {**encoding, **bars["encoding"]}, **size}
    return {**size, "encoding": encoding, "layer": [bars, *_value_labels(figure, step)]}


def _value_labels(figure: Figure, step: int) -> list[Spec]:
    """The value of each bar beyond its end, for negative bars as well; none if they would overlap above
    vertical bars that are `step` pixels apart (0: horizontal bars).
    """
    vertical = step > 0
    rounds = max(map(abs, figure.numbers), default=0.0) >= _ROUNDED_FROM
    offsets: Mapping[bool, Spec] = {
        False: {"dy": -7} if vertical else {"dx": 4, "align": "left"},
        True: {"dy": 8} if vertical else {"dx": -4, "align": "right"},
    }
    layers = []
    for negative in (False, True):
        values = [
            {"x": point.x, "y": point.y, "t": _label(point.y, figure, rounds=rounds)}
            for point in figure.points
            if point.y is not None and (point.y < 0) == negative
        ]
        if vertical and max((len(str(value["t"])) for value in values), default=0) * _DIGIT_WIDTH > step:
            return []
        if values:
            mark = {"type": "text", "fontSize": 10, **offsets[negative]}
            text = {"text": channel("t", "nominal")}
            layers.append({"data": {"values": values}, "mark": mark, "encoding": text})
    return layers


def _label(number: float, figure: Figure, *, rounds: bool) -> str:
    return plain_number(round(number) if rounds else number, share=figure.y.share)


def _size(figure: Figure, vertical: bool) -> Spec:
    count = max(1, len(figure.labels))
    if vertical:
        return {"width": {"step": max(14, min(64, WIDTH // count))}, "height": HEIGHT}
    return {"width": WIDTH - 80, "height": {"step": 20 if count > _MAX_VERTICAL_BARS else 28}}


def multi_series_bars(figure: Figure) -> Spec:
    """Grouped and stacked bars."""
    vertical, grouped = _is_vertical(figure), figure.kind == "grouped"
    size = _size(figure, vertical)
    if grouped:
        bars_per_group = len(figure.names)
        step = max(8, min(26, WIDTH // max(1, bars_per_group * len(figure.labels)))) * bars_per_group + 8
        size["width" if vertical else "height"] = {"step": step, "for": "position"}
    label = label_axis(figure, step=size["width"]["step"] if vertical else 0)
    axis = number_axis(figure.y, figure.numbers if grouped else totals(figure), figure.lang)
    y_channel = channel("y", axis=axis, stack=None if grouped else "zero")
    encoding: Spec = {"x": label, "y": y_channel} if vertical else {"y": label, "x": y_channel}
    if grouped:
        encoding["xOffset" if vertical else "yOffset"] = channel("s", "nominal", sort=figure.names)
    encoding |= {**color_encoding(figure), "order": LEGEND_ORDER, "tooltip": tooltip(figure)}
    return {"mark": {"type": "bar", "cornerRadiusEnd": 1}, "encoding": encoding, **size}


def totals(figure: Figure) -> list[float]:
    totals: dict[object, float] = {}
    for point in figure.points:
        totals[point.x] = totals.get(point.x, 0.0) + (point.y or 0.0)
    return list(totals.values())
