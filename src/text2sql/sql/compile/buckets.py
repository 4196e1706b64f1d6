"""The labels of time buckets, computed here: for buckets without rows, and for names of periods."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from text2sql.sql.compile.context import Context
from text2sql.types import Bucket, Dimension, Filter, TimeFilter, Value

MOST_BUCKETS = 400
_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12}
Moment = date | datetime


def moment(value: Moment) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def floor(value: Moment, bucket: Bucket, week_start: int = 1) -> datetime:
    """The beginning of the bucket that contains a moment."""
    at = moment(value)
    if bucket == "hour":
        return at.replace(minute=0, second=0, microsecond=0)
    day = datetime(at.year, at.month, at.day)
    if bucket == "week":
        return day - timedelta(days=(day.isoweekday() - week_start) % 7)
    if bucket in _MONTHS:
        size = _MONTHS[bucket]
        return datetime(at.year, (at.month - 1) // size * size + 1, 1)
    return day


def shifted(value: Moment, bucket: Bucket, by: int) -> datetime:
    """The moment so many buckets later; the end of a shorter month stands for a day that it lacks."""
    at = moment(value)
    if bucket in _MONTHS:
        months = at.year * 12 + at.month - 1 + by * _MONTHS[bucket]
        year, month = divmod(months, 12)
        last = (datetime(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
        return at.replace(year=year, month=month + 1, day=min(at.day, last))
    unit = {"hour": timedelta(hours=1), "week": timedelta(days=7)}.get(bucket, timedelta(days=1))
    return at + unit * by


def label(value: Moment, bucket: Bucket, week_start: int = 1) -> str:
    at = floor(value, bucket, week_start)
    if bucket == "year":
        return f"{at.year:04d}"
    if bucket == "half":
        return f"{at.year:04d}-H{1 if at.month <= 6 else 2}"
    if bucket == "quarter":
        return f"{at.year:04d}-Q{(at.month + 2) // 3}"
    pattern = {"month": "%Y-%m", "hour": "%Y-%m-%d %H:00"}.get(bucket, "%Y-%m-%d")
    return at.strftime(pattern)


def period_name(start: Moment, end: Moment) -> str:
    """`2025`, `2025-Q3`, `2025-07`, `2025-07-01`, or `2025-07-01 to 2025-09-20` (included)."""
    buckets: tuple[Bucket, ...] = ("year", "half", "quarter", "month", "day", "hour")
    for bucket in buckets:
        if floor(start, bucket) == moment(start) and shifted(start, bucket, 1) == moment(end):
            return label(start, bucket)
    first, last = moment(start), moment(end) - timedelta(seconds=1)
    if first.time() == last.time().min and moment(end).time() == first.time():
        return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"
    return f"{first:%Y-%m-%d %H:%M} to {moment(end):%Y-%m-%d %H:%M}"


@dataclass(frozen=True)
class Known:
    """The smallest and largest moment of a column."""

    smallest: datetime
    largest: datetime


def known_range(context: Context, dimension: Dimension) -> Known | None:
    profile = context.column_profile(dimension.table, dimension.column)
    if profile is None:
        return None
    smallest, largest = (_read(value, dimension) for value in (profile.smallest, profile.largest))
    return Known(smallest, largest) if smallest and largest else None


def _read(value: Value, dimension: Dimension) -> datetime | None:
    """A moment from the profile: ISO text, or a number or text in the column's own format."""
    kind, _, pattern = dimension.format.partition(":")
    try:
        if kind == "epoch" and not isinstance(value, str):
            seconds = float(str(value)) / (1000 if pattern == "ms" else 1)
            return datetime(1970, 1, 1) + timedelta(seconds=seconds)
        if kind == "year":
            return datetime(int(str(value)[:4]), 1, 1)
        text = str(value)
        if pattern == "%Y%m%d" and len(text) == 8 and text.isdigit():
            return datetime.strptime(text, "%Y%m%d")
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except (ValueError, TypeError, OverflowError):
        return None


def labels_without_gaps(
    context: Context, dimension: Dimension, bucket: Bucket, filters: Sequence[Filter], name: str
) -> list[str]:
    """All labels that the rows could have, in order; empty if they are unknown or too many."""
    known = known_range(context, dimension)
    if known is None:
        return []
    times = [each for each in filters if isinstance(each, TimeFilter) and each.dimension == name]
    last = min(known.largest, moment(context.today) + timedelta(days=1, seconds=-1))
    at = floor(known.smallest, bucket, context.week_start)
    labels: list[str] = []
    for _ in range(100_000):
        if at > last:
            return labels
        following = floor(shifted(at, bucket, 1), bucket, context.week_start)
        if all(_meets(each, at, following) for each in times):
            labels.append(label(at, bucket, context.week_start))
            if len(labels) > MOST_BUCKETS:
                return []
        at = following
    return []


def _meets(each: TimeFilter, start: datetime, end: datetime) -> bool:
    """Whether the bucket contains a moment that the filter keeps."""
    in_range = not each.ranges or any(
        (low is None or moment(low) < end) and (high is None or moment(high) > start)
        for low, high in each.ranges
    )
    return in_range and (each.part is None or _contains_part(each, start, end))


def _contains_part(each: TimeFilter, start: datetime, end: datetime) -> bool:
    if each.part == "hour" and end - start > timedelta(hours=1):
        return True
    at = start
    while at < end:
        if _part(at, each) in each.part_values:
            return True
        at += timedelta(days=1)
    return False


def _part(at: datetime, each: TimeFilter) -> int:
    parts = {
        "month": at.month, "quarter": (at.month + 2) // 3, "day": at.day, "hour": at.hour,
        "weekday": at.isoweekday(),
    }  # fmt: skip
    return parts[each.part or "day"]
