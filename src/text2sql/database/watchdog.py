"""Deadlines: one thread for all of a database's requests, not one each."""

import heapq
import itertools
import threading
import time
from collections.abc import Callable

_IDLE = 5.0  # seconds without a deadline after which the thread ends; the next deadline starts a new one


class Watchdog:
    """Calls an action when its time has come, unless it was called off. Actions must not block."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._order = itertools.count()
        self._heap: list[tuple[float, int]] = []
        self._actions: dict[int, Callable[[], None]] = {}
        self._thread: threading.Thread | None = None

    def at(self, moment: float, action: Callable[[], None]) -> int:
        """Call `action` at a moment of `time.monotonic`; the number returned calls it off."""
        with self._changed:
            number = next(self._order)
            self._actions[number] = action
            heapq.heappush(self._heap, (moment, number))
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="text2sql-watchdog", daemon=True)
                self._thread.start()
            elif self._heap[0][1] == number:
                self._changed.notify()
            return number

    def call_off(self, number: int) -> None:
        with self._changed:
            self._actions.pop(number, None)
            # What was called off is dropped when it reaches the top; a crowd below it is cleared out here.
            if len(self._heap) > 64 and len(self._heap) > 4 * len(self._actions):
                self._heap = [entry for entry in self._heap if entry[1] in self._actions]
                heapq.heapify(self._heap)

    def _watch(self) -> None:
        while True:
            with self._changed:
                action = self._next()
            if action is None:
                return
            action()

    def _next(self) -> Callable[[], None] | None:
        """Wait for the next action that is due; None when there was nothing to wait for."""
        while True:
            while self._heap and self._heap[0][1] not in self._actions:
                heapq.heappop(self._heap)
            if not self._heap:
                self._changed.wait(_IDLE)
                if not self._heap:
                    self._thread = None
                    return None
                continue
            moment, number = self._heap[0]
            left = moment - time.monotonic()
            if left <= 0:
                heapq.heappop(self._heap)
                return self._actions.pop(number)
            self._changed.wait(left)
