"""Renders a figure as text for a terminal: block bars, braille lines, shaded heat maps.

Wide characters are measured, and `figure.one_line` removes control characters from labels.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from rich.cells import cell_len, set_cell_size

from text2sql.charts.figure import Figure, Point, plain_number
from text2sql.charts.figure_builder import build_figure
from text2sql.charts.selection import Chart, Kind
from text2sql.i18n import Language
from text2sql.result_columns.temporal import Moment, moment
from text2sql.types import QueryResult

_BLOCKS = " ▏▎▍▌▋▊▉█"
_SHADES = " ░▒▓█"
_MARKS = "●▲■◆○△□◇"
_MAX_ROWS = 24  # of bars; the rest is counted
_PLOT_LINES = 8  # height of a plot
_LABEL_WIDTH = 28  # terminal cells
_DOTS = (
    (0x01, 0x08),
    (0x02, 0x10),
    (0x04, 0x20),
    (0x40, 0x80),
)  # bits of a braille character, by row and column


def terminal_chart(chart: Chart, result: QueryResult, width: int, lang: Language) -> str:
    figure = build_figure(chart, result, lang)
    lines = [*_RENDERERS.get(figure.kind, _bars)(figure, max(30, min(width, 100))), *figure.notes]
    return "\n".join(
        set_cell_size(line, width).rstrip() if cell_len(line) > width else line for line in lines
    )


def _value(figure: Figure, _: int) -> list[str]:
    row_label = f" ({figure.x.title})" if figure.x.title else ""
    return [f"{point.x}{row_label}: {_number_text(point, figure)}" for point in figure.points]


# -- bars ----------------------------------------------------------------------------------------


def _bars(figure: Figure, width: int) -> list[str]:
    """One line per bar; each series has its own bar."""
    rows = [(_bar_label(point, figure), point) for point in figure.points]
    shown = rows[:_MAX_ROWS]
    label_width = min(_LABEL_WIDTH, max(cell_len(label) for label, _ in shown))
    number_width = max(cell_len(_number_text(point, figure)) for _, point in shown)
    bar_width = max(5, width - label_width - number_width - 3)
    low, high = min([0.0, *figure.numbers]), max([0.0, *figure.numbers])
    left = round(bar_width * -low / (high - low)) if low < 0 else 0
    lines = [
        " ".join(
            (
                _pad_or_shorten(label, label_width),
                _bar(point.y, low, high, left, bar_width - left),
                _number_text(point, figure),
            )
        )
        for label, point in shown
    ]
    return [*lines, f"… {len(rows) - len(shown):,}"] if len(rows) > len(shown) else lines


def _bar_label(point: Point, figure: Figure) -> str:
    if figure.kind == "histogram" and point.end is not None:
        return f"{plain_number(float(point.x or 0))} – {plain_number(point.end)}"
    return f"{point.x} · {point.series}" if figure.series else str(point.x)


def _bar(number: float | None, low: float, high: float, left: int, right: int) -> str:
    """One bar; negative values extend to the left of zero."""
    empty = " " * left
    if number is None or not high - low > 0:
        return empty
    if number < 0:
        size = max(1, round(left * number / low))
        return " " * (left - size) + "█" * size
    eighths = round(right * 8 * number / high) if high > 0 else 0
    eighths = max(1, eighths) if number > 0 else 0
    return empty + "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip()


# -- lines and scatter --------------------------------------------------------------------------


def _plot(figure: Figure, width: int) -> list[str]:
    """One series as braille dots; several with different markers, so that no color is needed."""
    low, high = min(figure.numbers, default=0.0), max(figure.numbers, default=0.0)
    edge = [plain_number(high, share=figure.y.share), plain_number(low, share=figure.y.share)]
    margin = max(map(cell_len, edge))
    plot_width = width - margin - 2
    positions = _x_positions(figure)
    canvas = (
        _marker_plot(figure, positions, plot_width, low, high)
        if figure.series
        else _braille_plot(figure, positions, plot_width, low, high)
    )
    axis_labels = [edge[0], *[""] * (_PLOT_LINES - 2), edge[1]]
    lines = [
        f"{' ' * (margin - cell_len(side))}{side} ┤{row}".rstrip()
        for side, row in zip(axis_labels, canvas, strict=True)
    ]
    first, last = _ends(figure)
    gap = max(1, plot_width - cell_len(first) - cell_len(last))
    lines.append(f"{' ' * (margin + 2)}{first}{' ' * gap}{last}")
    names = [f"{_MARKS[index % len(_MARKS)]} {_shorten(name)}" for index, name in enumerate(figure.names)]
    return [*lines, "  ".join(names)] if names else lines


def _x_positions(figure: Figure) -> list[float]:
    """The horizontal position of each point, from 0 to 1."""
    values: list[float]
    if figure.x.role == "time":
        moments = [moment(str(point.x)) for point in figure.points]
        values = [
            (value.at - datetime.min).total_seconds() if value else 0.0 for value in _fill_missing(moments)
        ]
    elif figure.kind == "scatter":
        values = [float(point.x or 0) for point in figure.points]
    else:
        order = {label: index for index, label in enumerate(figure.labels)}
        values = [float(order[str(point.x)]) for point in figure.points]
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [(value - low) / (high - low) if high > low else 0.5 for value in values]


def _fill_missing(times: Sequence[Moment | None]) -> list[Moment | None]:
    """Replace missing times (NULL) with the last known one."""
    last = next((time for time in reversed(times) if time is not None), None)
    return [last if time is None else time for time in times]


def _braille_plot(
    figure: Figure, positions: Sequence[float], plot_width: int, low: float, high: float
) -> list[str]:
    dots = [[0] * plot_width for _ in range(_PLOT_LINES)]
    previous: tuple[int, int] | None = None
    for point, position in zip(figure.points, positions, strict=True):
        if point.y is None:
            previous = None  # do not connect across a gap
            continue
        current = round(position * (2 * plot_width - 1)), _height(point.y, low, high, 4 * _PLOT_LINES)
        for x, y in _line_points(previous, current) if previous and figure.kind != "scatter" else [current]:
            dots[y // 4][x // 2] |= _DOTS[y % 4][x % 2]
        previous = current
    return ["".join(chr(0x2800 + dot) if dot else " " for dot in row) for row in dots]


def _marker_plot(
    figure: Figure, positions: Sequence[float], plot_width: int, low: float, high: float
) -> list[str]:
    rows = [[" "] * plot_width for _ in range(_PLOT_LINES)]
    marks = {name: _MARKS[index % len(_MARKS)] for index, name in enumerate(figure.names)}
    for point, position in zip(figure.points, positions, strict=True):
        if point.y is not None:
            rows[_height(point.y, low, high, _PLOT_LINES)][round(position * (plot_width - 1))] = marks[
                point.series
            ]
    return ["".join(row) for row in rows]


def _height(number: float, low: float, high: float, rows: int) -> int:
    """The row of a value, counted from the top."""
    share = (number - low) / (high - low) if high > low else 0.5
    return min(rows - 1, max(0, round((1 - share) * (rows - 1))))


def _line_points(start: tuple[int, int], end: tuple[int, int]) -> Iterable[tuple[int, int]]:
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for step in range(steps + 1):
        yield (
            round(start[0] + (end[0] - start[0]) * step / steps),
            round(start[1] + (end[1] - start[1]) * step / steps),
        )


def _ends(figure: Figure) -> tuple[str, str]:
    if figure.kind == "scatter" and figure.x.role != "time":
        numbers = [float(point.x or 0) for point in figure.points] or [0.0]
        return plain_number(min(numbers)), plain_number(max(numbers))
    labels = sorted(figure.labels) if figure.x.role == "time" else figure.labels
    return (_shorten(labels[0]), _shorten(labels[-1])) if labels else ("", "")


# -- heat maps -----------------------------------------------------------------------------------


def _heatmap(figure: Figure, width: int) -> list[str]:
    low, high = min(figure.numbers, default=0.0), max(figure.numbers, default=0.0)
    value_by_cell = {(point.series, point.x): point.y for point in figure.points}
    label_width = min(_LABEL_WIDTH, max(map(cell_len, figure.names), default=0))
    labels = figure.labels[: max(1, (width - label_width - 1) // 2)]
    lines = []
    for name in figure.names[:_MAX_ROWS]:
        cells = "".join(_shade(value_by_cell.get((name, label)), low, high) * 2 for label in labels)
        lines.append(f"{_pad_or_shorten(name, label_width)} {cells}".rstrip())
    ends = _shorten(labels[0]) if len(labels) == 1 else f"{_shorten(labels[0])} … {_shorten(labels[-1])}"
    scale = f"░ {plain_number(low, share=figure.y.share)}  █ {plain_number(high, share=figure.y.share)}"
    return [*lines, f"{' ' * label_width} {ends}", scale]


def _shade(number: float | None, low: float, high: float) -> str:
    if number is None:
        return " "
    share = (number - low) / (high - low) if high > low else 0.5
    return _SHADES[1 + round(share * (len(_SHADES) - 2))]


_RENDERERS: Mapping[Kind, Callable[[Figure, int], list[str]]] = {
    "value": _value,
    "line": _plot,
    "area": _plot,
    "scatter": _plot,
    "heatmap": _heatmap,
}


def _number_text(point: Point, figure: Figure) -> str:
    return "–" if point.y is None else plain_number(point.y, share=figure.y.share)


def _pad_or_shorten(text: str, width: int) -> str:
    return set_cell_size(text, width) if cell_len(text) <= width else set_cell_size(text, width - 1) + "…"


def _shorten(text: str) -> str:
    return text if cell_len(text) <= _LABEL_WIDTH else _pad_or_shorten(text, _LABEL_WIDTH)
