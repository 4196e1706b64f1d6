"""Converts driver values to plain JSON values without loss: what JSON cannot represent becomes text.

This is the hot loop of the package. Cells are converted one column at a time, because a column nearly always
has one type: a column of ordinary text, integers or floats is recognized with a few calls that run in C and
is returned unchanged. Only the remaining columns are converted cell by cell.
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

SAFE_INTEGER = 2**53  # beyond this, JavaScript loses digits
MARK = "…"
_MAX_DEPTH = 100  # maximum nesting depth
_INVALID_CHARACTERS = re.compile("[\0\ud800-\udfff]")  # invalid in JSON, terminals or files


class Converted(NamedTuple):
    """Converted rows, their approximate size, and the number of shortened cells."""

    rows: list[Row]
    bytes: int
    cut_cells: int


def convert_rows(rows: Sequence[tuple[Any, ...]], cell_bytes: int) -> Converted:
    """Convert rows to JSON values; a cell longer than `cell_bytes` is shortened."""
    if not rows or not rows[0]:  # PostgreSQL has rows without columns; transposing would lose them
        return Converted(list(rows), 0, 0)
    columns, size, cut = [], 0, 0
    for cells in zip(*rows, strict=True):
        converted, column_size, shortened = _convert_column(cells, cell_bytes)
        columns.append(converted)
        size += column_size
        cut += shortened
    return Converted(list(zip(*columns, strict=True)), size, cut)


def row_size(row: Row) -> int:
    """Return the approximate JSON size of a row."""
    return sum(map(_json_size, row))


def to_json_value(value: Any, depth: int = 0) -> Value:
    """Convert one value. Never raises: an unknown type becomes its text."""
    convert = _BY_TYPE.get(type(value))
    if convert is not None:
        result: Value = convert(value)
        return result
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if isinstance(value, list | tuple | set | frozenset):
        return _sequence(value, depth)
    for kind, inherited in _BY_BASE:
        if isinstance(value, kind):
            return inherited(value)  # type: ignore[no-any-return]
    return _text(str(value))


def parse_json(text: str) -> Value:
    """Parse a JSON document; invalid JSON stays text."""
    try:
        return to_json_value(json.loads(text, parse_float=Decimal))
    except (ValueError, RecursionError):
        return _text(text)


def duration(months: int, days: int, microseconds: int) -> str:
    """Format as ISO 8601: P1Y2M3DT4H5M6.7S. Months are not days: the three parts stay separate, each with its
    own sign.
    """
    years, months = _split(months, 12)
    seconds, fraction = _split(microseconds, 1_000_000)
    minutes, seconds = _split(seconds, 60)
    hours, minutes = _split(minutes, 60)
    sign = "-" if (seconds < 0 or fraction < 0) else ""
    second_text = f"{abs(seconds)}.{abs(fraction):06d}".rstrip("0").rstrip(".")
    day = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    clock = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    clock += f"{sign}{second_text}S" if seconds or fraction else ""
    return f"P{day}{'T' if clock else ''}{clock}" if day or clock else "PT0S"


def _split(whole: int, by: int) -> tuple[int, int]:
    """Divide towards zero, so that all parts of a negative duration are negative."""
    quotient, rest = divmod(abs(whole), by)
    return (-quotient, -rest) if whole < 0 else (quotient, rest)


# -- one column ----------------------------------------------------------------------------------


def _convert_column(cells: tuple[Any, ...], cell_bytes: int) -> tuple[Sequence[Value], int, int]:
    types = set(map(type, cells))
    types.discard(NoneType)
    if not types:
        return cells, 4 * len(cells), 0
    if len(types) == 1:
        column_size = _FAST_COLUMNS.get(next(iter(types)))
        if column_size is not None:
            non_null = cells if None not in cells else tuple(cell for cell in cells if cell is not None)
            size = column_size(non_null, cell_bytes)
            if size is not None:
                return cells, size + 4 * (len(cells) - len(non_null)), 0
    return _convert_cells(cells, cell_bytes)


def _convert_cells(cells: Iterable[Any], cell_bytes: int) -> tuple[Sequence[Value], int, int]:
    values: list[Value] = []
    total, cut = 0, 0
    for cell in cells:
        value, was_cut = _convert_cell(cell, cell_bytes)
        values.append(value)
        total += _json_size(value)
        cut += was_cut
    return values, total, cut


def _convert_cell(cell: Any, cell_bytes: int) -> tuple[Value, bool]:
    if isinstance(cell, str | bytes | bytearray | memoryview) and len(cell) > cell_bytes:
        # Cut before converting, so that a cell of many megabytes is not copied completely.
        cell = cell[: cell_bytes + 1]
    value = to_json_value(cell)
    if _json_size(value) <= cell_bytes:
        return value, False
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, str):
        return value, False
    return value.encode()[:cell_bytes].decode(errors="ignore") + MARK, True


def _text_column(cells: Sequence[str], cell_bytes: int) -> int | None:
    joined = "".join(cells)
    if _INVALID_CHARACTERS.search(joined) or max(map(len, cells)) * 4 > cell_bytes:
        return None
    return (len(joined) if joined.isascii() else len(joined.encode())) + 2 * len(cells)


def _integer_column(cells: Sequence[int], cell_bytes: int) -> int | None:  # noqa: ARG001
    return 8 * len(cells) if min(cells) >= -SAFE_INTEGER and max(cells) <= SAFE_INTEGER else None


def _float_column(cells: Sequence[float], cell_bytes: int) -> int | None:  # noqa: ARG001
    return 8 * len(cells) if all(map(isfinite, cells)) else None


def _boolean_column(cells: Sequence[bool], cell_bytes: int) -> int | None:  # noqa: ARG001
    return 4 * len(cells)


_FAST_COLUMNS: Mapping[type, Callable[[Any, int], int | None]] = {
    str: _text_column,
    int: _integer_column,
    float: _float_column,
    bool: _boolean_column,
}


def _json_size(value: Value) -> int:
    """Return the approximate size of the value in JSON."""
    if isinstance(value, str):
        return (len(value) if value.isascii() else len(value.encode())) + 2
    if isinstance(value, list):
        return 2 + sum(map(_json_size, value))
    if isinstance(value, dict):
        return 2 + sum(_json_size(key) + _json_size(inner) for key, inner in value.items())
    return 4 if value is None or isinstance(value, bool) else 8


# -- one value -----------------------------------------------------------------------------------


def _identity(value: Any) -> Any:
    return value


def _text(value: str) -> str:
    return _INVALID_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", value)


def _integer(value: int) -> Value:
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else str(value)


def _float(value: float) -> Value:
    if isfinite(value):
        return value
    return "NaN" if isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _decimal(value: Decimal) -> Value:
    """Return a number if that loses no digit, else the exact text."""
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


def _mapping(value: Mapping[Any, Any], depth: int) -> Value:
    if depth >= _MAX_DEPTH:
        return _text(str(value))
    return {_key(key): to_json_value(inner, depth + 1) for key, inner in value.items()}


def _sequence(value: Iterable[Any], depth: int) -> Value:
    if depth >= _MAX_DEPTH:
        return _text(str(value))
    return [to_json_value(inner, depth + 1) for inner in value]


def _key(value: Any) -> str:
    key = to_json_value(value)
    return key if isinstance(key, str) else json.dumps(key, ensure_ascii=False)


_BY_TYPE: Mapping[type, Callable[[Any], Any]] = {
    NoneType: _identity,
    bool: _identity,
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

# For subclasses, which some drivers return.
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
