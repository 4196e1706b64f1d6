"""Properties of the reading of time: for all questions, days and calendars."""

import time
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from question.test_time import TODAY, cases
from text2sql.question import read_time
from text2sql.question.time.dates import easter
from text2sql.question.time.grammar import RULES
from text2sql.question.time.lexicon import lexicon, lunar_dates
from text2sql.types import Calendar, TimeRange

DAYS = st.dates(date(1990, 1, 1), date(2090, 12, 31))
CALENDARS = st.builds(
    Calendar, st.integers(1, 7), st.integers(1, 12), st.sampled_from(["start", "end"]), st.just("")
)
QUESTIONS = sorted({**cases("en", "iso"), **cases("zh", "iso")})
WORDS = st.sampled_from(
    [*lexicon().tags, "the", "of", "的", "-", "2024", "31", "3", "个", "二〇二五", "12/13/2024"]
)


def only_range(question: str, today: date = TODAY, calendar: Calendar | None = None) -> tuple[date, date]:
    (found,) = read_time(question, today, calendar).ranges
    assert found.start is not None
    assert found.end is not None
    return found.start, found.end


def is_ordered(time_range: TimeRange) -> bool:
    start, end = time_range.start, time_range.end
    return start is None or end is None or start < end


@settings(deadline=None)
@given(
    st.text() | st.lists(WORDS, max_size=12).map(" ".join) | st.lists(WORDS, max_size=12).map("".join),
    DAYS,
    CALENDARS,
)
def test_any_text_is_read_into_ordered_ranges_of_the_text(text: str, today: date, calendar: Calendar) -> None:
    reading = read_time(text, today, calendar)
    compared = reading.comparison.ranges if reading.comparison else ()
    assert all(map(is_ordered, (*reading.ranges, *compared)))
    for time_range in reading.ranges:
        assert reading.question[slice(*time_range.span)] == time_range.text


@settings(deadline=None)
@given(st.sampled_from(QUESTIONS), DAYS, CALENDARS)
def test_questions_are_read_on_every_day_in_every_calendar(
    question: str, today: date, calendar: Calendar
) -> None:
    assert all(map(is_ordered, read_time(question, today, calendar).ranges))


@settings(deadline=None)
@given(
    st.integers(1, 999),
    DAYS,
    st.sampled_from(["orders in the last {} days", "近{}天的订单", "过去{}天的订单"]),
)
def test_the_last_days_are_as_many_as_the_question_says(count: int, today: date, question: str) -> None:
    start, end = only_range(question.format(count), today)
    assert (end - start).days == count
    assert end == today + timedelta(days=1)


@settings(deadline=None)
@given(st.integers(1950, 2080), CALENDARS, st.sampled_from([("Q{} {}", "in {}"), ("{1}年第{0}季度", "{}年")]))
def test_the_quarters_of_a_year_are_the_year(
    year: int, calendar: Calendar, patterns: tuple[str, str]
) -> None:
    quarters = [only_range(patterns[0].format(number, year), TODAY, calendar) for number in range(1, 5)]
    whole = only_range(patterns[1].format(year), TODAY, calendar)
    assert (quarters[0][0], quarters[-1][1]) == whole
    assert [end for _, end in quarters[:-1]] == [start for start, _ in quarters[1:]]


@settings(deadline=None)
@given(st.integers(2001, 2080), CALENDARS)
def test_the_quarters_of_a_fiscal_year_are_the_year(year: int, calendar: Calendar) -> None:
    quarters = [only_range(f"FY{year} Q{number}", TODAY, calendar) for number in range(1, 5)]
    assert (quarters[0][0], quarters[-1][1]) == only_range(f"FY{year}", TODAY, calendar)
    assert quarters[0][0].month == calendar.fiscal_year_start


@settings(deadline=None)
@given(DAYS, CALENDARS)
def test_last_this_and_next_adjoin(today: date, calendar: Calendar) -> None:
    for unit in ("week", "month", "quarter", "year"):
        before, now, after = (
            only_range(f"orders {which} {unit}", today, calendar) for which in ("last", "this", "next")
        )
        assert before[1] == now[0] <= today < now[1] == after[0]
    for unit in ("周", "个月", "个季度"):
        before, now, after = (
            only_range(f"{which}{unit}的订单", today, calendar) for which in ("上", "这", "下")
        )
        assert before[1] == now[0] <= today < now[1] == after[0]


@settings(deadline=None)
@given(DAYS)
def test_dates_are_read_back(day: date) -> None:
    spellings = (
        f"{day}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day:%Y/%m/%d}",
    )
    chinese = f"{day.year}年{day.month}月{day.day}日"
    for spelling in (*spellings, chinese):
        assert only_range(f"orders on {spelling}") == (day, day + timedelta(days=1)), spelling


@pytest.mark.parametrize(
    ("before", "after"), [("Please tell me: ", " Thanks a lot."), ("请问，", "，谢谢。")]
)
def test_other_words_do_not_change_the_reading(before: str, after: str) -> None:
    for question in QUESTIONS:
        if question.isascii() == before.isascii():
            reading, longer = read_time(question, TODAY), read_time(before + question + after, TODAY)
            dates = [
                [(found.start, found.end, found.certain) for found in one.ranges] for one in (reading, longer)
            ]
            assert dates[0] == dates[1], question


def test_the_order_of_day_and_month_is_a_parameter() -> None:
    question = "orders on 3/4/2025"
    found = [read_time(question, TODAY, day_first=day_first).ranges[0] for day_first in (None, False, True)]
    assert [time_range.start for time_range in found] == [
        date(2025, 3, 4),
        date(2025, 3, 4),
        date(2025, 4, 3),
    ]
    assert [time_range.ambiguous for time_range in found] == [True, False, False]


def test_hours_count_back_from_now() -> None:
    (found,) = read_time("visits in the last 24 hours", datetime(2026, 11, 19, 15, 30)).ranges
    assert (found.start, found.end) == (datetime(2026, 11, 18, 15, 30), datetime(2026, 11, 19, 15, 30))


def test_reading_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        text = "the end of the first week of last month compared with 去年3月的最后一天到昨天, " * count
        started = time.process_time()
        read_time(text, TODAY)
        return time.process_time() - started

    seconds(1)
    assert seconds(80) < 10 * 2 * max(seconds(8), 0.01)


def test_every_rule_takes_what_its_pattern_captures() -> None:
    for rules in RULES.values():
        for rule in rules:
            code = rule.action.__code__
            captured = sum(item.captured for item in rule.items) + 1
            most = 99 if code.co_flags & 4 else code.co_argcount
            least = code.co_argcount - len(rule.action.__defaults__ or ())
            assert least <= captured <= most, rule


def test_movable_days_are_those_of_the_almanac() -> None:
    assert [easter(year) for year in (2000, 2024, 2025, 2026, 2038)] == [
        date(2000, 4, 23), date(2024, 3, 31), date(2025, 4, 20), date(2026, 4, 5), date(2038, 4, 25),
    ]  # fmt: skip
    new_year = lunar_dates("spring_festival")
    assert new_year[2024] == date(2024, 2, 10)
    assert all(date(year, 1, 21) <= day <= date(year, 2, 20) for year, day in new_year.items())
