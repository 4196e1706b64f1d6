"""A driver's value to plain JSON, without loss: what JSON cannot carry becomes text in one form.

This is the hot loop of the room. Cells are converted a column at a time, because a column nearly always
holds one type: a whole column of ordinary text, integers or floats is recognised with a few calls that run
in C, and passed on as it is. Only what is left is looked at cell by cell.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite, isnan
from types import NoneType
from typing import Any, NamedTuple
from uuid import UUID

from text2sql.types import Row, Value

SAFE_INTEGER = 2**53  # what every JSON reader can hold; beyond it browsers lose digits
MARK = "…"
_DEEP = 100  # nesting that any JSON reader can follow
_BAD = re.compile("[\0\ud800-\udfff]")  # what JSON, a terminal or a file may choke on


class Converted(NamedTuple):
    rows: list[Row]
    bytes: int
    cut_cells: int


def convert_rows(rows: Sequence[tuple[Any, ...]], cell_bytes: int) -> Converted:
    if not rows or not rows[0]:  # PostgreSQL has rows without columns; turning them over would lose them
        return Converted(list(rows), 0, 0)
    columns, size, cut = [], 0, 0
    for cells in zip(*rows, strict=True):
        converted, weight, shortened = _column(cells, cell_bytes)
        columns.append(converted)
        size += weight
        cut += shortened
    return Converted(list(zip(*columns, strict=True)), size, cut)


def weigh(row: Row) -> int:
    return sum(map(_weight, row))


def plain(value: Any, depth: int = 0) -> Value:
    """One value. `plain` never raises for a value it does not know: its text is better than no answer."""
    convert = _BY_TYPE.get(type(value))
    if convert is not None:
        result: Value = convert(value)
        return result
    if isinstance(value, Mapping):
        return _nested(value, depth)
    if isinstance(value, list | tuple | set | frozenset):
        return _listed(value, depth)
    for kind, inherited in _BY_BASE:
        if isinstance(value, kind):
            return inherited(value)  # type: ignore[no-any-return]
    return _text(str(value))


def parse_json(text: str) -> Value:
    """A JSON document as a value; text that only claims to be JSON stays text."""
    try:
        return plain(json.loads(text, parse_float=Decimal))
    except (ValueError, RecursionError):
        return _text(text)


def duration(months: int, days: int, microseconds: int) -> str:
    """ISO 8601: P1Y2M3DT4H5M6.7S. Months are not days: the three parts are kept apart, each with its sign."""
    years, months = _split(months, 12)
    seconds, fraction = _split(microseconds, 1_000_000)
    minutes, seconds = _split(seconds, 60)
    hours, minutes = _split(minutes, 60)
    sign = "-" if (seconds < 0 or fraction < 0) else ""
    ticks = f"{abs(seconds)}.{abs(fraction):06d}".rstrip("0").rstrip(".")
    day = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    clock = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    clock += f"{sign}{ticks}S" if seconds or fraction else ""
    return f"P{day}{'T' if clock else ''}{clock}" if day or clock else "PT0S"


def _split(whole: int, by: int) -> tuple[int, int]:
    """Division towards zero, so that parts of a negative duration are all negative."""
    quotient, rest = divmod(abs(whole), by)
    return (-quotient, -rest) if whole < 0 else (quotient, rest)


# -- one column ----------------------------------------------------------------------------------


def _column(cells: tuple[Any, ...], cell_bytes: int) -> tuple[Sequence[Value], int, int]:
    kinds = set(map(type, cells))
    kinds.discard(NoneType)
    if not kinds:
        return cells, 4 * len(cells), 0
    if len(kinds) == 1:
        weigh_column = _WHOLE.get(next(iter(kinds)))
        if weigh_column is not None:
            known = cells if None not in cells else tuple(cell for cell in cells if cell is not None)
            weight = weigh_column(known, cell_bytes)
            if weight is not None:
                return cells, weight + 4 * (len(cells) - len(known)), 0
    return _one_by_one(cells, cell_bytes)


def _one_by_one(cells: Iterable[Any], cell_bytes: int) -> tuple[Sequence[Value], int, int]:
    values: list[Value] = []
    total, cut = 0, 0
    for cell in cells:
        value, was_cut = _cell(cell, cell_bytes)
        values.append(value)
        total += _weight(value)
        cut += was_cut
    return values, total, cut


def _cell(cell: Any, cell_bytes: int) -> tuple[Value, bool]:
    if isinstance(cell, str | bytes | bytearray | memoryview) and len(cell) > cell_bytes:
        # Cut before converting: a cell of many megabytes is not copied whole to be thrown away.
        cell = cell[: cell_bytes + 1]
    value = plain(cell)
    if _weight(value) <= cell_bytes:
        return value, False
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, str):
        return value, False
    return value.encode()[:cell_bytes].decode(errors="ignore") + MARK, True


def _text_column(cells: Sequence[str], cell_bytes: int) -> int | None:
    joined = "".join(cells)
    if _BAD.search(joined) or max(map(len, cells)) * 4 > cell_bytes:
        return None
    return (len(joined) if joined.isascii() else len(joined.encode())) + 2 * len(cells)


def _integer_column(cells: Sequence[int], cell_bytes: int) -> int | None:  # noqa: ARG001
    return 8 * len(cells) if min(cells) >= -SAFE_INTEGER and max(cells) <= SAFE_INTEGER else None


def _float_column(cells: Sequence[float], cell_bytes: int) -> int | None:  # noqa: ARG001
    return 8 * len(cells) if all(map(isfinite, cells)) else None


def _flag_column(cells: Sequence[bool], cell_bytes: int) -> int | None:  # noqa: ARG001
    return 4 * len(cells)


_WHOLE: Mapping[type, Callable[[Any, int], int | None]] = {
    str: _text_column,
    int: _integer_column,
    float: _float_column,
    bool: _flag_column,
}


def _weight(value: Value) -> int:
    """About what the value takes in JSON."""
    if isinstance(value, str):
        return (len(value) if value.isascii() else len(value.encode())) + 2
    if isinstance(value, list):
        return 2 + sum(map(_weight, value))
    if isinstance(value, dict):
        return 2 + sum(_weight(key) + _weight(inner) for key, inner in value.items())
    return 4 if value is None or isinstance(value, bool) else 8


# -- one value -----------------------------------------------------------------------------------


def _same(value: Any) -> Any:
    return value


def _text(value: str) -> str:
    return _BAD.sub("\N{REPLACEMENT CHARACTER}", value) if _BAD.search(value) else value


def _integer(value: int) -> Value:
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


def _float(value: float) -> Value:
    if isfinite(value):
        return value
    return "NaN" if isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _decimal(value: Decimal) -> Value:
    """A number where that loses no digit, else the exact text."""
    if not value.is_finite():
        return "NaN" if value.is_nan() else ("Infinity" if value > 0 else "-Infinity")
    if value == value.to_integral_value() and value.as_tuple().exponent >= 0:  # type: ignore[operator]
        return int(value) if abs(value) <= SAFE_INTEGER else format(value, "f")
    number = float(value)
    return number if Decimal(repr(number)) == value else format(value, "f")


def _duration(value: timedelta) -> str:
    microseconds = value // timedelta(microseconds=1)
    days, rest = _split(microseconds, 86_400_000_000)
    return duration(0, days, rest)


def _hex(value: bytes | bytearray | memoryview) -> str:
    return f"0x{value.hex()}"


def _iso(value: date | time) -> str:
    return value.isoformat()


def _nested(value: Mapping[Any, Any], depth: int) -> Value:
    if depth >= _DEEP:
        return _text(str(value))
    return {_key(key): plain(inner, depth + 1) for key, inner in value.items()}


def _listed(value: Iterable[Any], depth: int) -> Value:
    if depth >= _DEEP:
        return _text(str(value))
    return [plain(inner, depth + 1) for inner in value]


def _key(value: Any) -> str:
    key = plain(value)
    return key if isinstance(key, str) else json.dumps(key, ensure_ascii=False)


_BY_TYPE: Mapping[type, Callable[[Any], Any]] = {
    NoneType: _same,
    bool: _same,
    str: _text,
    int: _integer,
    float: _float,
    Decimal: _decimal,
    date: _iso,
    datetime: _iso,
    time: _iso,
    timedelta: _duration,
    bytes: _hex,
    bytearray: _hex,
    memoryview: _hex,
    UUID: str,
}

# For subclasses, which drivers like to return; bool before int, datetime before date would not matter.
_BY_BASE: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (str, lambda value: _text(str.__str__(value))),
    (int, lambda value: _integer(int(value))),
    (float, lambda value: _float(float(value))),
    (Decimal, _decimal),
    (date, _iso),
    (time, _iso),
    (timedelta, _duration),
    (bytes, _hex),
)
