"""A first-in, first-out queue for the model, shared by all programs of a user; one call runs at a time.

Two reasons: floating-point results depend slightly on what else is in the same batch, and can decide between
two tokens of nearly equal probability, so answers are reproducible only if a call has the model to itself.
And the position in the queue can be reported.

A ticket is a file that its owner keeps locked; file names sort by creation time. The operating system
releases the lock when the owner dies, and the next in line removes the file.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path

from text2sql.llm.embedded.locking import is_held, try_lock

_NEXT = 0.02  # polling interval in seconds of the next in line
_LATER = 0.25  # polling interval of all others, so that a hundred of them cost little
_CREATING = 2.0  # seconds that may pass between creating a ticket and locking it
_numbers = count()


@asynccontextmanager
async def ticket(run: Path) -> AsyncIterator["Ticket"]:
    """A ticket for the queue of the process in the directory `run`; it is given up at the end
    of the block.
    """
    own_ticket = Ticket(run)
    try:
        yield own_ticket
    finally:
        own_ticket.close()


class Ticket:
    def __init__(self, run: Path) -> None:
        self._directory = run / "queue"
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._turn_file = run / "turn.lock"
        # The monotonic clock is the same for all processes and never goes back.
        self._name = f"{time.monotonic_ns():020d}-{os.getpid()}-{next(_numbers)}"
        self._locked = [try_lock(self._directory / self._name)]

    async def turn(self) -> AsyncGenerator[int, None]:
        """Yield the number of calls ahead whenever it changes; end when it is this call's turn."""
        last = 0
        while True:
            ahead = self._ahead()
            if ahead == 0:
                turn = try_lock(self._turn_file)
                if turn is not None:
                    self._locked.append(turn)
                    return
            ahead = max(1, ahead)  # the lock is still held by a call that is about to end
            if ahead != last:
                last = ahead
                yield ahead
            await asyncio.sleep(_NEXT if ahead == 1 else _LATER)

    def close(self) -> None:
        for lock in self._locked:
            if lock is not None:
                os.close(lock)
        self._locked.clear()
        with suppress(OSError):
            (self._directory / self._name).unlink(missing_ok=True)

    def _ahead(self) -> int:
        """The number of tickets before this one. Only the last of them is checked for a dead owner, because
        each ticket checks its predecessor.
        """
        before = sorted(file for file in self._directory.iterdir() if file.name < self._name)
        while before and _is_dead(before[-1]):
            with suppress(OSError):
                before[-1].unlink(missing_ok=True)
            before.pop()
        return len(before)


def _is_dead(ticket_file: Path) -> bool:
    if is_held(ticket_file):
        return False
    try:
        return time.time() - ticket_file.stat().st_mtime > _CREATING
    except OSError:  # removed in the meantime
        return True
