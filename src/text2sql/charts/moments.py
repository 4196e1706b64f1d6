"""Moments as text: ISO dates and times, months, quarters, weeks, years; and how an axis writes them."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from text2sql.types import Value

Grain: TypeAlias = Literal["moment", "day", "week", "month", "quarter", "year"]
GRAINS: tuple[Grain, ...] = ("moment", "day", "week", "month", "quarter", "year")
# d3's format of a grain. Figures only: they read the same in both languages.
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
        """Without an offset, which every reader takes for local time, and shows as it is written here:
        with one, or as a bare date, the 1st becomes the 31st of the month before, west of Greenwich.
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
    """`may_be_year` is for integers: 2000 is a good number of orders, too."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Moment(datetime(value, 1, 1), "year") if may_be_year and 1800 <= value < 2100 else None
    if not isinstance(value, str) or not 4 <= len(value) <= 40:
        return None
    try:
        return _read(value.strip())
    except (ValueError, OverflowError):
        return None


def as_grain(one: Moment, grain: Grain) -> Moment:
    """The same moment, told as finely as its neighbours are."""
    return one if one.grain == grain else Moment(one.at, grain)


def _read(text: str) -> Moment | None:
    if found := _YEAR.fullmatch(text):
        return Moment(datetime(int(found[1]), 1, 1), "year")
    if found := _DAY.fullmatch(text):
        year, month, day = (int(part) for part in found.groups() if part)
        return Moment(datetime(year, month, day), "day")
    if _TIMED.fullmatch(text):
        at = datetime.fromisoformat(text).replace(tzinfo=None)
        return Moment(at, "day" if at.time() == datetime.min.time() else "moment")
    return _part(text)


def _part(text: str) -> Moment | None:
    if found := _MONTH.fullmatch(text):
        year, month = (int(part) for part in found.groups() if part)
        return Moment(datetime(year, month, 1), "month")
    if found := _QUARTER.fullmatch(text):
        year, quarter = (_CHINESE.get(part) or int(part) for part in found.groups() if part)
        return Moment(datetime(year, 3 * quarter - 2, 1), "quarter")
    if found := _WEEK.fullmatch(text):
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
        return Moment(datetime.combine(monday, datetime.min.time()), "week")
    return None
