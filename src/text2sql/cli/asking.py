"""What `ask`, `chat` and `demo` share: the options of a question, the app that answers it, how it ends."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, cast, get_args

import click

from text2sql.app import How
from text2sql.cli import FAILED, OK, REFUSED
from text2sql.cli.progress import Progress
from text2sql.cli.sources import policy_from
from text2sql.cli.words import word
from text2sql.config import Settings, from_environment
from text2sql.errors import Text2SQLError, UsageError
from text2sql.messages import Language, explain
from text2sql.synchronous import Text2SQL
from text2sql.types import Answer, Event, Finished, Mode, Policy, Problem, Status

MODES: tuple[str, ...] = get_args(Mode)
PRESETS = ("default", "light", "repair_once", "hybrid", "static")
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
class Terms:
    """What the command line says about every question of a run."""

    db: str = ""
    model: str = ""
    policy: Policy | None = None
    tables: tuple[str, ...] = ()
    how: How = field(default_factory=How)
    settings: Settings = field(default_factory=from_environment)


def options(lang: Language) -> list[click.Parameter]:
    """Of a question, whoever asks it. Their rows in `words.py` have no command in front."""

    def one(name: str, **attributes: Any) -> click.Option:
        return click.Option([name], help=word(name, lang), **attributes)

    return [
        one("--db", metavar="SOURCE"),
        one("--model", metavar="NAME"),
        one("--thread", metavar="NAME"),
        one("--user", metavar="NAME"),
        one("--mode", type=click.Choice(MODES)),
        one("--preset", type=click.Choice(PRESETS)),
        one("--policy", metavar="FILE"),
        one("--tables", metavar="NAME,…"),
        one("--allow-writes", is_flag=True),
        one("--rows", metavar="N", type=click.IntRange(min=1)),
        one("--seconds", metavar="S", type=click.FloatRange(min=0, min_open=True)),
    ]


def terms_of(lang: Language, given: dict[str, Any]) -> Terms:
    settings = from_environment()
    if given["rows"]:
        settings = replace(settings, row_limit=given["rows"])
    if given["allow_writes"]:
        settings = replace(settings, allow_writes=True)
    named = tuple(filter(None, (name.strip() for name in (given["tables"] or "").split(","))))
    policy = policy_from(given["policy"])
    if policy is not None and named:
        policy, named = _narrowed(policy, named), ()
    how = How()
    for name in ("thread", "user", "mode", "preset", "seconds"):
        if given[name]:
            how[name] = given[name]
    if language_was_named():
        how["language"] = lang
    return Terms(given["db"] or "", given["model"] or "", policy, named, how, settings)


def opened(terms: Terms) -> Text2SQL:
    """Nothing is opened yet; the first question does that, or `warm_soon`."""
    return Text2SQL(
        terms.db,
        settings=terms.settings,
        model=terms.model,
        policy=terms.policy,
        tables=terms.tables or None,
    )


def followed(events: Iterator[Event], progress: Progress) -> Answer:
    """The answer at the end of a stream. Leaving early, with Ctrl-C for one, cancels the query."""
    with closing(cast("Generator[Event, None, None]", events)) as told, progress:
        for event in told:
            progress.take(event)
            if isinstance(event, Finished):
                return event.answer
    raise RuntimeError("a stream ends with its answer")


def failed(question: str, error: Text2SQLError, lang: Language, thread: str = "") -> Answer:
    """An error that came before there was a question to fail, in the shape of an answer."""
    message, _, hint = explain(error, lang).partition("\n")
    kind = getattr(error, "kind", error.message_key)
    return Answer("failed", question, message, error=Problem(kind, message, hint), thread_id=thread)


def says_yes(text: str) -> bool:
    return text.strip().casefold() in _YES


def clean(text: str) -> str:
    """A terminal may hand over bytes that are no text; a model and a store take none."""
    return text.encode("utf-8", "replace").decode()


def _narrowed(policy: Policy, names: Sequence[str]) -> Policy:
    for name in names:
        if name not in policy.tables:
            close = get_close_matches(name, list(policy.tables), n=3)
            raise UsageError("usage.table", name=name, close=", ".join(close) or "-")
    return replace(policy, tables={name: policy.tables[name] for name in names})


def language_was_named() -> bool:
    """Then answers are in it, too; else each is in the language of its question."""
    context = click.get_current_context(silent=True)
    while context is not None:
        if context.get_parameter_source("lang") is click.core.ParameterSource.COMMANDLINE:
            return True
        context = context.parent
    return False
