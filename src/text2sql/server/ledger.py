"""The server's own memory, beside those of its sources: keys, and who asked what.

Opened when it is first needed, and again when it could not be: until then nobody is let in and nothing is
answered, because neither could be known.
"""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import replace
from secrets import token_hex

from text2sql.config import Settings
from text2sql.errors import StoreError, StoreUnavailable, Text2SQLError, UsageError
from text2sql.memory import Memory, Record, StoredResult, open_memory, queue_of
from text2sql.server.logs import request_id
from text2sql.types import Answer, Event, Finished, RowsFound

_PAUSE = 2.0  # seconds between two tries to open it


class Ledger:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._memory: Memory | None = None
        self._failed = float("-inf"), StoreError("", "")
        self.queue = queue_of(settings)

    async def memory(self) -> Memory:
        if self._memory is None:
            async with self._opening:
                if self._memory is None:
                    self._memory = await self._open()
        return self._memory

    async def _open(self) -> Memory:
        when, error = self._failed
        if time.monotonic() - when < _PAUSE:
            raise StoreUnavailable(error.place, error.detail)
        try:
            return await self._stack.enter_async_context(open_memory(self._settings))
        except StoreError as error:
            self._failed = time.monotonic(), error
            raise

    async def take(self, person: str, per_minute: int) -> bool:
        return await (await self.memory()).paces.take(person, per_minute)

    async def answers(self) -> bool:
        try:
            await (await self.memory()).keys.still_opens("")
        except Text2SQLError:
            return False
        return True

    async def close(self) -> None:
        self._memory = None
        if self.queue is not None:
            await self.queue.close()
        await self._stack.aclose()


class Auditor:
    """Writes down what is done before the client gets to see it: what cannot be written down is not told."""

    def __init__(self, ledger: Ledger, on: bool) -> None:
        self._ledger = ledger
        self.on = on

    async def events(
        self, events: AsyncGenerator[Event, None], user: str, source: str, thread: str, asked: str
    ) -> AsyncGenerator[Event, None]:
        """The same events. Rows are told once their query stands in the log, the answer once its end does."""
        if not self.on:
            async with aclosing(events):
                async for event in events:
                    yield event
            return
        entry, ended = Record(token_hex(8), "begun", request_id.get(), user, source, thread, asked), ""
        await self._write(entry)
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, RowsFound):
                        await self._write(entry, "ran", sql=event.sql, rows=len(event.rows))
                    elif isinstance(event, Finished):
                        ended = await self._end(entry, event.answer)
                    yield event
        except Text2SQLError as error:
            ended = ended or await self._cut(entry, str(getattr(error, "kind", error.message_key)))
            raise
        finally:
            if not ended:
                await self._cut(entry, "cancelled")

    async def answer(self, answer: Answer, user: str, source: str, asked: str) -> Answer:
        """A statement of somebody's own, which has just run."""
        if self.on:
            entry = Record(token_hex(8), "ended", request_id.get(), user, source, answer.thread_id, asked)
            await self._end(entry, answer)
        return answer

    async def read(self, kept: StoredResult, user: str, source: str, what: str) -> None:
        """Rows of an earlier answer are about to be told once more."""
        if self.on:
            entry = Record(token_hex(8), "read", request_id.get(), user, source, asked=what)
            await self._write(entry, "read", sql=kept.sql, rows=kept.row_count)

    async def _end(self, entry: Record, answer: Answer) -> str:
        await self._write(entry, "ended", sql=answer.sql, rows=answer.row_count, status=answer.status)
        return answer.status

    async def _cut(self, entry: Record, status: str) -> str:
        with suppress(StoreError):  # nothing was told: that it begun is on record
            await asyncio.shield(self._write(entry, "ended", status=status))
        return status

    async def _write(
        self, entry: Record, event: str = "", *, sql: str = "", rows: int = 0, status: str = ""
    ) -> None:
        record = replace(entry, event=event or entry.event, sql=sql, rows=rows, status=status)
        await (await self._ledger.memory()).audit.write(record)


def audits(settings: Settings, asks: bool) -> bool:
    if settings.audit not in ("on", "off", "auto"):
        raise UsageError("usage.audit", value=settings.audit[:40])
    on = settings.audit == "on" or (settings.audit == "auto" and asks and settings.memory.strip() != "none")
    if on and settings.memory.strip() == "none":
        raise UsageError("usage.audit_memory")
    return on
