"""Cron expressions and the schedule loop."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from text2sql.errors import UsageError
from text2sql.reports.cron import read_cron
from text2sql.reports.schedule import read_schedule, run_on_schedule


@pytest.mark.parametrize(
    ("cron", "after", "due"),
    [
        ("* * * * *", "2026-11-16 03:10:59", "2026-11-16 03:11"),
        ("0 8 * * 1", "2026-11-16 08:00:00", "2026-11-23 08:00"),
        ("0 8 * * mon", "2026-11-16 07:59:00", "2026-11-16 08:00"),
        ("*/15 9-17 * * 1-5", "2026-11-13 17:46:00", "2026-11-16 09:00"),
        ("30 6 1 * *", "2026-12-31 00:00:00", "2027-01-01 06:30"),
        ("0 0 29 2 *", "2026-01-01 00:00:00", "2028-02-29 00:00"),
        ("0 0 13 * 5", "2026-11-08 00:00:00", "2026-11-13 00:00"),
        ("0 0 1 * 5", "2026-11-08 00:00:00", "2026-11-13 00:00"),
        ("5,35 10/6 * jan,jul sun", "2026-11-16 00:00:00", "2027-01-03 10:05"),
        ("0 0 * * 7", "2026-11-16 00:00:00", "2026-11-22 00:00"),
        ("@monthly", "2026-11-16 00:00:00", "2026-12-01 00:00"),
    ],
)
def test_the_next_time_is_found(cron: str, after: str, due: str) -> None:
    assert read_cron(cron).after(datetime.fromisoformat(after)) == datetime.fromisoformat(due)


@pytest.mark.parametrize(
    "cron",
    ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "*/0 * * * *",
     "5-1 * * * *", "a * * * *", "1,, * * * *", "0 0 30 2 *", "-1 * * * *", "٣ * * * *"],
)  # fmt: skip
def test_an_invalid_schedule_is_refused(cron: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_cron(cron)
    assert caught.value.message_key == "usage.report_cron"


class Clock:
    """A fake clock that advances only during sleep and work."""

    def __init__(self, now: str) -> None:
        self.now = datetime.fromisoformat(now)

    def __call__(self) -> datetime:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def due_times(cron: str, clock: Clock, work: Callable[[], timedelta], times: int) -> list[str]:
    runs: list[str] = []

    async def run_job(due: datetime) -> None:
        runs.append(f"{due:%d %H:%M}")
        clock.now += work()
        if len(runs) == times:
            raise StopAsyncIteration

    async def run() -> None:
        await run_on_schedule(read_cron(cron), run_job, now=clock, sleep=clock.sleep)

    with pytest.raises((StopAsyncIteration, RuntimeError)):
        asyncio.run(run())
    return runs


def test_a_report_is_built_whenever_it_is_due() -> None:
    clock = Clock("2026-11-16 07:30:20")
    assert due_times("0 8 * * *", clock, lambda: timedelta(minutes=5), 3) == [
        "16 08:00",
        "17 08:00",
        "18 08:00",
    ]


def test_times_that_pass_during_a_run_are_skipped() -> None:
    clock = Clock("2026-11-16 07:59:00")
    assert due_times("*/10 * * * *", clock, lambda: timedelta(minutes=25), 3) == [
        "16 08:00",
        "16 08:30",
        "16 09:00",
    ]


def test_a_schedule_is_read_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "weekly.md").write_text("{{ a }}")
    (tmp_path / "all.yaml").write_text(
        "- template: weekly.md\n  out: weekly-{date}.html\n  every: 0 8 * * 1\n"
        "  parameters: {month: 2026-10}\n"
    )
    (job,) = read_schedule(tmp_path / "all.yaml")
    assert job.template == tmp_path / "weekly.md"
    assert job.target(datetime(2026, 11, 16).date()) == tmp_path / "weekly-2026-11-16.html"
    assert job.lock == tmp_path / "weekly.md.lock.yaml"
    assert job.parameters == {"month": "2026-10"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("x", "usage.report_schedule"),
        ("[]", "usage.report_schedule"),
        ("- template: a.md", "usage.report_schedule"),
        ("- {template: a.md, out: a.html, every: '* * * * *', evry: 1}", "usage.report_schedule"),
        ("- {template: a.txt, out: a.html, every: '* * * * *'}", "usage.report_template"),
        ("- {template: a.md, out: a.xls, every: '* * * * *'}", "usage.report"),
        ("- {template: a.md, out: a.html, every: never}", "usage.report_cron"),
        ("- {template: a.md, out: a.md, every: '* * * * *'}", "usage.export"),
    ],
)
def test_an_error_in_a_schedule_is_reported_before_it_starts(text: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "all.yaml").write_text(text)
    with pytest.raises(UsageError) as caught:
        read_schedule(tmp_path / "all.yaml")
    assert caught.value.message_key == key
