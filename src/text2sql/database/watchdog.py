"""Enforces deadlines: one thread for all requests to a database, not one each."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable

_IDLE = 5.0  # seconds without a deadline after which the thread ends; the next deadline starts a new one


class Watchdog:
    """Calls an action at its deadline, unless it was cancelled first. Actions must not block."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._order = itertools.count()
        self._heap: list[tuple[float, int]] = []
        self._actions: dict[int, Callable[[], None]] = {}
        self._thread: threading.Thread | None = None

    def at(self, moment: float, action: Callable[[], None]) -> int:
        """Call `action` at a `time.monotonic` moment; the returned number cancels it."""
        with self._condition:
            number = next(self._order)
            self._actions[number] = action
            heapq.heappush(self._heap, (moment, number))
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="text2sql-watchdog", daemon=True)
                self._thread.start()
            elif self._heap[0][1] == number:
                self._condition.notify()
            return number

    def cancel(self, number: int) -> None:
        with self._condition:
            self._actions.pop(number, None)
            # A cancelled entry is dropped when it reaches the top; many of them below it are removed here.
            if len(self._heap) > 64 and len(self._heap) > 4 * len(self._actions):
                self._heap = [entry for entry in self._heap if entry[1] in self._actions]
                heapq.heapify(self._heap)

    def _watch(self) -> None:
        while True:
            with self._condition:
                action = self._next()
            if action is None:
                return
            action()

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next action that is due; None if there was nothing to wait for."""
        while True:
            while self._heap and self._heap[0][1] not in self._actions:
                heapq.heappop(self._heap)
            if not self._heap:
                self._condition.wait(_IDLE)
                if not self._heap:
                    self._thread = None
                    return None
                continue
            moment, number = self._heap[0]
            remaining = moment - time.monotonic()
            if remaining <= 0:
                heapq.heappop(self._heap)
                return self._actions.pop(number)
            self._condition.wait(remaining)
