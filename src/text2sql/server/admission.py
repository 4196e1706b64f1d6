"""Who may work now, who waits, and who is told to come again.

So much at once for the whole server, for one user and for one source; beyond that, a queue with a bound and
an end to the waiting. Users take turns: one who asks a thousand things at once waits for them alone.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from text2sql.config import Settings
from text2sql.errors import StoreError, UsageError

_MOST_USERS = 10_000  # whose pace is remembered, the latest
RETRY_SECONDS = 2  # what is said where nobody can know when there will be room


@dataclass(slots=True, eq=False)
class _Waiting:
    user: str
    source: str
    turn: "asyncio.Future[None]"


class Admission:
    """Belongs to one event loop. A user without a name is everybody of this machine, and has no own limit."""

    def __init__(self, settings: Settings) -> None:
        self._most, self._most_waiting = settings.work_limit, settings.queue_limit
        self._user_most, self._user_waiting = settings.user_work_limit, settings.user_queue_limit
        self._source_most = settings.source_work_limit
        self._patience = settings.queue_wait
        self._users: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()
        # In the order of their turns: whoever was let in goes to the end.
        self._queues: OrderedDict[str, deque[_Waiting]] = OrderedDict()
        self.running = 0
        self.waiting = 0
        self.closed = False

    def refuse(self, user: str) -> None:
        """Raises what somebody is told who could not even wait."""
        if self.closed:
            raise UsageError("usage.stopping", seconds=RETRY_SECONDS)
        if user and len(self._queues.get(user, ())) >= self._user_waiting:
            raise UsageError("usage.too_many", seconds=RETRY_SECONDS)
        if self.waiting >= self._most_waiting:
            raise UsageError("usage.busy", seconds=RETRY_SECONDS)

    @asynccontextmanager
    async def slot(self, user: str, source: str, seconds: float | None = None) -> AsyncIterator[float]:
        """Room to work in; how long it was waited for. `seconds` is what the client has left."""
        began = time.monotonic()
        if self.closed or self.waiting or not self._free(user, source):
            self.refuse(user)
            await self._wait(user, source, min(self._patience, seconds or math.inf))
        else:
            self._take(user, source)
        try:
            yield time.monotonic() - began
        finally:
            self._give_back(user, source)

    async def _wait(self, user: str, source: str, most: float) -> None:
        one = _Waiting(user, source, asyncio.get_running_loop().create_future())
        self._queues.setdefault(user, deque()).append(one)
        self.waiting += 1
        self._let_in()
        try:
            async with asyncio.timeout(most):
                await one.turn
        except BaseException as error:  # whatever ended the waiting, the place in it must not stay
            if one.turn.done() and not one.turn.cancelled():
                self._give_back(user, source)
            else:
                self._leave(one)
            if isinstance(error, TimeoutError):
                raise UsageError("usage.busy", seconds=RETRY_SECONDS) from None
            raise

    def _let_in(self) -> None:
        """As many as there is room for, one a user in turn."""
        passed = 0
        while self.running < self._most and passed < len(self._queues):
            user, queue = next(iter(self._queues.items()))
            self._queues.move_to_end(user)
            one = next(
                (each for each in queue if not each.turn.done() and self._free(user, each.source)), None
            )
            if one is None:
                passed += 1
                continue
            passed = 0
            self._leave(one)
            self._take(user, one.source)
            one.turn.set_result(None)

    def _leave(self, one: _Waiting) -> None:
        queue = self._queues[one.user]
        queue.remove(one)
        self.waiting -= 1
        if not queue:
            del self._queues[one.user]

    def _free(self, user: str, source: str) -> bool:
        own = not user or self._users[user] < self._user_most
        return own and self.running < self._most and self._sources[source] < self._source_most

    def _take(self, user: str, source: str) -> None:
        self.running += 1
        self._users[user] += 1
        self._sources[source] += 1

    def _give_back(self, user: str, source: str) -> None:
        self.running -= 1
        for counter, name in ((self._users, user), (self._sources, source)):
            counter[name] -= 1
            if not counter[name]:
                del counter[name]
        self._let_in()


class Together(Protocol):
    """Counts for all servers. Raises `StoreError` while it cannot."""

    async def take(self, person: str, per_minute: int) -> bool: ...


class Pace:
    """Requests of one user: so many a minute, and as many at once. 0 is no limit. They are counted for all
    servers together by the first that can; while none can, for each alone.
    """

    def __init__(self, per_minute: int, *counting: Together) -> None:
        self._most = per_minute
        self._counting = counting
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, user: str) -> float:
        """0 if this one may go on, else the seconds until one may, at the latest."""
        if not user or not self._most:
            return 0.0
        for one in self._counting:
            with suppress(StoreError):
                return 0.0 if await one.take(user, self._most) else 60 / self._most
        return self.take_here(user)

    def take_here(self, user: str) -> float:
        now = time.monotonic()
        left, since = self._left.pop(user, (float(self._most), now))
        left = min(float(self._most), left + (now - since) * self._most / 60)
        self._left[user] = (left - 1 if left >= 1 else left), now
        while len(self._left) > _MOST_USERS:
            self._left.popitem(last=False)
        return 0.0 if left >= 1 else (1 - left) * 60 / self._most
