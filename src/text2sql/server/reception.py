"""What the routes share, and how a question goes through: cache, app, numbers, spans, a line in the log."""

import asyncio
import copy
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

from fastapi import Depends, Request

from text2sql import __version__
from text2sql.app import How
from text2sql.config import Settings
from text2sql.errors import Text2SQLError, UsageError
from text2sql.messages import Language
from text2sql.server.admission import Admission
from text2sql.server.cache import Cache, Key, normalised
from text2sql.server.evaluations import Evaluations
from text2sql.server.identity import ANYBODY, Doorkeeper, Identity
from text2sql.server.ledger import Auditor, Ledger
from text2sql.server.logs import fact
from text2sql.server.metrics import Metrics
from text2sql.server.models import Question
from text2sql.server.problems import wanted_language
from text2sql.server.refreshes import Refreshes
from text2sql.server.reports import Reports
from text2sql.server.sources import Source, Sources
from text2sql.server.streams import Streams
from text2sql.server.tracing import Trace
from text2sql.server.works import Works
from text2sql.types import Answer, Event, Finished, StageEnded, StageStarted

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

log = logging.getLogger(__name__)

_NO_MATTER = ("thread", "seconds")  # of what is said with a question: the answer would be the same
# Of the settings: a server that has others, or the same one after a restart, would answer otherwise.
_MATTER = "lang mode preset summary candidates grammar row_limit byte_limit cell_byte_limit".split()


@dataclass(slots=True)
class Reception:
    settings: Settings
    sources: Sources
    streams: Streams
    cache: Cache
    metrics: Metrics
    works: Works
    reports: Reports
    evaluations: Evaluations
    refreshes: Refreshes
    door: Doorkeeper
    ledger: Ledger
    auditor: Auditor
    admission: Admission
    every: Sources  # `sources` are those of one person
    tracer: "Tracer | None" = None
    who: Identity = ANYBODY

    def seen_by(self, who: Identity) -> "Reception":
        """The same for one person: what they may not ask is not there."""
        own = copy.copy(self)
        own.who, own.sources = who, self.every.seen_by(who)
        return own

    async def ledger_answers(self) -> bool:
        return not (self.door.asks or self.auditor.on) or await self.ledger.answers()

    @property
    def models(self) -> list[str]:
        """Those that a request may name: a name can be a file of this machine, so not just any."""
        more = (one.strip() for one in self.settings.models.split(","))
        return list(dict.fromkeys([self.every.named(None).app.model_name, *filter(None, more)]))

    async def source_for(self, named: str | None, thread: str | None, user: str) -> Source:
        """As named, else the one that the thread is about, else the default."""
        if not named and thread:
            return await self.sources.of_thread(thread, user) or self.sources.named(None)
        return self.sources.named(named)

    async def source_of_thread(self, thread: str, user: str) -> Source:
        found = await self.sources.of_thread(thread, user)
        if found is None:
            raise UsageError("usage.thread", thread=thread)
        return found

    def ask(self, asked: Question, source: Source, how: How, parent: str = "") -> AsyncGenerator[Event, None]:
        """The events of a question, once there is room for it; nothing is told that is not on record."""
        self.admission.refuse(how["user"])
        events = self._admitted(asked, source, how, parent)
        return self.auditor.events(events, how["user"], source.name, how["thread"], asked.question)

    def go_on(
        self, events: AsyncGenerator[Event, None], source: Source, thread: str, what: str
    ) -> AsyncGenerator[Event, None]:
        """The same for a thread that is taken up again."""
        self.admission.refuse(self.who.user)
        return self.auditor.events(
            self._in_slot(self.watched(events, source), source), self.who.user, source.name, thread, what
        )

    async def _in_slot(
        self, events: AsyncGenerator[Event, None], source: Source
    ) -> AsyncGenerator[Event, None]:
        async with aclosing(events), self.slot(source):
            async for event in events:
                yield event

    def slot(self, source: Source, seconds: float | None = None) -> AbstractAsyncContextManager[float]:
        return self.admission.slot(self.who.user, source.name, seconds)

    async def _admitted(
        self, asked: Question, source: Source, how: How, parent: str
    ) -> AsyncGenerator[Event, None]:
        """What the client gave for the whole question includes the waiting."""
        async with self.slot(source, asked.seconds) as waited:
            if asked.seconds:
                how["seconds"] = max(0.001, asked.seconds - waited)
            async with aclosing(self._answered(asked, source, how, parent)) as events:
                async for event in events:
                    yield event

    async def _answered(
        self, asked: Question, source: Source, how: How, parent: str
    ) -> AsyncGenerator[Event, None]:
        """From the cache or from the app."""
        began = time.monotonic()
        key = await self._key(asked, source, how)
        if "seconds" in how:
            how["seconds"] = max(0.001, how["seconds"] - (time.monotonic() - began))
        hit = None if asked.fresh or key is None else await self._cached(key, asked, source, how)
        if key is not None:
            self.metrics.cache("hit" if hit else "bypass" if asked.fresh else "miss")
        if hit is not None:
            yield Finished(hit)
            return
        events = source.app.stream(asked.question, **how)
        async with aclosing(self.watched(events, source, parent)) as watched:
            async for event in watched:
                if key is not None and isinstance(event, Finished):
                    await self.cache.keep(key, event.answer)
                yield event

    def how(self, asked: Question, thread: str, user: str) -> How:
        if asked.model and asked.model not in self.models:
            raise UsageError("usage.model_offered", name=asked.model)
        if len(asked.question) > self.settings.question_length:
            raise UsageError("usage.question_long", most=self.settings.question_length)
        allowed = self.settings.allow_writes
        how = How(thread=thread, user=user, allow_writes=allowed and asked.allow_writes is not False)
        if asked.model and asked.model != self.models[0]:
            how["model"] = asked.model
        if asked.mode:
            how["mode"] = asked.mode
        if asked.preset:
            how["preset"] = asked.preset
        if asked.language:
            how["language"] = asked.language
        if asked.seconds:
            how["seconds"] = asked.seconds
        return how

    async def watched(
        self, events: AsyncGenerator[Event, None], source: Source, parent: str = ""
    ) -> AsyncGenerator[Event, None]:
        """The same events; what they say about time, tokens and errors is noted as they pass."""
        began, trace, kind = time.monotonic(), Trace(self.tracer, parent, source=source.name), "cancelled"
        answer: Answer | None = None
        try:
            async with aclosing(events):
                async for event in events:
                    trace.take(event)
                    if isinstance(event, StageStarted) and not await self.door.still_welcome(self.who):
                        raise UsageError("usage.not_welcome")
                    if isinstance(event, StageEnded):
                        self.metrics.stage(event.stage, event.seconds)
                    if isinstance(event, Finished):
                        answer = event.answer
                        self.metrics.answered(answer, time.monotonic() - began)
                    yield event
        except Text2SQLError as error:
            kind = str(getattr(error, "kind", error.message_key))
            raise
        finally:
            if answer is None:
                self.metrics.failed(kind)
            trace.end("" if answer else kind)
            _note(answer, kind, source, time.monotonic() - began)

    async def _key(self, asked: Question, source: Source, how: How) -> Key | None:
        """None for a question that leans on others, and where the schema cannot be had just now."""
        if asked.thread_id:
            return None
        with suppress(Text2SQLError, TimeoutError):
            async with asyncio.timeout(how.get("seconds")):
                known = await source.app.catalogue()  # its fingerprint holds the policy too
            told = tuple(sorted((name, value) for name, value in how.items() if name not in _NO_MATTER))
            matter = [__version__, self.models[0], *(getattr(self.settings, name) for name in _MATTER)]
            return source.name, known.fingerprint, told, matter, normalised(asked.question)
        return None

    async def _cached(self, key: Key, asked: Question, source: Source, how: How) -> Answer | None:
        """The answer in a thread of its own, so that a follow-up leans on it and on nothing after it."""
        kept = await self.cache.find(key)
        if kept is None:
            return None
        answer = await _copied(kept.thread, asked.question, source, how)
        if answer is None:
            await self.cache.drop(key)
            return None
        return replace(answer, thread_id=how["thread"], receipt=replace(answer.receipt, served=kept.served))


async def _copied(began: str, question: str, source: Source, how: How) -> Answer | None:
    """None if the thread was deleted and its rows with it, or never began with an answer to this question."""
    try:
        answer = await source.app.first_answer(began, user=how["user"])
        if answer is None or normalised(answer.question) != normalised(question):
            return None
        return answer if await source.app.again(answer, how["thread"], user=how["user"]) else None
    except Text2SQLError:
        return None


def _note(answer: Answer | None, kind: str, source: Source, seconds: float) -> None:
    receipt = answer.receipt if answer else None
    fact(
        log,
        "question",
        source=source.name,
        status=answer.status if answer else kind,
        seconds=round(seconds, 3),
        attempts=receipt.attempts if receipt else 0,
        calls=receipt.usage.calls if receipt else 0,
        rows=answer.row_count if answer else 0,
    )


def new_thread() -> str:
    """128 bits: nobody guesses another's."""
    return uuid4().hex


async def last(events: AsyncGenerator[Event, None]) -> Answer:
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Finished):
                return event.answer
    raise RuntimeError("a stream ends with its answer")


# -- what a route is given; tasks all, for a plain function costs a hop to a thread ---------------


async def _reception(request: Request) -> Reception:
    found: Reception = request.app.state.reception
    return found.seen_by(request.state.identity)


async def _user(request: Request) -> str:
    """What everything of this person is kept under."""
    who: Identity = request.state.identity
    return who.user


async def _language(request: Request) -> Language:
    return language_of(request)


def language_of(request: Request) -> Language:
    settings: Settings = request.app.state.reception.settings
    return wanted_language(request.headers.get("accept-language", ""), settings.lang)


Here = Annotated[Reception, Depends(_reception)]
User = Annotated[str, Depends(_user)]
Reader = Annotated[Language, Depends(_language)]
