"""Stores rows of answers by id for a while. The id is a secret, and works only for its owner."""

import asyncio
import logging
import secrets
import time
from dataclasses import replace

from text2sql.errors import StoreError
from text2sql.memory import tables
from text2sql.memory.encoding import dump_result, label, load_result
from text2sql.memory.records import StoredResult

log = logging.getLogger(__name__)

SWEEP_SECONDS = 600.0
_MANY_CELLS = 1_000


async def _serialize(result: StoredResult) -> str:
    """Use a thread for a large result, so that the event loop stays free."""
    if len(result.rows) * len(result.columns) > _MANY_CELLS:
        return await asyncio.to_thread(dump_result, result)
    return dump_result(result)


class Results:
    """The table of stored results."""

    def __init__(self, rows: tables.Tables, lifetime: float, most_rows: int) -> None:
        self._tables = rows
        self._lifetime = lifetime
        self._most_rows = most_rows
        self._swept = time.monotonic()

    async def keep(self, user: str, thread: str, result: StoredResult) -> str:
        now = time.time()
        cut = result.truncated or len(result.rows) > self._most_rows
        stored = replace(result, rows=result.rows[: self._most_rows], truncated=cut, created=now)
        text = await _serialize(stored)
        name = secrets.token_urlsafe(24)
        owner_label, thread_label = label(user), label(thread)
        await self._tables.change(
            tables.SAVE_RESULT, name, owner_label, thread_label, now + self._lifetime, text
        )
        if time.monotonic() - self._swept > SWEEP_SECONDS:
            await self.sweep()
        return name

    async def find(self, user: str, name: str) -> StoredResult | None:
        rows = await self._tables.rows(tables.RESULT, label(name), label(user), time.time())
        return await asyncio.to_thread(load_result, rows[0][0]) if rows else None

    async def holds(self, user: str, name: str) -> bool:
        return bool(await self._tables.rows(tables.HAS_RESULT, label(name), label(user), time.time()))

    async def forget(self, user: str, thread: str) -> None:
        await self._tables.change(tables.DELETE_RESULTS, label(user), label(thread))

    async def sweep(self) -> int:
        """Delete expired results; return how many. On a full disk even deleting fails, which must not prevent
        reading. Selects first, because a DELETE waits for writers even if there is nothing to delete.
        """
        self._swept = time.monotonic()
        now = time.time()
        try:
            if not await self._tables.rows(tables.EXPIRED_RESULTS, now):
                return 0
            return await self._tables.change(tables.SWEEP_RESULTS, now)
        except StoreError as error:
            log.warning("old results were not deleted: %s", error)
            return 0
