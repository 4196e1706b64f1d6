"""Lenient execution match: whether a result contains the expected columns and rows.

Every expected column must be among the returned ones, in any order; further columns are allowed. Rows are
compared as in `match`, with these differences: a number may be text (`'2026'`), a month or a quarter may be
written as `2026-03`, `2026-Q1` or its first day, and a percentage may be a fraction if the name of its column
or the sentence says so.
"""

import re
from collections.abc import Sequence

from text2sql.evaluation.facts import Number, numbers_of
from text2sql.evaluation.match import TOLERANCE, columns_match
from text2sql.types import QueryResult, Value

_PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_MONTH = re.compile(r"(\d{4})[-/年]\s?(\d{1,2})月?")
_QUARTER = re.compile(r"(\d{4})[-年 ]?\s?(?:Q|第)?([1-4])(?:季度)?")
_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]00:00(:00(\.0+)?)?(Z|\+00:00)?")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_IS_PERCENT = re.compile(r"(?i)pct|percent|%|百分|占比|率$")
_IS_FRACTION = re.compile(r"(?i)share|ratio|fraction|proportion|rate|margin|growth|占比|比例|份额|率")
_SAYS_PERCENT = re.compile(r"(?i)pct|percent|%|百分")

Column = tuple[Value, ...]


def same_content(gold: QueryResult, got: QueryResult, sentence: str = "", *, ordered: bool = False) -> bool:
    """Whether `got` has the rows of `gold`, in at least its columns."""
    if len(gold.rows) != len(got.rows):
        return False
    if not gold.rows:
        return True
    expected = [_plain(column) for column in zip(*gold.rows, strict=True)]
    actual: list[Column] = []
    plain: set[int] = set()  # positions in `actual` that any expected column may match
    for column, values in zip(got.columns, zip(*got.rows, strict=True), strict=True):
        readings = _readings(_plain(values))
        plain |= set(range(len(actual), len(actual) + len(readings)))
        actual += readings
        if _is_fraction(column.name, readings[0], sentence):
            actual.append(tuple(_times_hundred(value) for value in readings[0]))
    everything = set(range(len(actual)))
    allowed = [everything if _IS_PERCENT.search(column.name) else plain for column in gold.columns]
    return columns_match(expected, actual, allowed, ordered=ordered)


def _plain(values: Sequence[Value]) -> Column:
    """The cells of a column in one notation: numbers as numbers, months and quarters as their first day."""
    return tuple(_period(_number(value)) for value in values)


def _number(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not _PLAIN_NUMBER.fullmatch(text) or (len(text) > 1 and text[0] == "0" and "." not in text[:2]):
        return text  # a code such as 0042 is text
    return float(text) if "." in text else int(text)


def _period(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    if match := _MIDNIGHT.fullmatch(value):
        return match[1]
    if match := _MONTH.fullmatch(value):
        return f"{match[1]}-{int(match[2]):02d}-01"
    if match := _QUARTER.fullmatch(value):
        return f"{match[1]}-{3 * int(match[2]) - 2:02d}-01"
    return value


def _readings(values: Column) -> list[Column]:
    """The column, and also its years or months as numbers if all its cells are such text."""
    readings = [values]
    texts = [value for value in values if isinstance(value, str)]
    if texts and all(_DAY.fullmatch(text) and text.endswith("-01-01") for text in texts):
        readings.append(tuple(int(value[:4]) if isinstance(value, str) else value for value in values))
    if texts and all(re.fullmatch(r"0\d", text) for text in texts):
        readings.append(tuple(int(value) if isinstance(value, str) else value for value in values))
    return readings


def _is_fraction(name: str, values: Column, sentence: str) -> bool:
    """Whether the answer says that these numbers are fractions: by the column's name, or by stating one of
    them as a percentage.
    """
    if _SAYS_PERCENT.search(name):
        return False
    if _IS_FRACTION.search(name):
        return True
    stated = [number for number in numbers_of(sentence) if number.percent]
    return any(_is_stated(value, stated) for value in values)


def _is_stated(value: Value, stated: Sequence[Number]) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return any(abs(100 * value - number.value) <= number.precision + TOLERANCE for number in stated)


def _times_hundred(value: Value) -> Value:
    return 100 * value if isinstance(value, int | float) and not isinstance(value, bool) else value
