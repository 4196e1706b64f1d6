"""A write that a person is asked about: rehearsed and rolled back, or committed, once.

It never touches the pool of read-only connections. A connection is opened for it and closed after it, and
until its COMMIT is sent, whatever goes wrong leaves nothing changed.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial

from text2sql.database.cancellation import Cancellation, Stopper
from text2sql.database.dialects import BY_NAME
from text2sql.database.ending import in_our_words, stopped
from text2sql.database.engine import WritingSession
from text2sql.database.request import Room
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
    def __init__(self, room: Room, seconds: float) -> None:
        self._room = room
        self._seconds = seconds
        self._lock = threading.Lock()
        self._written: set[str] = set()  # keys of what was committed, or may have been

    def rehearse(self, write: CheckedWrite, cancel: Cancellation) -> int:
        """How many rows it would touch. It runs for real and is always rolled back."""
        with self._session(cancel) as session:
            attempt = _Attempt(self._room, session, write, self._seconds, cancel)
            touched = attempt.run()
            attempt.settle(session.rollback)
            return touched

    def commit(self, write: CheckedWrite, cancel: Cancellation) -> int:
        """Make the change, once for its key. How many rows it touched."""
        self._claim(write.key)
        unchanged = True
        try:
            with self._session(cancel) as session:
                attempt = _Attempt(self._room, session, write, self._seconds, cancel)
                touched = attempt.run()
                unchanged = False
                try:
                    attempt.settle(session.commit)
                except ConnectionFailed as error:
                    # Never "try again": the row might be there twice.
                    raise OtherDatabaseError(
                        error.detail, key="database.commit_unknown", code=error.code
                    ) from error
                except DatabaseError:
                    unchanged = True  # the engine refused, so it was not made
                    raise
                return touched
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
        pool, engine = self._room.pool, self._room.engine
        alone = BY_NAME[engine.dialect].writes_alone
        try:
            with pool.alone(lambda: cancel.cancelled) if alone else nullcontext():
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
    """The statement under its deadline, then its end, which nothing interrupts."""

    def __init__(
        self, room: Room, session: WritingSession, write: CheckedWrite, seconds: float, cancel: Cancellation
    ) -> None:
        self._room, self._session, self._write = room, session, write
        self._limit, self._cancel = seconds, cancel
        self._began = time.monotonic()
        self._stopper = Stopper(session)

    def run(self) -> int:
        """Every error leaves as one of ours; so does a stop that came too late to hinder the statement."""
        ticket = self._room.watchdog.at(self._began + self._limit, partial(self._stopper.stop, "timeout"))
        self._cancel.bind(partial(self._stopper.stop, "cancelled"))
        try:
            self._session.begin(self._limit)
            touched = self._session.write(self._write)
        except Exception as error:
            ours = self._told(error)
            if ours is error:
                raise
            raise ours from error
        except BaseException:  # Ctrl-C while the driver waits: the server must not go on alone
            self._stopper.stop("cancelled")
            raise
        finally:
            self._cancel.bind(None)
            self._room.watchdog.call_off(ticket)
            why = self._stopper.finish()  # no cancel is sent after this
        if why or self._seconds_so_far >= self._limit:
            raise stopped(why or "timeout", self._limit)
        return touched

    def settle(self, end: Callable[[], None]) -> None:
        try:
            end()
        except Exception as error:
            ours = self._told(error)
            if ours is error:
                raise
            raise ours from error

    @property
    def _seconds_so_far(self) -> float:
        return time.monotonic() - self._began

    def _told(self, error: Exception) -> Exception:
        engine, sql, why = self._room.engine, self._write.sql, self._stopper.why
        seconds = self._seconds_so_far
        return in_our_words(error, engine, sql, why=why, seconds=seconds, limit=self._limit) or error
