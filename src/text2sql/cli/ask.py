"""`text2sql ask`: answer one question with its query, rows and a sentence, or as a JSON object."""

import sys
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import click

from text2sql.cli import charting
from text2sql.cli.answer_view import answer_parts, available_space, screen, sentence_parts, show, sql_text
from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.json_output import echo_json
from text2sql.cli.progress import Progress
from text2sql.cli.question_options import (
    CODES,
    QuestionOptions,
    clean,
    failed,
    follow_events,
    is_yes,
    open_app,
    question_params,
    read_options,
)
from text2sql.client.sync_client import Text2SQL
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, cli_text
from text2sql.serialization import answer_object
from text2sql.types import Answer


def command(lang: Language) -> click.Command:
    return Command(
        "ask",
        lang,
        run,
        [
            click.Argument(["question"], metavar="QUESTION"),
            *question_params(),
            flag("--yes"),
            flag("--receipt"),
            option("--chart", metavar="FILE"),
            flag("--no-chart"),
            flag("--json", "as_json"),
            flag("--quiet"),
        ],
    )


@dataclass(frozen=True, slots=True)
class Presentation:
    lang: Language
    yes: bool = False
    receipt: bool = False
    as_json: bool = False
    quiet: bool = False
    no_chart: bool = False

    @property
    def silent(self) -> bool:
        return self.quiet or self.as_json

    @property
    def may_ask(self) -> bool:
        """Whether a user at a terminal can confirm a write."""
        return not self.as_json and sys.stdin.isatty() and sys.stderr.isatty()


def run(
    lang: Language,
    *,
    question: str,
    yes: bool,
    receipt: bool,
    chart: str | None,
    no_chart: bool,
    as_json: bool,
    quiet: bool,
    **arguments: Any,
) -> int:
    options = read_options(lang, arguments)
    presentation = Presentation(lang, yes, receipt, as_json, quiet, no_chart)
    target = charting.checked_target(chart, options.settings) if chart else None
    text = clean(_from_standard_input() if question == "-" else question)
    try:
        with closing(open_app(options)) as db:
            answer = answer_question(db, text, options, presentation)
    except UsageError:
        raise
    except Text2SQLError as error:
        if not as_json:
            raise
        answer = failed(text, error, lang, options.run_options.thread)
    print_answer(answer, presentation)
    if target is not None and answer.status == "answered":
        warning = charting.write(target, answer, lang, options.settings)
        if warning or not presentation.silent:
            click.echo(warning or cli_text("chart.written", lang, path=target), err=True)
    return CODES[answer.status]


def answer_question(
    db: Text2SQL, question: str, options: QuestionOptions, presentation: Presentation
) -> Answer:
    answer = follow_events(db.stream(question, options.run_options), _progress(presentation))
    if answer.status != "confirm":
        return answer
    confirmed = True if presentation.yes else _confirmed(answer, presentation)
    if confirmed is None:
        return answer
    events = db.threads.stream_confirm(answer.thread_id, yes=confirmed, user=options.run_options.user)
    return follow_events(events, _progress(presentation))


def print_answer(answer: Answer, presentation: Presentation) -> None:
    """Print answers to standard output, refusals and errors to standard error."""
    if presentation.as_json:
        echo_json(answer_object(answer))
        return
    console = screen(sys.stderr if answer.status in ("refused", "failed") else sys.stdout)
    receipt = "whole" if presentation.receipt else "" if presentation.quiet else "line"
    show(
        console,
        answer_parts(
            answer,
            presentation.lang,
            available_space(console),
            receipt=receipt,
            sketch=not presentation.no_chart and not presentation.quiet,
        ),
    )
    if answer.status == "confirm":
        click.echo(cli_text("ask.needs_yes", presentation.lang), err=True)


def _confirmed(answer: Answer, presentation: Presentation) -> bool | None:
    """Ask the user to confirm the statement; None if there is no user to ask."""
    if not presentation.may_ask:
        return None
    show(screen(sys.stderr), [sql_text(answer.sql), *sentence_parts(answer, presentation.lang)])
    click.echo("[y/N] ", nl=False, err=True)
    return is_yes(sys.stdin.readline())


def _progress(presentation: Presentation) -> Progress:
    return Progress(screen(sys.stderr), presentation.lang, quiet=presentation.silent)


def _from_standard_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip().removeprefix("\ufeff")
