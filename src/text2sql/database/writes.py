"""Runs a confirmed write: as a rehearsal that is rolled back, or committed once.

It never uses the pool of read-only connections. Each write opens and closes its own connection, and until
COMMIT is sent, any failure leaves the data unchanged.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from text2sql.database.cancellation import Cancellation, Stopper, stop_error, translate_stop_or_error
from text2sql.database.dialects import BY_NAME
from text2sql.database.engine import WritingSession
from text2sql.database.request import DatabaseResources
from text2sql.errors import (
    ConnectionFailed,
    DatabaseError,
    Forbidden,
    OtherDatabaseError,
    PoolExhausted,
    QueryCancelled,
)
from text2sql.types import CheckedWrite


class Writer:
    """Rehearses and commits writes; remembers the keys of committed ones."""

    def __init__(self, resources: DatabaseResources, seconds: float) -> None:
        self._resources = resources
        self._seconds = seconds
        self._lock = threading.Lock()
        self._written: set[str] = set()  # keys of writes that were, or may have been, committed

    def rehearse(self, write: CheckedWrite, cancel: Cancellation) -> int:
        """Return how many rows the write would change. It really runs and is always rolled back."""
        with self._session(cancel) as session:
            attempt = _Attempt(self._resources, session, write, self._seconds, cancel)
            changed_rows = attempt.run()
            attempt.settle(session.rollback)
            return changed_rows

    def commit(self, write: CheckedWrite, cancel: Cancellation) -> int:
        """Apply the write, once per key. Return how many rows it changed."""
        self._claim(write.key)
        unchanged = True
        try:
            with self._session(cancel) as session:
                attempt = _Attempt(self._resources, session, write, self._seconds, cancel)
                changed_rows = attempt.run()
                unchanged = False
                try:
                    attempt.settle(session.commit)
                except ConnectionFailed as error:
                    # Not a retryable error: a retry could insert the row twice.
                    raise OtherDatabaseError(
                        error.detail, key="database.commit_unknown", code=error.code
                    ) from error
                except DatabaseError:
                    unchanged = True  # the engine refused, so nothing changed
                    raise
                return changed_rows
        finally:
            if unchanged:
                with self._lock:
                    self._written.discard(write.key)

    def _claim(self, key: str) -> None:
        with self._lock:
            if key in self._written:
                raise Forbidden("committed before", key="database.already_written")
            self._written.add(key)

    @contextmanager
    def _session(self, cancel: Cancellation) -> Iterator[WritingSession]:
        if cancel.cancelled:
            raise QueryCancelled("cancelled before it began")
        pool, engine = self._resources.pool, self._resources.engine
        needs_exclusive_access = BY_NAME[engine.dialect].exclusive_writes
        try:
            with pool.alone(lambda: cancel.cancelled) if needs_exclusive_access else nullcontext():
                session = engine.connect_writing()
                try:
                    yield session
                finally:
                    session.close()
        except PoolExhausted:
            if cancel.cancelled:
                raise QueryCancelled("cancelled before it began") from None
            raise


class _Attempt:
    """Runs the statement under its deadline, then its commit or rollback, which is never interrupted."""

    def __init__(
        self,
        resources: DatabaseResources,
        session: WritingSession,
        write: CheckedWrite,
        seconds: float,
        cancel: Cancellation,
    ) -> None:
        self._resources, self._session, self._write = resources, session, write
        self._limit, self._cancel = seconds, cancel
        self._started_at = time.monotonic()
        self._stopper = Stopper(session)

    def run(self) -> int:
        """Every error is translated, also a stop that came too late to prevent the statement."""
        ticket = self._resources.watchdog.at(
            self._started_at + self._limit, partial(self._stopper.stop, "timeout")
        )
        self._cancel.bind(partial(self._stopper.stop, "cancelled"))
        try:
            self._session.begin(self._limit)
            changed_rows = self._session.write(self._write)
        except Exception as error:
            translated = self._translate(error)
            if translated is error:
                raise
            raise translated from error
        except BaseException:  # Ctrl-C while the driver waits: stop the statement on the server too
            self._stopper.stop("cancelled")
            raise
        finally:
            self._cancel.bind(None)
            self._resources.watchdog.cancel(ticket)
            reason = self._stopper.finish()  # no cancel is sent after this
        if reason or self._elapsed >= self._limit:
            raise stop_error(reason or "timeout", self._limit)
        return changed_rows

    def settle(self, end: Callable[[], None]) -> None:
        try:
            end()
        except Exception as error:
            translated = self._translate(error)
            if translated is error:
                raise
            raise translated from error

    @property
    def _elapsed(self) -> float:
        return time.monotonic() - self._started_at

    def _translate(self, error: Exception) -> Exception:
        engine, sql, reason = self._resources.engine, self._write.sql, self._stopper.reason
        seconds = self._elapsed
        return (
            translate_stop_or_error(error, engine, sql, reason=reason, seconds=seconds, limit=self._limit)
            or error
        )
