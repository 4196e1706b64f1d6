"""Evaluation of constant expressions: numbers, datetimes and durations."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from sqlglot import exp

Value: TypeAlias = float | datetime | timedelta

_LARGEST = 1e15  # larger numbers are not sizes, and float arithmetic on them is inexact
_SECONDS: Mapping[str, float] = {
    "microsecond": 1e-6, "millisecond": 1e-3, "second": 1, "minute": 60, "hour": 3600, "day": 86_400,
    "week": 604_800, "month": 28 * 86_400, "quarter": 90 * 86_400, "year": 365 * 86_400,
}  # fmt: skip
DAY = timedelta(days=1)
_DURATION = re.compile(r"([+-]?\d{1,9}(?:\.\d{1,6})?)\s*([a-z]+?)s?")
# The largest absolute value that a result can have, however the engine divides, rounds and signs.
_ARITHMETIC: Mapping[type[exp.Expr], Callable[[float, float], float]] = {
    exp.Add: lambda a, b: abs(a) + abs(b),
    exp.Sub: lambda a, b: abs(a) + abs(b),
    exp.Mul: lambda a, b: abs(a * b),
    exp.Div: lambda a, b: abs(a) / min(abs(b), 1.0),
    exp.IntDiv: lambda a, b: abs(a) / min(abs(b), 1.0),
    exp.Mod: lambda a, _: abs(a),
}
_TRANSPARENT = (exp.Paren, exp.Cast, exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Date, exp.Timestamp,
                exp.TimestampTrunc, exp.DateTrunc)  # fmt: skip
_NOW = (exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime)
_DATE_CALLS = frozenset({"todate", "todatetime", "to_date", "date", "timestamp"})


def value_of(node: exp.Expr | None) -> Value | None:
    """The value of a constant expression; None if it is not constant or not of a supported type. For
    arithmetic, the largest absolute value that the result can have.
    """
    value: Value | None = None
    if isinstance(node, exp.Literal):
        value = _literal(node)
    elif isinstance(node, exp.Interval):
        value = _interval(node)
    elif isinstance(node, _NOW):
        value = datetime.now(UTC).replace(tzinfo=None)
    elif isinstance(node, _TRANSPARENT) or (isinstance(node, exp.Anonymous) and len(node.expressions) == 1):
        value = _inner(node)
    elif isinstance(node, exp.Neg):
        inner = value_of(node.this)
        value = -inner if isinstance(inner, (float, timedelta)) else None
    elif isinstance(node, (exp.DateAdd, exp.DateSub)):
        value = _date_sum(node)
    elif isinstance(node, exp.Binary) and type(node) in _ARITHMETIC:
        value = _arithmetic(_ARITHMETIC[type(node)], node, value_of(node.this), value_of(node.expression))
    return value


def number_of(node: exp.Expr | None) -> float | None:
    value = value_of(node)
    return value if isinstance(value, float) else None


def steps(start: Value | None, end: Value | None, step: Value | None) -> float | None:
    """The maximum number of values in a range; None if its ends or its step are not known or do not fit."""
    if isinstance(start, float) and isinstance(end, float) and isinstance(step, float):
        return (abs(end) + abs(start)) / abs(step) if step else None
    if isinstance(start, datetime) and isinstance(end, datetime) and isinstance(step, timedelta):
        return abs(end - start) / abs(step) if step else None
    return None


def _literal(node: exp.Literal) -> Value | None:
    text = node.this.strip()
    if not node.is_string or text.isdecimal():
        try:
            number = float(text)
        except ValueError:
            return None
        return number if abs(number) <= _LARGEST else None
    duration = _duration(text)
    if duration is not None:
        return duration
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _duration(text: str) -> timedelta | None:
    """The duration of a text such as `1 day` or `15 minutes`."""
    match = _DURATION.fullmatch(text.lower())
    if match is None or match[2] not in _SECONDS:
        return None
    seconds = float(match[1]) * _SECONDS[match[2]]
    return timedelta(seconds=seconds) if abs(seconds) < _LARGEST / 100 else None


def _interval(node: exp.Interval) -> timedelta | None:
    unit = node.args.get("unit")
    if unit is None:
        return _duration(node.this.name) if isinstance(node.this, exp.Literal) else None
    return _duration(f"{node.this.name} {unit.name}") if isinstance(node.this, exp.Literal) else None


def _inner(node: exp.Expr) -> Value | None:
    if isinstance(node, exp.Anonymous):
        return value_of(node.expressions[0]) if node.name.lower() in _DATE_CALLS else None
    if isinstance(node, (exp.TimestampTrunc, exp.DateTrunc)):
        return value_of(node.this)  # an upper bound is good enough
    arguments = [value for key, value in node.args.items() if value and key not in ("this", "to")]
    known = all(isinstance(argument, (str, bool)) for argument in arguments)
    value = value_of(node.this) if known or isinstance(node, exp.Cast) else None
    if isinstance(node, exp.Cast) and isinstance(value, float):
        return value + 1 if value >= 0 else None  # rounded up; a negative number may become a large one
    return value


def _date_sum(node: exp.Expr) -> Value | None:
    """The value of DATE_ADD or DATE_SUB of constants."""
    start, by = value_of(node.this), value_of(node.expression)
    unit = node.args.get("unit")
    if isinstance(by, float) and unit is not None:
        by = _duration(f"{by:.0f} {unit.name}")
    if not isinstance(start, datetime) or not isinstance(by, timedelta):
        return None
    return _or_none(lambda: start - by if isinstance(node, exp.DateSub) else start + by)


def _arithmetic(
    calculate: Callable[[float, float], float], node: exp.Binary, left: Value | None, right: Value | None
) -> Value | None:
    if isinstance(left, float) and isinstance(right, float):
        number = _or_none(lambda: float(calculate(left, right)))
        return number if isinstance(number, float) and abs(number) <= _LARGEST else None
    if isinstance(left, datetime) and isinstance(right, timedelta) and isinstance(node, (exp.Add, exp.Sub)):
        return _or_none(lambda: left + right if isinstance(node, exp.Add) else left - right)
    return None


def _or_none(compute: Callable[[], Value]) -> Value | None:
    try:
        return compute()
    except (ArithmeticError, ValueError):
        return None
