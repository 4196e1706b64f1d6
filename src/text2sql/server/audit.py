"""The server's own store and its audit log: API keys, jobs and who asked what.

The store is opened on first use and reopened after a failure. While it is unavailable, sign-in and audited
requests are refused, because neither can be checked or recorded.
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

_RETRY_PAUSE = 2.0  # seconds between two attempts to open it


class ServerStore:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._memory: Memory | None = None
        self._last_failure = float("-inf"), StoreError("", "")
        self.queue = queue_of(settings)

    async def memory(self) -> Memory:
        if self._memory is None:
            async with self._opening:
                if self._memory is None:
                    self._memory = await self._open()
        return self._memory

    async def _open(self) -> Memory:
        failed_at, error = self._last_failure
        if time.monotonic() - failed_at < _RETRY_PAUSE:
            raise StoreUnavailable(error.place, error.detail)
        try:
            return await self._stack.enter_async_context(open_memory(self._settings))
        except StoreError as error:
            self._last_failure = time.monotonic(), error
            raise

    async def take(self, user: str, per_minute: int) -> bool:
        return await (await self.memory()).rate_limits.take(user, per_minute)

    async def answers(self) -> bool:
        try:
            await (await self.memory()).keys.is_key_valid("")
        except Text2SQLError:
            return False
        return True

    async def close(self) -> None:
        self._memory = None
        if self.queue is not None:
            await self.queue.close()
        await self._stack.aclose()


class AuditLog:
    """Writes audit records before data is sent to the client; if the write fails, nothing is sent."""

    def __init__(self, server_store: ServerStore, enabled: bool) -> None:
        self._server_store = server_store
        self.enabled = enabled

    async def events(
        self, events: AsyncGenerator[Event, None], user: str, source: str, thread: str, question: str
    ) -> AsyncGenerator[Event, None]:
        """Pass events through; rows and the answer are yielded only after their record has been written."""
        if not self.enabled:
            async with aclosing(events):
                async for event in events:
                    yield event
            return
        entry, final_status = (
            Record(token_hex(8), "begun", request_id.get(), user, source, thread, question),
            "",
        )
        await self._write(entry)
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, RowsFound):
                        await self._write(entry, "ran", sql=event.sql, rows=len(event.rows))
                    elif isinstance(event, Finished):
                        final_status = await self._write_answer(entry, event.answer)
                    yield event
        except Text2SQLError as error:
            final_status = final_status or await self._write_failure(
                entry, str(getattr(error, "kind", error.message_key))
            )
            raise
        finally:
            if not final_status:
                await self._write_failure(entry, "cancelled")

    async def answer(self, answer: Answer, user: str, source: str, statement: str) -> Answer:
        """Record a statement that a user wrote and that has just run."""
        if self.enabled:
            entry = Record(token_hex(8), "ended", request_id.get(), user, source, answer.thread_id, statement)
            await self._write_answer(entry, answer)
        return answer

    async def read(self, result: StoredResult | Answer, user: str, source: str, action: str) -> None:
        """Record that rows of an earlier answer are about to be sent again."""
        if self.enabled:
            entry = Record(token_hex(8), "read", request_id.get(), user, source, asked=action)
            await self._write(entry, "read", sql=result.sql, rows=result.row_count)

    async def _write_answer(self, entry: Record, answer: Answer) -> str:
        await self._write(entry, "ended", sql=answer.sql, rows=answer.row_count, status=answer.status)
        return answer.status

    async def _write_failure(self, entry: Record, status: str) -> str:
        with suppress(StoreError):  # no data was sent, and the `begun` record exists
            await asyncio.shield(self._write(entry, "ended", status=status))
        return status

    async def _write(
        self, entry: Record, event: str = "", *, sql: str = "", rows: int = 0, status: str = ""
    ) -> None:
        record = replace(entry, event=event or entry.event, sql=sql, rows=rows, status=status)
        await (await self._server_store.memory()).audit.write(record)


def is_audited(settings: Settings, sign_in: bool) -> bool:
    if settings.audit not in ("on", "off", "auto"):
        raise UsageError("usage.audit", value=settings.audit[:40])
    enabled = settings.audit == "on" or (
        settings.audit == "auto" and sign_in and settings.memory.strip() != "none"
    )
    if enabled and settings.memory.strip() == "none":
        raise UsageError("usage.audit_memory")
    return enabled
