"""Comparisons without a period of their own: *growth*, 同比, *the change from 2024 to 2025*."""

from collections.abc import Sequence
from dataclasses import replace

from text2sql.question.time import periods
from text2sql.question.time.comparing import Compared, closed_period, compared_range, has_tag, place
from text2sql.question.time.comparison import SamePeriod, moved_back, preceding
from text2sql.question.time.grammar import Parser
from text2sql.question.time.periods import Period
from text2sql.question.time.ranges import Interval
from text2sql.question.time.references import Reference
from text2sql.question.time.scan import Bucket, Expression, Kind
from text2sql.types import PeriodComparison


def growth(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    return _change_over_time(parser, expressions) or _rate(parser, expressions)


def _change_over_time(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    """*The change from 2024 to 2025*: two periods, not one long one."""
    intervals = [index for index, other in enumerate(expressions) if isinstance(other.value, Interval)]
    buckets = any(isinstance(other.value, Bucket) for other in expressions)
    if len(intervals) != 1 or buckets or not has_tag(parser, "change_word"):
        return None
    interval = expressions[intervals[0]]
    value = interval.value
    if not isinstance(value, Interval) or not value.ends or value.ends[0].grain != value.ends[1].grain:
        return None
    at = place(parser, interval)
    first, second = (compared_range(parser, period, at) for period in value.ends)
    comparison = PeriodComparison("explicit", (second, first), parser.text[slice(*at)], at, first.grain)
    return Compared(comparison, frozenset(intervals), (second, first))


def _rate(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    """*Growth*, 环比: the period of the question, if it has one and no buckets, and the one before."""
    kinds = [(index, other.value) for index, other in enumerate(expressions) if isinstance(other.value, Kind)]
    if not kinds:
        return None
    index, value = max(kinds, key=lambda candidate: _weight(candidate[1].name))
    name, _, unit = value.name.partition(" ")
    at = place(parser, expressions[index])
    comparison = PeriodComparison(name, (), parser.text[slice(*at)], at, unit or None)  # type: ignore[arg-type]
    bases = [other for other in expressions if isinstance(other.value, Reference | Interval)]
    buckets = any(isinstance(other.value, Bucket) for other in expressions)
    period = closed_period(bases[0].value) if len(bases) == 1 and not buckets else None
    if period is None or (unit and not _is_unit(period, unit)):
        return Compared(comparison)
    last_year = SamePeriod(None, -1, "year", period)
    then = moved_back(period, last_year) if name == "same_period_last_year" else preceding(period)
    now = compared_range(parser, bases[0].value, place(parser, bases[0]))  # type: ignore[arg-type]
    ranges = (now, compared_range(parser, then, at))
    used = frozenset({expressions.index(bases[0])})
    return Compared(replace(comparison, ranges=ranges, grain=period.grain), used, (now,))


def _is_unit(period: Period, unit: str) -> bool:
    return unit == period.grain and periods.add(period.start, period.grain, 1) == period.end


def _weight(name: str) -> int:
    return 2 if " " in name else 1 if name != "previous_period" else 0
