"""One process at a time goes on with a thread. Whoever has the turn says again and again that it is still
there: the turn of a process that died is free after a while, and another goes on with its thread.
"""

import asyncio
import logging
import os
import platform
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from text2sql.errors import StoreError, UsageError
from text2sql.memory import tables

log = logging.getLogger(__name__)

TURN_SECONDS = 20.0  # that a turn is kept without a word; clocks of machines may differ by less than that
_WORD = 5.0  # seconds between two words


def _here() -> str:
    """This machine, or rather where its process ids mean something: containers share a host and not those."""
    try:
        return f"{platform.node()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def holder() -> str:
    """A name for one hold on something by this process."""
    return f"{_here()} {os.getpid()} {secrets.token_hex(8)}"


def is_gone(held_by: str) -> bool:
    """A process of this machine that is no more: nobody has to wait for it. Of others nobody can tell."""
    place, _, rest = held_by.rpartition(" ")[0].rpartition(" ")
    return place == _here() and rest.isdigit() and not _lives(int(rest))


def _lives(pid: int) -> bool:
    """Told only where asking is harmless: on Windows a signal of 0 ends a process."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Turns:
    def __init__(self, own: tables.Tables) -> None:
        self._tables = own

    @asynccontextmanager
    async def turn(self, thread: str, name: str) -> AsyncIterator[None]:
        """`thread` is the scoped id, `name` what its user calls it. Another's turn is a `UsageError`."""
        held_by = holder()
        if not await self._take(thread, held_by):
            await self._bury(thread)
            if not await self._take(thread, held_by):
                raise UsageError("usage.thread_busy", thread=name)
        keeping = asyncio.create_task(self._keep(thread, held_by))
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(StoreError):  # then it is free after a while
                await asyncio.shield(self._tables.change(tables.END_TURN, thread, held_by))

    async def _take(self, thread: str, held_by: str) -> bool:
        now = time.time()
        return await self._tables.change(tables.TAKE_TURN, thread, held_by, now + TURN_SECONDS, now) == 1

    async def _bury(self, thread: str) -> None:
        for (held_by,) in await self._tables.rows(tables.TURN_OF, thread):
            if is_gone(str(held_by)):
                await self._tables.change(tables.END_TURN, thread, held_by)

    async def _keep(self, thread: str, held_by: str) -> None:
        while True:
            await asyncio.sleep(_WORD)
            try:
                await self._tables.change(tables.KEEP_TURN, time.time() + TURN_SECONDS, thread, held_by)
            except StoreError as error:
                log.warning("a turn was not kept: %s", error)
