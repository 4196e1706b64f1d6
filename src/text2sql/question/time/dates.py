"""Dates in digits, clock times after them, and named days."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from text2sql.question.time import periods
from text2sql.question.time.grammar import Parser, rule
from text2sql.question.time.lexicon import holidays, lunar_dates
from text2sql.question.time.periods import Period, day_period
from text2sql.question.time.pieces_en import day_parts
from text2sql.question.time.references import Piece
from text2sql.question.time.years import is_counted
from text2sql.types import Calendar, DatePart


@rule("BASE", "ymd", "ymd 'T'")
def iso_date(_: Parser, parts: tuple[int, int, int]) -> Period:
    return day_period(date(*parts))


@rule("BASE", "ym", "my")
def year_and_month(parser: Parser, parts: tuple[int, int]) -> Period:
    year, month = parts if parser.tag(parser.begin, "ym") else parts[::-1]
    return periods.month_period(year, month)


@rule("BASE", "xyz")
def date_with_last_year(parser: Parser, parts: tuple[int, int, int]) -> Period | None:
    """3/1/2025: day and month in the order that is given, or else that is possible; with dots, day first."""
    first, second, year = parts
    if year < 100:
        if "/" not in parser.word(parser.begin):
            return None  # 10-12-15 can be anything
        year += 2000 if year <= parser.today.year % 100 + 20 else 1900
    dotted = bool(parser.tag(parser.begin, "dotted"))
    ambiguous = first <= 12 and second <= 12 and first != second and not dotted and parser.day_first is None
    day_first = dotted or first > 12 if parser.day_first is None else parser.day_first
    if second > 12:
        day_first = False
    elif first > 12:
        day_first = True
    day, month = (first, second) if day_first else (second, first)
    return replace(day_period(date(year, month, day)), ambiguous=ambiguous)


@rule("BASE", "ymd 'at'|'t'? clock", "xyz 'at'? clock")
def date_with_time(parser: Parser, parts: tuple[int, int, int], clock: tuple[int, ...]) -> Period | None:
    day = iso_date(parser, parts) if parser.tag(parser.begin, "ymd") else date_with_last_year(parser, parts)
    if day is None:
        return None
    hour, minute, second = (*clock, 0, 0)[:3]
    start = datetime.combine(day.start, datetime.min.time()) + timedelta(
        hours=hour, minutes=minute, seconds=second
    )
    length = (
        timedelta(seconds=1) if len(clock) > 2 else timedelta(minutes=1) if minute else timedelta(hours=1)
    )
    return replace(day, start=start, end=start + length, grain="hour")


@rule(
    "PIECE",
    "holiday",
    "holiday '当天'|'当日'|'那天'",
    "holiday 'period'|'season'|'time'",
    "holiday '的'? number '天'",
)
def holiday(parser: Parser, name: str, length: int = 0) -> Piece | None:
    """A named day, or as many days as 国庆七天 says."""
    entry = {**holidays()[name], **({"days": length} if length else {})}
    if parser.tag(parser.begin, "number") and (is_counted(parser, parser.begin) or parser.text.isascii()):
        return None  # 618 rows

    def of(whole: Period, _calendar: Calendar) -> Period | None:
        if whole.grain != "year":
            return None
        days = timedelta(days=entry.get("days", 1))
        for year in (whole.start.year, whole.end.year):  # a fiscal year has two
            start = _holiday_start(entry, year)
            if start and whole.start <= start < whole.end:
                return replace(whole, start=start, end=start + days, grain="day")
        return None

    recurs: tuple[tuple[DatePart, tuple[int, ...]], ...] = ()
    if "date" in entry:
        month, day = entry["date"]
        recurs = day_parts(month, day, day + entry.get("days", 1) - 1)
    return Piece(of, stands_alone=True, joins=True, recurs=recurs)


def _holiday_start(entry: Mapping[str, Any], year: int) -> date | None:
    if "date" in entry:
        month, day = entry["date"]
        return date(year, month, day)
    if "weekday" in entry:
        month, weekday, number, later = entry["weekday"]
        found = periods.weekday_in(periods.month_period(year, month), weekday, number)
        return found.start + timedelta(days=later) if found else None
    if "easter" in entry:
        return easter(year) + timedelta(days=entry["easter"])
    name, later = entry["lunar"]
    first = lunar_dates(name).get(year)
    return first + timedelta(days=later) if first else None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    epact = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    correction = (year % 19 + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * correction + 114, 31)
    return date(year, month, day + 1)
