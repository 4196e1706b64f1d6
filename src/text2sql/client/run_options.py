"""Makes the `RunOptions` of a run from what a caller gave and the settings."""

from collections.abc import AsyncIterator
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING
from uuid import uuid4

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.types import Answer, Event, Finished, RunKeywords, RunOptions

if TYPE_CHECKING:
    from text2sql.agents import GraphRunner
    from text2sql.resources import AppResources

_NAMES = tuple(field.name for field in fields(RunOptions))


def merged(options: RunOptions | None, keywords: RunKeywords) -> RunOptions:
    """The options with the keywords, which win."""
    for name in keywords:
        if name not in _NAMES:
            close = get_close_matches(name, _NAMES) or _NAMES
            raise UsageError("usage.run_option", name=name, close=", ".join(close))
    return replace(options or RunOptions(), **keywords)


def completed(options: RunOptions, settings: Settings) -> RunOptions:
    """The options with a thread and what the settings say. Bad usage raises before anything runs."""
    from text2sql.agents import check_options  # noqa: PLC0415 -- LangGraph takes two seconds to import

    check_options(options, settings)
    allow_writes = settings.allow_writes if options.allow_writes is None else options.allow_writes
    return replace(
        options,
        thread=options.thread or uuid4().hex[:12],
        language=options.language or settings.lang,
        allow_writes=allow_writes,
    )


async def prepared(app: "AppResources", options: RunOptions) -> "tuple[GraphRunner, RunOptions]":
    """The graph of an app, which is opened if necessary, and the completed options."""
    return await app.runner(), completed(options, app.settings)


async def final_answer(events: AsyncIterator[Event]) -> Answer:
    """The answer of a stream, which is in its last event."""
    answer: Answer | None = None
    async for event in events:
        if isinstance(event, Finished):
            answer = event.answer
    if answer is None:
        raise RuntimeError("a stream ends with its answer")
    return answer
