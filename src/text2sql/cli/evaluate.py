"""`text2sql eval`: run a question set and report how many answers are right."""

import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from text2sql.cli.answer_view import screen
from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.eval_view import lines, share_text, under
from text2sql.cli.json_output import echo_json
from text2sql.cli.question_options import PRESETS
from text2sql.cli.words import word
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings, from_environment
from text2sql.database import redacted
from text2sql.errors import Text2SQLError, UsageError
from text2sql.evaluation.export import check_report, run_object, write_report
from text2sql.evaluation.judge import open_judge
from text2sql.evaluation.questions import Question, add_foreign_questions, choose, read_questions
from text2sql.evaluation.records import Record, read_records
from text2sql.evaluation.report import compare, summarize
from text2sql.evaluation.run import EvaluatedApp, OnRecord, concurrency, evaluate, is_done
from text2sql.evaluation.subjects import AskApp, AskBare, Open, settings_for
from text2sql.i18n import Language
from text2sql.llm import open_model
from text2sql.text_normalization import printable
from text2sql.types import RunOptions


def command(lang: Language) -> click.Command:
    own = partial(option, lang, "eval")
    return Command(
        "eval",
        lang,
        partial(run, lang),
        [
            click.Argument(["words"], nargs=-1, required=True, metavar="QUESTIONS"),
            own("--databases", metavar="DIR"),
            own("--db", metavar="SOURCE"),
            own("--limit", metavar="N", type=click.IntRange(min=1)),
            own("--seed", metavar="S", type=int, default=0),
            own("--out", metavar="FILE"),
            own("--report", metavar="FILE"),
            click.Option(["--model"], metavar="NAME", help=word("--model", lang)),
            click.Option(["--preset"], type=click.Choice(PRESETS), help=word("--preset", lang)),
            click.Option(
                ["--attempts"], metavar="N", type=click.IntRange(min=1), help=word("--attempts", lang)
            ),
            own("--parallel", metavar="N", type=click.IntRange(min=1)),
            own("--foreign", metavar="SHARE", type=click.FloatRange(min=0, min_open=True)),
            flag(lang, "eval", "--bare", "bare"),
            flag(lang, "eval", "--json", "as_json"),
        ],
    )


@dataclass(frozen=True, slots=True)
class EvalOptions:
    """The command line options of a run."""

    path: Path
    databases: Path | None
    db: str
    limit: int | None
    seed: int
    out: Path | None
    report: Path | None
    model: str
    preset: str
    attempts: int | None
    parallel: int | None
    foreign: float
    bare: bool

    def where(self, question: Question) -> str:
        return str(question.database(self.databases)) if self.databases else self.db

    @property
    def outs(self) -> list[Path | None]:
        """The record files: `run.jsonl`, and `run.bare.jsonl` for the bare model."""
        beside = self.out.with_suffix(f".bare{self.out.suffix}") if self.out else None
        return [self.out, beside] if self.bare else [self.out]


def run(lang: Language, *, words: tuple[str, ...], as_json: bool, **given: Any) -> int:
    if words[0] == "compare" and len(words) == 3:
        return _compare(lang, Path(words[1]), Path(words[2]), as_json)
    if len(words) != 1:
        raise UsageError("usage.eval_words")
    settings = settings_for(from_environment())
    terms = _eval_options(words[0], given, settings)
    questions = _questions(terms, settings)
    records, bare = asyncio.run(_evaluate(terms, questions, settings, lang))
    if terms.report:
        write_report(terms.report, terms.path.name, records, bare)
    if as_json:
        echo_json(run_object(terms.path.name, records, bare))
    else:
        click.echo("\n".join(lines(records, bare, lang)))
    return 0


# -- Running -------------------------------------------------------------------------------------


def _eval_options(path: str, given: dict[str, Any], settings: Settings) -> EvalOptions:
    folder, db = given.pop("databases"), given.pop("db")
    if folder and db:
        raise UsageError("usage.eval_databases")
    if not folder and not (db := db or settings.db):
        raise UsageError("usage.eval_databases")
    out, report = given.pop("out"), given.pop("report")
    return EvalOptions(
        Path(path),
        Path(folder) if folder else None,
        db or "",
        out=Path(out) if out else None,
        report=check_report(Path(report)) if report else None,
        model=given.pop("model") or "",
        preset=given.pop("preset") or "",
        foreign=given.pop("foreign") or 0.0,
        **given,
    )


def _questions(terms: EvalOptions, settings: Settings) -> list[Question]:
    everything = read_questions(terms.path, "" if terms.databases else redacted(terms.db))
    if not everything:
        raise UsageError("usage.no_questions", path=str(terms.path))
    chosen = choose(everything, terms.limit, terms.seed)
    if terms.databases:
        for question in chosen:
            if not Path(terms.where(question)).is_file():
                raise UsageError("usage.db_file_missing", path=terms.where(question))
    if not terms.foreign:
        return chosen

    def runs(question: Question, db_id: str) -> bool:
        home = next(question for question in chosen if question.db_id == db_id)
        return asyncio.run(_runs_on(question.gold_sql, terms.where(home), settings))

    return add_foreign_questions(chosen, everything, terms.foreign, terms.seed, runs)


async def _runs_on(sql: str, source: str, settings: Settings) -> bool:
    judge = open_judge(source, settings)
    try:
        return await judge.runs(sql)
    finally:
        await judge.close()


async def _evaluate(
    terms: EvalOptions, questions: Sequence[Question], settings: Settings, lang: Language
) -> tuple[list[Record], list[Record]]:
    options = RunOptions(preset=terms.preset or "", max_attempts=terms.attempts or 0)
    async with open_model(terms.model or None, settings) as model:

        def opened(source: str) -> AskApp:
            return AskApp(AsyncText2SQL(source, settings=settings, model=model), options)

        opens: list[Open] = [opened]
        if terms.bare:
            opens.append(lambda source: AskBare(source, model, settings))
        contestants = [
            EvaluatedApp(open_subject, out) for open_subject, out in zip(opens, terms.outs, strict=True)
        ]
        with _progress(questions, terms, lang) as on_record:
            records = await evaluate(
                questions,
                terms.where,
                contestants,
                settings=settings,
                on_record=on_record,
                parallel=concurrency(terms.parallel, model),
            )
    return records[0], records[1] if terms.bare else []


# -- Progress ------------------------------------------------------------------------------------


@contextmanager
def _progress(questions: Sequence[Question], terms: EvalOptions, lang: Language) -> Iterator[OnRecord]:
    """Show progress: a bar with the current accuracy on a terminal, otherwise one line per question."""
    earlier = [read_records(out) if out is not None and out.exists() else {} for out in terms.outs]
    tally = _Tally(len(questions) * len(earlier))
    for at, records in enumerate(earlier):
        for question in questions:
            if is_done(records.get(question.id), question):
                tally.take(at, records[question.id])
    if tally.done:
        click.echo(word("eval.resumed", lang, done=tally.done, path=printable(str(terms.out))), err=True)
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
        if terms.out and tally.done:
            click.echo(word("eval.kept", lang, done=tally.done, path=printable(str(terms.out))), err=True)
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
        return word("eval.running", lang, share=share)


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
    click.echo("\n".join([*under(rows), "", word("eval.compared_runs", lang, **asdict(comparison))]))
    return 0
