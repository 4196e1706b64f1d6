"""The unit of a number, from the name of its column, its comment, or the range of its values."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from text2sql.naming.words import in_brackets, name_words
from text2sql.types import Column, ColumnKind, ColumnProfile, Table


@cache
def _units() -> Mapping[str, str]:
    entries = tomllib.loads(files("text2sql.naming").joinpath("units.toml").read_text("utf-8"))
    return {word: unit for unit, words in entries.items() for word in words.split()}


_TIME = frozenset(("ms", "s", "min", "h", "days", "weeks", "months", "years"))
_MONEY = frozenset(("USD", "EUR", "CNY", "GBP", "JPY", "INR"))
_SCALES = frozenset(("thousand", "million", "billion"))
_SAID = re.compile(r"(?i)(?:\bin|\bunit:?|单位[:：为是]?)\s*([^\s,，;；.。)）]{1,16})")
_MEASURED = frozenset(("amount", "quantity", "rate", "duration", "score", "number"))


def is_unit(word: str) -> bool:
    return word in _units()


def column_unit(table: Table, column: Column, kind: ColumnKind, profile: ColumnProfile | None = None) -> str:
    """The unit of a number, "" if nothing says it."""
    if kind not in _MEASURED:
        return ""
    said = [
        *in_brackets(column.name),
        *in_brackets(column.comment),
        *_SAID.findall(column.comment),
        column.comment,
    ]
    words = name_words(column.name).words
    said += [words[-1], words[0]] if words else []  # `duration_ms`, `days_late`
    for text in said:
        unit = _units().get(text.strip().lower(), "")
        if unit and _suits(unit, kind):
            return unit
    return _unit_of_range(table, column, kind, profile)


def _suits(unit: str, kind: ColumnKind) -> bool:
    if unit in _TIME:
        return kind == "duration" or (unit == "years" and kind == "number")
    if unit in _MONEY:
        return kind in ("amount", "rate")
    if unit in _SCALES:
        return kind in ("amount", "quantity", "number", "score")
    if unit == "%":
        return kind in ("rate", "number", "score", "amount")
    return kind in ("number", "quantity", "amount")


_SONGS = frozenset("song track music recording".split())
_FILMS = frozenset("film movie dvd video".split())


def _unit_of_range(table: Table, column: Column, kind: ColumnKind, profile: ColumnProfile | None) -> str:
    """What only the range says: a rate from 0 to 100 is in percent, a song of 200,000 in milliseconds."""
    if profile is None or not isinstance(profile.largest, int | float):
        return ""
    smallest, largest = profile.smallest, profile.largest
    if kind == "rate" and name_words(column.name).chinese.endswith(_PERCENT):
        return "%" if 1.5 < largest <= 100 else ""
    if kind == "duration" and isinstance(smallest, int | float):
        topic = name_words(table.name)
        if largest >= 100_000 and smallest >= 1_000:
            return "ms"
        if topic.has(_SONGS) and smallest >= 30:
            return "s"
        if topic.has(_FILMS) and smallest >= 10 and largest <= 400:
            return "min"
    return ""


_PERCENT = ("率", "比例", "占比", "百分比", "份额", "比重")
