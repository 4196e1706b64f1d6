"""Sessions that are lent out one request at a time.

Last in, first out: a quiet hour uses few connections and lets the others grow old and go. A session comes
back only if its `reset` says that nothing of the request is left; everything else is closed.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from text2sql.database.engine import Session
from text2sql.errors import ConnectionFailed, PoolExhausted

_LOOK = 0.1  # seconds between looks at whether a waiting caller still wants to wait


@dataclass(frozen=True, slots=True)
class Lease:
    session: Session
    born: float


def _never() -> bool:
    return False


class Pool:
    def __init__(
        self, connect: Callable[[], Session], *, size: int, overflow: int, wait: float, recycle: float
    ) -> None:
        self._connect = connect
        self._size = size
        self._most = size + overflow
        self._wait = wait
        self._recycle = recycle
        self._changed = threading.Condition()
        self._idle: list[Lease] = []
        self._open = 0  # idle, lent or being opened
        self.opened = 0  # since the beginning
        self._closed = False
        self._held = False  # by `alone`

    def take(self, given_up: Callable[[], bool] = _never) -> Lease:
        """An idle session, else a new one, else the next that comes back within the waiting time."""
        until = time.monotonic() + self._wait
        while True:
            old: list[Lease] = []
            try:
                lease = self._reserve(given_up, until, old)
            finally:
                _close(old)
            if lease is not None:
                return lease
            try:
                return self._open_reserved()
            except ConnectionFailed as error:
                if error.message_key != "database.full" or not self._learn_the_limit():
                    raise

    def take_new(self) -> Lease:
        """A session that nobody used before, for a second try after the first one's connection was lost."""
        with self._changed:
            self._make_room()
        return self._open_reserved()

    def give_back(self, lease: Lease) -> None:
        try:
            lease.session.reset()
        except Exception:  # noqa: BLE001 whatever the driver raises: a session in doubt is not lent again
            self.discard(lease)
            return
        with self._changed:
            keep = not (self._closed or self._held) and len(self._idle) < self._size
            if keep:
                self._idle.append(lease)
            else:
                self._open -= 1
            self._changed.notify()
        if not keep:
            lease.session.close()

    def discard(self, lease: Lease) -> None:
        lease.session.close()
        with self._changed:
            self._open -= 1
            self._changed.notify()

    def drop_idle(self, before: float) -> None:
        """Close idle sessions born before a moment: a server that was restarted has lost them all, and each
        would fail one request.
        """
        with self._changed:
            gone = [lease for lease in self._idle if lease.born <= before]
            self._idle = [lease for lease in self._idle if lease.born > before]
            self._open -= len(gone)
            self._changed.notify_all()
        _close(gone)

    def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back."""
        with self._changed:
            self._closed = True
            gone, self._idle = self._idle, []
            self._open -= len(gone)
            self._changed.notify_all()
        _close(gone)

    @contextmanager
    def alone(self, given_up: Callable[[], bool] = _never) -> Iterator[None]:
        """While this lasts no session is open and none can be had: whoever wants one waits as if all were
        lent. For an engine that cannot write to a file that this process reads.
        """
        until = time.monotonic() + self._wait
        with self._changed:
            self._wait_for(lambda: not self._held, given_up, until)
            self._held = True
            gone, self._idle = self._idle, []
            self._open -= len(gone)
        try:
            _close(gone)
            with self._changed:
                self._wait_for(lambda: not self._open, given_up, until)
            yield
        finally:
            with self._changed:
                self._held = False
                self._changed.notify_all()

    @property
    def open_count(self) -> int:
        with self._changed:
            return self._open

    def _learn_the_limit(self) -> bool:
        """The server takes no more connections: wait for one of ours instead, where there are any."""
        with self._changed:
            if self._open:
                self._most = self._open
            return self._open > 0

    def _reserve(self, given_up: Callable[[], bool], until: float, old: list[Lease]) -> Lease | None:
        """A lease, or None for the right to open one."""
        with self._changed:
            while True:
                if self._closed:
                    raise RuntimeError("the database is closed")
                while self._idle:
                    lease = self._idle.pop()
                    if time.monotonic() - lease.born < self._recycle:
                        return lease
                    self._open -= 1
                    old.append(lease)
                if self._open < self._most and not self._held:
                    self._open += 1
                    return None
                self._wait_a_moment(given_up, until)

    def _wait_for(self, ready: Callable[[], bool], given_up: Callable[[], bool], until: float) -> None:
        while not ready():
            self._wait_a_moment(given_up, until)

    def _wait_a_moment(self, given_up: Callable[[], bool], until: float) -> None:
        left = until - time.monotonic()
        if left <= 0 or given_up():
            raise PoolExhausted("no connection came free", size=self._most, wait=self._wait)
        self._changed.wait(min(left, _LOOK))

    def _make_room(self) -> None:
        """Count one more; the caller has just discarded one, so the total stays within its bounds."""
        if self._closed:
            raise RuntimeError("the database is closed")
        self._open += 1

    def _open_reserved(self) -> Lease:
        born = time.monotonic()
        try:
            lease = Lease(self._connect(), born)
        except BaseException:
            with self._changed:
                self._open -= 1
                self._changed.notify()
            raise
        with self._changed:
            self.opened += 1
        return lease


def _close(leases: list[Lease]) -> None:
    for lease in leases:
        lease.session.close()
