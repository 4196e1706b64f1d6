"""English parts of a period: *March*, *March 1st*, *third quarter*, *first three months*, *end*."""

from dataclasses import replace
from datetime import date, timedelta

from text2sql.question.time import periods
from text2sql.question.time.grammar import Match, Parser, rule
from text2sql.question.time.periods import Period
from text2sql.question.time.references import Piece
from text2sql.types import Calendar, DatePart, Grain


def month_piece(month: int) -> Piece:
    return Piece(lambda whole, _: periods.month_in(whole, month), True, True, recurs=(("month", (month,)),))


def days_piece(month: int, first: int, last: int) -> Piece:
    date(2000, month, last)  # an error for February 30
    return Piece(
        lambda whole, _: periods.days_in(whole, month, first, last),
        True,
        True,
        recurs=day_parts(month, first, last),
    )


def day_parts(month: int, first: int, last: int) -> tuple[tuple[DatePart, tuple[int, ...]], ...]:
    """The parts of days that recur every year."""
    return ("month", (month,)), ("day", tuple(range(first, last + 1)))


def nth_piece(grain: Grain, number: int, *, stands_alone: bool = False, joins: bool = False) -> Piece:
    return Piece(
        lambda whole, calendar: periods.nth(whole, grain, number, calendar),
        stands_alone,
        joins,
        recurs=(("quarter", (number,)),) if grain == "quarter" and number > 0 else (),
    )


def leading_piece(grain: Grain, count: int, *, joins: bool = False) -> Piece:
    return Piece(lambda whole, _: periods.leading(whole, grain, count), joins=joins)


def third_piece(number: int) -> Piece:
    """*Early 2025*: a vague third of a period. Of a month, ten days and the rest: 上旬."""

    def of(whole: Period, _: Calendar) -> Period | None:
        if whole.end.year - whole.start.year == 10:
            edges = [whole.start.replace(year=whole.start.year + years) for years in (0, 4, 7)]
            edges.append(whole.end)
            return replace(whole, start=edges[number - 1], end=edges[number], certain=False)
        if whole.grain == "month":
            tenth, twentieth = whole.start + timedelta(days=10), whole.start + timedelta(days=20)
            starts = (whole.start, tenth, twentieth, whole.end)
            return replace(whole, start=starts[number - 1], end=starts[number], grain="day")
        if whole.grain in ("year", "half", "quarter"):
            length = {"year": 4, "half": 2, "quarter": 1}[whole.grain]
            start = periods.add_months(whole.start, length * (number - 1))
            end = periods.add_months(start, length)
            return replace(whole, start=start, end=end, grain="month", certain=False)
        return None

    return Piece(of, joins=True, precedes=True)


@rule("PIECE", "ordinal unit", "ordinal 'calendar'|'full' unit")
def nth_unit(_: Parser, number: int, unit: Grain) -> Piece | None:
    if unit == "quarter" and number > 0:
        return None  # see `quarters`
    return nth_piece(unit, number, joins=unit != "quarter")


@rule("PIECE", "ordinal number unit")
def leading_units(_: Parser, ordinal: int, count: int, unit: Grain) -> Piece | None:
    """*First three months*, *last 10 days*."""
    return leading_piece(unit, count * ordinal, joins=True) if abs(ordinal) == 1 else None


@rule("PIECE", "edge")
def edge(_: Parser, side: str) -> Piece:
    return nth_piece("day", 1 if side == "first" else -1)


@rule("PIECE", "third '-'?", "third 'of'")
def third(_: Parser, number: int) -> Piece:
    return third_piece(number)


@rule("PIECE", "weekday", "ordinal weekday")
def weekday(_: Parser, *values: int) -> Piece:
    number = values[0] if len(values) == 2 else 1

    def of(whole: Period, _calendar: Calendar) -> Period | None:
        if len(values) == 1 and whole.grain != "week":
            return None
        return periods.weekday_in(whole, values[-1], number)

    return Piece(of, joins=len(values) == 1, precedes=len(values) == 1)


@rule("PIECE", "'weekend'")
def weekend(_: Parser) -> Piece:
    def of(whole: Period, _calendar: Calendar) -> Period | None:
        saturday = periods.weekday_in(whole, 6, 1) if whole.grain == "week" else None
        return saturday and replace(saturday, end=saturday.start + timedelta(days=2))

    return Piece(of)


@rule("PIECE", "month", "'month' 'of' month")
def month(parser: Parser, number: int) -> Piece | None:
    name = parser.end - 1
    clear = not parser.tag(name, "doubtful") or _in_time_context(parser, parser.begin, parser.end)
    return month_piece(number) if clear else None


@rule("PIECE", "month '.' ")
def abbreviated_month(parser: Parser, number: int) -> Match | None:
    """*Jan. 2025*: the dot belongs to the month if something of a date follows."""
    following = parser.tokens[parser.end].tags if parser.end < len(parser.tokens) else {}
    dated = "number" in following or "ordinal" in following
    return Match(month_piece(number), parser.end) if dated and parser.adjacent(parser.end - 1) else None


def _in_time_context(parser: Parser, begin: int, end: int) -> bool:
    """Whether a word such as *may* or *march* is a month here."""
    before = parser.tokens[begin - 1].tags if begin else {}
    after = parser.tokens[end].tags if end < len(parser.tokens) else {}
    capitalized = parser.text[parser.tokens[begin].begin].isupper()
    listed = parser.word(end) in ("and", "to", "or", "-", "–", "through", "vs", ",")
    joined = parser.word(begin - 1) in (
        "and",
        "to",
        "or",
        "-",
        "–",
        "through",
        "than",
        "with",
        "from",
        "until",
    )
    between_months = (joined and parser.tag(begin - 2, "month") is not None) or (
        listed and parser.tag(end + 1, "month") is not None
    )
    followed = any(tag in after for tag in ("year_number", "short_year", "ordinal"))
    number = after.get("number", 0) if "digits" in after else 0
    preceded = any(tag in before for tag in ("preposition", "which", "ordinal", "edge", "third", "by"))
    return (
        preceded
        or followed
        or between_months
        or 1 <= number <= 31
        or (begin > 0 and capitalized)
        or ("number" in before and "digits" in before)
    )


def _day(parser: Parser, index: int, value: int) -> bool:
    return (1 <= value <= 31 and "ordinal" in parser.tokens[index].tags) or parser.tag(index, "digits") in (
        1,
        2,
    )


@rule("PIECE", "month number|ordinal", "month '.' number|ordinal")
def month_day(parser: Parser, number: int, day: int) -> Piece | None:
    index = parser.end - 1
    if (
        not _day(parser, index, day)
        or parser.tag(parser.end, "unit")
        or parser.word(parser.end) in ("%", ":")
    ):
        return None
    return days_piece(number, day, day)


@rule(
    "PIECE", "number|ordinal month", "ordinal 'of' month", "ordinal 'day' 'of' month", "number '-' month '-'"
)
def day_month(parser: Parser, day: int, number: int) -> Piece | None:
    doubtful = parser.tag(parser.end - 1, "doubtful") and not parser.tag(parser.begin, "ordinal")
    if not _day(parser, parser.begin, day) or day < 1:
        return None
    if (
        doubtful
        and not parser.tag(parser.end, "year_number")
        and not parser.tag(parser.begin - 1, "preposition")
    ):
        return None
    return days_piece(number, day, day)


@rule("PIECE", "month number|ordinal '-'|'–'|'to'|'through'|'until'|'~' number|ordinal")
def month_days(parser: Parser, number: int, first: int, last: int) -> Piece | None:
    both = _day(parser, parser.begin + 1, first) and _day(parser, parser.end - 1, last)
    return days_piece(number, first, last) if both and first < last else None


@rule("PIECE", "number|ordinal '-'|'–'|'to'|'through' number|ordinal 'of'? month")
def days_month(parser: Parser, first: int, last: int, number: int) -> Piece | None:
    both = _day(parser, parser.begin, first) and _day(parser, parser.begin + 2, last)
    return days_piece(number, first, last) if both and first < last else None


@rule("PIECE", "ordinal")
def day_of_month(parser: Parser, day: int) -> Piece | None:
    """*The 15th* of a month."""
    written = parser.tokens[parser.begin].text[0].isdigit()
    return Piece(lambda whole, _: periods.days_in(whole, None, day, day), joins=False) if written else None
