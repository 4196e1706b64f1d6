"""English periods that depend on the current day: *last quarter*, *past 30 days*, *3 weeks ago*."""

import re
from dataclasses import replace
from datetime import timedelta

from text2sql.question.time import periods
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.periods import Period, add, day_period, first_day, shifted
from text2sql.question.time.references import Piece, most_recent
from text2sql.types import Grain

_OVER = re.compile(r"\b(?:in|over|during|within|for|from)\s+the\s+$", re.IGNORECASE)


def unit_period(parser: Parser, unit: Grain, offset: int) -> Period:
    """The current week, month …, moved by an offset."""
    period = shifted(parser.today, unit, offset, parser.calendar)
    return replace(period, relative=True, shift=offset)


def rolling(parser: Parser, unit: Grain, count: int) -> Period | None:
    """The last units up to and including today. Quarters and halves are complete ones."""
    if not count:
        return None
    if unit == "hour":
        return _rolling_hours(parser, count)
    if unit in ("quarter", "half") and count > 0:
        return complete(parser, unit, count)
    tomorrow = parser.today + timedelta(days=1)
    if count < 0:  # ahead
        return Period(parser.today, add(parser.today, unit, -count), unit, relative=True)
    return Period(add(tomorrow, unit, -count), tomorrow, unit, relative=True, to_date=True)


def _rolling_hours(parser: Parser, count: int) -> Period:
    start, end = parser.now - timedelta(hours=count), parser.now
    if count < 0:
        start, end = end, start
    return Period(start, end, "hour", relative=True, to_date=True)


def complete(parser: Parser, unit: Grain, count: int) -> Period | None:
    """The units before the current one."""
    if unit == "hour" or not count:
        return None
    end = first_day(parser.today, unit, parser.calendar)
    return Period(add(end, unit, -count), end, unit, relative=True)


def ago(parser: Parser, unit: Grain, count: int) -> Period | None:
    """The day, or the month or year, that many units before today."""
    if unit == "hour":
        return None
    day = add(parser.today, unit, -count)
    if unit in ("day", "week"):
        return replace(day_period(day), relative=True)
    return replace(shifted(day, unit, 0, parser.calendar), relative=True, point=day)


def to_date(parser: Parser, unit: Grain, *, fiscal: bool = False) -> Period:
    start = first_day(parser.today, unit, parser.calendar, fiscal)
    end = parser.today + timedelta(days=1)
    return Period(start, end, unit, relative=True, to_date=True, fiscal=fiscal, shift=0)


@rule("BASE", "shift")
def named_shift(parser: Parser, shift: str) -> Period:
    unit, offset = shift.split()
    return unit_period(parser, unit, int(offset))  # type: ignore[arg-type]


@rule("BASE", "to_date")
def named_to_date(parser: Parser, unit: Grain) -> Period:
    return to_date(parser, unit)


@rule("BASE", ".fiscal 'year'|'quarter' 'to' 'date'", ".fiscal_year_word 'to' 'date'", "'fytd'", "'fy' 'ytd'")
def fiscal_to_date(parser: Parser) -> Period:
    quarter = any(token.text == "quarter" for token in parser.tokens[parser.begin : parser.end])
    return to_date(parser, "quarter" if quarter else "year", fiscal=True)


@rule("BASE", "which unit", "which 'calendar'|'full'|'complete' unit")
def which_unit(parser: Parser, offset: int, unit: Grain) -> Period | None:
    if unit in ("hour", "day") and offset == 0:
        return None
    whole = parser.end - parser.begin == 3
    if parser.word(parser.begin) == "last" and not whole:
        if unit == "day" or (unit == "week" and parser.word(parser.end) == "day"):
            return None
        if unit in ("week", "month", "year") and _OVER.search(
            parser.text[: parser.tokens[parser.begin].begin]
        ):
            return rolling(parser, unit, 1)  # *in the last month*; *last month* is the one of the calendar
    if unit == "hour":
        return rolling(parser, unit, -offset)
    return unit_period(parser, unit, offset)


@rule("BASE", "'past' unit", "'trailing' unit")
def past_unit(parser: Parser, unit: Grain) -> Period | None:
    return rolling(parser, unit, 1)


@rule("BASE", "window number unit", "window number 'calendar' unit")
def window_units(parser: Parser, kind: str, count: int, unit: Grain) -> Period | None:
    if parser.word(parser.end - 2) == "calendar" and kind == "rolling":
        kind = "complete"
    if kind == "ahead":
        return rolling(parser, unit, -count)
    return rolling(parser, unit, count) if kind == "rolling" else complete(parser, unit, count)


@rule("BASE", "window number 'full'|'complete'|'completed'|'whole' unit")
def complete_units(parser: Parser, _kind: str, count: int, unit: Grain) -> Period | None:
    return complete(parser, unit, count)


@rule("BASE", "'half' article 'year' 'ago'")
def half_year_ago(parser: Parser, *_: object) -> Period | None:
    return ago(parser, "month", 6)


@rule("BASE", "window 'fortnight'", "'past' 'fortnight'")
def past_fortnight(parser: Parser, *_: object) -> Period | None:
    return rolling(parser, "week", 2)


@rule("BASE", "window 'half' 'year'", "window 'half' 'a' 'year'")
def past_half_year(parser: Parser, kind: str) -> Period | None:
    return rolling(parser, "month", 6) if kind == "rolling" else None


@rule("BASE", "number|article unit 'ago'", "number|article unit 'before' 'today'|'now'", "number unit 'back'")
def units_ago(parser: Parser, count: int, unit: Grain) -> Period | None:
    return ago(parser, unit, count)


@rule("BASE", "'past' weekday", "'this' 'past' weekday")
def past_weekday(parser: Parser, weekday: int) -> Period:
    return which_weekday(parser, -1, weekday)


@rule("BASE", "'ttm'|'ltm'", "'trailing' 'twelve' 'months'")
def trailing_year(parser: Parser) -> Period | None:
    return rolling(parser, "month", 12)


@rule("BASE", "which weekday")
def which_weekday(parser: Parser, offset: int, weekday: int) -> Period:
    """*Last Friday* is the latest one before today; *next Friday* is that of next week."""
    if offset < 0:
        since = (parser.today.isoweekday() - weekday) % 7 or 7
        return replace(day_period(parser.today - timedelta(days=since)), relative=True)
    start = first_day(parser.today, "week", parser.calendar) + timedelta(weeks=offset)
    day = start + timedelta(days=(weekday - start.isoweekday()) % 7)
    return replace(day_period(day), relative=True)


@rule("BASE", "which 'weekend'", "which_zh '个'? .weekend")
def which_weekend(parser: Parser, offset: int) -> Period:
    """The Saturday and Sunday of a week from Monday to Sunday."""
    monday = parser.today - timedelta(days=parser.today.isoweekday() - 1)
    saturday = monday + timedelta(weeks=offset, days=5)
    return Period(saturday, saturday + timedelta(days=2), "day", relative=True)


@rule("BASE", "which PIECE")
def which_piece(parser: Parser, offset: int, piece: Piece) -> Period | None:
    """*Last March*, *last Christmas*: the latest that is over. *Next March*: the first that is to come."""
    if not piece.stands_alone or parser.tag(parser.begin + 1, "unit"):
        return None
    if parser.tag(parser.begin + 1, "half_name") or parser.tag(parser.begin + 1, "ordinal"):
        return None
    if offset == 0:
        year = periods.year_period(parser.today.year)
        found = piece.of(year, parser.calendar)
    elif offset < 0:
        found = most_recent(piece, parser.today, parser.calendar)
        if found and found.end > parser.today:
            found = most_recent(piece, found.start, parser.calendar)
    else:
        years = (periods.year_period(parser.today.year + ahead) for ahead in range(2))
        coming = (piece.of(year, parser.calendar) for year in years)
        found = next((period for period in coming if period and period.start > parser.today), None)
    return replace(found, relative=True) if found else None
