"""Asks and answers: `ask` and `stream`, for tasks and, in `synchronous.py`, for plain code.

    async with AsyncText2SQL("shop.db") as db:
        answer = await db.ask("Which five products sold best last year?")

Importing this is cheap; what costs time to import is imported when a database is opened (`opening.py`).
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack
from uuid import uuid4

from text2sql.background import aside
from text2sql.config import Settings, from_environment
from text2sql.database import AsyncDatabase, AsyncStream
from text2sql.errors import Text2SQLError, UsageError
from text2sql.llm import AsyncChatModel
from text2sql.memory import Pair, Stats, StoredResult, ThreadInfo
from text2sql.opening import House, Tables
from text2sql.sql import check, check_count, check_page
from text2sql.types import (
    Answer,
    Catalogue,
    CheckedSql,
    Event,
    Finished,
    Limits,
    Policy,
    QueryResult,
    SqlRejected,
)

if TYPE_CHECKING:
    from text2sql.agents import Asked, Rooms

_MODES = ("hybrid", "database_direct", "chat_direct")


class How(TypedDict, total=False):
    """What may be said with a question."""

    thread: str  # the conversation it belongs to; a new one without it
    user: str
    language: str
    mode: str
    preset: str
    model: str
    allow_writes: bool
    candidates: int
    seconds: float  # for the whole question
    previous: Mapping[str, str]  # `sql`, `kind`, `detail` of a query that failed: it is mended, once


class AsyncText2SQL:
    def __init__(
        self,
        source: str = "",
        *,
        settings: Settings | None = None,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        tables: Tables | None = None,
    ) -> None:
        """`tables` narrows what may be seen, by names or with columns; a `policy` says it in full."""
        self.settings = settings or from_environment()
        self.source = source or self.settings.db
        self._house = House(self.source, self.settings, model, policy, tables)
        self._warming: asyncio.Task[None] | None = None

    # -- asking --------------------------------------------------------------------------------------

    async def ask(self, question: str, **how: Unpack[How]) -> Answer:
        """The answer. Errors of the database or the model are told in it; bad usage is raised."""
        async with aclosing(self.stream(question, **how)) as events:
            return await _last(events)

    async def stream(self, question: str, **how: Unpack[How]) -> AsyncGenerator[Event, None]:
        """What happens, as it happens; the last event is `Finished`. Closing the stream cancels the query."""
        asked = await self._asked(how)
        said = {"messages": [{"role": "user", "content": question}]}
        async with aclosing((await self._house.runs()).run(said, asked)) as events:
            async for event in events:
                yield event

    async def draft(self, question: str, **how: Unpack[How]) -> Answer:
        """A query that passed the guard, as `Answer.sql`, and no connection: `run_own` runs it."""
        how["preset"] = "static"
        return await self.ask(question, **how)

    async def confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Answer:
        """Answer a `confirm`. Saying yes twice runs the statement once."""
        async with aclosing(self.stream_confirm(thread, yes=yes, user=user)) as events:
            return await _last(events)

    async def stream_confirm(
        self, thread: str, *, yes: bool = True, user: str = ""
    ) -> AsyncGenerator[Event, None]:
        asked = await self._asked({"thread": thread, "user": user, "allow_writes": True})
        async with aclosing((await self._house.runs()).confirm(asked, yes)) as events:
            async for event in events:
                yield event

    async def resume(self, thread: str, *, user: str = "") -> Answer:
        """Go on where a crash or a cancellation left a thread; the last answer if nothing is left to do."""
        async with aclosing(self.stream_resume(thread, user=user)) as events:
            return await _last(events)

    async def stream_resume(self, thread: str, *, user: str = "") -> AsyncGenerator[Event, None]:
        asked = await self._asked({"thread": thread, "user": user})
        async with aclosing((await self._house.runs()).resume(asked)) as events:
            async for event in events:
                yield event

    # -- threads -------------------------------------------------------------------------------------

    async def threads(self, user: str = "") -> list[ThreadInfo]:
        return await (await self.rooms()).memory.threads(user)

    async def history(self, thread: str, *, user: str = "") -> list[Mapping[str, Any]]:
        """The turns of a thread, oldest first: question, SQL, status, answer."""
        return await (await self._house.runs()).history(await self._asked({"thread": thread, "user": user}))

    async def roll_back(self, thread: str, *, turns: int = 1, user: str = "") -> int:
        """Forget the last turns, as if they had not been asked; how many are left."""
        return await (await self._house.runs()).roll_back(
            await self._asked({"thread": thread, "user": user}), turns
        )

    async def forget(self, thread: str, *, user: str = "") -> None:
        await (await self.rooms()).memory.forget(user, thread)

    @asynccontextmanager
    async def alone(self, **how: Unpack[How]) -> AsyncIterator[How]:
        """Terms of a thread that nobody goes on with: it is forgotten, and its rows with it."""
        thread, user = uuid4().hex, how.get("user", "")
        try:
            yield {**how, "thread": thread}
        finally:
            await self.forget(thread, user=user)

    async def source_of(self, thread: str, *, user: str = "") -> str | None:
        """The key of the database that a thread is about; empty if not known yet, None for no thread."""
        return await (await self._house.runs()).source(await self._asked({"thread": thread, "user": user}))

    async def first_answer(self, thread: str, *, user: str = "") -> Answer | None:
        """What a thread began with, if that was an answer and all its rows are there."""
        asked = await self._asked({"thread": thread, "user": user})
        return await (await self._house.runs()).first_answer(asked)

    async def again(self, answer: Answer, thread: str, *, user: str = "") -> bool:
        """Begin a thread with an answer that began another; False if that one, or its rows, are gone."""
        runs = await self._house.runs()
        if not await (await self.rooms()).memory.holds_result(user, answer.result_id):
            return False
        return await runs.copy(await self._asked({"thread": answer.thread_id, "user": user}), thread)

    # -- results, pairs, numbers ---------------------------------------------------------------------

    async def result(self, result_id: str, *, user: str = "") -> StoredResult:
        """An earlier result as it was kept: its first rows, and how many there were."""
        return (await self._kept(result_id, user))[1]

    async def page(
        self, result_id: str, *, number: int, size: int, user: str = "", order: int = 0
    ) -> QueryResult:
        """A page of an earlier result, in a stable order, through the guard as everything else.

        `order` is the place of a column, from 1, negative for the other way round; 0 is the query's own.
        """
        rooms, kept = await self._kept(result_id, user)
        return await rooms.database.run(await self._paged(kept, number, size, order))

    @asynccontextmanager
    async def export(
        self, result_id: str, *, limits: Limits, user: str = "", order: int = 0
    ) -> AsyncIterator[AsyncStream]:
        """All rows of an earlier result, in the order of its pages, drawn as they are read."""
        rooms, kept = await self._kept(result_id, user)
        query = await self._paged(kept, 1, limits.rows + 1, order)
        async with rooms.database.stream(query, limits) as stream:
            yield stream

    async def _paged(self, kept: StoredResult, number: int, size: int, order: int) -> CheckedSql:
        known = await (await self.rooms()).library.knowledge(values=False)
        catalogue = known.catalogue
        at: dict[str, int] = {"number": number, "size": size, "order": order}
        paged = await aside(
            kept.sql, lambda: check_page(kept.sql, catalogue.dialect, catalogue, known.policy, **at)
        )
        return _passed(paged)

    async def count(self, result_id: str, *, user: str = "") -> int:
        """How many rows the query of an earlier result has in all."""
        rooms, kept = await self._kept(result_id, user)
        known = await rooms.library.knowledge(values=False)
        catalogue = known.catalogue
        counted = await aside(
            kept.sql, lambda: check_count(kept.sql, catalogue.dialect, catalogue, known.policy)
        )
        found = await rooms.database.run(_passed(counted))
        return int(str(found.rows[0][0]))

    async def query(self, sql: str, *, rows: int | None = None) -> QueryResult | SqlRejected:
        """One statement of a person's own, through the same guard and limits as a model's."""
        checked = await self.check(sql, rows=rows)
        database = (await self.rooms()).database
        return await database.run(checked) if isinstance(checked, CheckedSql) else checked

    async def check(self, sql: str, *, rows: int | None = None) -> CheckedSql | SqlRejected:
        """What the guard says of a statement. Nothing is run."""
        known = await (await self.rooms()).library.knowledge(values=False)
        limit = min(rows or self.settings.row_limit, self.settings.row_limit)
        catalogue = known.catalogue
        return await aside(sql, lambda: check(sql, catalogue.dialect, catalogue, known.policy, rows=limit))

    async def run_own(self, sql: str, **how: Unpack[How]) -> Answer:
        """The same in the shape of an answer: a refusal is told in it, and the rows can be paged."""
        asked = await self._asked(how)
        from text2sql.agents import run_own  # noqa: PLC0415 -- see the module's first words

        return await run_own(sql, asked, await self.rooms())

    async def remember(self, question: str, sql: str, *, user: str = "") -> None:
        """Keep a pair that a person has found right: it helps with questions like it."""
        rooms = await self.rooms()
        known = await rooms.library.knowledge(values=False)
        checked = _passed(check(sql, known.catalogue.dialect, known.catalogue, known.policy))
        pair = Pair(question, checked.shown, checked.dialect, rooms.library.key, checked.tables, user)
        await rooms.memory.remember(pair)

    async def note_feedback(
        self, question: str, sql: str, *, good: bool, comment: str = "", thread: str = "", user: str = ""
    ) -> None:
        """Keep what a person said of an answer; a pair that is not right after all is no longer used."""
        rooms = await self.rooms()
        if not good:
            known = await rooms.library.knowledge(values=False)
            checked = check(sql, known.catalogue.dialect, known.catalogue, known.policy)
            wrong = {sql, checked.shown} if isinstance(checked, CheckedSql) else {sql}
            for _, pair in await rooms.memory.recall(rooms.library.key, question, user=user):
                if pair.question == question and pair.sql in wrong:
                    await rooms.memory.forget_pair(rooms.library.key, question, user)
        facts = {"question": question, "sql": sql, "good": good, "comment": comment, "thread": thread}
        await rooms.memory.note(user, {**facts, "source": rooms.library.key})

    async def stats(self, days: int | None = None) -> Stats:
        return await (await self.rooms()).memory.stats(days)

    async def catalogue(self) -> Catalogue:
        """What may be seen of the database."""
        return (await (await self.rooms()).library.knowledge(values=False)).catalogue

    async def refresh(self) -> Catalogue:
        """The same, read anew."""
        await (await self.rooms()).library.refresh()
        return await self.catalogue()

    async def publish(self) -> bool:
        """Read it anew for all who share the memory, whatever each may see of it; whether it has changed."""
        return await (await self.rooms()).library.publish()

    # -- opening and closing -------------------------------------------------------------------------

    @property
    def database(self) -> AsyncDatabase | None:
        """None until it has been opened."""
        return self._house.database

    @property
    def model_name(self) -> str:
        """Who is asked unless a question names another."""
        return self._house.model_name

    def seen_by(self, policy: Policy) -> "AsyncText2SQL":
        """The same for somebody who may see no more than this: one pool, one memory, the same models. It need
        not be closed; it lives as long as somebody holds it and this one is open.
        """
        return self._beside(self._house.seen_by(policy))

    def apart(self, settings: Settings) -> "AsyncText2SQL":
        """The same database, policy and models under other settings, and with a memory of its own. It has to
        be closed, before this one.
        """
        return self._beside(self._house.apart(settings))

    @staticmethod
    def _beside(house: House) -> "AsyncText2SQL":
        other = AsyncText2SQL(house.source, settings=house.settings)
        other._house = house
        return other

    async def rooms(self) -> "Rooms":
        return await self._house.rooms()

    async def warm(self) -> None:
        """Read the catalogue and have the model read the schema, while the person is still typing."""
        rooms = await self.rooms()
        from text2sql.agents import warm_up  # noqa: PLC0415 -- see the module's first words

        await warm_up(rooms)

    def warm_soon(self) -> None:
        """The same, not waited for; an error will be met by the first question."""

        async def quietly() -> None:
            with suppress(Text2SQLError):
                await self.warm()

        self._warming = asyncio.create_task(quietly())

    async def close(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
            with suppress(asyncio.CancelledError):
                await self._warming
        await self._house.close()

    async def __aenter__(self) -> Self:
        await self.rooms()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- what was asked ------------------------------------------------------------------------------

    async def _asked(self, how: How) -> "Asked":
        await self.rooms()
        from text2sql.agents import Asked, preset  # noqa: PLC0415 -- see the module's first words

        preset(how.get("preset") or self.settings.preset)  # bad usage is told before anything is done
        mode = how.get("mode") or self.settings.mode
        if mode not in _MODES:
            raise UsageError("usage.mode", name=mode, modes=", ".join(_MODES))
        given: dict[str, Any] = {**how}
        given["thread"] = given.get("thread") or uuid4().hex[:12]
        given["language"] = given.get("language") or self.settings.lang
        given["allow_writes"] = given.get("allow_writes", self.settings.allow_writes)
        return Asked(**given)

    async def _kept(self, result_id: str, user: str) -> tuple["Rooms", StoredResult]:
        """Several databases may share one memory: a result of another one is none of this one's, nor one of
        the same database from when other things could be seen of it.
        """
        rooms = await self.rooms()
        kept = await rooms.memory.result(user, result_id)
        if kept is None or kept.source not in ("", rooms.library.mark):
            raise UsageError("usage.result")
        known = await rooms.library.knowledge(values=False)
        if known.policy.rows and kept.fingerprint != known.catalogue.fingerprint:
            raise UsageError("usage.result")  # kept under other claims: its rows may be of no concern now
        return rooms, kept


async def _last(events: AsyncIterator[Event]) -> Answer:
    answer: Answer | None = None
    async for event in events:
        if isinstance(event, Finished):
            answer = event.answer
    if answer is None:
        raise RuntimeError("a stream ends with its answer")
    return answer


def _passed(checked: CheckedSql | SqlRejected) -> CheckedSql:
    if isinstance(checked, SqlRejected):
        raise UsageError("usage.query_refused", rule=checked.rule, piece=checked.piece)
    return checked
