"""The content of a chart as data: labels, numbers, and notes about everything that was left out.

All renderers (Vega-Lite, terminal, chart server) draw the same `Figure`.
"""

import unicodedata
from dataclasses import dataclass

from text2sql.charts.selection import Kind
from text2sql.i18n import Language, say
from text2sql.result_columns.columns import Role
from text2sql.result_columns.temporal import Grain
from text2sql.types import Value

_MAX_LABEL_LENGTH = 120  # characters


@dataclass(frozen=True, slots=True)
class Point:
    x: str | float | None
    y: float | None
    series: str = ""
    end: float | None = None  # the upper edge of a histogram bin


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    role: Role
    grain: Grain | None = None
    share: bool = False  # shown as a percentage
    whole: bool = False  # integers


@dataclass(frozen=True, slots=True)
class Figure:
    lang: Language
    kind: Kind
    x: Axis
    y: Axis
    series: str  # the title of the series, empty if there are none
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> list[str]:
        return list(dict.fromkeys(str(point.x) for point in self.points))

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(point.series for point in self.points)) if self.series else []

    @property
    def numbers(self) -> list[float]:
        return [point.y for point in self.points if point.y is not None]


def one_line(text: str) -> str:
    """Normalize a label to one line, without control and bidirectional formatting characters."""
    characters = (
        " " if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character for character in text
    )
    plain = " ".join(
        "".join(
            character
            for character in characters
            if unicodedata.category(character) not in ("Cf", "Cs", "Co", "Cn")
        ).split()
    )
    return plain if len(plain) <= _MAX_LABEL_LENGTH else plain[: _MAX_LABEL_LENGTH - 1] + "…"


def label_of(value: Value, lang: Language) -> str:
    if value is None:
        return say("chart.null", lang)
    if isinstance(value, bool):
        return say("answer.yes" if value else "answer.no", lang)
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return one_line(str(value)) or say("chart.blank", lang)


def plain_number(number: float, *, share: bool = False) -> str:
    """Format a number for people, with a limited number of digits."""
    if share:
        return f"{number:.1%}"
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    if 0 < abs(number) < 0.01 or abs(number) >= 1e15:
        return f"{number:.3g}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")
