"""A figure in letters, for a terminal: bars of blocks, lines of braille dots, shades for a heat map.

Wide letters are measured, and whatever steers a terminal was taken out of the labels by `figure.one_line`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from rich.cells import cell_len, set_cell_size

from text2sql.charts.choosing import Chart, Kind
from text2sql.charts.figure import Figure, Point, plain_number
from text2sql.charts.moments import Moment, moment
from text2sql.charts.plotting import figure
from text2sql.messages import Language
from text2sql.types import QueryResult

_BLOCKS = " ▏▎▍▌▋▊▉█"
_SHADES = " ░▒▓█"
_MARKS = "●▲■◆○△□◇"
_ROWS = 24  # bars on a screen; the rest is told
_HIGH = 8  # lines of a plot
_LABEL = 28  # cells of a label
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a braille letter, by row and column


def sketch(chart: Chart, result: QueryResult, width: int, lang: Language) -> str:
    made = figure(chart, result, lang)
    lines = [*_SKETCHED.get(made.kind, _bars)(made, max(30, min(width, 100))), *made.notes]
    return "\n".join(
        set_cell_size(line, width).rstrip() if cell_len(line) > width else line for line in lines
    )


def _value(made: Figure, _: int) -> list[str]:
    whose = f" ({made.x.title})" if made.x.title else ""
    return [f"{point.x}{whose}: {_told(point, made)}" for point in made.points]


# -- bars ----------------------------------------------------------------------------------------


def _bars(made: Figure, width: int) -> list[str]:
    """One line a bar. A series is a bar of its own under its label."""
    rows = [(_bar_label(point, made), point) for point in made.points]
    shown = rows[:_ROWS]
    wide = min(_LABEL, max(cell_len(label) for label, _ in shown))
    figures = max(cell_len(_told(point, made)) for _, point in shown)
    room = max(5, width - wide - figures - 3)
    low, high = min([0.0, *made.numbers]), max([0.0, *made.numbers])
    left = round(room * -low / (high - low)) if low < 0 else 0
    lines = [
        f"{_fit(label, wide)} {_bar(point.y, low, high, left, room - left)} {_told(point, made)}"
        for label, point in shown
    ]
    return [*lines, f"… {len(rows) - len(shown):,}"] if len(rows) > len(shown) else lines


def _bar_label(point: Point, made: Figure) -> str:
    if made.kind == "histogram" and point.end is not None:
        return f"{plain_number(float(point.x or 0))} – {plain_number(point.end)}"
    return f"{point.x} · {point.series}" if made.series else str(point.x)


def _bar(number: float | None, low: float, high: float, left: int, right: int) -> str:
    """What is below zero grows to the left of it."""
    empty = " " * left
    if number is None or not high - low > 0:
        return empty
    if number < 0:
        size = max(1, round(left * number / low))
        return " " * (left - size) + "█" * size
    eighths = round(right * 8 * number / high) if high > 0 else 0
    eighths = max(1, eighths) if number > 0 else 0
    return empty + "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()


# -- lines and clouds ----------------------------------------------------------------------------


def _plot(made: Figure, width: int) -> list[str]:
    """One series in braille; several with a mark each, so that they are told apart without colour."""
    low, high = min(made.numbers, default=0.0), max(made.numbers, default=0.0)
    edge = [plain_number(high, share=made.y.share), plain_number(low, share=made.y.share)]
    margin = max(map(cell_len, edge))
    wide = width - margin - 2
    places = _places(made)
    canvas = _marked(made, places, wide, low, high) if made.series else _dotted(made, places, wide, low, high)
    sides = [edge[0], *[""] * (_HIGH - 2), edge[1]]
    lines = [
        f"{' ' * (margin - cell_len(side))}{side} ┤{row}".rstrip()
        for side, row in zip(sides, canvas, strict=True)
    ]
    first, last = _ends(made)
    gap = max(1, wide - cell_len(first) - cell_len(last))
    lines.append(f"{' ' * (margin + 2)}{first}{' ' * gap}{last}")
    names = [f"{_MARKS[at % len(_MARKS)]} {_cut(name)}" for at, name in enumerate(made.names)]
    return [*lines, "  ".join(names)] if names else lines


def _places(made: Figure) -> list[float]:
    """Where each point stands between left and right, from 0 to 1."""
    found: list[float]
    if made.x.role == "time":
        moments = [moment(str(point.x)) for point in made.points]
        found = [(one.at - datetime.min).total_seconds() if one else 0.0 for one in _filled(moments)]
    elif made.kind == "scatter":
        found = [float(point.x or 0) for point in made.points]
    else:
        order = {label: at for at, label in enumerate(made.labels)}
        found = [float(order[str(point.x)]) for point in made.points]
    low, high = min(found, default=0.0), max(found, default=0.0)
    return [(one - low) / (high - low) if high > low else 0.5 for one in found]


def _filled(found: Sequence[Moment | None]) -> list[Moment | None]:
    """A point without a moment, NULL for one, stands at the last one that has one."""
    last = next((one for one in reversed(found) if one is not None), None)
    return [last if one is None else one for one in found]


def _dotted(made: Figure, places: Sequence[float], wide: int, low: float, high: float) -> list[str]:
    dots = [[0] * wide for _ in range(_HIGH)]
    before: tuple[int, int] | None = None
    for point, place in zip(made.points, places, strict=True):
        if point.y is None:
            before = None  # a gap stays a gap
            continue
        here = round(place * (2 * wide - 1)), _height(point.y, low, high, 4 * _HIGH)
        for x, y in _between(before, here) if before and made.kind != "scatter" else [here]:
            dots[y // 4][x // 2] |= _DOTS[y % 4][x % 2]
        before = here
    return ["".join(chr(0x2800 + one) if one else " " for one in row) for row in dots]


def _marked(made: Figure, places: Sequence[float], wide: int, low: float, high: float) -> list[str]:
    rows = [[" "] * wide for _ in range(_HIGH)]
    marks = {name: _MARKS[at % len(_MARKS)] for at, name in enumerate(made.names)}
    for point, place in zip(made.points, places, strict=True):
        if point.y is not None:
            rows[_height(point.y, low, high, _HIGH)][round(place * (wide - 1))] = marks[point.series]
    return ["".join(row) for row in rows]


def _height(number: float, low: float, high: float, rows: int) -> int:
    """From the top."""
    share = (number - low) / (high - low) if high > low else 0.5
    return min(rows - 1, max(0, round((1 - share) * (rows - 1))))


def _between(one: tuple[int, int], other: tuple[int, int]) -> Iterable[tuple[int, int]]:
    steps = max(abs(other[0] - one[0]), abs(other[1] - one[1]), 1)
    for at in range(steps + 1):
        yield (
            round(one[0] + (other[0] - one[0]) * at / steps),
            round(one[1] + (other[1] - one[1]) * at / steps),
        )


def _ends(made: Figure) -> tuple[str, str]:
    if made.kind == "scatter" and made.x.role != "time":
        numbers = [float(point.x or 0) for point in made.points] or [0.0]
        return plain_number(min(numbers)), plain_number(max(numbers))
    labels = sorted(made.labels) if made.x.role == "time" else made.labels
    return (_cut(labels[0]), _cut(labels[-1])) if labels else ("", "")


# -- heat maps -----------------------------------------------------------------------------------


def _shades(made: Figure, width: int) -> list[str]:
    low, high = min(made.numbers, default=0.0), max(made.numbers, default=0.0)
    held = {(point.series, point.x): point.y for point in made.points}
    wide = min(_LABEL, max(map(cell_len, made.names), default=0))
    labels = made.labels[: max(1, (width - wide - 1) // 2)]
    lines = []
    for name in made.names[:_ROWS]:
        cells = "".join(_shade(held.get((name, label)), low, high) * 2 for label in labels)
        lines.append(f"{_fit(name, wide)} {cells}".rstrip())
    ends = _cut(labels[0]) if len(labels) == 1 else f"{_cut(labels[0])} … {_cut(labels[-1])}"
    scale = f"░ {plain_number(low, share=made.y.share)}  █ {plain_number(high, share=made.y.share)}"
    return [*lines, f"{' ' * wide} {ends}", scale]


def _shade(number: float | None, low: float, high: float) -> str:
    if number is None:
        return " "
    share = (number - low) / (high - low) if high > low else 0.5
    return _SHADES[1 + round(share * (len(_SHADES) - 2))]


_SKETCHED: Mapping[Kind, Callable[[Figure, int], list[str]]] = {
    "value": _value,
    "line": _plot,
    "area": _plot,
    "scatter": _plot,
    "heatmap": _shades,
}


def _told(point: Point, made: Figure) -> str:
    return "–" if point.y is None else plain_number(point.y, share=made.y.share)


def _fit(text: str, wide: int) -> str:
    return set_cell_size(text, wide) if cell_len(text) <= wide else set_cell_size(text, wide - 1) + "…"


def _cut(text: str) -> str:
    return text if cell_len(text) <= _LABEL else _fit(text, _LABEL)
