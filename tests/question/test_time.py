"""Expressions of time in questions of both languages; the cases are in `time/en.toml` and `time/zh.toml`."""

import re
import tomllib
from datetime import date, timedelta
from pathlib import Path

import pytest

from text2sql.question import describe_range, read_time
from text2sql.types import Calendar, TimeBucket, TimeRange, TimeReading

TODAY = date(2026, 11, 19)  # a Thursday
CALENDARS = {
    "iso": Calendar(),
    "us": Calendar(week_start=7, fiscal_year_start=10),
    "april": Calendar(fiscal_year_start=4, fiscal_year_named="start"),
}


def cases(language: str, calendar: str) -> dict[str, str]:
    """Question → what it says in that calendar."""
    path = Path(__file__).parent / "time" / f"{language}.toml"
    kinds = tomllib.loads(path.read_text(encoding="utf-8")).values()
    return {
        question: expected if isinstance(expected, str) else expected[calendar]
        for kind in kinds
        for question, expected in kind.items()
    }


def dates(written: str) -> str:
    """A period in full: `2024-03` is `2024-03-01..2024-04-01`."""
    if ".." in written or not written:
        return written
    parts = [int(part) for part in written.split("-")]
    start = date(*[*parts, 1, 1][:3])
    if len(parts) == 3:
        return f"{start}..{start + timedelta(days=1)}"
    months = start.year * 12 + start.month - 1 + (12 if len(parts) == 1 else 1)
    return f"{start}..{date(months // 12, months % 12 + 1, 1)}"


def in_full(expected: str) -> str:
    """The notation of the files, with all periods in full."""
    period = r"(?<![\w*=.-])\d{4}(?:-\d\d){0,2}(?![\d.-]| \d\d:)"
    return re.sub(period, lambda match: dates(match[0]), expected)


def written(time_range: TimeRange) -> str:
    start, end = time_range.start or "", time_range.end or ""
    return f"{start}..{end}" + "?" * (not time_range.certain) + "~" * time_range.ambiguous


def summary(reading: TimeReading) -> str:
    """A reading in the notation of the files."""
    items = [written(time_range) for time_range in reading.ranges]
    items += [f"{part.part}={','.join(map(str, part.values))}" for part in reading.parts]
    items += [f"by:{bucket.grain}" for bucket in reading.buckets]
    items += [f"{window.count}*{window.grain}" for window in reading.windows]
    if reading.comparison:
        compared = "|".join(written(time_range) for time_range in reading.comparison.ranges)
        items.append(f"{reading.comparison.kind}({compared})")
    return " ".join(items)


@pytest.mark.parametrize("calendar", CALENDARS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_questions_are_read(language: str, calendar: str) -> None:
    expected = {question: in_full(text) for question, text in cases(language, calendar).items()}
    assert len(expected) >= 200
    assert {
        question: summary(read_time(question, TODAY, CALENDARS[calendar])) for question in expected
    } == expected


def test_a_range_is_half_open_and_knows_its_place() -> None:
    question = "Revenue by month of the last quarter"
    reading = read_time(question, TODAY)
    (quarter,) = reading.ranges
    assert (quarter.start, quarter.end) == (date(2026, 7, 1), date(2026, 10, 1))
    assert question[slice(*quarter.span)] == quarter.text == "last quarter"
    assert reading.buckets == (TimeBucket("month", "by month", (8, 16)),)


def test_a_description_shows_the_last_day() -> None:
    (english,) = read_time("Revenue last quarter", TODAY).ranges
    (chinese,) = read_time("上个季度的销售额", TODAY).ranges
    assert describe_range(english, "en") == "last quarter (2026-07-01 to 2026-09-30)"
    assert describe_range(chinese, "zh") == "上个季度（2026-07-01 至 2026-09-30）"
    assert describe_range(chinese, "en") == "2026-07-01 to 2026-09-30"
