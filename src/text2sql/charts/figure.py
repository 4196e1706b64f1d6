"""What a chart draws, as a value: labels and numbers, with a word about everything that was left out.

The picture, the sketch and the chart server all draw this one figure: none of them can say something else.
"""

import unicodedata
from dataclasses import dataclass

from text2sql.charts.choosing import Kind
from text2sql.charts.columns import Role
from text2sql.charts.moments import Grain
from text2sql.messages import Language, say
from text2sql.types import Value

_LABEL = 120  # letters


@dataclass(frozen=True, slots=True)
class Point:
    x: str | float | None
    y: float | None
    series: str = ""
    end: float | None = None  # of a histogram's bin


@dataclass(frozen=True, slots=True)
class Axis:
    title: str
    role: Role
    grain: Grain | None = None
    share: bool = False  # reads as a percentage
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
    """A label of one line: what steers a terminal or reverses a text is not for a label either."""
    kept = (" " if unicodedata.category(one) in ("Cc", "Zl", "Zp") else one for one in text)
    plain = " ".join(
        "".join(one for one in kept if unicodedata.category(one) not in ("Cf", "Cs", "Co", "Cn")).split()
    )
    return plain if len(plain) <= _LABEL else plain[: _LABEL - 1] + "…"


def label_of(value: Value, lang: Language) -> str:
    if value is None:
        return say("chart.null", lang)
    if isinstance(value, bool):
        return say("answer.yes" if value else "answer.no", lang)
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return one_line(str(value)) or say("chart.blank", lang)


def plain_number(number: float, *, share: bool = False) -> str:
    """As a person writes it: no more figures than say something."""
    if share:
        return f"{number:.1%}"
    if number == int(number) and abs(number) < 1e15:
        return f"{int(number):,}"
    if 0 < abs(number) < 0.01 or abs(number) >= 1e15:
        return f"{number:.3g}"
    return f"{number:,.2f}".rstrip("0").rstrip(".")
