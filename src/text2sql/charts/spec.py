"""Converts a chart and its result to a Vega-Lite specification with embedded data.

Text from the database appears only in `data`, in titles and in `description`, as plain text. Field names are
fixed (`x`, `y`, `s`), and no expression, format, link or URL is built from a cell or a name. Colors of text
and background are left to the page that embeds it; `rendering.py` sets its own.
"""

from rich.cells import cell_len

from text2sql.charts.axes import Spec, data
from text2sql.charts.figure import Figure, one_line
from text2sql.charts.figure_builder import build_figure
from text2sql.charts.marks import MARKS
from text2sql.charts.selection import Chart, kinds, to_plain
from text2sql.i18n import Language
from text2sql.types import QueryResult

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TITLE_WIDTH = 60  # terminal cells per line of the title


def spec(chart: Chart, result: QueryResult, lang: Language, title: str = "") -> Spec:
    """`title` is usually the question."""
    figure = build_figure(chart, result, lang)
    specification: Spec = {
        "$schema": SCHEMA,
        "description": _description(figure, title),
        "data": {"values": data(figure)},
        **MARKS[figure.kind](figure),
        # for clients that offer other kinds: the current chart and the kinds that fit
        "usermeta": {"text2sql": {**to_plain(chart), "kinds": list(kinds(result))}},
    }
    heading = _heading(title, figure.notes)
    return {**specification, "title": heading} if heading else specification


def _description(figure: Figure, title: str) -> str:
    """A text alternative for screen readers."""
    axes = " × ".join(filter(None, (figure.x.title, figure.series, figure.y.title)))
    return ": ".join(filter(None, (figure.kind, one_line(title), axes)))


def _heading(title: str, notes: tuple[str, ...]) -> Spec:
    heading: Spec = {"text": _wrap(one_line(title)), "anchor": "start", "fontSize": 14, "offset": 12}
    if notes:
        heading |= {"subtitle": list(notes), "subtitleFontSize": 11, "subtitlePadding": 5}
    return heading if title or notes else {}


def _wrap(text: str) -> list[str]:
    """Wrap into at most two lines, at spaces if there are any (Chinese has none)."""
    lines, line = [], ""
    for character in text:
        if cell_len(line + character) > _TITLE_WIDTH:
            head, space, rest = line.rpartition(" ")
            lines.append(head if space else line)
            line = rest if space else ""
        line += character
    lines.append(line)
    return lines if len(lines) <= 2 else [lines[0], lines[1] + "…"]
