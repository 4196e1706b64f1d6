"""Dates, months and periods as people write them in each language."""

from collections.abc import Mapping
from datetime import date, timedelta

from text2sql.i18n import Language
from text2sql.result_columns.temporal import Grain, Moment

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_CHINESE_DIGITS = "一二三四五六日"
_QUARTERS = "一二三四"


def month_name(month: int, lang: Language) -> str:
    return f"{month}月" if lang == "zh" else _MONTHS[month - 1]


def part_text(part: str, number: int, lang: Language) -> str:
    """A part of a date that repeats: each March, Mondays, 14 o'clock."""
    if part == "month" and 1 <= number <= 12:
        return month_name(number, lang)
    if part == "weekday" and 0 <= number <= 7:
        return f"周{_CHINESE_DIGITS[number - 1]}" if lang == "zh" else _WEEKDAYS[number - 1]
    if part == "quarter" and 1 <= number <= 4:
        return f"第{_QUARTERS[number - 1]}季度" if lang == "zh" else f"Q{number}"
    if part == "hour":
        return f"{number}点" if lang == "zh" else f"{number}:00"
    if part == "day":
        return f"{number}日" if lang == "zh" else f"day {number}"
    return str(number)


def moment_text(time: Moment, lang: Language, grain: Grain | None = None) -> str:
    at, grain = time.at, grain or time.grain
    if grain == "year":
        return f"{at.year}年" if lang == "zh" else str(at.year)
    if grain == "quarter":
        quarter = (at.month + 2) // 3
        return f"{at.year}年第{_QUARTERS[quarter - 1]}季度" if lang == "zh" else f"Q{quarter} {at.year}"
    if grain == "month":
        return f"{at.year}年{at.month}月" if lang == "zh" else f"{_MONTHS[at.month - 1]} {at.year}"
    if grain == "week":
        year, week, _ = at.isocalendar()
        return f"{year}年第{week}周" if lang == "zh" else f"week {week} of {year}"
    day = day_text(at.date(), lang)
    if grain == "day":
        return day
    clock = at.strftime("%H:%M:%S" if at.second else "%H:%M")
    return f"{day} {clock}" if lang == "zh" else f"{day}, {clock}"


def day_text(day: date, lang: Language) -> str:
    if lang == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def period_text(start: date, before: date, lang: Language) -> tuple[str, bool]:
    """The name of a half-open period, and whether it is a calendar year, month or day, so that its dates need
    not be shown.
    """
    days = (before - start).days
    if days == 1:
        return day_text(start, lang), True
    if start.day == 1 and before.day == 1:
        months = (before.year - start.year) * 12 + before.month - start.month
        if months == 1:
            return (
                f"{start.year}年{start.month}月"
                if lang == "zh"
                else f"{_MONTHS[start.month - 1]} {start.year}"
            ), True
        if months == 12 and start.month == 1:
            return (f"{start.year}年" if lang == "zh" else str(start.year)), True
        if months == 3 and start.month % 3 == 1:
            quarter = (start.month + 2) // 3
            return (
                f"{start.year}年第{_QUARTERS[quarter - 1]}季度"
                if lang == "zh"
                else f"Q{quarter} {start.year}"
            ), False
        if months % 12 == 0 and start.month == 1:
            last = before.year - 1
            return (f"{start.year}年至{last}年" if lang == "zh" else f"{start.year} to {last}"), True
    return dates_text(start, before, lang), True


def dates_text(start: date, before: date, lang: Language) -> str:
    last = before - timedelta(days=1)
    return (
        f"{start.isoformat()} 至 {last.isoformat()}"
        if lang == "zh"
        else f"{start.isoformat()} to {last.isoformat()}"
    )


NEXT_STEP: Mapping[Grain, int] = {"day": 1, "week": 7}


def steps_between(first: Moment, second: Moment, grain: Grain) -> int:
    """How many buckets the second time is after the first one."""
    days = (second.at.date() - first.at.date()).days
    months = (second.at.year - first.at.year) * 12 + second.at.month - first.at.month
    if grain == "year":
        return second.at.year - first.at.year
    if grain == "quarter":
        return round(months / 3)
    if grain == "month":
        return months
    return days // NEXT_STEP.get(grain, 1)
