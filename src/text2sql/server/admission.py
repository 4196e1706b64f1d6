"""Admission control and rate limits for questions, result pages and exports.

Concurrent work is limited for the whole server, for one user and for one source. Requests beyond the limits
wait in a bounded queue with a timeout. Users are served round-robin, so a user with many requests does not
delay the others.
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

_MAX_TRACKED_USERS = 10_000  # the most recent ones, in the local rate limit
RETRY_SECONDS = 2  # the `Retry-After` when the waiting time is unknown


@dataclass(slots=True, eq=False)
class _Waiter:
    user: str
    source: str
    admitted: "asyncio.Future[None]"


class Admission:
    """Limits concurrent work in one event loop. An empty user (no sign-in) has no limit per user."""

    def __init__(self, settings: Settings) -> None:
        self._limit, self._queue_limit = settings.work_limit, settings.queue_limit
        self._user_limit, self._user_queue_limit = settings.user_work_limit, settings.user_queue_limit
        self._source_limit = settings.source_work_limit
        self._queue_timeout = settings.queue_wait
        self._users: Counter[str] = Counter()
        self._sources: Counter[str] = Counter()
        # Round-robin order: a user who was considered moves to the end.
        self._queues: OrderedDict[str, deque[_Waiter]] = OrderedDict()
        self.running = 0
        self.waiting = 0
        self.closed = False

    def check_queue(self, user: str) -> None:
        """Raise `UsageError` if the server is stopping or the queue is full."""
        if self.closed:
            raise UsageError("usage.stopping", seconds=RETRY_SECONDS)
        if user and len(self._queues.get(user, ())) >= self._user_queue_limit:
            raise UsageError("usage.too_many", seconds=RETRY_SECONDS)
        if self.waiting >= self._queue_limit:
            raise UsageError("usage.busy", seconds=RETRY_SECONDS)

    @asynccontextmanager
    async def slot(self, user: str, source: str, seconds: float | None = None) -> AsyncIterator[float]:
        """Hold a slot; yields the seconds spent waiting. `seconds`: the rest of the client's deadline."""
        started = time.monotonic()
        if self.closed or self.waiting or not self._has_capacity(user, source):
            self.check_queue(user)
            await self._wait(user, source, min(self._queue_timeout, seconds or math.inf))
        else:
            self._acquire(user, source)
        try:
            yield time.monotonic() - started
        finally:
            self._release(user, source)

    async def _wait(self, user: str, source: str, timeout: float) -> None:
        waiter = _Waiter(user, source, asyncio.get_running_loop().create_future())
        self._queues.setdefault(user, deque()).append(waiter)
        self.waiting += 1
        self._admit_waiting()
        try:
            async with asyncio.timeout(timeout):
                await waiter.admitted
        except BaseException as error:  # remove the waiter however the wait ended
            if waiter.admitted.done() and not waiter.admitted.cancelled():
                self._release(user, source)
            else:
                self._remove(waiter)
            if isinstance(error, TimeoutError):
                raise UsageError("usage.busy", seconds=RETRY_SECONDS) from None
            raise

    def _admit_waiting(self) -> None:
        """Admit waiters while there is capacity, round-robin by user."""
        skipped = 0
        while self.running < self._limit and skipped < len(self._queues):
            user, queue = next(iter(self._queues.items()))
            self._queues.move_to_end(user)
            waiter = next(
                (
                    candidate
                    for candidate in queue
                    if not candidate.admitted.done() and self._has_capacity(user, candidate.source)
                ),
                None,
            )
            if waiter is None:
                skipped += 1
                continue
            skipped = 0
            self._remove(waiter)
            self._acquire(user, waiter.source)
            waiter.admitted.set_result(None)

    def _remove(self, waiter: _Waiter) -> None:
        queue = self._queues[waiter.user]
        queue.remove(waiter)
        self.waiting -= 1
        if not queue:
            del self._queues[waiter.user]

    def _has_capacity(self, user: str, source: str) -> bool:
        user_has_capacity = not user or self._users[user] < self._user_limit
        return user_has_capacity and self.running < self._limit and self._sources[source] < self._source_limit

    def _acquire(self, user: str, source: str) -> None:
        self.running += 1
        self._users[user] += 1
        self._sources[source] += 1

    def _release(self, user: str, source: str) -> None:
        self.running -= 1
        for counter, name in ((self._users, user), (self._sources, source)):
            counter[name] -= 1
            if not counter[name]:
                del counter[name]
        self._admit_waiting()


class SharedCounter(Protocol):
    """A rate limit shared by all servers. Raises `StoreError` when it is unavailable."""

    async def take(self, user: str, per_minute: int, /) -> bool: ...


class UserRateLimit:
    """Token bucket per user; the burst equals the rate per minute, and 0 means no limit.

    The first shared counter that is available counts for all servers; otherwise this process counts alone.
    """

    def __init__(self, per_minute: int, *shared_counters: SharedCounter) -> None:
        self._per_minute = per_minute
        self._shared_counters = shared_counters
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    async def take(self, user: str) -> float:
        """Return 0 if the request may proceed, else the seconds until the next one may (an upper bound)."""
        if not user or not self._per_minute:
            return 0.0
        for counter in self._shared_counters:
            with suppress(StoreError):
                return 0.0 if await counter.take(user, self._per_minute) else 60 / self._per_minute
        return self.take_local(user)

    def take_local(self, user: str) -> float:
        now = time.monotonic()
        tokens, updated = self._buckets.pop(user, (float(self._per_minute), now))
        tokens = min(float(self._per_minute), tokens + (now - updated) * self._per_minute / 60)
        self._buckets[user] = (tokens - 1 if tokens >= 1 else tokens), now
        while len(self._buckets) > _MAX_TRACKED_USERS:
            self._buckets.popitem(last=False)
        return 0.0 if tokens >= 1 else (1 - tokens) * 60 / self._per_minute
