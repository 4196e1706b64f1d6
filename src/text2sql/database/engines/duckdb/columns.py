"""Decides which result columns are fetched as text, and parses that text.

The Python client silently turns DuckDB's infinite dates into the year 9999 and months into thirty days, and
drops nanoseconds (measured with 1.5). Where such a type can occur, at any depth, DuckDB itself casts the
value to text, which is then converted to the project's form.
"""

import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from duckdb.sqltypes import DuckDBPyType

from text2sql.database.dialects import BY_NAME
from text2sql.database.values import duration, parse_json

ValueReader: TypeAlias = Callable[[Any], Any]
_quoted = BY_NAME["duckdb"].quoted

_DURATION = re.compile(
    r"(?:(?P<years>-?\d+) years? ?)?(?:(?P<months>-?\d+) months? ?)?(?:(?P<days>-?\d+) days? ?)?"
    r"(?:(?P<sign>-)?(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+)(?:\.(?P<fraction>\d+))?)?"
)
_TIMESTAMP = re.compile(r"(?P<day>\d+-\d\d-\d\d) (?P<clock>\d.+)")
_TIME = re.compile(r"(?P<time>\d+:\d\d:\d\d)(?:\.(?P<fraction>\d+))?(?P<zone>[+-]\d\d(?::.*)?)?")


class Conversion(NamedTuple):
    """How a column is fetched and read."""

    cast: str  # the type that the column is cast to
    read: ValueReader | None  # applied to each value after that


def conversion_of(kind: DuckDBPyType) -> Conversion:
    """Return how a column of a type is fetched. A cast to its own type means: unchanged."""
    name = str(kind)
    if name == "JSON":
        return Conversion(name, parse_json)
    if kind.id in _LEAVES:
        return _LEAVES[kind.id]
    compound = _COMPOUND.get(kind.id)
    return compound(kind) if compound else Conversion(name, None)


def read_duration(text: str) -> str:
    match = _DURATION.fullmatch(text)
    if not match:
        return text
    years, months, days, hours, minutes, seconds = (
        int(match[part] or 0) for part in ("years", "months", "days", "hours", "minutes", "seconds")
    )
    clock = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + int((match["fraction"] or "").ljust(6, "0"))
    return duration(years * 12 + months, days, -clock if match["sign"] else clock)


def read_moment(text: str) -> str:
    """`2024-01-01 07:00:00+00` as ISO 8601; infinity and years BC stay as DuckDB writes them."""
    match = _TIMESTAMP.fullmatch(text)
    return f"{match['day']}T{read_clock(match['clock'])}" if match else text


def read_clock(text: str) -> str:
    match = _TIME.fullmatch(text)
    if not match:
        return text
    fraction = f".{match['fraction']:0<6}" if match["fraction"] else ""
    zone = match["zone"] or ""
    return f"{match['time']}{fraction}{zone}{':00' if len(zone) == 3 else ''}"


def read_single(value: float) -> float:
    """Return the shortest decimal that is this 32-bit number: 0.1, not 0.10000000149011612."""
    for digits in (6, 7, 8):
        shorter = float(f"{value:.{digits}g}")
        try:
            if struct.unpack("f", struct.pack("f", shorter))[0] == value:
                return shorter
        except OverflowError:  # rounded up past the largest 32-bit number
            continue
    return value


_LEAVES: Mapping[str, Conversion] = {
    "date": Conversion("VARCHAR", None),
    "interval": Conversion("VARCHAR", read_duration),
    "float": Conversion("FLOAT", read_single),
    "time": Conversion("VARCHAR", read_clock),
    "time_ns": Conversion("VARCHAR", read_clock),
    "time with time zone": Conversion("VARCHAR", read_clock),
    "timestamp": Conversion("VARCHAR", read_moment),
    "timestamp_s": Conversion("VARCHAR", read_moment),
    "timestamp_ms": Conversion("VARCHAR", read_moment),
    "timestamp_ns": Conversion("VARCHAR", read_moment),
    "timestamp with time zone": Conversion("VARCHAR", read_moment),
}


def _list(kind: DuckDBPyType) -> Conversion:
    inner = conversion_of(_element_types(kind)[0][1])
    return Conversion(f"{inner.cast}[]", _for_each(inner.read))


def _array(kind: DuckDBPyType) -> Conversion:
    inner = conversion_of(_element_types(kind)[0][1])
    return Conversion(f"{inner.cast}[{kind.children[1][1]}]", _for_each(inner.read))


def _struct(kind: DuckDBPyType) -> Conversion:
    parts = {name: conversion_of(inner) for name, inner in _element_types(kind)}
    cast = ", ".join(f"{_quoted(name)} {part.cast}" for name, part in parts.items())
    readers = {name: part.read for name, part in parts.items() if part.read}

    def read(value: dict[str, Any]) -> dict[str, Any]:
        return {name: _apply(readers.get(name), inner) for name, inner in value.items()}

    return Conversion(f"STRUCT({cast})", read if readers else None)


def _map(kind: DuckDBPyType) -> Conversion:
    key, value = (conversion_of(inner) for _, inner in _element_types(kind))

    def read(mapping: dict[Any, Any]) -> dict[Any, Any]:
        return {_apply(key.read, name): _apply(value.read, item) for name, item in mapping.items()}

    return Conversion(f"MAP({key.cast}, {value.cast})", read if key.read or value.read else None)


def _union(kind: DuckDBPyType) -> Conversion:
    """A union's value has no tag, so its members are cast but their text stays unchanged."""
    members = [(name, conversion_of(inner)) for name, inner in _element_types(kind) if name]
    return Conversion(
        "UNION(" + ", ".join(f"{_quoted(name)} {member.cast}" for name, member in members) + ")", None
    )


_COMPOUND: Mapping[str, Callable[[DuckDBPyType], Conversion]] = {
    "list": _list,
    "array": _array,
    "struct": _struct,
    "map": _map,
    "union": _union,
}


def _element_types(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    """Return the nested types, without values such as an array's size."""
    return [(name, inner) for name, inner in kind.children if isinstance(inner, DuckDBPyType)]


def _for_each(read: ValueReader | None) -> ValueReader | None:
    return (lambda values: [_apply(read, value) for value in values]) if read else None


def _apply(read: ValueReader | None, value: Any) -> Any:
    return value if read is None or value is None else read(value)
