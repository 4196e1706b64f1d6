"""Stopping a request: from another thread, at its deadline, or because its reader went away."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Literal, TypeAlias

from text2sql.database.engine import Session, WritingSession

Why: TypeAlias = Literal["", "timeout", "cancelled"]

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
        """Ask for the stop and return at once; the request's own call ends with `QueryCancelled`."""
        with self._lock:
            self._cancelled = True
            stop = self._stop
        if stop is not None:
            stop()

    def bind(self, stop: Callable[[], None] | None) -> None:
        """Used by the request itself: what `cancel` has to call, None when the request is over."""
        with self._lock:
            self._stop = stop
            wanted = self._cancelled
        if wanted and stop is not None:
            stop()


class Stopper:
    """Stops what one session is doing for one request, and makes sure that it never stops more than that.

    A cancel that reaches the engine before the statement did is lost, so it is repeated until the request
    is over. One that arrives late would hit the next statement on the connection, so a session that was
    sent one is never lent again (`why` tells), and `finish` waits for a cancel that is on its way.
    """

    def __init__(self, session: Session | WritingSession) -> None:
        self._session = session
        self._sending = threading.Lock()
        self._state = threading.Lock()
        self._over = threading.Event()
        self._why: Why = ""

    @property
    def why(self) -> Why:
        return self._why

    def stop(self, why: Why) -> None:
        """Returns at once: reaching a server can take as long as connecting to it."""
        with self._state:
            if self._why or self._over.is_set():
                return
            self._why = why
        threading.Thread(target=self._insist, name="text2sql-cancel", daemon=True).start()

    def finish(self) -> Why:
        """No cancel is sent after this returns. Says whether one was, and why."""
        with self._state:
            self._over.set()
        with self._sending:
            return self._why

    def _insist(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            with self._sending:
                if self._over.is_set():
                    return
                with suppress(Exception):  # one that failed is sent again, and nobody waits for its error
                    self._session.cancel()
            if self._over.wait(pause):
                return
            pause = min(pause * 2, _LONGEST_PAUSE)
