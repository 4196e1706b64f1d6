"""Converts ClickHouse's JSON values to Python values, by the column's type."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

CellReader = Callable[[Any], Any]


class Digits(str):
    """The text of a number with a decimal point: whether it is exact depends on the column's type."""

    __slots__ = ()


def reader(kind: str) -> CellReader | None:
    """Return the function that converts a cell of that type; None if no conversion is needed."""
    name, _, arguments = kind.partition("(")
    if name in ("Nullable", "LowCardinality"):
        return reader(arguments[:-1])
    if name == "Array":
        inner = reader(arguments[:-1])
        return (
            None if inner is None else lambda cells: [None if item is None else inner(item) for item in cells]
        )
    if name.startswith("DateTime"):
        return _instant if "'" in arguments else _naive_timestamp
    base_name = name.rstrip("0123456789")
    return (
        None
        if base_name in _UNCHANGED or base_name.startswith("Interval")
        else _BY_NAME.get(base_name, _convert_nested)
    )


def _naive_timestamp(text: str) -> str:
    """A timestamp without a zone is in the session's zone, which is set to UTC."""
    return text.replace(" ", "T").removesuffix("Z")


def _instant(text: str) -> str:
    return text.replace("Z", "+00:00")


def _strip_padding(text: str) -> str:
    return text.rstrip("\0")


def _convert_nested(value: Any) -> Any:
    """A map, a tuple, JSON or an unknown type: numbers with a point become floats, exact
    decimals stay text.
    """
    if isinstance(value, Digits):
        return float(value)
    if isinstance(value, list):
        return [_convert_nested(item) for item in value]
    if isinstance(value, dict):
        return {key: _convert_nested(item) for key, item in value.items()}
    return value


_UNCHANGED = frozenset("String Bool Date Time UUID IPv Enum Nothing".split())
_BY_NAME: Mapping[str, CellReader] = {
    "Decimal": Decimal,
    "Float": float,
    "BFloat": float,
    "Int": int,  # servers before 25.8 quote large ones
    "UInt": int,
    "FixedString": _strip_padding,
}
