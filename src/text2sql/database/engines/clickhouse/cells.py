"""How ClickHouse's JSON becomes Python values, by the type of the column."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

Read = Callable[[Any], Any]


class Digits(str):
    """A number with a point as the server wrote it: whether it is exact, only its type tells."""

    __slots__ = ()


def reader(kind: str) -> Read | None:
    """What turns a cell of that type into a value; None where it already is one."""
    name, _, inside = kind.partition("(")
    if name in ("Nullable", "LowCardinality"):
        return reader(inside[:-1])
    if name == "Array":
        inner = reader(inside[:-1])
        return None if inner is None else lambda cells: [None if one is None else inner(one) for one in cells]
    if name.startswith("DateTime"):
        return _instant if "'" in inside else _moment
    plain = name.rstrip("0123456789")
    return None if plain in _AS_THEY_ARE or plain.startswith("Interval") else _BY_NAME.get(plain, _loose)


def _moment(told: str) -> str:
    """Without a zone of its own: the session's, which is pinned to UTC."""
    return told.replace(" ", "T").removesuffix("Z")


def _instant(told: str) -> str:
    return told.replace("Z", "+00:00")


def _unpadded(told: str) -> str:
    return told.rstrip("\0")


def _loose(value: Any) -> Any:
    """A map, a tuple, JSON, a type of tomorrow: numbers with a point are floats, exact decimals stay text."""
    if isinstance(value, Digits):
        return float(value)
    if isinstance(value, list):
        return [_loose(one) for one in value]
    if isinstance(value, dict):
        return {key: _loose(one) for key, one in value.items()}
    return value


_AS_THEY_ARE = frozenset("String Bool Date Time UUID IPv Enum Nothing".split())
_BY_NAME: Mapping[str, Read] = {
    "Decimal": Decimal,
    "Float": float,
    "BFloat": float,
    "Int": int,  # servers before 25.8 quote large ones
    "UInt": int,
    "FixedString": _unpadded,
}
