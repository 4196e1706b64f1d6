"""Expressions of time in questions of both languages."""

from datetime import date

from text2sql.question import describe_range, read_time
from text2sql.types import TimeBucket

TODAY = date(2026, 11, 19)  # a Thursday


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
