"""Shared by the commands that ask questions: their options, opening the app, following the events."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, cast, get_args

import click

from text2sql.cli import FAILED, OK, REFUSED
from text2sql.cli.click_i18n import flag, option
from text2sql.cli.progress import Progress
from text2sql.cli.sources import policy_from
from text2sql.client.sync_client import Text2SQL
from text2sql.config import Settings, from_environment
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, explain
from text2sql.types import (
    Answer,
    Event,
    Finished,
    Mode,
    Policy,
    PresetName,
    Problem,
    RunOptions,
    Status,
    Summary,
)

MODES: tuple[str, ...] = get_args(Mode)
SHARE_VALUES = ("none", "categories", "samples")
PRESETS: tuple[str, ...] = get_args(PresetName)
SUMMARIES: tuple[str, ...] = get_args(Summary)
CODES: dict[Status, int] = {
    "answered": OK,
    "conversation": OK,
    "clarify": OK,
    "no_data": OK,
    "confirm": REFUSED,
    "refused": REFUSED,
    "failed": FAILED,
}
_YES = frozenset(("y", "yes", "是", "好", "确认"))


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """The command line options that apply to every question of a run."""

    db: str = ""
    model: str = ""
    policy: Policy | None = None
    tables: tuple[str, ...] = ()
    run_options: RunOptions = field(default_factory=RunOptions)
    settings: Settings = field(default_factory=from_environment)


def question_params() -> list[click.Parameter]:
    """The options of a question."""
    return [
        option("--db", metavar="SOURCE"),
        option("--model", metavar="NAME"),
        option("--thread", metavar="NAME"),
        option("--user", metavar="NAME"),
        option("--mode", type=click.Choice(MODES)),
        option("--preset", type=click.Choice(PRESETS)),
        option("--attempts", metavar="N", type=click.IntRange(min=1)),
        option("--explain/--no-explain", default=None),
        option("--repair/--no-repair", default=None),
        option("--summary", type=click.Choice(SUMMARIES)),
        option("--share-values", type=click.Choice(SHARE_VALUES)),
        option("--policy", metavar="FILE"),
        option("--tables", metavar="NAME,…"),
        flag("--allow-writes"),
        option("--rows", metavar="N", type=click.IntRange(min=1)),
        option("--seconds", metavar="S", type=click.FloatRange(min=0, min_open=True)),
    ]


def read_options(lang: Language, arguments: Mapping[str, Any]) -> QuestionOptions:
    """The options of a command; one that the command does not have keeps its default."""
    settings = from_environment()
    if arguments.get("rows"):
        settings = replace(settings, row_limit=arguments["rows"])
    if arguments.get("share_values"):
        settings = replace(settings, share_values=arguments["share_values"])
    if arguments.get("allow_writes"):
        settings = replace(settings, allow_writes=True)
    tables = tuple(filter(None, (name.strip() for name in (arguments.get("tables") or "").split(","))))
    policy = policy_from(arguments.get("policy"))
    if policy is not None and tables:
        policy, tables = _restrict_policy(policy, tables), ()
    names = ("thread", "user", "mode", "preset", "explain", "repair", "summary", "seconds")
    values = {name: arguments[name] for name in names if arguments.get(name) not in (None, "")}
    run_options = RunOptions(**values, max_attempts=arguments.get("attempts") or 0)
    if language_was_named():
        run_options = replace(run_options, language=lang)
    return QuestionOptions(
        arguments.get("db") or "", arguments.get("model") or "", policy, tables, run_options, settings
    )


def open_app(options: QuestionOptions) -> Text2SQL:
    """The app. It connects on the first question, or in `warm`."""
    return Text2SQL(options.db, **client_arguments(options))


def client_arguments(options: QuestionOptions) -> dict[str, Any]:
    return {
        "settings": options.settings,
        "model": options.model,
        "policy": options.policy,
        "tables": options.tables or None,
    }


def follow_events(events: Iterator[Event], progress: Progress) -> Answer:
    """Show the events of a stream and return its answer. An interruption (Ctrl-C) cancels the query."""
    with closing(cast("Generator[Event, None, None]", events)) as stream, progress:
        for event in stream:
            progress.show_event(event)
            if isinstance(event, Finished):
                return event.answer
    raise RuntimeError("a stream ends with its answer")


def failed(question: str, error: Text2SQLError, lang: Language, thread: str = "") -> Answer:
    """An error that occurred before the question started, as an answer."""
    message, _, hint = explain(error, lang).partition("\n")
    kind = getattr(error, "kind", error.message_key)
    return Answer("failed", question, message, error=Problem(kind, message, hint), thread_id=thread)


def is_yes(text: str) -> bool:
    return text.strip().casefold() in _YES


def clean(text: str) -> str:
    """Replace undecodable bytes, which a terminal may pass and models and stores do not accept."""
    return text.encode("utf-8", "replace").decode()


def _restrict_policy(policy: Policy, names: Sequence[str]) -> Policy:
    for name in names:
        if name not in policy.tables:
            close = get_close_matches(name, list(policy.tables), n=3)
            raise UsageError("usage.table", name=name, close=", ".join(close) or "-")
    return replace(policy, tables={name: policy.tables[name] for name in names})


def language_was_named() -> bool:
    """Whether `--lang` was given. If so, it is the language of answers too, else each question's own."""
    context = click.get_current_context(silent=True)
    while context is not None:
        if context.get_parameter_source("lang") is click.core.ParameterSource.COMMANDLINE:
            return True
        context = context.parent
    return False
