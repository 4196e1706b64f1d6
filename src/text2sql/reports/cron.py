"""Cron expressions with five fields, in local time.

Supports numbers, names, lists, ranges and steps. If both day fields are restricted, either may match, as in
every cron.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from text2sql.errors import UsageError

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAYS = "sun mon tue wed thu fri sat".split()
# (name, least, most, names)
_FIELDS: Sequence[tuple[str, int, int, Mapping[str, int]]] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day", 1, 31, {}),
    ("month", 1, 12, {name: at for at, name in enumerate(_MONTHS, 1)}),
    ("weekday", 0, 7, {name: at for at, name in enumerate(_DAYS)}),
)
_SHORT = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
_SEARCH_LIMIT = timedelta(days=8 * 366)  # 29 February comes every eight years at the latest


@dataclass(frozen=True, slots=True)
class Cron:
    """A parsed cron expression."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]  # 0 is Sunday
    any_day: bool  # True if one of the two day fields starts with `*`; then both must match

    def after(self, moment: datetime) -> datetime:
        """The first matching minute after a moment."""
        at = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        until = at + _SEARCH_LIMIT
        while at < until:
            if at.month not in self.months:
                at = (at.replace(day=1, hour=0, minute=0) + timedelta(days=32)).replace(day=1)
            elif not self._day(at):
                at = at.replace(hour=0, minute=0) + timedelta(days=1)
            elif at.hour not in self.hours:
                at = at.replace(minute=0) + timedelta(hours=1)
            elif at.minute not in self.minutes:
                at += timedelta(minutes=1)
            else:
                return at
        raise UsageError("usage.report_cron", cron=self.text, detail="no such day")

    def _day(self, at: datetime) -> bool:
        by_date, by_week = at.day in self.days, at.isoweekday() % 7 in self.weekdays
        return (by_date and by_week) if self.any_day else (by_date or by_week)


def read_cron(text: str) -> Cron:
    """Parse a cron expression; raise UsageError if it is invalid or never matches."""
    words = _SHORT.get(text.strip().lower(), text).lower().split()
    if len(words) != len(_FIELDS):
        raise UsageError("usage.report_cron", cron=text[:80], detail=f"{len(words)} fields")
    try:
        parsed = [
            _field(word, least, most, names)
            for word, (_, least, most, names) in zip(words, _FIELDS, strict=True)
        ]
    except ValueError as error:
        raise UsageError("usage.report_cron", cron=text[:80], detail=str(error)[:80]) from error
    minutes, hours, days, months, weekdays = parsed
    any_day = words[2].startswith("*") or words[4].startswith("*")
    cron = Cron(text, minutes, hours, days, months, frozenset(day % 7 for day in weekdays), any_day)
    cron.after(datetime(2024, 1, 1))
    return cron


def _field(word: str, least: int, most: int, names: Mapping[str, int]) -> frozenset[int]:
    values: set[int] = set()
    for part in word.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span == "*":
            low, high = least, most
        else:
            low = _number(first, names)
            high = _number(last, names) if dash else most if slash else low
        stride = _number(step, {}) if slash else 1
        if not (least <= low <= high <= most and stride > 0):
            raise ValueError(part)
        values |= set(range(low, high + 1, stride))
    return frozenset(values)


def _number(word: str, names: Mapping[str, int]) -> int:
    if word in names:
        return names[word]
    if not word.isascii() or not word.isdigit() or len(word) > 2:
        raise ValueError(word or "empty")
    return int(word)
