"""`AsyncText2SQL.threads`: the conversations with a database."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack
from uuid import uuid4

from text2sql.client.moved import warn_moved
from text2sql.client.results import find_result
from text2sql.client.run_options import final_answer, merged, prepared
from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.memory import ThreadInfo
from text2sql.resources import AppResources
from text2sql.types import Answer, Event, RunKeywords, RunOptions

if TYPE_CHECKING:
    from text2sql.agents import GraphRunner


class AsyncThreads:
    """The threads of a database. One thread answers one question at a time.

    >>> answer = await db.ask("How many customers are there?", thread="monday")
    >>> [info.thread_id for info in await db.threads.list()][:1]
    ['monday']
    """

    def __init__(self, app: AppResources) -> None:
        self._app = app

    async def get(self, thread: str, *, user: str = "") -> ThreadInfo | None:
        """A thread's title, number of turns and time of its last question; None if there is no such thread.

        >>> answer = await db.ask("How many customers are there?", thread="get")
        >>> info = await db.threads.get("get")
        >>> info.title, info.turns
        ('How many customers are there?', 1)
        """
        return await (await self._app.resources()).memory.thread(user, thread)

    async def history(self, thread: str, *, user: str = "") -> Sequence[Mapping[str, Any]]:
        """The last turns of a thread, oldest first: question, SQL, status, answer.

        >>> answer = await db.ask("How many customers are there?", thread="history")
        >>> [turn["question"] for turn in await db.threads.history("history")]
        ['How many customers are there?']
        """
        runner, options = await self._prepared(thread, user)
        return await runner.history(options)

    async def answers(self, thread: str, *, rows: int = 100, user: str = "") -> Sequence[Answer]:
        """All answers of a thread, oldest first, each with its first stored rows, its chart and its sentence.
        An answer whose rows have expired has no `result_id`.

        >>> answer = await db.ask("How many customers are there?", thread="answers")
        >>> [answer.rows for answer in await db.threads.answers("answers")]
        [((4000,),)]
        """
        runner, options = await self._prepared(thread, user)
        return [
            await self._with_stored_rows(answer, lang, rows, user)
            for answer, lang in await runner.answers(options)
        ]

    async def _with_stored_rows(self, answer: Answer, lang: Language, max_rows: int, user: str) -> Answer:
        from text2sql.agents import attach_rows, stored_rows  # noqa: PLC0415 -- LangGraph takes two seconds

        if not answer.result_id:
            return answer
        try:
            resources, stored = await find_result(self._app, answer.result_id, user)
        except UsageError:
            return replace(answer, chart=None, result_id="")
        result = await stored_rows(stored, resources)
        with_rows = await asyncio.to_thread(attach_rows, answer, result, lang, resources)
        is_cut = answer.truncated or stored.truncated or len(stored.rows) > max_rows
        return replace(with_rows, rows=with_rows.rows[:max_rows], truncated=is_cut)

    async def confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Answer:
        """Answer a `confirm`. Saying yes twice runs the statement once.

        >>> answer = await db.ask("Delete the returns of order 7", thread="write", allow_writes=True)
        >>> answer.status
        'confirm'
        >>> answer = await db.threads.confirm("write", yes=False)
        >>> answer.status
        'refused'
        """
        async with aclosing(self.stream_confirm(thread, yes=yes, user=user)) as events:
            return await final_answer(events)

    async def stream_confirm(
        self, thread: str, *, yes: bool = True, user: str = ""
    ) -> AsyncGenerator[Event, None]:
        """Like `confirm`, but yield the events.

        >>> answer = await db.ask("Delete the returns of order 7", thread="streamed", allow_writes=True)
        >>> async for event in db.threads.stream_confirm("streamed", yes=False):
        ...     if isinstance(event, Finished):
        ...         print(event.answer.status)
        refused
        """
        runner, options = await self._prepared(thread, user, allow_writes=True)
        async with aclosing(runner.confirm(options, yes)) as events:
            async for event in events:
                yield event

    async def resume(self, thread: str, *, user: str = "") -> Answer:
        """Continue a thread after a crash or cancellation; the last answer if nothing is left to do.

        >>> answer = await db.ask("How many customers are there?", thread="resume")
        >>> answer = await db.threads.resume("resume")
        >>> answer.rows
        ((4000,),)
        """
        async with aclosing(self.stream_resume(thread, user=user)) as events:
            return await final_answer(events)

    async def stream_resume(self, thread: str, *, user: str = "") -> AsyncGenerator[Event, None]:
        """Like `resume`, but yield the events.

        >>> answer = await db.ask("How many customers are there?", thread="again")
        >>> [type(event).__name__ async for event in db.threads.stream_resume("again")]
        ['Finished']
        """
        runner, options = await self._prepared(thread, user)
        async with aclosing(runner.resume(options)) as events:
            async for event in events:
                yield event

    async def roll_back(self, thread: str, *, turns: int = 1, user: str = "") -> int:
        """Remove the last turns from a thread; return how many are left.

        >>> answer = await db.ask("How many customers are there?", thread="undo")
        >>> await db.threads.roll_back("undo")
        0
        """
        runner, options = await self._prepared(thread, user)
        return await runner.roll_back(options, turns)

    async def fork(self, thread: str, *, turns: int | None = None, user: str = "") -> str:
        """Copy a thread, or its first turns, to a new one, and return its id. The two continue independently.

        >>> answer = await db.ask("How many customers are there?", thread="original")
        >>> copy = await db.threads.fork("original")
        >>> [turn["question"] for turn in await db.threads.history(copy)]
        ['How many customers are there?']
        """
        runner, options = await self._prepared(thread, user)
        copied_thread = uuid4().hex[:12]
        if not await runner.fork(options, copied_thread, turns):
            raise UsageError("usage.thread", thread=thread)
        return copied_thread

    async def delete(self, thread: str, *, user: str = "") -> None:
        """Delete a thread with its turns and results.

        >>> answer = await db.ask("How many customers are there?", thread="private")
        >>> await db.threads.delete("private")
        >>> await db.threads.history("private")
        []
        """
        await (await self._app.resources()).memory.forget(user, thread)

    @asynccontextmanager
    async def temporary(
        self, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> AsyncIterator[RunOptions]:
        """Options with a new thread that is deleted afterwards, with its rows.

        >>> async with db.threads.temporary(language="en") as options:
        ...     answer = await db.ask("How many customers are there?", options)
        >>> await db.threads.history(answer.thread_id)
        []
        """
        run_options = replace(merged(options, keywords), thread=uuid4().hex)
        try:
            yield run_options
        finally:
            await self.delete(run_options.thread, user=run_options.user)

    async def source(self, thread: str, *, user: str = "") -> str | None:
        """The key of a thread's database; empty if not yet known, None if there is no such thread."""
        runner, options = await self._prepared(thread, user)
        return await runner.source(options)

    async def first_answer(self, thread: str, *, user: str = "") -> Answer | None:
        """The first answer of a thread, if all its rows are still stored."""
        runner, options = await self._prepared(thread, user)
        return await runner.first_answer(options)

    async def copy_first(self, answer: Answer, thread: str, *, user: str = "") -> bool:
        """Start a thread with the first answer of another; False if that thread or its rows are gone."""
        runner, options = await self._prepared(answer.thread_id, user)
        memory = (await self._app.resources()).memory
        return await memory.has_result(user, answer.result_id) and await runner.copy(options, thread)

    async def list(self, *, user: str = "") -> Sequence[ThreadInfo]:
        """The threads of a user, newest first.

        >>> answer = await db.ask("How many customers are there?", thread="listed", user="ann")
        >>> [info.title for info in await db.threads.list(user="ann")]
        ['How many customers are there?']
        """
        return await (await self._app.resources()).memory.threads(user)

    if not TYPE_CHECKING:

        async def __call__(self, user: str = "") -> Sequence[ThreadInfo]:
            warn_moved("threads()", "threads.list()")
            return await self.list(user=user)

    async def _prepared(
        self, thread: str, user: str, *, allow_writes: bool | None = None
    ) -> "tuple[GraphRunner, RunOptions]":
        options = RunOptions(thread=thread, user=user, allow_writes=allow_writes)
        return await prepared(self._app, options)
