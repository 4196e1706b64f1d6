"""Connection pool: sessions are lent to one request at a time.

Last in, first out: when traffic is low, few connections are used and the others expire. A session returns to
the pool only if its `reset` succeeds; any other session is closed.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from text2sql.database.engine import Session
from text2sql.errors import ConnectionFailed, PoolExhausted

_POLL_INTERVAL = 0.1  # seconds between checks whether a waiting caller was cancelled


@dataclass(frozen=True, slots=True)
class Lease:
    """A session that is lent to a request."""

    session: Session
    opened_at: float


def _never() -> bool:
    return False


class Pool:
    """Keeps up to `size` idle sessions and opens up to `overflow` more under load."""

    def __init__(
        self, connect: Callable[[], Session], *, size: int, overflow: int, wait: float, recycle: float
    ) -> None:
        self._connect = connect
        self._size = size
        self._max_open = size + overflow
        self._wait = wait
        self._recycle = recycle
        self._condition = threading.Condition()
        self._idle: list[Lease] = []
        self._open = 0  # idle, lent or being opened
        self.opened = 0  # in total
        self._closed = False
        self._exclusive = False  # inside `alone`

    def take(self, is_cancelled: Callable[[], bool] = _never) -> Lease:
        """Return an idle session, or a new one, or the next one that is given back within the wait time."""
        deadline = time.monotonic() + self._wait
        while True:
            expired: list[Lease] = []
            try:
                lease = self._reserve(is_cancelled, deadline, expired)
            finally:
                _close(expired)
            if lease is not None:
                return lease
            try:
                return self._open_reserved()
            except ConnectionFailed as error:
                if error.message_key != "database.full" or not self._lower_limit():
                    raise

    def take_fresh(self) -> Lease:
        """Return a new session, for the retry after a lost connection."""
        with self._condition:
            self._reserve_one()
        return self._open_reserved()

    def give_back(self, lease: Lease) -> None:
        try:
            lease.session.reset()
        except Exception:  # noqa: BLE001 drivers raise anything: a doubtful session is not reused
            self.discard(lease)
            return
        with self._condition:
            keep = not (self._closed or self._exclusive) and len(self._idle) < self._size
            if keep:
                self._idle.append(lease)
                self._condition.notify()
        if not keep:
            self.discard(lease)

    def discard(self, lease: Lease) -> None:
        """Close a session. It counts as open until it is closed: `alone` waits for the file lock it holds."""
        lease.session.close()
        with self._condition:
            self._open -= 1
            self._condition.notify()

    def drop_idle(self, before: float) -> None:
        """Close idle sessions opened before a moment: a restarted server has lost them all, and each of them
        would fail one request.
        """
        with self._condition:
            dropped = [lease for lease in self._idle if lease.opened_at <= before]
            self._idle = [lease for lease in self._idle if lease.opened_at > before]
        for lease in dropped:
            self.discard(lease)

    def close(self) -> None:
        """Close idle sessions now, and lent ones when they are given back."""
        with self._condition:
            self._closed = True
            dropped, self._idle = self._idle, []
            self._open -= len(dropped)
            self._condition.notify_all()
        _close(dropped)

    @contextmanager
    def alone(self, is_cancelled: Callable[[], bool] = _never) -> Iterator[None]:
        """While the context is open, no session is open and none can be taken; callers wait as if all were
        lent. For an engine that cannot write to a file that this process has open for reading.
        """
        deadline = time.monotonic() + self._wait
        with self._condition:
            self._wait_until(lambda: not self._exclusive, is_cancelled, deadline)
            self._exclusive = True
            dropped, self._idle = self._idle, []
            self._open -= len(dropped)
        try:
            _close(dropped)
            with self._condition:
                self._wait_until(lambda: not self._open, is_cancelled, deadline)
            yield
        finally:
            with self._condition:
                self._exclusive = False
                self._condition.notify_all()

    @property
    def open_count(self) -> int:
        with self._condition:
            return self._open

    def _lower_limit(self) -> bool:
        """The server accepts no more connections: wait for one of the own ones instead, if any."""
        with self._condition:
            if self._open:
                self._max_open = self._open
            return self._open > 0

    def _reserve(
        self, is_cancelled: Callable[[], bool], deadline: float, expired: list[Lease]
    ) -> Lease | None:
        """Return a lease, or None for the right to open a session."""
        with self._condition:
            while True:
                if self._closed:
                    raise RuntimeError("the database is closed")
                while self._idle:
                    lease = self._idle.pop()
                    if time.monotonic() - lease.opened_at < self._recycle:
                        return lease
                    self._open -= 1
                    expired.append(lease)
                if self._open < self._max_open and not self._exclusive:
                    self._open += 1
                    return None
                self._wait_briefly(is_cancelled, deadline)

    def _wait_until(
        self, ready: Callable[[], bool], is_cancelled: Callable[[], bool], deadline: float
    ) -> None:
        while not ready():
            self._wait_briefly(is_cancelled, deadline)

    def _wait_briefly(self, is_cancelled: Callable[[], bool], deadline: float) -> None:
        remaining = deadline - time.monotonic()
        if remaining <= 0 or is_cancelled():
            raise PoolExhausted("no connection came free", size=self._max_open, wait=self._wait)
        self._condition.wait(min(remaining, _POLL_INTERVAL))

    def _reserve_one(self) -> None:
        """Count one more session: the caller has just discarded one, so the total stays within the limit."""
        if self._closed:
            raise RuntimeError("the database is closed")
        self._open += 1

    def _open_reserved(self) -> Lease:
        opened_at = time.monotonic()
        try:
            lease = Lease(self._connect(), opened_at)
        except BaseException:
            with self._condition:
                self._open -= 1
                self._condition.notify()
            raise
        with self._condition:
            self.opened += 1
        return lease


def _close(leases: list[Lease]) -> None:
    for lease in leases:
        lease.session.close()
