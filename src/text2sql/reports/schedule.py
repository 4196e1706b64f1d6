"""Reports that are made again and again: by the file of a schedule in a server, or by `--every`.

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

from text2sql.app import AsyncText2SQL
from text2sql.errors import UsageError
from text2sql.reports.cron import Cron, read_cron
from text2sql.reports.filling import Terms
from text2sql.reports.lock import SUFFIX, Lock, read_lock, written
from text2sql.reports.making import Report, draws_here, make
from text2sql.reports.parameters import checked
from text2sql.reports.showing import Draws
from text2sql.reports.template import kind_of, template_at
from text2sql.reports.writing import check_output, put, write

_LONGEST = 60.0  # seconds of one sleep: a clock may be set, a laptop wakes up
_KEYS = frozenset(("template", "out", "every", "source", "parameters", "locked"))


@dataclass(frozen=True, slots=True)
class Job:
    """A template, where its reports go, and what is said with it."""

    template: Path
    out: str  # `{date}` in it is the day of the report
    lock: Path
    parameters: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    every: Cron | None = None
    terms: Terms = field(default_factory=Terms)

    def target(self, today: date) -> Path:
        return Path(self.out.replace("{date}", f"{today}"))


def job_of(template: Path, out: str = "", lock: Path | None = None, **given: Any) -> Job:
    """Whatever is wrong with it is told now."""
    kind = kind_of(template)
    out = out or str(template.with_name(f"{template.stem}-{{date}}.{kind}"))
    check_output(kind, Path(out))
    if Path(out).resolve() == template.resolve():
        raise UsageError("usage.export", path=out, detail=template.name)
    return Job(template, out, lock or template.with_name(template.name + SUFFIX), **given)


async def do(
    job: Job, app: AsyncText2SQL, terms: Terms, *, today: date, draws: Draws = draws_here
) -> tuple[Report, Path]:
    """One run of a job: the lock file first, since its queries were dear, then the report."""
    template, lock = template_at(job.template), lock_at(job.lock)
    report = await make(app, template, job.parameters, lock, terms, today=today, draws=draws)
    if report.filled.lock != lock and report.filled.lock.entries:
        put(job.lock, written(report.filled.lock).encode())
    path = job.target(today)
    await asyncio.to_thread(write, report, kind_of(job.template), path)
    return report, path


def lock_at(path: Path) -> Lock:
    try:
        return read_lock(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        return Lock()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("usage.report_lock", path=str(path), problem=str(error)[:100]) from error


async def keep(
    cron: Cron,
    work: Callable[[datetime], Awaitable[None]],
    *,
    now: Callable[[], datetime] = datetime.now,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """For ever. A run that takes longer than the pause between two is not begun twice."""
    due = cron.after(now())
    while True:
        left = (due - now()).total_seconds()
        if left > 0:
            await sleep(min(left, _LONGEST))
            continue
        await work(due)
        due = cron.after(max(due, now()))


def read_schedule(path: Path) -> list[Job]:
    """Templates and outputs are found from the schedule's own folder."""
    try:
        held = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise UsageError("usage.report_schedule", path=str(path), problem=str(error)[:200]) from error
    if not isinstance(held, list) or not held:
        raise UsageError("usage.report_schedule", path=str(path), problem=type(held).__name__)
    return [_job(one, path) for one in held]


def _job(held: Any, path: Path) -> Job:
    def wrong(problem: str) -> UsageError:
        return UsageError("usage.report_schedule", path=str(path), problem=problem)

    if not isinstance(held, dict) or set(held) - _KEYS or not {"template", "out", "every"} <= set(held):
        raise wrong(str(sorted(map(str, held)) if isinstance(held, dict) else held)[:200])
    parameters = held.get("parameters") or {}
    if not isinstance(parameters, dict):
        raise wrong("parameters")
    return job_of(
        path.parent / str(held["template"]),
        str(path.parent / str(held["out"])),
        parameters=checked({str(name): str(value) for name, value in parameters.items()}),
        source=str(held.get("source") or ""),
        every=read_cron(str(held["every"])),
        terms=Terms(locked=bool(held.get("locked"))),
    )
