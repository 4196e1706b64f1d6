"""Runs a question through admission, result cache, app, metrics, traces and logs; shared by all routes."""

import asyncio
import copy
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

from fastapi import Depends, Request

from text2sql import __version__
from text2sql.config import Settings
from text2sql.errors import StoreError, Text2SQLError, UsageError
from text2sql.i18n import Language
from text2sql.server.admission import Admission
from text2sql.server.audit import AuditLog, ServerStore
from text2sql.server.cache import Cache, Key, normalized_question
from text2sql.server.evaluations import Evaluations
from text2sql.server.identity import ANONYMOUS, Authenticator, Identity
from text2sql.server.jobs import JobRunner
from text2sql.server.logs import log_fields
from text2sql.server.metrics import Metrics
from text2sql.server.models import Question
from text2sql.server.pagination import with_page
from text2sql.server.problems import preferred_language
from text2sql.server.refreshes import Refreshes
from text2sql.server.reports import Reports
from text2sql.server.sources import Source, Sources
from text2sql.server.streams import Streams
from text2sql.server.tracing import Trace
from text2sql.types import Answer, Event, Finished, RunOptions, StageEnded, StageStarted

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

log = logging.getLogger(__name__)

_QUESTION_OPTIONS = "mode preset language seconds max_attempts explain repair summary model".split()
_IGNORED_OPTIONS = ("thread", "seconds")  # options that do not change the answer
# Settings that change the answer, on another server or after a restart.
_RELEVANT_SETTINGS = (
    "lang mode preset max_attempts explain repair summary candidates grammar row_limit byte_limit "
    "cell_byte_limit".split()
)


@dataclass(slots=True)
class QueryPipeline:
    settings: Settings
    sources: Sources
    streams: Streams
    cache: Cache
    metrics: Metrics
    jobs: JobRunner
    reports: Reports
    evaluations: Evaluations
    refreshes: Refreshes
    authenticator: Authenticator
    server_store: ServerStore
    auditor: AuditLog
    admission: Admission
    all_sources: Sources  # `sources` are those that the user may see
    tracer: "Tracer | None" = None
    identity: Identity = ANONYMOUS

    def seen_by(self, identity: Identity) -> "QueryPipeline":
        """A copy for one user, limited to the sources that this user may see."""
        scoped = copy.copy(self)
        scoped.identity, scoped.sources = identity, self.all_sources.seen_by(identity)
        return scoped

    async def store_is_available(self) -> bool:
        return (
            not (self.authenticator.sign_in_required or self.auditor.enabled)
            or await self.server_store.answers()
        )

    @property
    def models(self) -> list[str]:
        """The models that a request may name. It is a fixed list, because a name can be a local file."""
        configured = (name.strip() for name in self.settings.models.split(","))
        return list(
            dict.fromkeys(
                [self.all_sources.named(None).app.app_resources.model_name, *filter(None, configured)]
            )
        )

    async def source_for(self, name: str | None, thread: str | None, user: str) -> Source:
        """The named source, else the source of the thread, else the default."""
        if not name and thread:
            return await self.sources.of_thread(thread, user) or self.sources.named(None)
        return self.sources.named(name)

    async def source_of_thread(self, thread: str, user: str) -> Source:
        source = await self.sources.of_thread(thread, user)
        if source is None:
            raise UsageError("usage.thread", thread=thread)
        return source

    def ask(
        self, question: Question, source: Source, options: RunOptions, parent: str = ""
    ) -> AsyncGenerator[Event, None]:
        """The events of a question, once it is admitted. Data is audited before it is sent."""
        self.admission.check_queue(options.user)
        events = self._run_admitted(question, source, options, parent)
        return self.auditor.events(events, options.user, source.name, options.thread, question.question)

    def resume(
        self, events: AsyncGenerator[Event, None], source: Source, thread: str, action: str
    ) -> AsyncGenerator[Event, None]:
        """The same for a thread that is resumed."""
        self.admission.check_queue(self.identity.user)
        return self.auditor.events(
            self._with_slot(self.observed(events, source), source),
            self.identity.user,
            source.name,
            thread,
            action,
        )

    async def _with_slot(
        self, events: AsyncGenerator[Event, None], source: Source
    ) -> AsyncGenerator[Event, None]:
        async with aclosing(events), self.slot(source):
            async for event in events:
                yield event

    def slot(self, source: Source, seconds: float | None = None) -> AbstractAsyncContextManager[float]:
        return self.admission.slot(self.identity.user, source.name, seconds)

    async def _run_admitted(
        self, question: Question, source: Source, options: RunOptions, parent: str
    ) -> AsyncGenerator[Event, None]:
        """The client's deadline includes the time in the queue."""
        async with self.slot(source, question.seconds) as waited:
            if question.seconds:
                options = replace(options, seconds=max(0.001, question.seconds - waited))
            answering = self._run_cached(question, source, options, parent)
            if question.pagination:
                answering = with_page(answering, question.pagination, source.app, options.user)
            async with aclosing(answering) as events:
                async for event in events:
                    yield event

    async def _run_cached(
        self, question: Question, source: Source, options: RunOptions, parent: str
    ) -> AsyncGenerator[Event, None]:
        """Answer from the result cache, else from the app."""
        started = time.monotonic()
        key = await self._key(question, source, options)
        if options.seconds:
            options = replace(options, seconds=max(0.001, options.seconds - (time.monotonic() - started)))
        cached = None if question.fresh or key is None else await self._cached(key, question, source, options)
        if key is not None:
            self.metrics.count("cache", "hit" if cached else "bypass" if question.fresh else "miss")
        if cached is not None:
            yield Finished(cached)
            return
        events = source.app.stream(question.question, options)
        async with aclosing(self.observed(events, source, parent)) as observed:
            async for event in observed:
                if key is not None and isinstance(event, Finished):
                    await self.cache.keep(key, event.answer)
                yield event

    async def options_for(self, question: Question, thread: str, user: str) -> RunOptions:
        """The options of a question, and the user's preferences where it has none."""
        if question.model and question.model not in self.models:
            raise UsageError("usage.model_offered", name=question.model)
        if len(question.question) > self.settings.question_length:
            raise UsageError("usage.question_long", most=self.settings.question_length)
        allowed = self.settings.allow_writes
        values = {name: getattr(question, name) for name in _QUESTION_OPTIONS}
        named = {name: value for name, value in values.items() if value is not None}
        options = replace(await self._preferred(user), **named)
        return replace(
            options,
            user=user,
            thread=thread,
            model="" if options.model == self.models[0] else options.model,  # it has the same cache key
            allow_writes=allowed and question.allow_writes is not False,
        )

    async def _preferred(self, user: str) -> RunOptions:
        """Without the store there are no preferences, and a model may no longer be offered."""
        with suppress(StoreError):
            preferred: dict[str, Any] = dict(await (await self.server_store.memory()).preferences(user))
            if preferred.get("model") not in self.models:
                preferred.pop("model", None)
            return RunOptions(**preferred)
        return RunOptions()

    async def observed(
        self, events: AsyncGenerator[Event, None], source: Source, parent: str = ""
    ) -> AsyncGenerator[Event, None]:
        """Pass events through and record metrics, traces and a log line from them."""
        started, trace, kind = time.monotonic(), Trace(self.tracer, parent, source=source.name), "cancelled"
        answer: Answer | None = None
        try:
            async with aclosing(events):
                async for event in events:
                    trace.record(event)
                    if isinstance(event, StageStarted) and not await self.authenticator.is_still_valid(
                        self.identity
                    ):
                        raise UsageError("usage.not_welcome")
                    if isinstance(event, StageEnded):
                        self.metrics.stage(event.stage, event.seconds)
                    if isinstance(event, Finished):
                        answer = event.answer
                        self.metrics.answered(answer, time.monotonic() - started)
                    yield event
        except Text2SQLError as error:
            kind = str(getattr(error, "kind", error.message_key))
            raise
        finally:
            if answer is None:
                self.metrics.count("errors", kind)  # cancelled, or stopped by an error
            trace.end("" if answer else kind)
            _log_question(answer, kind, source, time.monotonic() - started)

    async def _key(self, question: Question, source: Source, options: RunOptions) -> Key | None:
        """The cache key; None for a follow-up question, or while the schema is unavailable."""
        if question.thread_id:
            return None
        with suppress(Text2SQLError, TimeoutError):
            async with asyncio.timeout(options.seconds or None):
                catalog = await source.app.catalog()  # its fingerprint includes the policy
            relevant_options = tuple(
                sorted(
                    (name, value)
                    for name, value in asdict(options).items()
                    if value and name not in _IGNORED_OPTIONS
                )
            )
            environment = [
                __version__,
                self.models[0],
                *(getattr(self.settings, name) for name in _RELEVANT_SETTINGS),
            ]
            return (
                source.name,
                catalog.fingerprint,
                relevant_options,
                environment,
                normalized_question(question.question),
            )
        return None

    async def _cached(
        self, key: Key, question: Question, source: Source, options: RunOptions
    ) -> Answer | None:
        """The cached answer, copied into a new thread, so that a follow-up refers to this answer only."""
        entry = await self.cache.find(key)
        if entry is None:
            return None
        answer = await _copy_answer(entry.thread, question.question, source, options)
        if answer is None:
            await self.cache.drop(key)
            return None
        return replace(
            answer, thread_id=options.thread, receipt=replace(answer.receipt, served=entry.answered_at)
        )


async def _copy_answer(thread: str, question: str, source: Source, options: RunOptions) -> Answer | None:
    """None if the thread was deleted or does not start with an answer to this question."""
    try:
        answer = await source.app.threads.first_answer(thread, user=options.user)
        if answer is None or normalized_question(answer.question) != normalized_question(question):
            return None
        return (
            answer if await source.app.threads.copy_first(answer, options.thread, user=options.user) else None
        )
    except Text2SQLError:
        return None


def _log_question(answer: Answer | None, kind: str, source: Source, seconds: float) -> None:
    receipt = answer.receipt if answer else None
    log_fields(
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
    """A random id of 128 bits, which cannot be guessed."""
    return uuid4().hex


async def final_answer(events: AsyncGenerator[Event, None]) -> Answer:
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Finished):
                return event.answer
    raise RuntimeError("the stream ended without an answer")


# -- dependencies of routes; async, because FastAPI runs plain functions in a thread pool ----------


async def _pipeline(request: Request) -> QueryPipeline:
    pipeline: QueryPipeline = request.app.state.pipeline
    return pipeline.seen_by(request.state.identity)


async def _user(request: Request) -> str:
    """The owner of threads and results of this request."""
    identity: Identity = request.state.identity
    return identity.user


async def _language(request: Request) -> Language:
    return language_of(request)


def language_of(request: Request) -> Language:
    settings: Settings = request.app.state.pipeline.settings
    return preferred_language(request.headers.get("accept-language", ""), settings.lang)


Pipeline = Annotated[QueryPipeline, Depends(_pipeline)]
User = Annotated[str, Depends(_user)]
ReaderLanguage = Annotated[Language, Depends(_language)]
