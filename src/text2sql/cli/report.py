"""`text2sql report`: fill in a template whose placeholders are questions, once or on a schedule."""

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from text2sql.cli import FAILED, OK
from text2sql.cli.answer_view import screen
from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.question_options import language_was_named
from text2sql.cli.sources import policy_from
from text2sql.cli.words import word
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import from_environment
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, explain
from text2sql.reports.build import Report
from text2sql.reports.cron import read_cron
from text2sql.reports.outcomes import PARALLEL, ReportOptions, Step
from text2sql.reports.output import write_file
from text2sql.reports.parameters import read_parameters
from text2sql.reports.schedule import Job, job_of, run_job, run_on_schedule
from text2sql.text_normalization import printable


def command(lang: Language) -> click.Command:
    own = partial(option, lang, "report")
    return Command(
        "report",
        lang,
        partial(run, lang),
        [
            click.Argument(["template"], metavar="TEMPLATE"),
            own("--out", metavar="FILE"),
            own("--param", metavar="NAME=VALUE", multiple=True),
            own("--date", metavar="DATE"),
            click.Option(["--db"], metavar="SOURCE", help=word("--db", lang)),
            click.Option(["--model"], metavar="NAME", help=word("--model", lang)),
            click.Option(["--policy"], metavar="FILE", help=word("--policy", lang)),
            own("--lock", metavar="FILE"),
            flag(lang, "report", "--locked", "locked"),
            flag(lang, "report", "--anew", "anew"),
            own("--record", metavar="FILE"),
            own("--attempts", metavar="N", type=click.IntRange(min=1)),
            own("--parallel", metavar="N", type=click.IntRange(min=1), default=PARALLEL),
            own("--every", metavar="CRON"),
            flag(lang, "report", "--json", "as_json"),
            flag(lang, "report", "--quiet", "quiet"),
        ],
    )


@dataclass(frozen=True, slots=True)
class Presentation:
    """How a run is presented."""

    lang: Language
    as_json: bool
    quiet: bool
    record: Path | None


def run(
    lang: Language,
    *,
    template: str,
    out: str | None,
    param: tuple[str, ...],
    lock: str | None,
    every: str | None,
    locked: bool,
    anew: bool,
    parallel: int,
    attempts: int | None,
    **given: Any,
) -> int:
    options = ReportOptions(
        language=lang if language_was_named() else "",
        parallel=parallel,
        locked=locked,
        ignore_lock=anew,
        max_attempts=attempts or 0,
    )
    job = job_of(
        Path(template),
        out or "",
        Path(lock) if lock else None,
        parameters=read_parameters(param),
        every=read_cron(every) if every else None,
        options=options,
    )
    presentation = Presentation(
        lang, given["as_json"], given["quiet"], Path(given["record"]) if given["record"] else None
    )
    app = AsyncText2SQL(
        given["db"] or "",
        settings=replace(from_environment(), allow_writes=False),
        model=given["model"] or "",
        policy=policy_from(given["policy"]),
    )
    return asyncio.run(_run(job, app, presentation, _day(given["date"])))


async def _run(job: Job, app: AsyncText2SQL, presentation: Presentation, today: date | None) -> int:
    try:
        if job.every is None:
            return await _once(job, app, presentation, today or date.today())
        await run_on_schedule(job.every, partial(_when_due, job, app, presentation))
        return OK
    finally:
        await app.close()


async def _when_due(job: Job, app: AsyncText2SQL, presentation: Presentation, due: datetime) -> None:
    """Run a scheduled report. An error is printed and does not end the schedule."""
    try:
        await _once(job, app, presentation, due.date())
    except Text2SQLError as error:
        click.echo(explain(error, presentation.lang), err=True)


async def _once(job: Job, app: AsyncText2SQL, presentation: Presentation, today: date) -> int:
    with _progress(presentation) as on_step:
        report, path = await run_job(job, app, replace(job.options, on_step=on_step), today=today)
    record = {
        "template": str(job.template),
        "output": str(path),
        "lock": str(job.lock),
        "date": f"{today}",
        **report.record,
    }
    if presentation.record is not None:
        write_file(presentation.record, f"{json.dumps(record, ensure_ascii=False, indent=2)}\n".encode())
    if presentation.as_json:
        echo_json(record)
    else:
        _print_summary(report, path, presentation)
    return FAILED if report.failed else OK


def _print_summary(report: Report, path: Path, presentation: Presentation) -> None:
    """Print the path to standard output and a summary to standard error."""
    click.echo(printable(str(path)))
    if presentation.quiet:
        return
    lang, record = presentation.lang, report.record
    for item in record["items"]:
        if item["error"]:
            reason = printable(item["error"]["message"])
            click.echo(f"✗ {printable(item['asked'])}: {reason}", err=True)
    origins = record["origins"]
    click.echo(
        word(
            "report.told",
            lang,
            filled=record["filled"],
            placeholders=record["placeholders"],
            locked=origins.get("lock", 0),
            first=origins.get("model", 0),
            repaired=origins.get("repair", 0),
            calls=record["model"]["calls"],
            seconds=record["seconds"]["total"],
        ),
        err=True,
    )


@contextmanager
def _progress(presentation: Presentation) -> Iterator[Callable[[Step], None]]:
    """Show progress: a bar on a terminal, otherwise one line per placeholder."""
    if presentation.quiet or presentation.as_json:
        yield lambda _: None
        return
    console = screen(sys.stderr)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def on_step(step: Step) -> None:
            stage = word(f"report.stage.{step.stage}", presentation.lang)
            sign = "✓" if step.passed else "✗"
            question = printable(step.item.resolved)
            if not console.is_terminal:
                click.echo(f"{stage} {step.done}/{step.total} {sign} {question}", err=True)
                return
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task("", total=step.total)
            bar.update(tasks[step.stage], completed=step.done, description=f"{stage} {sign} {question}"[:100])

        yield on_step


def _day(given: str | None) -> date | None:
    if not given:
        return None
    try:
        return date.fromisoformat(given)
    except ValueError as error:
        raise UsageError("usage.report_date", given=given) from error
