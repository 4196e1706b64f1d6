"""The life of one request: take a session, watch the deadline, translate errors, return the session.

The order of steps is the purpose of this module: `Request`, from `start` to `finish`, is everything that
happens to a query.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

from text2sql.database.cancellation import (
    Cancellation,
    Stopper,
    StopReason,
    stop_error,
    translate_stop_or_error,
)
from text2sql.database.dialects import BY_NAME
from text2sql.database.engine import Engine, RestrictedSession, Session
from text2sql.database.pool import Lease, Pool
from text2sql.database.watchdog import Watchdog
from text2sql.errors import ConnectionFailed, PoolExhausted, QueryCancelled
from text2sql.types import Policy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DatabaseResources:
    """Shared by all requests to one database."""

    engine: Engine
    pool: Pool
    watchdog: Watchdog = field(default_factory=Watchdog)


class Request:
    """One request on one session, with a deadline and a way to cancel it."""

    def __init__(
        self,
        resources: DatabaseResources,
        sql: str,
        seconds: float,
        cancel: Cancellation | None = None,
        readable: Policy | None = None,
    ) -> None:
        self._resources = resources
        self._sql = sql
        self._limit = seconds
        self._cancel = cancel or Cancellation()
        self._readable = readable
        self._started_at = 0.0
        self._ended_at = 0.0
        self._lease: Lease | None = None
        self._stopper: Stopper | None = None
        self._ticket = -1
        self._trusted = True

    @property
    def seconds(self) -> float:
        """Run time so far, without the wait for a free connection."""
        return (self._ended_at or time.monotonic()) - self._started_at

    def start(self, work: Callable[[Session], T]) -> T:
        """Run `work` on a session. Nothing has been returned to the caller yet, so a lost connection is
        replaced by a new one, once, without the caller noticing.
        """
        self._raise_if_cancelled()
        try:
            lease = self._resources.pool.take(lambda: self._cancel.cancelled)
        except PoolExhausted:
            self._raise_if_cancelled()
            raise
        self._started_at = time.monotonic()
        self._bind(lease)
        try:
            return self.step(partial(self._begin_and_run, work))
        except ConnectionFailed:
            self._resources.pool.drop_idle(before=lease.opened_at)
            self._ended_at = 0.0
        self._bind(self._resources.pool.take_fresh())
        return self.step(partial(self._begin_and_run, work))

    def step(self, work: Callable[[Session], T]) -> T:
        """Run part of the work; every error is translated and leaves no statement running."""
        lease, stopper = self._lease, self._stopper
        if lease is None or stopper is None:
            raise RuntimeError("the request is over")
        try:
            result = work(lease.session)
        except Exception as error:
            translated = self._translate(error, stopper.reason)
            if isinstance(translated, ConnectionFailed):
                self.distrust()
            self.finish()
            if translated is error:
                raise
            raise translated from error
        except BaseException:  # Ctrl-C while the driver waits: stop the statement on the server too
            stopper.stop("cancelled")
            self.finish()
            raise
        if stopper.reason or self.seconds >= self._limit:
            # An engine may stop a statement early and report success (MariaDB does for BENCHMARK).
            self.finish()
            raise stop_error(stopper.reason or "timeout", self._limit)
        return result

    def finish(self) -> None:
        """Return the session to the pool, or discard it if it was interrupted or is in doubt."""
        lease, stopper = self._lease, self._stopper
        if lease is None or stopper is None:
            return
        self._lease = self._stopper = None
        self._ended_at = time.monotonic()
        self._cancel.bind(None)
        self._resources.watchdog.cancel(self._ticket)
        interrupted = stopper.finish()
        if interrupted or not self._trusted:
            self._resources.pool.discard(lease)
        else:
            self._resources.pool.give_back(lease)

    def distrust(self) -> None:
        """Mark the session as unusable for other requests."""
        self._trusted = False

    def _bind(self, lease: Lease) -> None:
        stopper = Stopper(lease.session)
        self._lease, self._stopper, self._trusted = lease, stopper, True
        deadline = self._started_at + self._limit
        self._ticket = self._resources.watchdog.at(deadline, partial(stopper.stop, "timeout"))
        self._cancel.bind(partial(stopper.stop, "cancelled"))

    def _begin_and_run(self, work: Callable[[Session], T], session: Session) -> T:
        remaining = self._limit - self.seconds
        if remaining <= 0:
            raise stop_error("timeout", self._limit)
        session.begin(remaining)
        if BY_NAME[self._resources.engine.dialect].enforces_policy:
            cast("RestrictedSession", session).restrict(self._readable)
        return work(session)

    def _raise_if_cancelled(self) -> None:
        if self._cancel.cancelled:
            raise QueryCancelled("cancelled before it began")

    def _translate(self, error: Exception, reason: StopReason) -> Exception:
        engine, seconds = self._resources.engine, self.seconds
        translated = translate_stop_or_error(
            error, engine, self._sql, reason=reason, seconds=seconds, limit=self._limit
        )
        if translated is None:
            self.distrust()
            return error
        return translated
