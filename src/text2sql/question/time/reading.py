"""Read what a question says about time."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from text2sql.question.time.comparing import Compared, alone, compared
from text2sql.question.time.comparison import SamePeriod
from text2sql.question.time.grammar import Parser
from text2sql.question.time.growth import growth
from text2sql.question.time.ranges import Interval
from text2sql.question.time.recurring import Part, Window
from text2sql.question.time.references import Reference
from text2sql.question.time.scan import Bucket, Expression, scan, span, time_range
from text2sql.question.time.tokens import normalize, tokenize
from text2sql.types import Calendar, RollingWindow, TimeBucket, TimePart, TimeRange, TimeReading


def read_time(
    question: str, today: date, calendar: Calendar | None = None, day_first: bool | None = None
) -> TimeReading:
    """What the question says about time, in either language. The result depends on the arguments alone.

    `today` may be a datetime, for questions about hours. `day_first` is the order of day and month in dates
    such as 3/4/2025; None reads the month first and marks the range as ambiguous.
    """
    text = normalize(question)
    day = today.date() if isinstance(today, datetime) else today
    midnight = datetime.combine(day, datetime.min.time()) + timedelta(days=1)
    now = today if isinstance(today, datetime) else midnight
    parser = Parser(text, tokenize(text), day, now, calendar or Calendar(), day_first)
    expressions = scan(parser)
    comparison = compared(parser, expressions) or growth(parser, expressions)
    if comparison is None:
        expressions = _with_shared_year(parser, expressions)
    ranges = _ranges(parser, expressions, comparison)
    return TimeReading(
        text,
        ranges=ranges,
        buckets=_buckets(parser, expressions),
        parts=_parts(parser, expressions, comparison),
        windows=_windows(parser, expressions),
        comparison=comparison.comparison if comparison else None,
    )


def _with_shared_year(parser: Parser, expressions: list[Expression]) -> list[Expression]:
    """*Sales in March by product in 2024*: the only year of the question is that of its months."""
    years = [
        expression
        for expression in expressions
        if isinstance(expression.value, Reference)
        and expression.value.period.grain == "year"
        and not expression.value.piece
    ]
    if len(years) != 1 or not isinstance(years[0].value, Reference):
        return expressions
    whole = years[0].value.period
    shared: list[Expression] = []
    for expression in expressions:
        value = expression.value
        period = (
            value.piece.of(whole, parser.calendar) if isinstance(value, Reference) and value.piece else None
        )
        combined = Reference(replace(period, certain=True)) if period else None
        shared.append(replace(expression, value=combined) if combined else expression)
    if shared == expressions:
        return expressions
    return [expression for expression in shared if expression is not years[0]]


def _recurring(expression: Expression, expressions: Sequence[Expression]) -> Part | None:
    """The part that an expression without a year stands for: *in March*; of quarters only beside a range."""
    value = expression.value
    if isinstance(value, Part):
        return value
    if not isinstance(value, Reference) or not value.piece or len(value.piece.recurs) != 1:
        return None
    beside_range = any(isinstance(other.value, Interval) for other in expressions)
    name, values = value.piece.recurs[0]
    return Part(name, values) if name == "month" or beside_range else None


def _ranges(
    parser: Parser, expressions: Sequence[Expression], comparison: Compared | None
) -> tuple[TimeRange, ...]:
    used = comparison.used if comparison else frozenset()
    ranges = list(comparison.ranges if comparison else ())
    for index, expression in enumerate(expressions):
        value = expression.value
        if index in used or _recurring(expression, expressions):
            continue
        place = span(parser, expression.begin, expression.end)
        if isinstance(value, Reference | Interval):
            ranges.append(time_range(parser, value, place))
        elif isinstance(value, SamePeriod) and comparison is None:
            ranges.append(time_range(parser, alone(parser, value), place))
    return tuple(sorted(ranges, key=lambda found: found.begin)) if not used else tuple(ranges)


def _parts(
    parser: Parser, expressions: Sequence[Expression], comparison: Compared | None
) -> tuple[TimePart, ...]:
    """The parts; *in March and April* is one of two months."""
    used = comparison.used if comparison else frozenset()
    parts: list[TimePart] = []
    end = -2
    for index, expression in enumerate(expressions):
        part = None if index in used else _recurring(expression, expressions)
        if part is None:
            continue
        begin, stop = span(parser, expression.begin, expression.end)
        value = expression.value
        recent = time_range(parser, value, (begin, stop)) if isinstance(value, Reference) else None
        if (
            parts
            and parts[-1].part == part.name
            and parts[-1].values
            and part.values
            and expression.begin - end <= 2
        ):
            first = parts.pop()
            begin, values = first.span[0], tuple(dict.fromkeys(first.values + part.values))
            parts.append(TimePart(part.name, values, parser.text[begin:stop], (begin, stop)))
        else:
            parts.append(TimePart(part.name, part.values, parser.text[begin:stop], (begin, stop), recent))
        if part.more:
            parts.append(TimePart(part.more.name, part.more.values, parser.text[begin:stop], (begin, stop)))
        end = expression.end
    return tuple(parts)


def _buckets(parser: Parser, expressions: Sequence[Expression]) -> tuple[TimeBucket, ...]:
    buckets = []
    for expression in expressions:
        if isinstance(expression.value, Bucket):
            begin, end = span(parser, expression.begin, expression.end)
            buckets.append(TimeBucket(expression.value.grain, parser.text[begin:end], (begin, end)))
    return tuple(buckets)


def _windows(parser: Parser, expressions: Sequence[Expression]) -> tuple[RollingWindow, ...]:
    windows = []
    for expression in expressions:
        if isinstance(expression.value, Window):
            begin, end = span(parser, expression.begin, expression.end)
            window = expression.value
            windows.append(RollingWindow(window.count, window.grain, parser.text[begin:end], (begin, end)))
    return tuple(windows)
