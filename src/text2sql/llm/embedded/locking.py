"""One at a time, between processes. The system frees a lock when its holder dies, however it dies."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

_PAUSE = 0.05  # seconds between two tries


@contextmanager
def locked(path: Path, wait: float = float("inf")) -> Iterator[None]:
    """Holds `path`, or raises `TimeoutError` after `wait` seconds. The file stays: deleting it is a race."""
    until = time.monotonic() + wait
    while (held := _try(path)) is None:
        if time.monotonic() >= until:
            raise TimeoutError(path)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(held)


@asynccontextmanager
async def locked_async(path: Path) -> AsyncIterator[None]:
    """The same among coroutines, of this process and others; cancelling the wait ends it."""
    while (held := _try(path)) is None:
        await asyncio.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(held)


def is_held(path: Path) -> bool:
    """Whether somebody holds it now."""
    if not path.exists():
        return False
    held = _try(path)
    if held is None:
        return True
    os.close(held)
    return False


def _try(path: Path) -> int | None:
    opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _take(opened)
    except OSError:
        os.close(opened)
        return None
    return opened


if sys.platform == "win32":
    import msvcrt

    def _take(opened: int) -> None:
        msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(opened: int) -> None:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
