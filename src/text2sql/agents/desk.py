"""What an agent has on its desk: the rooms that the app opened, what was asked of it, and a way to tell.

An agent is `async def agent(state, desk) -> update`. `staged` makes a graph's node of it: it tells when the
stage begins and ends, keeps the path and the seconds, and turns an error that the agent did not meet into a
failure that the interpreter can explain. What is injected here never enters a checkpoint.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias, TypeVar, cast

from langgraph.runtime import Runtime

from text2sql.agents.library import Library
from text2sql.agents.presets import Preset, preset
from text2sql.agents.state import SQLMessageState, trouble, usage_of
from text2sql.config import Settings
from text2sql.database import AsyncDatabase
from text2sql.errors import DatabaseError, ModelError, Text2SQLError
from text2sql.llm import AsyncChatModel
from text2sql.memory import Memory
from text2sql.messages import Language, explain, say
from text2sql.types import (
    Checked,
    Event,
    Mode,
    QueryResult,
    Reply,
    StageEnded,
    StageStarted,
    Status,
    Warned,
)

Update: TypeAlias = dict[str, Any]
Agent: TypeAlias = "Callable[[SQLMessageState, Desk], Awaitable[Update]]"
Node: TypeAlias = Callable[..., Awaitable[Update]]

K = TypeVar("K")
T = TypeVar("T")

_HELD = 64  # results that this process keeps at hand; the rest is in the store


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller may say with a question; the graph's context. Plain data: it may come over the wire."""

    user: str = ""
    thread: str = ""
    language: Language | str = ""
    mode: Mode | str = ""
    preset: str = ""
    model: str = ""
    allow_writes: bool = False
    candidates: int = 0  # 0 follows the settings
    seconds: float = 0.0  # for the whole question; 0 follows the settings
    previous: Mapping[str, str] | None = None  # `sql`, `kind` and `detail` of a query that failed before


@dataclass(frozen=True, slots=True)
class Heard:
    """What was asked of our own app, and who hears what happens. LangGraph's stream would wake its loop, and
    ours, for every event.
    """

    asked: Asked
    emit: Callable[[Event], None]


@dataclass(slots=True)
class Rooms:
    """What one app shares between all its questions."""

    settings: Settings
    database: AsyncDatabase
    memory: Memory
    library: Library
    models: Callable[[str], AsyncChatModel]
    keeps: bool = True  # threads are ours: what rows say stays out of them, and with the rows
    warming: bool = False  # the model is reading the whole schema just now
    results: OrderedDict[str, QueryResult] = field(default_factory=OrderedDict)
    sentences: OrderedDict[str, str] = field(default_factory=OrderedDict)
    prepared: OrderedDict[tuple[object, ...], Any] = field(default_factory=OrderedDict)

    def hold(self, result_id: str, result: QueryResult) -> None:
        put(self.results, result_id, result)

    def hold_sentence(self, result_id: str, text: str) -> None:
        put(self.sentences, result_id, text)

    def prepare(self, key: tuple[object, ...], value: T) -> T:
        """Keep what is the same for every question of a schema: a prompt's prefix, a grammar."""
        put(self.prepared, key, value)
        return value


def put(held: OrderedDict[K, T], key: K, value: T) -> None:
    held[key] = value
    while len(held) > _HELD:
        held.popitem(last=False)


@dataclass(frozen=True, slots=True)
class Desk:
    rooms: Rooms
    asked: Asked
    emit: Callable[[Event], None]
    language: Language = "en"
    left: float = 0.0  # seconds, of those that the question may take

    @property
    def patience(self) -> float:
        """Seconds for a model: those that are left where a caller gave some, else as the settings have it."""
        left = max(self.left, 0.001)
        return left if self.asked.seconds else min(left, self.settings.model_timeout)

    @property
    def settings(self) -> Settings:
        return self.rooms.settings

    @property
    def preset(self) -> Preset:
        return preset(self.asked.preset or self.settings.preset)

    @property
    def model(self) -> AsyncChatModel:
        return self.rooms.models(self.asked.model)

    @property
    def allow_writes(self) -> bool:
        """Who calls our own app may say so; what comes over the wire of another server may not."""
        return self.asked.allow_writes and (self.rooms.keeps or self.settings.allow_writes)

    @property
    def row_limit(self) -> int:
        return min(self.settings.row_limit, self.preset.rows or self.settings.row_limit)

    def say(self, key: str, **facts: object) -> str:
        return say(key, self.language, **facts)

    def check(self, name: str, passed: bool, detail: str = "") -> None:
        self.emit(Checked(name, passed, detail))

    def warn(self, key: str, **facts: object) -> None:
        self.emit(Warned(self.say(key, **facts)))


def staged(name: str, agent: Agent, rooms: Rooms) -> Node:
    async def node(state: SQLMessageState, runtime: Runtime[Asked]) -> Update:
        heard = _heard(runtime)
        asked = heard.asked
        left = _left(name, state, asked, rooms.settings)
        desk = Desk(rooms, asked, heard.emit, state.get("language", "en"), left)
        desk.emit(StageStarted(name))
        began = time.monotonic()
        # What ends a question may take its moment, and a write that was confirmed is not broken off.
        bounded = name != "interpreter" and not state.get("pending_write")
        try:
            async with asyncio.timeout(max(left, 0.0) if bounded else None) as clock:
                update = await agent(state, desk)
        except TimeoutError:
            if not clock.expired():
                raise
            update = _over(name, desk, state)
        except Text2SQLError as error:
            update = failed(name, error, desk, state)
        seconds = time.monotonic() - began
        desk.emit(StageEnded(name, seconds))
        path = update.get("execution_path", state.get("execution_path", []))
        spent = update.get("seconds", state.get("seconds", {}))
        return {
            "current_stage": name,
            **update,
            "execution_path": [*path, name],
            "seconds": {**spent, name: round(spent.get(name, 0.0) + seconds, 4)},
        }

    return node


def _left(stage: str, state: SQLMessageState, asked: Asked, settings: Settings) -> float:
    """The classifier begins a question: what the state holds then is the bill of the one before."""
    spent = 0.0 if stage == "classifier" else sum(state.get("seconds", {}).values())
    return (asked.seconds or settings.question_time) - spent


def _heard(runtime: Runtime[Asked]) -> Heard:
    """LangGraph's own server streams by itself, and may pass the context as a mapping, or none."""
    context: object = runtime.context
    if isinstance(context, Heard):
        return context
    given = cast("Mapping[str, Any]", context) if isinstance(context, Mapping) else {}
    return Heard(context if isinstance(context, Asked) else Asked(**given), runtime.stream_writer)


def ended(status: Status, reason: str, message: str, hint: str = "", kind: str = "") -> Update:
    """How a question ends without rows: what a person is told, and the facts behind it."""
    return {
        "status": status,
        "user_prompt": message,
        "failure": {"reason": reason, "kind": kind or reason, "message": message, "hint": hint},
    }


def failed(stage: str, error: Text2SQLError, desk: Desk, state: SQLMessageState, sql: str = "") -> Update:
    """An error that nothing more can be done about, as facts and as a sentence."""
    message, _, hint = explain(error, desk.language).partition("\n")
    kind = getattr(error, "kind", error.message_key)
    reason = "model" if isinstance(error, ModelError) else "database"
    status: Status = "refused" if kind == "refused" else "failed"
    return {
        **ended(status, reason, message, hint, kind),
        "error_history": noted(state, stage, kind, detail_of(error), sql),
    }


def _over(stage: str, desk: Desk, state: SQLMessageState) -> Update:
    """The stage was stopped, and with it what it had begun: the call of a model, a query on its server."""
    message, hint = (desk.say(f"reason.out_of_time.told{part}") for part in ("", ".hint"))
    return {
        **ended("failed", "out_of_time", message, hint, "timeout"),
        "error_history": noted(state, stage, "timeout", "the time of the question is over"),
    }


def noted(state: SQLMessageState, stage: str, kind: str, detail: str, sql: str = "") -> list[dict[str, str]]:
    return [*state.get("error_history", []), trouble(stage, kind, detail, sql)]


def detail_of(error: Text2SQLError) -> str:
    return error.detail if isinstance(error, DatabaseError | ModelError) else str(error)


def paid(state: SQLMessageState, reply: Reply) -> Update:
    """What a call cost, added to what the question has cost so far."""
    return {"usage": asdict(usage_of(state) + reply.usage), "model": reply.model}
