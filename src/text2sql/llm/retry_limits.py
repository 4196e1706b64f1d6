"""Retries, rate limits and a circuit breaker, shared by all calls to one model in this process.

Independent of event loops: a call reserves capacity under a thread lock and sleeps by itself.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelTimeout, ModelUnavailable, RateLimited
from text2sql.llm.providers import provider_of

# The number of retries by kind of failure. A bad reply at temperature 0 tends to repeat, and a time-out has
# used most of the deadline, so both get one retry.
RETRIES: dict[type[ModelError], int] = {ModelUnavailable: 2, RateLimited: 2, ModelTimeout: 1, BadReply: 1}
FIRST_PAUSE = 0.25
LONGEST_PAUSE = 8.0
FAILURES = 5
OPEN_SECONDS = 10.0
_MINUTE = 60.0

Clock = Callable[[], float]


def pause_before(
    retry: int, error: ModelError, left: float, draw: Callable[[], float] = random.random
) -> float | None:
    """Seconds to wait before the retry with that number (from 1); None if no retry is allowed or no time is
    left.
    """
    allowed = next((count for kind, count in RETRIES.items() if isinstance(error, kind)), 0)
    if error.retry != "again" or retry > allowed:
        return None
    wait = error.retry_after
    if wait is None:
        # Full jitter, so that callers do not retry at the same moment.
        wait = draw() * min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (retry - 1))
    return wait if wait < left else None


class Bucket:
    """A token bucket: `per_minute` in any minute, a sixth of it as a burst, the rest at an even rate.

    Capacity is reserved ahead of time, so callers are served in order. The level may fall below zero: that is
    the queue.
    """

    def __init__(self, per_minute: int, clock: Clock = time.monotonic) -> None:
        self._burst = max(1.0, per_minute // 6)
        self._rate = max(1.0, per_minute - self._burst) / _MINUTE
        self._level = self._burst
        self._clock = clock
        self._updated = clock()

    def wait(self, cost: float) -> float:
        """Seconds until a call of that cost may start. A cost above the burst waits for a full bucket."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._updated) * self._rate)
        self._updated = now
        return max(0.0, (min(cost, self._burst) - self._level) / self._rate)

    def take(self, cost: float) -> None:
        """Take the cost from the bucket; a negative cost returns it."""
        self._level -= cost


@dataclass(slots=True)
class Limits:
    """Rate limits for requests and tokens. A pause requested with HTTP 429 applies to all callers."""

    requests: Bucket | None
    tokens: Bucket | None
    clock: Clock = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _paused_until: float = 0.0

    def reserve(self, tokens: int, longest_wait: float) -> float:
        """Seconds to sleep before the call. Capacity is reserved only if they are below `longest_wait`."""
        with self._lock:
            wait = max(0.0, self._paused_until - self.clock())
            for bucket, cost in self._costs(tokens):
                wait = max(wait, bucket.wait(cost))
            if wait < longest_wait:
                for bucket, cost in self._costs(tokens):
                    bucket.take(cost)
            return wait

    def give_back(self, tokens: int) -> None:
        """Return the reserved capacity of a call that was not made."""
        with self._lock:
            for bucket, cost in self._costs(tokens):
                bucket.take(-cost)

    def settle(self, reserved: int, spent: int) -> None:
        """Correct the reservation by the actual cost of the call."""
        with self._lock:
            if self.tokens is not None and spent:
                self.tokens.take(spent - reserved)

    def hold(self, seconds: float) -> None:
        """Pause all calls, for a minute at most, whatever the header says."""
        with self._lock:
            self._paused_until = max(self._paused_until, self.clock() + min(seconds, _MINUTE))

    def _costs(self, tokens: int) -> list[tuple[Bucket, float]]:
        costs = ((self.requests, 1.0), (self.tokens, float(tokens)))
        return [(bucket, cost) for bucket, cost in costs if bucket is not None]


class Breaker:
    """A circuit breaker: opens after five failures in a row, and lets one call try again
    after ten seconds.
    """

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._opened = 0.0
        self._trying = False

    @property
    def open(self) -> bool:
        return self._failures >= FAILURES

    def enter(self, model: str) -> None:
        """Raise while the breaker is open; let one call through when the time has come to try again."""
        with self._lock:
            if not self.open:
                return
            left = self._opened + OPEN_SECONDS - self._clock()
            if left > 0 or self._trying:
                detail = f"it failed {self._failures} times in a row; the next try is in {max(left, 0):.0f} s"
                raise ModelUnavailable(model, detail)
            self._trying = True

    def leave(self, error: BaseException | None) -> None:
        """Record the outcome of a call. A cancelled call counts neither way."""
        with self._lock:
            self._trying = False
            if isinstance(error, ModelUnavailable | ModelTimeout):
                self._failures += 1
                self._opened = self._clock()
            elif error is None or isinstance(error, ModelError):
                self._failures = 0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    limits: Limits
    breaker: Breaker


_shared: dict[tuple[str, str, int, int], RetryPolicy] = {}
_sharing = threading.Lock()
_MOST_SHARED = 1_000  # a bound, because model names may come with requests


def retry_policy_for(model: str, settings: Settings) -> RetryPolicy:
    """The policy shared by all callers of a provider's model at one address. A model without a provider has
    no rate limit.
    """
    if not provider_of(model):
        return RetryPolicy(Limits(None, None), Breaker())
    requests, tokens = settings.requests_per_minute, settings.tokens_per_minute
    key = (model, settings.base_url, requests, tokens)
    with _sharing:
        if key not in _shared:
            if len(_shared) >= _MOST_SHARED:
                del _shared[next(iter(_shared))]
            limits = Limits(Bucket(requests) if requests else None, Bucket(tokens) if tokens else None)
            _shared[key] = RetryPolicy(limits, Breaker())
        return _shared[key]
