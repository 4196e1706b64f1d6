"""Periods and calendar arithmetic."""

from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import MAXYEAR, MINYEAR, date, datetime, timedelta

from text2sql.types import Calendar, Grain

MONTHS: dict[Grain, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12}
_DAYS: dict[Grain, int] = {"day": 1, "week": 7}


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open period of days. `point` is the day that *since* and *before* count from if it is not the
    first one: *three months ago* names a month, *since three months ago* a day.
    """

    start: date
    end: date
    grain: Grain
    relative: bool = False
    fiscal: bool = False
    to_date: bool = False  # it ends today on purpose
    certain: bool = True
    ambiguous: bool = False
    shift: int | None = None  # the offset of *last month*: -1
    point: date | None = None


def add_months(day: date, months: int) -> date:
    """The same day of another month, or its last day if the month is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        raise OverflowError(year)
    return day.replace(year=year, month=month + 1, day=min(day.day, monthrange(year, month + 1)[1]))


def add(day: date, grain: Grain, count: int) -> date:
    if grain in MONTHS:
        return add_months(day, count * MONTHS[grain])
    return day + timedelta(days=count * _DAYS[grain])


def year_period(year: int) -> Period:
    return Period(date(year, 1, 1), date(year + 1, 1, 1), "year")


def month_period(year: int, month: int) -> Period:
    start = date(year, month, 1)
    return Period(start, add_months(start, 1), "month")


def day_period(day: date) -> Period:
    return Period(day, day + timedelta(days=1), "day")


def fiscal_year(name: int, calendar: Calendar) -> Period:
    """The fiscal year that is called by a year."""
    first = calendar.fiscal_year_start
    start_year = name if first == 1 or calendar.fiscal_year_named == "start" else name - 1
    start = date(start_year, first, 1)
    return Period(start, add_months(start, 12), "year", fiscal=True)


def plain_day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def first_day(day: date, grain: Grain, calendar: Calendar, fiscal: bool = False) -> date:
    """The first day of the week, month … that contains a day."""
    if grain in MONTHS:
        origin = calendar.fiscal_year_start if fiscal else 1
        since = (day.month - origin) % MONTHS[grain]
        return add_months(day.replace(day=1), -since)
    if grain == "week":
        return day - timedelta(days=(day.isoweekday() - calendar.week_start) % 7)
    return day


def shifted(day: date, grain: Grain, offset: int, calendar: Calendar, fiscal: bool = False) -> Period:
    """The period that contains a day, moved by an offset: -1 is the one before."""
    start = add(first_day(day, grain, calendar, fiscal), grain, offset)
    return Period(start, add(start, grain, 1), grain, fiscal=fiscal)


def nth(period: Period, grain: Grain, number: int, calendar: Calendar) -> Period | None:
    """The nth unit of a period, from its end if the number is negative."""
    if grain == "week":
        return _nth_week(period, number, calendar)
    if grain not in (*MONTHS, *_DAYS) or grain == period.grain:
        return None
    if number < 0:
        end = add(period.end, grain, number + 1)
        found = replace(period, start=add(period.end, grain, number), end=end, grain=grain)
    else:
        start = add(period.start, grain, number - 1)
        found = replace(period, start=start, end=add(period.start, grain, number), grain=grain)
    return found if number and found.start >= period.start and found.end <= period.end else None


def _nth_week(period: Period, number: int, calendar: Calendar) -> Period | None:
    """ISO 8601 for weeks that start on Monday: a week belongs to the year or month with most of its days.
    Otherwise the first week is the one with the first day.
    """
    if period.grain in ("day", "week", "hour") or number == 0:
        return None
    margin = timedelta(days=3 if calendar.week_start == 1 else 0)
    first = first_day(period.start + margin, "week", calendar)
    last = first_day(period.end - timedelta(days=1) - margin, "week", calendar)
    start = first + timedelta(weeks=number - 1) if number > 0 else last + timedelta(weeks=number + 1)
    if not first <= start <= last:
        return None
    return replace(period, start=start, end=start + timedelta(weeks=1), grain="week")


def leading(period: Period, grain: Grain, count: int) -> Period | None:
    """The first units of a period; the last ones if the count is negative."""
    if grain not in (*MONTHS, *_DAYS) or grain == period.grain:
        return None
    if count < 0:
        found = replace(period, start=add(period.end, grain, count), grain=grain)
    else:
        found = replace(period, end=add(period.start, grain, count), grain=grain)
    return found if count and found.start >= period.start and found.end <= period.end else None


def month_in(period: Period, month: int) -> Period | None:
    """The month of that number in a year."""
    if period.grain != "year" or not 1 <= month <= 12:
        return None
    start = add_months(period.start, (month - period.start.month) % 12)
    return replace(period, start=start, end=add_months(start, 1), grain="month")


def days_in(period: Period, month: int | None, first: int, last: int) -> Period | None:
    """Days of a month, by their numbers. Without a month the period must be one."""
    in_month = period if month is None else month_in(period, month)
    if in_month is None or in_month.grain != "month" or first > last:
        return None
    start, end = in_month.start.replace(day=first), in_month.start.replace(day=last)
    return replace(period, start=start, end=end + timedelta(days=1), grain="day")


def weekday_in(period: Period, weekday: int, number: int) -> Period | None:
    """The nth such weekday of a period, from its end if the number is negative."""
    if number > 0:
        day = period.start + timedelta(days=(weekday - period.start.isoweekday()) % 7 + 7 * (number - 1))
    else:
        last = period.end - timedelta(days=1)
        day = last - timedelta(days=(last.isoweekday() - weekday) % 7 + 7 * (-number - 1))
    inside = period.start <= day < period.end
    return replace(period, start=day, end=day + timedelta(days=1), grain="day") if inside else None
