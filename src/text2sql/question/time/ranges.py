"""Ranges of references: *from March to May*, *since 2020*, 2020年以前, 截至6月."""

from dataclasses import dataclass, replace
from datetime import date, timedelta

from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period, add
from text2sql.question.time.references import Reference, most_recent
from text2sql.types import Grain

_ORDER: tuple[Grain, ...] = ("hour", "day", "week", "month", "quarter", "half", "year")


@dataclass(frozen=True, slots=True)
class Interval:
    """A range with open sides. `ends` are the two references of *from … to*."""

    start: date | None
    end: date | None
    period: Period  # the reference that gives the other facts
    ends: tuple[Period, Period] | None = None


def _interval(start: date | None, end: date | None, period: Period) -> Interval:
    return Interval(start, end, replace(period, certain=True))


@rule("RANGE", "'from'|'between' REF 'to'|'through'|'until'|'till'|'thru'|'and'|'up' REF")
@rule("RANGE", "'from' REF 'up' 'to' REF", "'from' REF 'through' 'to' REF", "'from' REF '-'|'–' REF")
def from_to(parser: Parser, first: Reference, second: Reference) -> Interval | None:
    """*From March to May 2024*; *between* also accepts *and*."""
    words = {token.text for token in parser.tokens[parser.begin : parser.end]}
    if parser.word(parser.begin) == "from" and "and" in words and "to" not in words:
        return None
    return _joined(parser, first, second)


@rule("RANGE", "REF 'to'|'through'|'thru'|'-'|'–'|'—'|'~'|'until' REF", "REF 'up' 'to' REF")
def to(parser: Parser, first: Reference, second: Reference) -> Interval | None:
    hyphen = any(token.text == "-" for token in parser.tokens[parser.begin : parser.end])
    if hyphen and first.period.grain == "year" and second.piece:
        return None  # 2025-Q2
    return _joined(parser, first, second)


@rule("RANGE", "'从'|'自'|'由'|'在'|'于' REF '开始'|'起'? .to REF .stop_zh?")
@rule("RANGE", "REF '开始'|'起'? .to REF .stop_zh?", "'从'|'自'|'在'|'介于' REF '和'|'与' REF '之间'")
@rule("RANGE", "REF '和'|'与' REF '之间'")
def from_to_zh(parser: Parser, first: Reference, second: Reference) -> Interval | None:
    return _joined(parser, first, second)


def _joined(parser: Parser, first: Reference, second: Reference) -> Interval | None:
    """The range over two references. One without a year takes it from the other."""
    calendar = parser.calendar
    start, end = first.period, second.period
    if first.piece and not second.piece:
        start = most_recent(first.piece, end.end, calendar) or start
    elif second.piece:
        year = start.start.year
        end = second.in_year(year, calendar).period
        if end.end <= start.start:
            if first.piece:  # *November to February*: the latest that has begun to end
                start, year = first.in_year(year - 1, calendar).period, year - 1
            end = second.in_year(year + 1, calendar).period
    if start.start >= end.end:
        return None
    grain = min(start.grain, end.grain, key=_ORDER.index)
    relative = start.relative or end.relative or bool(first.piece and second.piece)
    facts = Period(
        start.start,
        end.end,
        grain,
        relative=relative,
        fiscal=start.fiscal or end.fiscal,
        to_date=end.to_date or (end.shift == 0 and end.grain == "day"),
        ambiguous=start.ambiguous or end.ambiguous,
    )
    return Interval(start.point or start.start, end.end, facts, (start, end))


@rule("RANGE", "'since' REF", "'since' 'in' REF", "'from' REF 'on'|'onward'|'onwards'|'forward'")
@rule(
    "RANGE",
    "'starting' 'in'|'from'|'on'|'with' REF",
    "'beginning' 'in'|'from'|'on'|'with' REF",
    "'as_of' REF 'on'|'onward'|'onwards'",
)
@rule(
    "RANGE",
    "REF 'or' 'later'|'newer'",
    "REF 'and' 'later'|'onward'|'onwards'|'after'",
    "REF 'onward'|'onwards'",
)
@rule(
    "RANGE",
    "'on'|'in' 'or' 'after' REF",
    "'no'|'not' 'earlier' 'than' REF",
    "'not' 'before' REF",
    "'ever' 'since' REF",
)
@rule("RANGE", "'从'|'自'|'自从'|'由'? REF .since_zh", "'自'|'自从' REF .after_zh?", "'不早于' REF")
def since(parser: Parser, reference: Reference) -> Interval | None:
    """Open to the future; if the reference is the current year or month, up to today."""
    period = reference.period
    until_now = parser.word(parser.end - 1) in ("至今", "到现在", "到目前", "到目前为止")
    current = period.shift == 0 and period.grain != "day"
    if (until_now or current) and period.start <= parser.today:
        return Interval(
            period.start, parser.today + timedelta(days=1), replace(period, to_date=True, certain=True)
        )
    return _interval(period.point or period.start, None, period)


@rule(
    "RANGE",
    "'after'|'past' REF",
    "'later'|'newer'|'more' 'recent' 'than' REF",
    "'later'|'newer' 'than' REF",
    "'following' 'on'? REF",
)
@rule("RANGE", "REF .after_zh", "'晚于' REF", "'在' REF .after_zh", "'自' REF .after_zh '的'?")
def after(parser: Parser, reference: Reference) -> Interval | None:
    if parser.word(parser.begin) == "following":
        return None
    period = reference.period
    return _interval(period.point + timedelta(days=1) if period.point else period.end, None, period)


@rule(
    "RANGE",
    "'before' REF",
    "'prior' 'to' REF",
    "'earlier'|'older' 'than' REF",
    "'up' 'until' 'before' REF",
    "'preceding' REF",
)
@rule("RANGE", "'在'? REF .before_zh", "'早于' REF")
def before(parser: Parser, reference: Reference) -> Interval | None:
    if parser.word(parser.begin) == "preceding":
        return None
    period = reference.period
    return _interval(None, period.point or period.start, period)


@rule("RANGE", "'until'|'till'|'through'|'by'|'thru' REF", "'up' 'to'|'until'|'till' REF", "'as_of' REF")
@rule(
    "RANGE",
    "'on'|'in' 'or' 'before' REF",
    "REF 'or' 'earlier'|'older'|'before'",
    "REF 'and' 'before'|'earlier'",
    "'no'|'not' 'later' 'than' REF",
    "'not' 'after' REF",
)
@rule("RANGE", ".until_zh REF '为止'|'止'|'底'?", "REF '为止'", ".until_zh '到' REF '为止'|'止'?")
@rule("RANGE", "'不晚于' REF", "REF '及'|'及其' '以前'|'之前'", "REF '以前' '含'")
def until(parser: Parser, reference: Reference) -> Interval | None:
    """Up to the end of the period. 到 alone needs 为止."""
    opening = parser.word(parser.begin)
    if opening in ("到", "至") and parser.word(parser.end - 1) not in ("为止", "止"):
        return None
    if opening == "by" and not reference.period.certain:
        return None
    period = reference.period
    end = period.point + timedelta(days=1) if period.point else period.end
    return _interval(None, end, period)


@rule("RANGE", "'more' 'than' number|article unit 'ago'", "'over'|'at' 'least'? number|article unit 'ago'")
@rule("RANGE", "'超过' number '个'? unit '前'|'之前'|'以前'", "number '个'? unit '以前'|'之前' '的'?")
def longer_ago(parser: Parser, count: int, unit: Grain) -> Interval | None:
    """*More than 30 days ago*, 一年以前."""
    if parser.tag(parser.begin, "number") is not None and (
        parser.word(parser.begin + 1) != "个" and unit == "month"
    ):
        return None
    if unit == "hour" or (unit == "year" and count > 99):
        return None
    day = add(parser.today, unit, -count)
    return Interval(None, day, Period(day, day, "day", relative=True))


@rule(
    "RANGE",
    "number? unit 'before'|'after'|'following' REF",
    "'within' number unit 'of'|'after' REF",
    "REF .after_zh '的'? number '个'? unit '内'?",
)
@rule("RANGE", "REF .before_zh '的'? number '个'? unit")
def beside(parser: Parser, *values: object) -> Interval | None:
    """*The 30 days before 2025-03-01*, 春节前7天: units next to a period."""
    reference = next(value for value in values if isinstance(value, Reference))
    count = next((value for value in values if isinstance(value, int)), 1)
    unit: Grain = next(value for value in values if value in _ORDER)
    words = {token.text for token in parser.tokens[parser.begin : parser.end]}
    period = reference.period
    if unit == "hour":
        return None
    if words & {"before", "前", "之前", "以前"}:
        return _interval(add(period.start, unit, -count), period.start, period)
    return _interval(period.end, add(period.end, unit, count), period)
