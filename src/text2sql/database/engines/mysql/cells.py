"""Converts cells of MySQL's text protocol to Python values: by type, and by character set
where that matters.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from pymysql.constants import FIELD_TYPE, FLAG
from pymysql.converters import convert_date, convert_datetime

from text2sql.database.values import parse_json

_BINARY = 63  # the "character set" of binary data
_NAMES = {
    FIELD_TYPE.TINY: "tinyint",
    FIELD_TYPE.SHORT: "smallint",
    FIELD_TYPE.INT24: "mediumint",
    FIELD_TYPE.LONG: "int",
    FIELD_TYPE.LONGLONG: "bigint",
    FIELD_TYPE.YEAR: "year",
    FIELD_TYPE.FLOAT: "float",
    FIELD_TYPE.DOUBLE: "double",
    FIELD_TYPE.DECIMAL: "decimal",
    FIELD_TYPE.NEWDECIMAL: "decimal",
    FIELD_TYPE.DATE: "date",
    FIELD_TYPE.NEWDATE: "date",
    FIELD_TYPE.DATETIME: "datetime",
    FIELD_TYPE.TIMESTAMP: "timestamp",
    FIELD_TYPE.TIME: "time",
    FIELD_TYPE.BIT: "bit",
    FIELD_TYPE.JSON: "json",
    FIELD_TYPE.ENUM: "enum",
    FIELD_TYPE.SET: "set",
    FIELD_TYPE.GEOMETRY: "geometry",
    FIELD_TYPE.NULL: "null",
}


def type_name(field: Any) -> str:
    """Return the engine's name for the type of a result column, as far as the protocol reports it."""
    if field.flags & FLAG.ENUM:
        return "enum"
    if field.flags & FLAG.SET:
        return "set"
    name = _NAMES.get(field.type_code)
    if name is None:  # strings of all sizes share their type codes with bytes
        return "binary" if field.charsetnr == _BINARY else "text"
    return f"{name} unsigned" if field.flags & FLAG.UNSIGNED and name.endswith("int") else name


def reader(field: Any) -> Callable[[bytes], Any]:
    """Return the function that converts a cell of that column. An invalid value becomes text; none raises."""
    convert = _BY_TYPE.get(field.type_code)
    if convert is not None:
        return convert
    return bytes if field.charsetnr == _BINARY else _text


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _bits(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _instant(data: bytes) -> Any:
    """A TIMESTAMP is a UTC instant, sent in the session's zone, which is set to UTC; zero dates stay text."""
    value = convert_datetime(_text(data))
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


_BY_TYPE: dict[int, Callable[[bytes], Any]] = {
    **dict.fromkeys((FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.INT24, FIELD_TYPE.LONG), int),
    **dict.fromkeys((FIELD_TYPE.LONGLONG, FIELD_TYPE.YEAR), int),
    **dict.fromkeys((FIELD_TYPE.FLOAT, FIELD_TYPE.DOUBLE), float),
    **dict.fromkeys((FIELD_TYPE.DECIMAL, FIELD_TYPE.NEWDECIMAL), lambda data: Decimal(data.decode("ascii"))),
    # 0000-00-00 and 2024-02-31 can be stored but are not valid in Python: they stay text
    **dict.fromkeys((FIELD_TYPE.DATE, FIELD_TYPE.NEWDATE), lambda data: convert_date(_text(data))),
    FIELD_TYPE.DATETIME: lambda data: convert_datetime(_text(data)),
    FIELD_TYPE.TIMESTAMP: _instant,
    FIELD_TYPE.TIME: _text,  # from -838:59:59 to 838:59:59, a time of day or a duration: it is unknown which
    FIELD_TYPE.BIT: _bits,
    FIELD_TYPE.JSON: lambda data: parse_json(_text(data)),
    FIELD_TYPE.GEOMETRY: bytes,
}
