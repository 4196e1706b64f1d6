"""One request on its way through the room: a session lent, a deadline watched, its end told in our words.

The order of things is the point of this module: whoever reads `Request` from `start` to `finish` has read
everything that happens to a query.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from text2sql.database.cancellation import Cancellation, Stopper, Why
from text2sql.database.ending import in_our_words, stopped
from text2sql.database.engine import Engine, Session
from text2sql.database.pool import Lease, Pool
from text2sql.database.watchdog import Watchdog
from text2sql.errors import ConnectionFailed, PoolExhausted, QueryCancelled

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Room:
    """What all requests to one database share."""

    engine: Engine
    pool: Pool
    watchdog: Watchdog = field(default_factory=Watchdog)


class Request:
    def __init__(self, room: Room, sql: str, seconds: float, cancel: Cancellation | None = None) -> None:
        self._room = room
        self._sql = sql
        self._limit = seconds
        self._cancel = cancel or Cancellation()
        self._began = 0.0
        self._ended = 0.0
        self._lease: Lease | None = None
        self._stopper: Stopper | None = None
        self._ticket = -1
        self._trusted = True

    @property
    def seconds(self) -> float:
        """How long it has run, waiting for a free connection not included."""
        return (self._ended or time.monotonic()) - self._began

    def start(self, work: Callable[[Session], T]) -> T:
        """Do `work` on a session. Nothing has been handed to the caller yet, so a connection that turns out
        to be lost is replaced by a new one, once, and nobody hears of it.
        """
        self._refuse_if_cancelled()
        try:
            lease = self._room.pool.take(lambda: self._cancel.cancelled)
        except PoolExhausted:
            self._refuse_if_cancelled()
            raise
        self._began = time.monotonic()
        self._adopt(lease)
        try:
            return self.step(partial(self._first, work))
        except ConnectionFailed:
            self._room.pool.drop_idle(before=lease.born)
            self._ended = 0.0
        self._adopt(self._room.pool.take_new())
        return self.step(partial(self._first, work))

    def step(self, work: Callable[[Session], T]) -> T:
        """Do some of the work; every error leaves as one of ours and leaves no statement behind."""
        lease, stopper = self._lease, self._stopper
        if lease is None or stopper is None:
            raise RuntimeError("the request is over")
        try:
            result = work(lease.session)
        except Exception as error:
            ours = self._explain(error, stopper.why)
            if isinstance(ours, ConnectionFailed):
                self.distrust()
            self.finish()
            if ours is error:
                raise
            raise ours from error
        except BaseException:  # Ctrl-C while the driver waits: the server must not go on alone
            stopper.stop("cancelled")
            self.finish()
            raise
        if stopper.why or self.seconds >= self._limit:
            # An engine may end a statement early and call that an answer (MariaDB does with BENCHMARK).
            self.finish()
            raise stopped(stopper.why or "timeout", self._limit)
        return result

    def finish(self) -> None:
        """Give the session back, or throw it away if it was interrupted or its connection is in doubt."""
        lease, stopper = self._lease, self._stopper
        if lease is None or stopper is None:
            return
        self._lease = self._stopper = None
        self._ended = time.monotonic()
        self._cancel.bind(None)
        self._room.watchdog.call_off(self._ticket)
        interrupted = stopper.finish()
        if interrupted or not self._trusted:
            self._room.pool.discard(lease)
        else:
            self._room.pool.give_back(lease)

    def distrust(self) -> None:
        self._trusted = False

    def _adopt(self, lease: Lease) -> None:
        stopper = Stopper(lease.session)
        self._lease, self._stopper, self._trusted = lease, stopper, True
        deadline = self._began + self._limit
        self._ticket = self._room.watchdog.at(deadline, partial(stopper.stop, "timeout"))
        self._cancel.bind(partial(stopper.stop, "cancelled"))

    def _first(self, work: Callable[[Session], T], session: Session) -> T:
        left = self._limit - self.seconds
        if left <= 0:
            raise stopped("timeout", self._limit)
        session.begin(left)
        return work(session)

    def _refuse_if_cancelled(self) -> None:
        if self._cancel.cancelled:
            raise QueryCancelled("cancelled before it began")

    def _explain(self, error: Exception, why: Why) -> Exception:
        engine, seconds = self._room.engine, self.seconds
        ours = in_our_words(error, engine, self._sql, why=why, seconds=seconds, limit=self._limit)
        if ours is None:
            self.distrust()
            return error
        return ours
