"""Facts that the sentence of an answer must contain: words, and numbers in any format.

A number counts with the digits that the sentence shows: `1,234.5`, `1234.50` and `1.23 thousand` state
1234.5, as long as they differ by at most one percent.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from text2sql.evaluation.questions import Fact

_CLOSE = 0.01  # relative: the most that rounding may change a number
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])(?P<sign>[-+\u2212]?)\s*[$€£¥]?\s*"
    r"(?P<digits>\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?P<unit>[km]\b|\s*(?:%|百万|万|亿|thousand\b|million\b|billion\b|bn\b|percent\b|per cent\b))?",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2})?")
_SCALE = {
    "k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9,
    "万": 1e4, "百万": 1e6, "亿": 1e8,
}  # fmt: skip
_PERCENT = ("%", "percent", "per cent")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text, with half a unit of its last digit."""

    value: float
    precision: float
    percent: bool


def missing_facts(facts: Sequence[Fact], sentence: str) -> tuple[str, ...]:
    """The facts that the sentence does not state; of alternatives, the first."""
    text = _normalized(sentence)
    numbers = tuple(numbers_of(sentence))
    return tuple(
        fact[0] for fact in facts if fact and not any(_states(text, numbers, option) for option in fact)
    )


def numbers_of(text: str) -> Iterator[Number]:
    """The numbers of a text, with their thousands separators, scales (million, 万) and percent signs."""
    text = re.sub(r"百分之\s*(\d+(\.\d+)?)", r"\1%", unicodedata.normalize("NFKC", text))
    for match in _NUMBER.finditer(_DATE.sub(" ", text)):
        digits, unit = re.sub("[, ]", "", match["digits"]), (match["unit"] or "").strip().lower()
        scale = _SCALE.get(unit, 1.0)
        sign = -1.0 if match["sign"] in ("-", "\u2212") else 1.0
        decimals = len(digits.partition(".")[2])
        yield Number(sign * float(digits) * scale, scale * 0.5 * 10.0**-decimals, unit in _PERCENT)


def _states(text: str, numbers: Sequence[Number], fact: str) -> bool:
    wanted = list(numbers_of(fact))
    if len(wanted) != 1 or re.search(r"[^\W\d_]", _without_unit(fact)) or re.search(r"\d-\d", fact):
        return _normalized(fact) in text  # words, dates and names
    return any(_equal(wanted[0], number) for number in numbers)


def _equal(fact: Number, shown: Number) -> bool:
    if fact.percent and not shown.percent:
        return False
    # A sentence may state a loss as "fell by 12 %".
    distance = abs(abs(fact.value) - abs(shown.value))
    allowed = max(shown.precision, fact.precision if fact.precision < 0.5 else 0.0)
    return distance <= min(allowed, abs(fact.value) * _CLOSE) + 1e-9


def _without_unit(fact: str) -> str:
    return _NUMBER.sub("", unicodedata.normalize("NFKC", fact))


def _normalized(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
