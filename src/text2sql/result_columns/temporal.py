"""Parses dates and times (ISO and Chinese months, quarters, weeks, years) and formats them for an axis."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from text2sql.types import Value

Grain: TypeAlias = Literal["moment", "day", "week", "month", "quarter", "year"]
GRAINS: tuple[Grain, ...] = ("moment", "day", "week", "month", "quarter", "year")
# The d3 format of each grain, in digits only, so that it fits both languages.
FORMATS: dict[Grain, str] = {
    "moment": "%Y-%m-%d %H:%M",
    "day": "%Y-%m-%d",
    "week": "%G-W%V",
    "month": "%Y-%m",
    "quarter": "%Y-Q%q",
    "year": "%Y",
}

_YEAR = re.compile(r"(1[89]\d\d|20\d\d)(?:年)?")
_MONTH = re.compile(r"(\d{4})[-/.](\d{1,2})|(\d{4})年(\d{1,2})月")
_QUARTER = re.compile(r"(\d{4})[- ]?Q([1-4])|(\d{4})年?第?([1-4一二三四])季度?", re.IGNORECASE)
_WEEK = re.compile(r"(\d{4})-W(\d{1,2})", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{4})年(\d{1,2})月(\d{1,2})日")
_TIMED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
_CHINESE = {"一": 1, "二": 2, "三": 3, "四": 4}


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    at: datetime
    grain: Grain

    @property
    def iso(self) -> str:
        """Local time without an offset. With an offset, or as a plain date, browsers west of Greenwich would
        show the first of a month as the last day of the month before.
        """
        return self.at.isoformat(timespec="seconds")

    @property
    def label(self) -> str:
        if self.grain == "moment":
            return self.at.isoformat(sep=" ", timespec="seconds")
        if self.grain == "quarter":
            return f"{self.at.year}-Q{(self.at.month + 2) // 3}"
        if self.grain == "week":
            year, week, _ = self.at.isocalendar()
            return f"{year}-W{week:02}"
        return self.at.strftime(FORMATS[self.grain])


def moment(value: Value, may_be_year: bool = True) -> Moment | None:
    """Parse a time. `may_be_year`: an integer such as 2000 may be a year and not, say, a count."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Moment(datetime(value, 1, 1), "year") if may_be_year and 1800 <= value < 2100 else None
    if not isinstance(value, str) or not 4 <= len(value) <= 40:
        return None
    try:
        return _parse(value.strip())
    except (ValueError, OverflowError):
        return None


def _parse(text: str) -> Moment | None:
    if match := _YEAR.fullmatch(text):
        return Moment(datetime(int(match[1]), 1, 1), "year")
    if match := _DAY.fullmatch(text):
        year, month, day = (int(part) for part in match.groups() if part)
        return Moment(datetime(year, month, day), "day")
    if _TIMED.fullmatch(text):
        at = datetime.fromisoformat(text).replace(tzinfo=None)
        return Moment(at, "day" if at.time() == datetime.min.time() else "moment")
    return _parse_period(text)


def _parse_period(text: str) -> Moment | None:
    if match := _MONTH.fullmatch(text):
        year, month = (int(part) for part in match.groups() if part)
        return Moment(datetime(year, month, 1), "month")
    if match := _QUARTER.fullmatch(text):
        year, quarter = (_CHINESE.get(part) or int(part) for part in match.groups() if part)
        return Moment(datetime(year, 3 * quarter - 2, 1), "quarter")
    if match := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(match[1]), int(match[2]), 1)
        return Moment(datetime.combine(monday, datetime.min.time()), "week")
    return None
