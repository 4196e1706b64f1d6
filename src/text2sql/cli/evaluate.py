"""`text2sql eval`: ask a whole question set, and see how often the answer is right."""

import asyncio
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from text2sql.app import AsyncText2SQL, How
from text2sql.cli.asking import PRESETS
from text2sql.cli.rendering import printable
from text2sql.cli.scores import lines, share_text, under
from text2sql.cli.spoken import Command, flag, option
from text2sql.cli.telling import screen
from text2sql.cli.words import word
from text2sql.config import Settings, from_environment
from text2sql.database import redacted
from text2sql.errors import Text2SQLError, UsageError
from text2sql.evaluation.asking import AskApp, AskBare, Open, settings_for
from text2sql.evaluation.foreign import with_foreign
from text2sql.evaluation.marking import judge_at
from text2sql.evaluation.questions import Question, choose, read_questions
from text2sql.evaluation.records import Record, read_records
from text2sql.evaluation.report import compare, summarise
from text2sql.evaluation.run import Contestant, Told, evaluate, is_done, places
from text2sql.evaluation.telling import check_report, run_object, write_report
from text2sql.llm import open_model
from text2sql.messages import Language


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
            own("--parallel", metavar="N", type=click.IntRange(min=1)),
            own("--foreign", metavar="SHARE", type=click.FloatRange(min=0, min_open=True)),
            flag(lang, "eval", "--bare", "bare"),
            flag(lang, "eval", "--json", "as_json"),
        ],
    )


@dataclass(frozen=True, slots=True)
class Terms:
    """What the command line says about a run."""

    path: Path
    databases: Path | None
    db: str
    limit: int | None
    seed: int
    out: Path | None
    report: Path | None
    model: str
    preset: str
    parallel: int | None
    foreign: float
    bare: bool

    def where(self, question: Question) -> str:
        return str(question.database(self.databases)) if self.databases else self.db

    @property
    def outs(self) -> list[Path | None]:
        """The lines of the bare model stand beside the others: `run.jsonl`, `run.bare.jsonl`."""
        beside = self.out.with_suffix(f".bare{self.out.suffix}") if self.out else None
        return [self.out, beside] if self.bare else [self.out]


def run(lang: Language, *, words: tuple[str, ...], as_json: bool, **given: Any) -> int:
    if words[0] == "compare" and len(words) == 3:
        return _compared(lang, Path(words[1]), Path(words[2]), as_json)
    if len(words) != 1:
        raise UsageError("usage.eval_words")
    settings = settings_for(from_environment())
    terms = _terms(words[0], given, settings)
    questions = _questions(terms, settings)
    records, bare = asyncio.run(_asked(terms, questions, settings, lang))
    if terms.report:
        write_report(terms.report, terms.path.name, records, bare)
    if as_json:
        click.echo(json.dumps(run_object(terms.path.name, records, bare)))
    else:
        click.echo("\n".join(lines(records, bare, lang)))
    return 0


# -- asking --------------------------------------------------------------------------------------


def _terms(path: str, given: dict[str, Any], settings: Settings) -> Terms:
    folder, db = given.pop("databases"), given.pop("db")
    if folder and db:
        raise UsageError("usage.eval_databases")
    if not folder and not (db := db or settings.db):
        raise UsageError("usage.eval_databases")
    out, report = given.pop("out"), given.pop("report")
    return Terms(
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


def _questions(terms: Terms, settings: Settings) -> list[Question]:
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
        home = next(one for one in chosen if one.db_id == db_id)
        return asyncio.run(_runs(question.gold_sql, terms.where(home), settings))

    return with_foreign(chosen, everything, terms.foreign, terms.seed, runs)


async def _runs(sql: str, source: str, settings: Settings) -> bool:
    judge = judge_at(source, settings)
    try:
        return await judge.runs(sql)
    finally:
        await judge.close()


async def _asked(
    terms: Terms, questions: Sequence[Question], settings: Settings, lang: Language
) -> tuple[list[Record], list[Record]]:
    how = How(preset=terms.preset) if terms.preset else How()
    async with open_model(terms.model or None, settings) as model:

        def opened(source: str) -> AskApp:
            return AskApp(AsyncText2SQL(source, settings=settings, model=model), how)

        opens: list[Open] = [opened]
        if terms.bare:
            opens.append(lambda source: AskBare(source, model, settings))
        contestants = [Contestant(one, out) for one, out in zip(opens, terms.outs, strict=True)]
        with _watched(questions, terms, lang) as told:
            found = await evaluate(
                questions,
                terms.where,
                contestants,
                settings=settings,
                told=told,
                parallel=places(terms.parallel, model),
            )
    return found[0], found[1] if terms.bare else []


# -- while it goes on ----------------------------------------------------------------------------


@contextmanager
def _watched(questions: Sequence[Question], terms: Terms, lang: Language) -> Iterator[Told]:
    """A bar with the running share of right answers on a terminal, a line a question elsewhere."""
    kept = [read_records(out) if out is not None and out.exists() else {} for out in terms.outs]
    tally = _Tally(len(questions) * len(kept))
    for at, held in enumerate(kept):
        for question in questions:
            if is_done(held.get(question.id), question):
                tally.take(at, held[question.id])
    if tally.done:
        click.echo(word("eval.resumed", lang, done=tally.done, path=printable(str(terms.out))), err=True)
    console = screen(sys.stderr)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(tally.told(lang), total=tally.total, completed=tally.done)

    def told(at: int, record: Record) -> None:
        tally.take(at, record)
        if console.is_terminal:
            bar.update(task, completed=tally.done, description=tally.told(lang))
        else:
            name = printable(record.id) + (" bare" if at else "")
            click.echo(f"{tally.done}/{tally.total} {tally.told(lang)}  {name}: {record.verdict}", err=True)

    try:
        with bar:
            yield told
    except (asyncio.CancelledError, KeyboardInterrupt, Text2SQLError):
        if terms.out and tally.done:
            click.echo(word("eval.kept", lang, done=tally.done, path=printable(str(terms.out))), err=True)
        raise


class _Tally:
    """How many there are, and how many of the app's own are right."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.right = self.judged = 0

    def take(self, at: int, record: Record) -> None:
        self.done += 1
        if at == 0 and not record.foreign and record.verdict != "unjudged":
            self.judged += 1
            self.right += record.verdict == "right"

    def told(self, lang: Language) -> str:
        share = self.right / self.judged if self.judged else 0.0
        return word("eval.running", lang, share=share)


# -- two runs ------------------------------------------------------------------------------------


def _compared(lang: Language, first: Path, second: Path, as_json: bool) -> int:
    one, other = (list(read_records(path).values()) for path in (first, second))
    found = compare(one, other)
    if not found.questions:
        raise UsageError("usage.no_common")
    common = {record.id for record in one} & {record.id for record in other}
    runs = [summarise([record for record in held if record.id in common]) for held in (one, other)]
    if as_json:
        shares = [asdict(run.right) | {"value": run.right.value} for run in runs]
        click.echo(json.dumps({"first": shares[0], "second": shares[1], **asdict(found)}))
        return 0
    rows = [
        [printable(path.name), share_text(run.right)] for path, run in zip((first, second), runs, strict=True)
    ]
    click.echo("\n".join([*under(rows), "", word("eval.compared_runs", lang, **asdict(found))]))
    return 0
