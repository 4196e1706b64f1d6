"""One process at a time goes on with a thread. Whoever has the turn says again and again that it is still
there: the turn of a process that died is free after a while, and another goes on with its thread.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from text2sql.errors import StoreError, UsageError
from text2sql.memory import tables

log = logging.getLogger(__name__)

TURN_SECONDS = 20.0  # that a turn is kept without a word; clocks of machines may differ by less than that
_WORD = 5.0  # seconds between two words


class Turns:
    def __init__(self, own: tables.Tables) -> None:
        self._tables = own

    @asynccontextmanager
    async def turn(self, thread: str, name: str) -> AsyncIterator[None]:
        """`thread` is the scoped id, `name` what its user calls it. Another's turn is a `UsageError`."""
        holder, now = secrets.token_hex(8), time.time()
        taken = await self._tables.change(tables.TAKE_TURN, thread, holder, now + TURN_SECONDS, now)
        if taken != 1:
            raise UsageError("usage.thread_busy", thread=name)
        keeping = asyncio.create_task(self._keep(thread, holder))
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(StoreError):  # then it is free after a while
                await asyncio.shield(self._tables.change(tables.END_TURN, thread, holder))

    async def _keep(self, thread: str, holder: str) -> None:
        while True:
            await asyncio.sleep(_WORD)
            try:
                await self._tables.change(tables.KEEP_TURN, time.time() + TURN_SECONDS, thread, holder)
            except StoreError as error:
                log.warning("a turn was not kept: %s", error)
