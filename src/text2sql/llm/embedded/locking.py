"""File locks between processes. The operating system releases a lock when its holder dies."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE = 0.05  # seconds between two tries


@contextmanager
def locked(path: Path, wait: float = float("inf")) -> Iterator[None]:
    """Hold a lock on `path`; raise `TimeoutError` after `wait` seconds. The file is kept: deleting it is a
    race.
    """
    deadline = time.monotonic() + wait
    while (descriptor := try_lock(path)) is None:
        if time.monotonic() >= deadline:
            raise TimeoutError(path)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether any process holds the lock now."""
    try:
        descriptor = try_lock(path, create=False)
    except FileNotFoundError:
        return False
    if descriptor is None:
        return True
    os.close(descriptor)
    return False


def try_lock(path: Path, *, create: bool = True) -> int | None:
    """A file descriptor that holds the lock until it is closed; None if another process holds it."""
    descriptor = os.open(path, os.O_RDWR | (os.O_CREAT if create else 0), 0o600)
    try:
        _take(descriptor)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
