"""Which columns of a result must be fetched as text, and how that text is read.

The Python client turns DuckDB's infinite dates into the year 9999, months into thirty days, and drops
nanoseconds (measured with 1.5), all silently. Where such a type can occur, at any depth, DuckDB itself casts
the value to text, and the text is brought into our form here.
"""

import re
import struct
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from duckdb.sqltypes import DuckDBPyType

from text2sql.database.dialects import BY_NAME
from text2sql.database.values import duration, parse_json

Read: TypeAlias = Callable[[Any], Any]
_quoted = BY_NAME["duckdb"].quoted

_DURATION = re.compile(
    r"(?:(?P<years>-?\d+) years? ?)?(?:(?P<months>-?\d+) months? ?)?(?:(?P<days>-?\d+) days? ?)?"
    r"(?:(?P<sign>-)?(?P<hours>\d+):(?P<minutes>\d+):(?P<seconds>\d+)(?:\.(?P<fraction>\d+))?)?"
)
_MOMENT = re.compile(r"(?P<day>\d+-\d\d-\d\d) (?P<clock>\d.+)")
_CLOCK = re.compile(r"(?P<time>\d+:\d\d:\d\d)(?:\.(?P<fraction>\d+))?(?P<zone>[+-]\d\d(?::.*)?)?")


class Reading(NamedTuple):
    cast: str  # the type that the column is cast to
    read: Read | None  # what is done with its values then


def reading_of(kind: DuckDBPyType) -> Reading:
    """How a column of a type is fetched. A cast to the type itself means: as it is."""
    name = str(kind)
    if name == "JSON":
        return Reading(name, parse_json)
    if kind.id in _LEAVES:
        return _LEAVES[kind.id]
    compound = _COMPOUND.get(kind.id)
    return compound(kind) if compound else Reading(name, None)


def read_duration(text: str) -> str:
    found = _DURATION.fullmatch(text)
    if not found:
        return text
    years, months, days, hours, minutes, seconds = (
        int(found[part] or 0) for part in ("years", "months", "days", "hours", "minutes", "seconds")
    )
    clock = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + int((found["fraction"] or "").ljust(6, "0"))
    return duration(years * 12 + months, days, -clock if found["sign"] else clock)


def read_moment(text: str) -> str:
    """`2024-01-01 07:00:00+00` as ISO 8601; infinity and years before Christ stay as DuckDB writes them."""
    found = _MOMENT.fullmatch(text)
    return f"{found['day']}T{read_clock(found['clock'])}" if found else text


def read_clock(text: str) -> str:
    found = _CLOCK.fullmatch(text)
    if not found:
        return text
    fraction = f".{found['fraction']:0<6}" if found["fraction"] else ""
    zone = found["zone"] or ""
    return f"{found['time']}{fraction}{zone}{':00' if len(zone) == 3 else ''}"


def read_single(value: float) -> float:
    """The shortest decimal that is this 32-bit number: 0.1, not 0.10000000149011612."""
    for digits in (6, 7, 8):
        shorter = float(f"{value:.{digits}g}")
        try:
            if struct.unpack("f", struct.pack("f", shorter))[0] == value:
                return shorter
        except OverflowError:  # rounded up past the largest 32-bit number
            continue
    return value


_LEAVES: Mapping[str, Reading] = {
    "date": Reading("VARCHAR", None),
    "interval": Reading("VARCHAR", read_duration),
    "float": Reading("FLOAT", read_single),
    "time": Reading("VARCHAR", read_clock),
    "time_ns": Reading("VARCHAR", read_clock),
    "time with time zone": Reading("VARCHAR", read_clock),
    "timestamp": Reading("VARCHAR", read_moment),
    "timestamp_s": Reading("VARCHAR", read_moment),
    "timestamp_ms": Reading("VARCHAR", read_moment),
    "timestamp_ns": Reading("VARCHAR", read_moment),
    "timestamp with time zone": Reading("VARCHAR", read_moment),
}


def _list(kind: DuckDBPyType) -> Reading:
    inner = reading_of(_inner(kind)[0][1])
    return Reading(f"{inner.cast}[]", _each(inner.read))


def _array(kind: DuckDBPyType) -> Reading:
    inner = reading_of(_inner(kind)[0][1])
    return Reading(f"{inner.cast}[{kind.children[1][1]}]", _each(inner.read))


def _struct(kind: DuckDBPyType) -> Reading:
    parts = {name: reading_of(inner) for name, inner in _inner(kind)}
    cast = ", ".join(f"{_quoted(name)} {part.cast}" for name, part in parts.items())
    readers = {name: part.read for name, part in parts.items() if part.read}

    def read(value: dict[str, Any]) -> dict[str, Any]:
        return {name: _apply(readers.get(name), inner) for name, inner in value.items()}

    return Reading(f"STRUCT({cast})", read if readers else None)


def _map(kind: DuckDBPyType) -> Reading:
    key, value = (reading_of(inner) for _, inner in _inner(kind))

    def read(mapping: dict[Any, Any]) -> dict[Any, Any]:
        return {_apply(key.read, one): _apply(value.read, other) for one, other in mapping.items()}

    return Reading(f"MAP({key.cast}, {value.cast})", read if key.read or value.read else None)


def _union(kind: DuckDBPyType) -> Reading:
    """A union's value comes without its tag, so its members are cast but their text is left as it is."""
    members = [(name, reading_of(inner)) for name, inner in _inner(kind) if name]
    return Reading("UNION(" + ", ".join(f"{_quoted(name)} {one.cast}" for name, one in members) + ")", None)


_COMPOUND: Mapping[str, Callable[[DuckDBPyType], Reading]] = {
    "list": _list,
    "array": _array,
    "struct": _struct,
    "map": _map,
    "union": _union,
}


def _inner(kind: DuckDBPyType) -> list[tuple[str, DuckDBPyType]]:
    """The types inside; an array's size and the like are left out."""
    return [(name, inner) for name, inner in kind.children if isinstance(inner, DuckDBPyType)]


def _each(read: Read | None) -> Read | None:
    return (lambda values: [_apply(read, value) for value in values]) if read else None


def _apply(read: Read | None, value: Any) -> Any:
    return value if read is None or value is None else read(value)
