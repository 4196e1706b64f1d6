"""Decide which periods a question compares."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from text2sql.question.time.comparison import (
    ComparedWith,
    SamePeriod,
    moved_back,
    preceding,
    same_period_alone,
)
from text2sql.question.time.grammar import Parser
from text2sql.question.time.periods import Period, shifted
from text2sql.question.time.ranges import Interval
from text2sql.question.time.references import Reference
from text2sql.question.time.scan import Bucket, Expression, span, time_range
from text2sql.types import Grain, PeriodComparison, PeriodComparisonKind, Span, TimeRange

_PREVIOUS = ("previous", "prior", "preceding", "上一", "前")


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison, the expressions that it uses up, and the ranges that replace them."""

    comparison: PeriodComparison
    used: frozenset[int] = frozenset()
    ranges: tuple[TimeRange, ...] = ()


def compared(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    """The comparison of a question; what names periods counts more than *growth*."""
    for find in (_with_reference, _same_period, _two_periods):
        if (found := find(parser, expressions)) is not None:
            return found
    return None


def _with_reference(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    """*X compared with last year*."""
    for index in range(len(expressions)):
        reference = _compared_reference(parser, expressions, index)
        if reference is None:
            continue
        base = _base(expressions, index)
        if isinstance(reference, SamePeriod):
            return _moved(parser, expressions, index, reference, base)
        if base is None:
            return _with_current(parser, expressions, index, reference.period)
        return _with_base(parser, expressions, index, reference, base)
    return None


def _compared_reference(
    parser: Parser, expressions: Sequence[Expression], index: int
) -> Reference | SamePeriod | None:
    value, begin = expressions[index].value, expressions[index].begin
    if isinstance(value, ComparedWith):
        return value.reference
    alone = sum(isinstance(other.value, Reference) for other in expressions) == 1
    if isinstance(value, Reference) and alone and has_tag(parser, "compare_word", begin):
        return value if parser.word(begin - 1) in ("with", "to", "against") else None
    return None


def has_tag(parser: Parser, tag: str, end: int | None = None) -> bool:
    return any(tag in token.tags for token in parser.tokens[:end])


def _base(expressions: Sequence[Expression], index: int) -> int | None:
    """The expression that is compared: the nearest before, else the first after."""
    candidates = [
        number
        for number, expression in enumerate(expressions)
        if number != index and isinstance(expression.value, Reference | Interval)
    ]
    before = [number for number in candidates if number < index]
    return before[-1] if before else candidates[0] if candidates else None


def closed_period(value: object) -> Period | None:
    """The period of a reference or of a closed interval."""
    if isinstance(value, Reference):
        return value.period
    if isinstance(value, Interval) and value.start and value.end:
        return replace(value.period, start=value.start, end=value.end)
    return None


def _moved(
    parser: Parser, expressions: Sequence[Expression], index: int, same: SamePeriod, base: int | None
) -> Compared:
    """Compared with *the same period last year*."""
    at = place(parser, expressions[index])
    kind: PeriodComparisonKind = "same_period_last_year" if same.shift_unit == "year" else "previous_period"
    period = None if base is None else closed_period(expressions[base].value)
    if period is None or base is None:
        if same.unit:
            current = _current(parser, same.unit)
            return _compared(parser, kind, (current, moved_back(current, same)), at, same.unit)
        return _compared(parser, kind, (), at, None)
    now = compared_range(parser, expressions[base].value, place(parser, expressions[base]))  # type: ignore[arg-type]
    then = compared_range(parser, moved_back(period, same), at)
    comparison = PeriodComparison(kind, (now, then), parser.text[slice(*at)], at, period.grain)
    return Compared(comparison, frozenset({base}), (now,))


def _current(parser: Parser, unit: Grain) -> Period:
    return replace(shifted(parser.today, unit, 0, parser.calendar), relative=True)


def _compared(
    parser: Parser, kind: PeriodComparisonKind, periods: tuple[Period, ...], at: Span, grain: Grain | None
) -> Compared:
    ranges = tuple(compared_range(parser, period, at) for period in periods)
    return Compared(PeriodComparison(kind, ranges, parser.text[slice(*at)], at, grain))


def _with_current(parser: Parser, expressions: Sequence[Expression], index: int, period: Period) -> Compared:
    """Without a period of its own the question means the current one, or each bucket."""
    at = place(parser, expressions[index])
    used = frozenset({index})
    if period.shift is None:
        current, kind = _current(parser, period.grain), "explicit"
    else:
        current = replace(
            shifted(parser.today, period.grain, period.shift + 1, parser.calendar, period.fiscal),
            relative=True,
        )
        kind = "same_period_last_year" if period.grain == "year" else "previous_period"
    buckets = [other.value.grain for other in expressions if isinstance(other.value, Bucket)]
    periods = () if period.grain in buckets and kind != "explicit" else (current, period)
    found = _compared(parser, kind, periods, at, period.grain)  # type: ignore[arg-type]
    return replace(found, used=used)


def _with_base(
    parser: Parser, expressions: Sequence[Expression], index: int, reference: Reference, base: int
) -> Compared | None:
    at, base_at = place(parser, expressions[index]), place(parser, expressions[base])
    value = expressions[base].value
    if isinstance(value, Reference) and value.piece and not reference.piece:
        shared = value.in_year(reference.period.start.year, parser.calendar)
        value = value if shared.period.start == reference.period.start else shared
    elif reference.piece and isinstance(value, Reference) and not value.piece:
        reference = reference.in_year(value.period.start.year, parser.calendar)
    period, other = closed_period(value), reference.period
    if period is None:
        return _with_current(parser, expressions, index, other)
    used = frozenset({base, index})
    now = compared_range(parser, value, base_at)  # type: ignore[arg-type]
    kind, then = _kind_and_reference(parser, expressions[index], period, other)
    then_range = compared_range(parser, then, at)
    comparison = PeriodComparison(kind, (now, then_range), parser.text[slice(*at)], at, period.grain)
    return Compared(comparison, used, (now, then_range) if kind == "explicit" else (now,))


def _kind_and_reference(
    parser: Parser, expression: Expression, period: Period, other: Period
) -> tuple[PeriodComparisonKind, Period]:
    words = [token.text for token in parser.tokens[expression.begin : expression.end]]
    finer = period.grain != "year" or period.to_date
    if other.grain == "year" and finer and other.shift is not None:
        return "same_period_last_year", moved_back(period, SamePeriod(None, other.shift, "year", other))
    previous = any(word in _PREVIOUS for word in words) and other.shift == -1
    if previous and other.grain == period.grain and period.shift != 0:
        return "previous_period", preceding(period)
    return "explicit", other


def _same_period(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    """*This month and the same month last year*; alone it is a range."""
    for index, expression in enumerate(expressions):
        if isinstance(expression.value, SamePeriod):
            base = _base(expressions, index)
            if base is not None:
                return _moved(parser, expressions, index, expression.value, base)
            if has_tag(parser, "compare_word"):
                return _moved(parser, expressions, index, expression.value, None)
    return None


def alone(parser: Parser, same: SamePeriod) -> Period:
    return same_period_alone(same, parser)


def _two_periods(parser: Parser, expressions: Sequence[Expression]) -> Compared | None:
    """*Compare 2025 and 2024*."""
    periods = [index for index, other in enumerate(expressions) if isinstance(other.value, Reference)]
    if len(periods) != 2 or not (has_tag(parser, "compare_word") or has_tag(parser, "change_word")):
        return None
    joined = [expressions[index].value for index in periods]
    if joined[0].period.grain != joined[1].period.grain:  # type: ignore[union-attr]
        return None
    return _explicit(parser, expressions, periods)


def _explicit(parser: Parser, expressions: Sequence[Expression], periods: Sequence[int]) -> Compared:
    ranges = tuple(
        compared_range(parser, expressions[index].value, place(parser, expressions[index]))  # type: ignore[arg-type]
        for index in periods
    )
    at = ranges[0].begin, ranges[-1].end_position
    comparison = PeriodComparison("explicit", ranges, parser.text[slice(*at)], at, ranges[0].grain)
    return Compared(comparison, frozenset(periods), ranges)


def compared_range(parser: Parser, value: Interval | Reference | Period, at: Span) -> TimeRange:
    """A number that is compared with a period is a year."""
    return replace(time_range(parser, value, at), certain=True)


def place(parser: Parser, expression: Expression) -> Span:
    return span(parser, expression.begin, expression.end)
