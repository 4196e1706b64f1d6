"""Lock per thread across processes: only one process at a time continues a thread. The holder renews the lock
regularly; the lock of a process that died expires, and another process can continue.
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

LOCK_SECONDS = 20.0  # lifetime of a lock without renewal; machines' clocks must differ by less
_RENEW_SECONDS = 5.0  # between two renewals


def _host_id() -> str:
    """Identify the scope of process ids: the machine, and its PID namespace inside a container."""
    try:
        return f"{platform.node()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def new_holder_id() -> str:
    """A unique id for one lock held by this process."""
    return f"{_host_id()} {os.getpid()} {secrets.token_hex(8)}"


def is_dead_holder(holder_id: str) -> bool:
    """Whether the holder was a process of this machine that has ended. Unknown for other machines."""
    host, _, rest = holder_id.rpartition(" ")[0].rpartition(" ")
    return host == _host_id() and rest.isdigit() and not _is_process_alive(int(rest))


def _is_process_alive(pid: int) -> bool:
    """Checked only where that is harmless: on Windows, signal 0 ends a process."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class ThreadLocks:
    """The table of thread locks."""

    def __init__(self, storage: tables.Tables) -> None:
        self._tables = storage

    @asynccontextmanager
    async def lock(self, thread: str, name: str) -> AsyncIterator[None]:
        """`thread` is the scoped id, `name` the user's. Raises `UsageError` if another process
        has the lock.
        """
        holder_id = new_holder_id()
        if not await self._take(thread, holder_id):
            await self._release_dead(thread)
            if not await self._take(thread, holder_id):
                raise UsageError("usage.thread_busy", thread=name)
        renewing = asyncio.create_task(self._renew(thread, holder_id))
        try:
            yield
        finally:
            renewing.cancel()
            with suppress(StoreError):  # the lock expires anyway
                await asyncio.shield(self._tables.change(tables.RELEASE_LOCK, thread, holder_id))

    async def _take(self, thread: str, holder_id: str) -> bool:
        now = time.time()
        return await self._tables.change(tables.TAKE_LOCK, thread, holder_id, now + LOCK_SECONDS, now) == 1

    async def _release_dead(self, thread: str) -> None:
        for (holder_id,) in await self._tables.rows(tables.LOCK_HOLDER, thread):
            if is_dead_holder(str(holder_id)):
                await self._tables.change(tables.RELEASE_LOCK, thread, holder_id)

    async def _renew(self, thread: str, holder_id: str) -> None:
        while True:
            await asyncio.sleep(_RENEW_SECONDS)
            try:
                await self._tables.change(tables.RENEW_LOCK, time.time() + LOCK_SECONDS, thread, holder_id)
            except StoreError as error:
                log.warning("a lock was not renewed: %s", error)
