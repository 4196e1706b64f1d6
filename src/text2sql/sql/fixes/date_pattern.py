"""Fix LIKE on a date: a pattern such as `'2025-03%'` becomes a range of days."""

import re
from datetime import date, timedelta

from sqlglot import exp

from text2sql.sql.fixes.fix_context import FixContext
from text2sql.sql.scope import Origin

_DIALECTS = ("duckdb", "postgres")  # which have no LIKE on dates
_PATTERN = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?)?(?P<rest>[-% ]*)")
_DATE_TYPE = re.compile(r"(?i)date|timestamp")


def date_pattern(context: FixContext) -> bool:
    """`d LIKE '2025-03%'` on a DATE or TIMESTAMP: from the first of March to before the first of April."""
    if context.dialect not in _DIALECTS:
        return False
    ranges = [
        (node, _range(column, days))
        for scope, column in context.columns()
        if (node := column.parent) is not None
        and (days := _days_of(column)) is not None
        and _is_date(context.origin(scope, column))
    ]
    for node, condition in ranges:
        context.replace(node, condition)
    return bool(ranges)


def _days_of(column: exp.Column) -> tuple[date, date] | None:
    """The days of the pattern that a column is compared with."""
    node = column.parent
    return _days(node.expression) if isinstance(node, (exp.Like, exp.ILike)) and node.this is column else None


def _is_date(origin: Origin) -> bool:
    return origin is not None and bool(_DATE_TYPE.match(origin[1].type))


def _range(column: exp.Column, days: tuple[date, date]) -> exp.Expr:
    first, after = (exp.cast(exp.Literal.string(day.isoformat()), "date") for day in days)
    start = exp.GTE(this=column.copy(), expression=first)
    return exp.paren(exp.And(this=start, expression=exp.LT(this=column.copy(), expression=after)), copy=False)


def _days(pattern: exp.Expr) -> tuple[date, date] | None:
    """The first day of the year, month or day that a pattern stands for, and the day after its last one."""
    match = _PATTERN.fullmatch(pattern.name) if pattern.is_string else None
    if match is None or (not match["day"] and "%" not in match["rest"]):
        return None
    year, month, day = (int(match[part] or 0) for part in ("year", "month", "day"))
    try:
        first = date(year, month or 1, day or 1)
        if match["day"]:
            return first, first + timedelta(days=1)
        if match["month"]:
            return first, date(year + month // 12, month % 12 + 1, 1)
        return first, date(year + 1, 1, 1)
    except (ValueError, OverflowError):
        return None
