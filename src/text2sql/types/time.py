"""What a question says about time: periods as dates, buckets, comparisons, and parts that recur.

Positions count characters of the question after NFKC normalization (`TimeReading.question`).
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from text2sql.types.analytic import DatePart

Grain: TypeAlias = Literal["hour", "day", "week", "month", "quarter", "half", "year"]
FiscalYearNamed: TypeAlias = Literal["start", "end"]
PeriodComparisonKind: TypeAlias = Literal["previous_period", "same_period_last_year", "explicit"]
Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Calendar:
    """Conventions of the asker. `week_start` is an ISO weekday (Monday 1 … Sunday 7), `fiscal_year_start` a
    month; `fiscal_year_named` is the year that names a fiscal year, the one in which it starts or ends.
    """

    week_start: int = 1
    fiscal_year_start: int = 1
    fiscal_year_named: FiscalYearNamed = "end"
    time_zone: str = ""


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A half-open period, `start <= t < end`. None is an open side."""

    start: date | datetime | None
    end: date | datetime | None
    grain: Grain
    text: str = ""
    begin: int = 0
    end_position: int = 0
    relative: bool = False  # it depends on the current day
    partial: bool = False  # it ends after the current day
    fiscal: bool = False
    certain: bool = True  # False: a number that may be a year, or a vague period
    ambiguous: bool = False  # day and month of a date such as 3/4/2025 can be swapped

    @property
    def span(self) -> Span:
        return self.begin, self.end_position


@dataclass(frozen=True, slots=True)
class TimeBucket:
    """*By month*, 按月."""

    grain: Grain
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TimePart:
    """A part that recurs: *in March*, *on weekends*. Weekdays are 1 to 7 from Monday on, hours 0 to 23, `day`
    is the day of the month. Without values the question groups by the part: *by day of the week*.

    `recent` is the most recent such period, for a question that means one March, not every March.
    """

    part: DatePart
    values: tuple[int, ...]
    text: str
    span: Span
    recent: TimeRange | None = None


@dataclass(frozen=True, slots=True)
class RollingWindow:
    """*7-day moving average*, 滚动12个月: a window over buckets, not a filter."""

    count: int
    grain: Grain
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class PeriodComparison:
    """A comparison of periods. `ranges` are the period and the one it is compared with, in this order; empty
    if the question names neither: *month over month growth*. `grain` is the period's, if it is named.
    """

    kind: PeriodComparisonKind
    ranges: tuple[TimeRange, ...]
    text: str
    span: Span
    grain: Grain | None = None


@dataclass(frozen=True, slots=True)
class TimeReading:
    """All that a question says about time.

    `ranges` are the periods whose rows are needed. A period that only serves a comparison (*compared with
    last year*) is in `comparison.ranges` alone, except if both are named (kind `explicit`).
    """

    question: str
    ranges: tuple[TimeRange, ...] = ()
    buckets: tuple[TimeBucket, ...] = ()
    parts: tuple[TimePart, ...] = ()
    windows: tuple[RollingWindow, ...] = ()
    comparison: PeriodComparison | None = None
