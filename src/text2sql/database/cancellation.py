"""Stops a request: from another thread, at its deadline, or because its client disconnected. The error of a
stopped request says why.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, TypeAlias

from text2sql.database.engine import Engine, Session, WritingSession
from text2sql.errors import DatabaseError, QueryCancelled, QueryTimeout

StopReason: TypeAlias = Literal["", "timeout", "cancelled"]

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


class Cancellation:
    """A handle to stop one request from any thread. It stops that request only, never the next one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._stop: Callable[[], None] | None = None

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def cancel(self) -> None:
        """Request the stop and return at once; the call that runs the request raises `QueryCancelled`."""
        with self._lock:
            self._cancelled = True
            stop = self._stop
        if stop is not None:
            stop()

    def bind(self, stop: Callable[[], None] | None) -> None:
        """Called by the request: set what `cancel` calls, or None when the request has ended."""
        with self._lock:
            self._stop = stop
            already_cancelled = self._cancelled
        if already_cancelled and stop is not None:
            stop()


class Stopper:
    """Stops the current statement of one session, and nothing after it.

    A cancel that reaches the engine before the statement does is lost, so it is repeated until the request
    ends. A late cancel would hit the next statement on the connection, so a session that was sent one is
    never reused (see `reason`), and `finish` waits for a cancel that is in flight.
    """

    def __init__(self, session: Session | WritingSession) -> None:
        self._session = session
        self._send_lock = threading.Lock()
        self._state_lock = threading.Lock()
        self._finished = threading.Event()
        self._why: StopReason = ""

    @property
    def reason(self) -> StopReason:
        return self._why

    def stop(self, reason: StopReason) -> None:
        """Return at once: reaching a server can take as long as connecting to it."""
        with self._state_lock:
            if self._why or self._finished.is_set():
                return
            self._why = reason
        threading.Thread(target=self._cancel_until_finished, name="text2sql-cancel", daemon=True).start()

    def finish(self) -> StopReason:
        """Send no cancel after this returns. Return why the request was stopped, or ""."""
        with self._state_lock:
            self._finished.set()
        with self._send_lock:
            return self._why

    def _cancel_until_finished(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            with self._send_lock:
                if self._finished.is_set():
                    return
                with suppress(Exception):  # a failed cancel is sent again; its error does not matter
                    self._session.cancel()
            if self._finished.wait(pause):
                return
            pause = min(pause * 2, _LONGEST_PAUSE)


def translate_stop_or_error(
    error: Exception, engine: Engine, sql: str, *, reason: StopReason, seconds: float, limit: float
) -> DatabaseError | None:
    """Return None for an error that neither the driver nor this package raised."""
    if reason:
        return stop_error(reason, limit)
    translated = error if isinstance(error, DatabaseError) else engine.translate(error, sql)
    if isinstance(translated, QueryTimeout) or (isinstance(translated, QueryCancelled) and seconds >= limit):
        return stop_error("timeout", limit, translated)
    return translated


def stop_error(reason: StopReason, limit: float, cause: DatabaseError | None = None) -> DatabaseError:
    if reason == "cancelled":
        return QueryCancelled("cancelled on request")
    detail = cause.detail if cause else "stopped at its time limit"
    return QueryTimeout(detail, code=cause.code if cause else "", seconds=limit)
