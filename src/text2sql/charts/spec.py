"""A figure as a Vega-Lite specification with its data inside.

Whatever comes from a database stands in `data`, in a title or in `description`, as plain text: fields have
names of our own (`x`, `y`, `s`), and no expression, format, link or address is ever made of a cell or a name.
Colours of text and ground are left to the page that shows it; `picture.py` brings its own.
"""

from rich.cells import cell_len

from text2sql.charts.axes import Spec, data
from text2sql.charts.choosing import Chart, kinds, to_plain
from text2sql.charts.figure import Figure, one_line
from text2sql.charts.marks import MARKS
from text2sql.charts.plotting import figure
from text2sql.messages import Language
from text2sql.types import QueryResult

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TITLE = 60  # cells of a line of the title


def spec(chart: Chart, result: QueryResult, lang: Language, title: str = "") -> Spec:
    """`title` is the question, as a rule."""
    made = figure(chart, result, lang)
    told: Spec = {
        "$schema": SCHEMA,
        "description": _description(made, title),
        "data": {"values": data(made)},
        **MARKS[made.kind](made),
        # for whoever offers other kinds: which one this is, and what else suits the result
        "usermeta": {"text2sql": {**to_plain(chart), "kinds": list(kinds(result))}},
    }
    heading = _heading(title, made.notes)
    return {**told, "title": heading} if heading else told


def _description(made: Figure, title: str) -> str:
    """For readers that cannot see it."""
    axes = " × ".join(filter(None, (made.x.title, made.series, made.y.title)))
    return ": ".join(filter(None, (made.kind, one_line(title), axes)))


def _heading(title: str, notes: tuple[str, ...]) -> Spec:
    heading: Spec = {"text": _lines(one_line(title)), "anchor": "start", "fontSize": 14, "offset": 12}
    if notes:
        heading |= {"subtitle": list(notes), "subtitleFontSize": 11, "subtitlePadding": 5}
    return heading if title or notes else {}


def _lines(text: str) -> list[str]:
    """Two lines at most; Chinese has no spaces to break at."""
    lines, line = [], ""
    for letter in text:
        if cell_len(line + letter) > _TITLE:
            head, space, rest = line.rpartition(" ")
            lines.append(head if space else line)
            line = rest if space else ""
        line += letter
    lines.append(line)
    return lines if len(lines) <= 2 else [lines[0], lines[1] + "…"]
