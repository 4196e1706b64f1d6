"""Reads the dates that the conditions of a query select: half-open, as whole days."""

import re
from collections.abc import Iterable
from datetime import date, timedelta
from typing import TypeAlias

from sqlglot import exp

Range: TypeAlias = tuple[str, date | None, date | None]  # of a column, half-open

_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[ T]00:00(?::00(?:\.0+)?)?)?")
_LAST_MOMENT = re.compile(r"(\d{4})-(\d{2})-(\d{2})[ T]23:59(?::59(?:\.9+)?)?")
_PREFIX = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?-?%")


def period_of(conditions: Iterable[exp.Expr]) -> tuple[tuple[date, date] | None, bool]:
    """The period, and whether there are other conditions. None unless every condition on a time is
    understood.
    """
    low: date | None = None
    high: date | None = None
    column = ""
    has_others = False
    for condition in conditions:
        found = _range(condition)
        if found is None:
            has_others = True
            continue
        name, start, end = found
        if column and name != column:
            return None, True
        column = name
        low = start if low is None else max(low, start or low)
        high = end if high is None else min(high, end or high)
    if low is None or high is None or low >= high:
        return None, has_others or bool(column)
    if any(_range(condition) is None and _names(condition, column) for condition in conditions):
        return None, True  # a further condition on the same column that is not understood
    return (low, high), has_others


def _names(condition: exp.Expr, column: str) -> bool:
    return any(node.name.lower() == column for node in condition.find_all(exp.Column))


def _range(condition: exp.Expr) -> Range | None:
    """The column, and the first day and the day after the last one; None: open at that side."""
    while isinstance(condition, exp.Paren):
        condition = condition.this
    if isinstance(condition, exp.Between):
        low, high = _day(condition.args["low"]), _last_day(condition.args["high"])
        name = _column(condition.this)
        return (name, low, high + timedelta(days=1)) if name and low and high else None
    if isinstance(condition, exp.Like):
        return _like(condition)
    if isinstance(condition, exp.EQ):
        return _equal_bucket(condition) or _compared(condition)
    return _compared(condition) if isinstance(condition, exp.GTE | exp.LT | exp.LTE) else None


def _compared(condition: exp.Binary) -> Range | None:
    name = _column(condition.left)
    day = _last_day(condition.right) if isinstance(condition, exp.LTE) else _day(condition.right)
    if not name or day is None:
        return None
    after = day + timedelta(days=1)
    bounds: dict[type[exp.Expr], tuple[date | None, date | None]] = {
        exp.GTE: (day, None),
        exp.LT: (None, day),
        exp.LTE: (None, after),
        exp.EQ: (day, after),
    }
    return (name, *bounds[type(condition)])


def _like(condition: exp.Like) -> Range | None:
    name, pattern = _column(condition.this), condition.expression
    match = _PREFIX.fullmatch(pattern.name) if isinstance(pattern, exp.Literal) else None
    if not name or match is None:
        return None
    bounds = _bounds(int(match[1]), int(match[2] or 0), int(match[3] or 0))
    return (name, *bounds) if bounds else None


def _equal_bucket(condition: exp.EQ) -> Range | None:
    """`strftime('%Y-%m', d) = '2025-03'`, `YEAR(d) = 2025`."""
    left, right = condition.left, condition.right
    while isinstance(left, exp.Cast | exp.Paren):
        left = left.this
    text = right.name if isinstance(right, exp.Literal) else ""
    columns = {node.name.lower() for node in left.find_all(exp.Column)}
    if len(columns) != 1 or not text:
        return None
    is_year = isinstance(left, exp.Year) or (
        isinstance(left, exp.Extract) and left.this.name.upper() == "YEAR"
    )
    if isinstance(left, exp.TimeToStr):
        written = left.args.get("format")
        is_year = is_year or (written is not None and written.name == "%Y")
        if written is not None and written.name == "%Y-%m" and re.fullmatch(r"\d{4}-\d{2}", text):
            bounds = _bounds(int(text[:4]), int(text[5:]), 0)
            return (columns.pop(), *bounds) if bounds else None
    if is_year and re.fullmatch(r"[12]\d{3}", text):
        bounds = _bounds(int(text), 0, 0)
        return (columns.pop(), *bounds) if bounds else None
    return None


def _bounds(year: int, month: int, day: int) -> tuple[date, date] | None:
    try:
        if day:
            start = date(year, month, day)
            return start, start + timedelta(days=1)
        if month:
            return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
        return date(year, 1, 1), date(year + 1, 1, 1)
    except (ValueError, OverflowError):
        return None


def _column(node: exp.Expr) -> str:
    while isinstance(node, exp.Cast | exp.Paren | exp.Date | exp.TsOrDsToDate):
        node = node.this
    return node.name.lower() if isinstance(node, exp.Column) else ""


def _day(node: exp.Expr) -> date | None:
    return _written(node, _DAY)


def _last_day(node: exp.Expr) -> date | None:
    return _written(node, _DAY) or _written(node, _LAST_MOMENT)


def _written(node: exp.Expr, pattern: re.Pattern[str]) -> date | None:
    while isinstance(node, exp.Cast | exp.Paren | exp.Date | exp.TsOrDsToDate | exp.StrToDate):
        node = node.this
    match = pattern.fullmatch(node.name) if isinstance(node, exp.Literal) and node.is_string else None
    if match is None:
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        return None
