"""Analytic queries as plain data, for the state of a thread."""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from typing import Any

from text2sql.types import (
    Aggregation,
    AnalyticQuery,
    AverageFilter,
    Comparison,
    Grouping,
    MeasureUse,
    Order,
    OutputColumn,
    Ranking,
    Ratio,
    RelatedFilter,
    Threshold,
    TimeFilter,
    ValueFilter,
)

_TYPES = {
    kind.__name__: kind
    for kind in (
        Aggregation, AnalyticQuery, AverageFilter, Comparison, Grouping, MeasureUse, Order, OutputColumn,
        Ranking, Ratio, RelatedFilter, Threshold, TimeFilter, ValueFilter,
    )
}  # fmt: skip
_TYPE, _DATE = "type", "date"


def to_plain(value: Any) -> Any:
    """Dataclasses as dictionaries with their type; fields with their default value are left out."""
    if is_dataclass(value) and not isinstance(value, type):
        plain = {_TYPE: type(value).__name__}
        for field in fields(value):
            content = getattr(value, field.name)
            if field.default is MISSING or content != field.default:
                plain[field.name] = to_plain(content)
        return plain
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, date):
        return {_DATE: value.isoformat()}
    return value


def from_plain(plain: Any) -> Any:
    """The inverse of `to_plain`. Raises `ValueError` for data of another version."""
    if isinstance(plain, list):
        return tuple(from_plain(item) for item in plain)
    if not isinstance(plain, Mapping):
        return plain
    if _DATE in plain:
        text = str(plain[_DATE])
        return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
    kind = _TYPES.get(str(plain.get(_TYPE)))
    if kind is None:
        raise ValueError(f"not an analytic query: {plain.get(_TYPE)}")
    known = {field.name for field in fields(kind)}
    contents = {name: from_plain(item) for name, item in plain.items() if name != _TYPE}
    if not contents.keys() <= known:
        raise ValueError(f"unknown fields: {sorted(contents.keys() - known)}")
    return kind(**contents)
