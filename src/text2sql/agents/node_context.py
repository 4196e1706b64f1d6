"""Per-node context: the app's shared resources, the options of this run, and LangGraph's stream of events.

A node function is `async def node(state, ctx) -> update`. `make_node` wraps it for LangGraph: it emits when
the stage begins and ends, records the path and the seconds, applies the time limit, and turns an error that
the function did not handle into a failure that the interpreter can explain. Nothing in the context enters a
checkpoint.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import Runtime

from text2sql.agents.catalog_cache import CatalogCache
from text2sql.agents.model_calls import reported_reply, reported_stream
from text2sql.agents.presets import Preset, check_options, effective_preset
from text2sql.agents.state import SQLMessageState, error_entry, usage_of
from text2sql.config import Settings
from text2sql.database import AsyncDatabase
from text2sql.errors import DatabaseError, ModelError, Text2SQLError
from text2sql.i18n import Language, explain, say
from text2sql.llm import AsyncChatModel
from text2sql.memory import Memory
from text2sql.schema import SchemaContext, ValueSharing, share_values
from text2sql.schema.sharing import ShareValues
from text2sql.serialization import typed_event
from text2sql.sql import mask_literals
from text2sql.types import (
    Checked,
    Event,
    ModelRequest,
    QueryResult,
    Queued,
    Reply,
    RunOptions,
    StageEnded,
    StageStarted,
    Status,
    Warned,
)

Update: TypeAlias = dict[str, Any]
NodeFunction: TypeAlias = "Callable[[SQLMessageState, NodeContext], Awaitable[Update]]"
Node: TypeAlias = Callable[..., Awaitable[Update]]

K = TypeVar("K")
T = TypeVar("T")

_CACHE_SIZE = 64  # entries per cache; older results are read from the store
_DEFAULTS = Settings()


@dataclass(slots=True)
class Resources:
    """What all questions of one app share."""

    settings: Settings
    database: AsyncDatabase
    memory: Memory
    catalog_cache: CatalogCache
    models: Callable[[str], AsyncChatModel]
    owns_threads: bool = True  # False under LangGraph's server, which stores threads and sends events itself
    results: OrderedDict[str, QueryResult] = field(default_factory=OrderedDict)
    sentences: OrderedDict[str, str] = field(default_factory=OrderedDict)
    prepared: OrderedDict[tuple[object, ...], Any] = field(default_factory=OrderedDict)

    def cache_result(self, result_id: str, result: QueryResult) -> None:
        put_bounded(self.results, result_id, result)

    def cache_sentence(self, result_id: str, text: str) -> None:
        put_bounded(self.sentences, result_id, text)

    def cache_prepared(self, key: tuple[object, ...], value: T) -> T:
        """Cache a value that is the same for every question on a schema: a prompt's prefix, a grammar."""
        put_bounded(self.prepared, key, value)
        return value


def put_bounded(cache: OrderedDict[K, T], key: K, value: T) -> None:
    """Add to a cache and evict the oldest entries beyond its size."""
    cache[key] = value
    while len(cache) > _CACHE_SIZE:
        cache.popitem(last=False)


@dataclass(frozen=True, slots=True)
class NodeContext:
    """What a node function can use besides the state."""

    resources: Resources
    options: RunOptions
    emit: Callable[[Event], None]
    language: Language = "en"
    seconds_left: float = 0.0  # of the question's time limit
    config: RunnableConfig = field(default_factory=RunnableConfig)  # LangGraph's, with its callbacks

    @property
    def model_timeout(self) -> float:
        """Seconds for a model call: what is left of the caller's limit, else at most the model's timeout."""
        seconds_left = max(self.seconds_left, 0.001)
        return seconds_left if self.options.seconds else min(seconds_left, self.settings.model_timeout)

    @property
    def settings(self) -> Settings:
        return self.resources.settings

    @property
    def preset(self) -> Preset:
        return effective_preset(self.options, self.settings)

    @property
    def model(self) -> AsyncChatModel:
        return self.resources.models(self.options.model)

    @property
    def share_values(self) -> ShareValues:
        """Which database values the model may see."""
        return share_values(self.model.profile.location, self.settings)

    def sharing(self, schema_context: SchemaContext) -> ValueSharing:
        return ValueSharing(self.share_values, schema_context, mask_literals)

    @property
    def allow_writes(self) -> bool:
        """Callers of our own app may permit writes; options that come over another server's wire may not."""
        if not self.options.allow_writes:
            return False
        return self.resources.owns_threads or self.settings.allow_writes

    @property
    def row_limit(self) -> int:
        return min(self.settings.row_limit, self.preset.rows or self.settings.row_limit)

    async def ask(self, request: ModelRequest) -> Reply:
        """Ask the model for a whole reply; emit `Queued` while the call waits for others."""
        return await reported_reply(self.model.ask(request, queued=self.queued), self.model, self.config)

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | Reply, None]:
        """The pieces of the model's reply as they arrive, then the reply."""
        pieces = self.model.stream(request, queued=self.queued)
        return reported_stream(pieces, self.model, self.config)

    def queued(self, ahead: int) -> None:
        self.emit(Queued(ahead))

    def say(self, key: str, **facts: object) -> str:
        return say(key, self.language, **facts)

    def check(self, name: str, passed: bool, detail: str = "") -> None:
        self.emit(Checked(name, passed, detail))

    def warn(self, key: str, **facts: object) -> None:
        self.emit(Warned(self.say(key, **facts)))


def make_node(name: str, function: NodeFunction, resources: Resources) -> Node:
    """Wrap a node function for LangGraph: events, timing, time limit and error handling."""

    async def node(state: SQLMessageState, runtime: Runtime[RunOptions], config: RunnableConfig) -> Update:
        options = cast("RunOptions | None", runtime.context) or RunOptions()
        check_options(options, _DEFAULTS)
        seconds_left = _seconds_left(name, state, options, resources.settings)
        emit = _event_writer(runtime, resources)
        ctx = NodeContext(resources, options, emit, state.get("language", "en"), seconds_left, config)
        ctx.emit(StageStarted(name))
        started = time.monotonic()
        # The interpreter always finishes, and a confirmed write is never cancelled.
        is_limited = name != "interpreter" and not state.get("pending_write")
        try:
            async with asyncio.timeout(max(seconds_left, 0.0) if is_limited else None) as timeout:
                await _open_model(resources, options.model)
                update = await function(state, ctx)
        except TimeoutError:
            if not timeout.expired():
                raise
            update = _timed_out(name, ctx, state)
        except Text2SQLError as error:
            update = failure_update(name, error, ctx, state)
        seconds = time.monotonic() - started
        ctx.emit(StageEnded(name, seconds))
        path = update.get("execution_path", state.get("execution_path", []))
        spent = update.get("seconds", state.get("seconds", {}))
        return {
            "current_stage": name,
            **update,
            "execution_path": [*path, name],
            "seconds": {**spent, name: round(spent.get(name, 0.0) + seconds, 4)},
        }

    return node


def _seconds_left(stage: str, state: SQLMessageState, options: RunOptions, settings: Settings) -> float:
    """Seconds left for the question; at the classifier, the state still holds the previous one's times."""
    spent = 0.0 if stage == "classifier" else sum(state.get("seconds", {}).values())
    return (options.seconds or settings.question_time) - spent


async def _open_model(resources: Resources, name: str) -> None:
    """In a thread, because it reads files. A node that uses a model which cannot be opened gets the error."""
    key = ("model", name)
    if key not in resources.prepared:
        with suppress(Text2SQLError):
            resources.cache_prepared(key, await asyncio.to_thread(resources.models, name))


def _event_writer(runtime: Runtime[RunOptions], resources: Resources) -> Callable[[Event], None]:
    """Writes to LangGraph's `custom` stream; for its own server as JSON with a `type`."""
    if resources.owns_threads:
        return runtime.stream_writer
    return lambda event: runtime.stream_writer(typed_event(event))


def final_update(status: Status, reason: str, message: str, hint: str = "", kind: str = "") -> Update:
    """The update that ends a question without rows: the message for the user, and the facts behind it."""
    return {
        "status": status,
        "user_prompt": message,
        "failure": {"reason": reason, "kind": kind or reason, "message": message, "hint": hint},
    }


def failure_update(
    stage: str, error: Text2SQLError, ctx: NodeContext, state: SQLMessageState, sql: str = ""
) -> Update:
    """The update for an error that cannot be recovered from, as facts and as a message."""
    message, _, hint = explain(error, ctx.language).partition("\n")
    kind = getattr(error, "kind", error.message_key)
    reason = "model" if isinstance(error, ModelError) else "database"
    status: Status = "refused" if kind == "refused" else "failed"
    return {
        **final_update(status, reason, message, hint, kind),
        "error_history": with_error(state, stage, kind, error_detail(error), sql),
    }


def _timed_out(stage: str, ctx: NodeContext, state: SQLMessageState) -> Update:
    """The update for a stage that was cancelled at the time limit, along with its model call or query."""
    message, hint = (ctx.say(f"reason.out_of_time.told{part}") for part in ("", ".hint"))
    return {
        **final_update("failed", "out_of_time", message, hint, "timeout"),
        "error_history": with_error(state, stage, "timeout", "the time of the question is over"),
    }


def with_error(
    state: SQLMessageState, stage: str, kind: str, detail: str, sql: str = ""
) -> list[dict[str, str]]:
    return [*state.get("error_history", []), error_entry(stage, kind, detail, sql)]


def error_detail(error: Text2SQLError) -> str:
    return error.detail if isinstance(error, DatabaseError | ModelError) else str(error)


def usage_update(state: SQLMessageState, reply: Reply) -> Update:
    """Add the cost of a model call to the question's usage."""
    return {"usage": asdict(usage_of(state) + reply.usage), "model": reply.model}
