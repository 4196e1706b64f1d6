"""`text2sql ask`: one question, its query, its rows and a sentence; or one JSON object."""

import json
import sys
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

from text2sql.cli import charting
from text2sql.cli.asking import CODES, Terms, clean, failed, followed, opened, options, says_yes, terms_of
from text2sql.cli.progress import Progress
from text2sql.cli.spoken import Command, flag, option
from text2sql.cli.telling import answer_parts, room_of, screen, sentence_parts, show, sql_text
from text2sql.cli.words import word
from text2sql.errors import Text2SQLError, UsageError
from text2sql.messages import Language
from text2sql.shapes import answer_object
from text2sql.synchronous import Text2SQL
from text2sql.types import Answer


def command(lang: Language) -> click.Command:
    return Command(
        "ask",
        lang,
        partial(run, lang),
        [
            click.Argument(["question"], metavar="QUESTION"),
            *options(lang),
            flag(lang, "ask", "--yes", "yes"),
            flag(lang, "ask", "--receipt", "receipt"),
            option(lang, "ask", "--chart", metavar="FILE"),
            flag(lang, "ask", "--no-chart", "no_chart"),
            flag(lang, "ask", "--json", "as_json"),
            flag(lang, "ask", "--quiet", "quiet"),
        ],
    )


@dataclass(frozen=True, slots=True)
class Manner:
    """How the answer is told."""

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
        """Somebody sits there who can say yes."""
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
    **given: Any,
) -> int:
    terms, manner = terms_of(lang, given), Manner(lang, yes, receipt, as_json, quiet, no_chart)
    target = charting.checked_target(chart, terms.settings) if chart else None
    said = clean(_from_standard_input() if question == "-" else question)
    try:
        with closing(opened(terms)) as db:
            answer = asked(db, said, terms, manner)
    except UsageError:
        raise
    except Text2SQLError as error:
        if not as_json:
            raise
        answer = failed(said, error, lang, terms.how.get("thread", ""))
    tell(answer, manner)
    if target is not None and answer.status == "answered":
        told = charting.write(target, answer, lang, terms.settings)
        if told or not manner.silent:
            click.echo(told or word("chart.written", lang, path=target), err=True)
    return CODES[answer.status]


def asked(db: Text2SQL, question: str, terms: Terms, manner: Manner) -> Answer:
    answer = followed(db.stream(question, **terms.how), _progress(manner))
    if answer.status != "confirm":
        return answer
    decided = True if manner.yes else _decided(answer, manner)
    if decided is None:
        return answer
    events = db.stream_confirm(answer.thread_id, yes=decided, user=terms.how.get("user", ""))
    return followed(events, _progress(manner))


def tell(answer: Answer, manner: Manner) -> None:
    """An answer is data; that there is none, and why, is talk."""
    if manner.as_json:
        click.echo(json.dumps(answer_object(answer), allow_nan=False))
        return
    console = screen(sys.stderr if answer.status in ("refused", "failed") else sys.stdout)
    receipt = "whole" if manner.receipt else "" if manner.quiet else "line"
    show(
        console,
        answer_parts(
            answer,
            manner.lang,
            room_of(console),
            receipt=receipt,
            sketch=not manner.no_chart and not manner.quiet,
        ),
    )
    if answer.status == "confirm":
        click.echo(word("ask.needs_yes", manner.lang), err=True)


def _decided(answer: Answer, manner: Manner) -> bool | None:
    """What a person says to this very statement; None where there is nobody to ask."""
    if not manner.may_ask:
        return None
    show(screen(sys.stderr), [sql_text(answer.sql), *sentence_parts(answer, manner.lang)])
    click.echo("[y/N] ", nl=False, err=True)
    return says_yes(sys.stdin.readline())


def _progress(manner: Manner) -> Progress:
    return Progress(screen(sys.stderr), manner.lang, quiet=manner.silent)


def _from_standard_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace").strip().removeprefix("\ufeff")
