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
from text2sql.cli.click_i18n import PATH, Command, flag, former_flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.question_options import language_was_named
from text2sql.cli.sources import policy_from
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import from_environment
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, cli_text, explain
from text2sql.reports.build import Report
from text2sql.reports.cron import read_cron
from text2sql.reports.outcomes import PARALLEL, ReportOptions, Step
from text2sql.reports.output import write_file
from text2sql.reports.parameters import read_parameters
from text2sql.reports.schedule import Job, job_of, run_job, run_on_schedule
from text2sql.text_normalization import printable


def command(lang: Language) -> click.Command:
    return Command(
        "report",
        lang,
        run,
        [
            click.Argument(["template"], metavar="TEMPLATE", type=PATH),
            option("--out", metavar="FILE"),
            option("--param", metavar="NAME=VALUE", multiple=True),
            option("--date", metavar="DATE"),
            option("--db", metavar="SOURCE"),
            option("--model", metavar="NAME"),
            option("--policy", metavar="FILE"),
            option("--lock", metavar="FILE", type=PATH),
            flag("--locked"),
            flag("--fresh"),
            former_flag("--anew"),
            option("--record", metavar="FILE", type=PATH),
            option("--attempts", metavar="N", type=click.IntRange(min=1)),
            option("--parallel", metavar="N", type=click.IntRange(min=1), default=PARALLEL),
            option("--every", metavar="CRON"),
            flag("--json", "as_json"),
            flag("--quiet"),
        ],
    )


@dataclass(frozen=True, slots=True)
class Presentation:
    lang: Language
    as_json: bool
    quiet: bool
    record: Path | None


def run(
    lang: Language,
    *,
    template: Path,
    out: str | None,
    param: tuple[str, ...],
    lock: Path | None,
    every: str | None,
    locked: bool,
    fresh: bool,
    anew: bool,
    parallel: int,
    attempts: int | None,
    **arguments: Any,
) -> int:
    if anew:
        click.echo(cli_text("option.renamed", lang, old="--anew", new="--fresh"), err=True)
    options = ReportOptions(
        language=lang if language_was_named() else "",
        parallel=parallel,
        locked=locked,
        ignore_lock=fresh or anew,
        max_attempts=attempts or 0,
    )
    job = job_of(
        template,
        out or "",
        lock,
        parameters=read_parameters(param),
        every=read_cron(every) if every else None,
        options=options,
    )
    presentation = Presentation(lang, arguments["as_json"], arguments["quiet"], arguments["record"])
    app = AsyncText2SQL(
        arguments["db"] or "",
        settings=replace(from_environment(), allow_writes=False),
        model=arguments["model"] or "",
        policy=policy_from(arguments["policy"]),
    )
    return asyncio.run(_run(job, app, presentation, _day(arguments["date"])))


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
        cli_text(
            "report.summary",
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
            stage = cli_text(f"report.stage.{step.stage}", presentation.lang)
            sign = "✓" if step.passed else "✗"
            question = printable(step.item.resolved)
            if not console.is_terminal:
                click.echo(f"{stage} {step.done}/{step.total} {sign} {question}", err=True)
                return
            if step.stage not in tasks:
                tasks[step.stage] = bar.add_task("", total=step.total)
            bar.update(tasks[step.stage], completed=step.done, description=f"{stage} {sign} {question}"[:100])

        yield on_step


def _day(text: str | None) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError("usage.report_date", given=text) from error
