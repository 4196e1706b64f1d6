"""When to wait, when to ask again, and when to stop asking: shared by all calls to one model in this process.

None of it belongs to an event loop: a call reserves its place under a lock and sleeps on its own.
"""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelTimeout, ModelUnavailable, RateLimited

# How often the same question may be asked again, by what went wrong. A bad reply at temperature 0 tends to
# come again, and a time-out has cost most of the deadline: once is enough for those.
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
    """Seconds to wait before that retry (from 1), or None: it cannot help, or not within what is left."""
    allowed = next((count for kind, count in RETRIES.items() if isinstance(error, kind)), 0)
    if error.mend != "again" or retry > allowed:
        return None
    wait = error.retry_after
    if wait is None:
        wait = draw() * min(
            LONGEST_PAUSE, FIRST_PAUSE * 2 ** (retry - 1)
        )  # full jitter: callers do not come in step
    return wait if wait < left else None


class Bucket:
    """So many a minute, in any minute: a sixth may go at once, the rest at an even pace.

    A place is reserved before it is due, so callers are served in the order they came. The level may fall
    below zero: that is the queue.
    """

    def __init__(self, per_minute: int, clock: Clock = time.monotonic) -> None:
        self._burst = max(1.0, per_minute // 6)
        self._rate = max(1.0, per_minute - self._burst) / _MINUTE
        self._level = self._burst
        self._clock = clock
        self._seen = clock()

    def wait(self, cost: float) -> float:
        """Seconds until a call of that cost may go. One larger than the bucket waits for a full one."""
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._seen) * self._rate)
        self._seen = now
        return max(0.0, (min(cost, self._burst) - self._level) / self._rate)

    def take(self, cost: float) -> None:
        """A negative cost gives back."""
        self._level -= cost


@dataclass(slots=True)
class Limits:
    """Requests and tokens a minute. What the other side said with a 429 holds for everybody."""

    requests: Bucket | None
    tokens: Bucket | None
    clock: Clock = time.monotonic
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _held_until: float = 0.0

    def reserve(self, tokens: int, patience: float) -> float:
        """Seconds to sleep before the call. Its place is taken only if they are fewer than `patience`."""
        with self._lock:
            wait = max(0.0, self._held_until - self.clock())
            for bucket, cost in self._costs(tokens):
                wait = max(wait, bucket.wait(cost))
            if wait < patience:
                for bucket, cost in self._costs(tokens):
                    bucket.take(cost)
            return wait

    def give_back(self, tokens: int) -> None:
        """The call was never made."""
        with self._lock:
            for bucket, cost in self._costs(tokens):
                bucket.take(-cost)

    def settle(self, reserved: int, spent: int) -> None:
        """What a call really cost, once that is known."""
        with self._lock:
            if self.tokens is not None and spent:
                self.tokens.take(spent - reserved)

    def hold(self, seconds: float) -> None:
        """Nobody calls before that; but no header, however wrong, stops us for more than a minute."""
        with self._lock:
            self._held_until = max(self._held_until, self.clock() + min(seconds, _MINUTE))

    def _costs(self, tokens: int) -> list[tuple[Bucket, float]]:
        pairs = ((self.requests, 1.0), (self.tokens, float(tokens)))
        return [(bucket, cost) for bucket, cost in pairs if bucket is not None]


class Breaker:
    """Open after five failures in a row: a dead endpoint fails at once. Ten seconds later one may try."""

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
        """Raises while it is open; lets one through when it is time to see whether the endpoint is back."""
        with self._lock:
            if not self.open:
                return
            left = self._opened + OPEN_SECONDS - self._clock()
            if left > 0 or self._trying:
                told = f"it failed {self._failures} times in a row; the next try is in {max(left, 0):.0f} s"
                raise ModelUnavailable(model, told)
            self._trying = True

    def leave(self, error: BaseException | None) -> None:
        """Tell how the call ended. A cancelled call says nothing about the endpoint."""
        with self._lock:
            self._trying = False
            if isinstance(error, ModelUnavailable | ModelTimeout):
                self._failures += 1
                self._opened = self._clock()
            elif error is None or isinstance(error, ModelError):
                self._failures = 0


@dataclass(frozen=True, slots=True)
class Patience:
    limits: Limits
    breaker: Breaker


_shared: dict[tuple[str, str, int, int], Patience] = {}
_sharing = threading.Lock()
_MOST_SHARED = 1_000  # model names may come with requests; they must not fill the memory


def patience_for(model: str, settings: Settings) -> Patience:
    """The one of this model and address, for all who ask it. A model on this machine has no rate to share."""
    if ":" not in model or model.endswith(".gguf"):
        return Patience(Limits(None, None), Breaker())
    requests, tokens = settings.requests_per_minute, settings.tokens_per_minute
    key = (model, settings.base_url, requests, tokens)
    with _sharing:
        if key not in _shared:
            if len(_shared) >= _MOST_SHARED:
                del _shared[next(iter(_shared))]
            limits = Limits(Bucket(requests) if requests else None, Bucket(tokens) if tokens else None)
            _shared[key] = Patience(limits, Breaker())
        return _shared[key]
