"""`text2sql eval`: run a question set and report how many answers are right."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from text2sql.cli.answer_view import screen
from text2sql.cli.click_i18n import PATH, Command, flag, option
from text2sql.cli.eval_view import lines, share_text
from text2sql.cli.json_output import echo_json
from text2sql.cli.question_options import PRESETS
from text2sql.cli.table import aligned
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings, from_environment
from text2sql.database import redacted
from text2sql.errors import Text2SQLError, UsageError
from text2sql.evaluation.export import check_report, run_object, write_report
from text2sql.evaluation.judge import open_judge
from text2sql.evaluation.questions import Question, read_questions
from text2sql.evaluation.records import Record, read_records
from text2sql.evaluation.report import compare, summarize
from text2sql.evaluation.run import EvaluatedApp, OnRecord, concurrency, done_ids, evaluate
from text2sql.evaluation.sampling import add_foreign_questions, choose
from text2sql.evaluation.subjects import AskApp, AskBare, Open, settings_for
from text2sql.i18n import Language, cli_text
from text2sql.llm import open_model
from text2sql.text_normalization import printable
from text2sql.types import RunOptions


def command(lang: Language) -> click.Command:
    return Command(
        "eval",
        lang,
        run,
        [
            click.Argument(["words"], nargs=-1, required=True, metavar="QUESTIONS"),
            option("--databases", metavar="DIR", type=PATH),
            option("--db", metavar="SOURCE"),
            option("--limit", metavar="N", type=click.IntRange(min=1)),
            option("--seed", metavar="S", type=int, default=0),
            option("--out", metavar="FILE", type=PATH),
            option("--report", metavar="FILE", type=PATH),
            option("--model", metavar="NAME", default=""),
            option("--preset", type=click.Choice(PRESETS)),
            option("--attempts", metavar="N", type=click.IntRange(min=1)),
            option("--parallel", metavar="N", type=click.IntRange(min=1)),
            option("--foreign", metavar="SHARE", type=click.FloatRange(min=0, min_open=True)),
            flag("--bare"),
            flag("--json", "as_json"),
        ],
    )


@dataclass(frozen=True, slots=True)
class EvalOptions:
    path: Path
    databases: Path | None
    db: str
    limit: int | None
    seed: int
    out: Path | None
    report: Path | None
    model: str
    preset: str | None
    attempts: int | None
    parallel: int | None
    foreign: float | None
    bare: bool

    def source_of(self, question: Question) -> str:
        return str(question.database(self.databases)) if self.databases else self.db

    @property
    def record_files(self) -> list[Path | None]:
        """The record files: `run.jsonl`, and `run.bare.jsonl` for the bare model."""
        bare_out = self.out.with_suffix(f".bare{self.out.suffix}") if self.out else None
        return [self.out, bare_out] if self.bare else [self.out]


def run(lang: Language, *, words: tuple[str, ...], as_json: bool, **arguments: Any) -> int:
    if words[0] == "compare" and len(words) == 3:
        return _compare(lang, Path(words[1]), Path(words[2]), as_json)
    if len(words) != 1:
        raise UsageError("usage.eval_words")
    settings = settings_for(from_environment())
    options = _eval_options(words[0], arguments, settings)
    questions = _questions(options, settings)
    records, bare = asyncio.run(_evaluate(options, questions, settings, lang))
    if options.report:
        write_report(options.report, options.path.name, records, bare)
    if as_json:
        echo_json(run_object(options.path.name, records, bare))
    else:
        click.echo("\n".join(lines(records, bare, lang)))
    return 0


# -- Running -------------------------------------------------------------------------------------


def _eval_options(path: str, arguments: dict[str, Any], settings: Settings) -> EvalOptions:
    databases, report = arguments["databases"], arguments["report"]
    db = arguments["db"] or ("" if databases else settings.db)
    if bool(databases) == bool(db):  # both, or neither
        raise UsageError("usage.eval_databases")
    if report:
        check_report(report)
    return EvalOptions(Path(path), **{**arguments, "db": db})


def _questions(options: EvalOptions, settings: Settings) -> list[Question]:
    all_questions = read_questions(options.path, "" if options.databases else redacted(options.db))
    if not all_questions:
        raise UsageError("usage.no_questions", path=str(options.path))
    chosen = choose(all_questions, options.limit, options.seed)
    if options.databases:
        for question in chosen:
            if not Path(options.source_of(question)).exists():
                raise UsageError("usage.db_file_missing", path=options.source_of(question))
    if not options.foreign:
        return chosen

    def runs(question: Question, db_id: str) -> bool:
        same_database = next(question for question in chosen if question.db_id == db_id)
        return asyncio.run(_runs_on(question.gold_sql, options.source_of(same_database), settings))

    return add_foreign_questions(chosen, all_questions, options.foreign, options.seed, runs)


async def _runs_on(sql: str, source: str, settings: Settings) -> bool:
    judge = open_judge(source, settings)
    try:
        return await judge.runs(sql)
    finally:
        await judge.close()


async def _evaluate(
    options: EvalOptions, questions: Sequence[Question], settings: Settings, lang: Language
) -> tuple[list[Record], list[Record]]:
    run_options = RunOptions(preset=options.preset or "", max_attempts=options.attempts or 0)
    async with open_model(options.model or None, settings) as model:

        def open_app(source: str) -> AskApp:
            return AskApp(AsyncText2SQL(source, settings=settings, model=model), run_options)

        subject_openers: list[Open] = [open_app]
        if options.bare:
            subject_openers.append(lambda source: AskBare(source, model, settings))
        contestants = [
            EvaluatedApp(opener, out)
            for opener, out in zip(subject_openers, options.record_files, strict=True)
        ]
        with _progress(questions, options, lang) as on_record:
            records = await evaluate(
                questions,
                options.source_of,
                contestants,
                settings=settings,
                on_record=on_record,
                parallel=concurrency(options.parallel, model),
            )
    return records[0], records[1] if options.bare else []


# -- Progress ------------------------------------------------------------------------------------


@contextmanager
def _progress(questions: Sequence[Question], options: EvalOptions, lang: Language) -> Iterator[OnRecord]:
    """Show progress: a bar with the current accuracy on a terminal, otherwise one line per question."""
    earlier = [read_records(out) if out is not None and out.exists() else {} for out in options.record_files]
    tally = _Tally(len(questions) * len(earlier))
    for at, records in enumerate(earlier):
        for question_id in done_ids(questions, records):
            tally.take(at, records[question_id])
    out_path = printable(str(options.out))
    if tally.done:
        click.echo(cli_text("eval.resumed", lang, done=tally.done, path=out_path), err=True)
    console = screen(sys.stderr)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(tally.description(lang), total=tally.total, completed=tally.done)

    def on_record(at: int, record: Record) -> None:
        tally.take(at, record)
        if console.is_terminal:
            bar.update(task, completed=tally.done, description=tally.description(lang))
        else:
            name = printable(record.id) + (" bare" if at else "")
            click.echo(
                f"{tally.done}/{tally.total} {tally.description(lang)}  {name}: {record.verdict}", err=True
            )

    try:
        with bar:
            yield on_record
    except (asyncio.CancelledError, KeyboardInterrupt, Text2SQLError):
        if options.out and tally.done:
            click.echo(cli_text("eval.kept", lang, done=tally.done, path=out_path), err=True)
        raise


class _Tally:
    """Counts finished questions and the right answers of the app."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.right = self.judged = 0

    def take(self, at: int, record: Record) -> None:
        self.done += 1
        if at == 0 and not record.foreign and record.verdict != "unjudged":
            self.judged += 1
            self.right += record.verdict == "right"

    def description(self, lang: Language) -> str:
        share = self.right / self.judged if self.judged else 0.0
        return cli_text("eval.running", lang, share=share)


# -- Comparing two runs --------------------------------------------------------------------------


def _compare(lang: Language, first: Path, second: Path, as_json: bool) -> int:
    first_run, second_run = (list(read_records(path).values()) for path in (first, second))
    comparison = compare(first_run, second_run)
    if not comparison.questions:
        raise UsageError("usage.no_common")
    common = {record.id for record in first_run} & {record.id for record in second_run}
    runs = [
        summarize([record for record in records if record.id in common])
        for records in (first_run, second_run)
    ]
    if as_json:
        shares = [asdict(run.right) | {"value": run.right.value} for run in runs]
        echo_json({"first": shares[0], "second": shares[1], **asdict(comparison)})
        return 0
    rows = [
        [printable(path.name), share_text(run.right)] for path, run in zip((first, second), runs, strict=True)
    ]
    click.echo("\n".join([*aligned(rows), "", cli_text("eval.compared_runs", lang, **asdict(comparison))]))
    return 0
