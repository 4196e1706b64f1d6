"""Scheduled reports, from a server's schedule file or from `--every`.

An entry of a schedule file:

- template: weekly.md
  out: weekly-{date}.html
  every: 0 8 * * 1
  source: shop
  parameters: {city: Oslo}
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from text2sql.client.async_client import AsyncText2SQL
from text2sql.errors import UsageError
from text2sql.reports.blocks import RenderChart
from text2sql.reports.build import Report, build_report, render_in_thread
from text2sql.reports.cron import Cron, read_cron
from text2sql.reports.lock import SUFFIX, Lock, lock_text, parse_lock
from text2sql.reports.outcomes import ReportOptions
from text2sql.reports.output import check_output, write_file, write_report
from text2sql.reports.parameters import check_parameters
from text2sql.reports.template import kind_of, template_at

_MAX_SLEEP = 60.0  # seconds of one sleep; the clock may change, or a laptop may wake up
_KEYS = frozenset(("template", "out", "every", "source", "parameters", "locked"))


@dataclass(frozen=True, slots=True)
class Job:
    """A template with its output, parameters and schedule."""

    template: Path
    out: str  # `{date}` is replaced by the day of the report
    lock: Path
    parameters: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    every: Cron | None = None
    options: ReportOptions = field(default_factory=ReportOptions)

    def target(self, today: date) -> Path:
        return Path(self.out.replace("{date}", f"{today}"))


def job_of(template: Path, out: str = "", lock: Path | None = None, **fields: Any) -> Job:
    """Create a job; raise UsageError if anything about it is invalid."""
    kind = kind_of(template)
    out = out or str(template.with_name(f"{template.stem}-{{date}}.{kind}"))
    check_output(kind, Path(out))
    if Path(out).resolve() == template.resolve():
        raise UsageError("usage.export", path=out, detail=template.name)
    return Job(template, out, lock or template.with_name(template.name + SUFFIX), **fields)


async def run_job(
    job: Job,
    app: AsyncText2SQL,
    options: ReportOptions,
    *,
    today: date,
    render_chart: RenderChart = render_in_thread,
) -> tuple[Report, Path]:
    """Run a job once. The lock file is written before the report, because its queries were expensive."""
    template, lock = template_at(job.template), read_lock_file(job.lock)
    report = await build_report(
        app, template, job.parameters, lock, options, today=today, render_chart=render_chart
    )
    if report.answers.lock != lock and report.answers.lock.entries:
        write_file(job.lock, lock_text(report.answers.lock).encode())
    path = job.target(today)
    await asyncio.to_thread(write_report, report, kind_of(job.template), path)
    return report, path


def read_lock_file(path: Path) -> Lock:
    try:
        return parse_lock(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        return Lock()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("usage.report_lock", path=str(path), problem=str(error)[:100]) from error


async def run_on_schedule(
    cron: Cron,
    work: Callable[[datetime], Awaitable[None]],
    *,
    now: Callable[[], datetime] = datetime.now,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Run `work` on schedule, forever. Runs never overlap: times that pass during a run are skipped."""
    due = cron.after(now())
    while True:
        left = (due - now()).total_seconds()
        if left > 0:
            await sleep(min(left, _MAX_SLEEP))
            continue
        await work(due)
        due = cron.after(max(due, now()))


def read_schedule(path: Path) -> list[Job]:
    """Parse a schedule file. Paths are relative to its folder."""
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise UsageError("usage.report_schedule", path=str(path), problem=str(error)[:200]) from error
    if not isinstance(entries, list) or not entries:
        raise UsageError("usage.report_schedule", path=str(path), problem=type(entries).__name__)
    return [_job(entry, path) for entry in entries]


def _job(entry: Any, path: Path) -> Job:
    def invalid(problem: str) -> UsageError:
        return UsageError("usage.report_schedule", path=str(path), problem=problem)

    if not isinstance(entry, dict) or set(entry) - _KEYS or not {"template", "out", "every"} <= set(entry):
        raise invalid(str(sorted(map(str, entry)) if isinstance(entry, dict) else entry)[:200])
    parameters = entry.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise invalid("parameters")
    return job_of(
        path.parent / str(entry["template"]),
        str(path.parent / str(entry["out"])),
        parameters=check_parameters({str(name): str(value) for name, value in parameters.items()}),
        source=str(entry.get("source") or ""),
        every=read_cron(str(entry["every"])),
        options=ReportOptions(locked=bool(entry.get("locked"))),
    )
