"""An event loop in a thread of its own, for the synchronous twins of asynchronous things, and for what must
outlive the loop that asks for it; and the other way round, work that would hold up a loop.

Ctrl-C, or leaving a stream early, cancels the work over there before it is passed on.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_LONG = 4_000  # characters of SQL: more take the parser tens of milliseconds, the longest a second
CLOSING = 2.0  # seconds that ending cancelled work may take before it is no longer waited for


async def aside(text: str, work: Callable[[], T]) -> T:
    """What `work` makes of a statement; a thread does it where it is long: the loop has other clients."""
    return work() if len(text) <= _LONG else await asyncio.to_thread(work)


class Background:
    """Starts with the first piece of work; `close` ends the loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    @property
    def running(self) -> bool:
        return self._loop is not None

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return _Work(work, self._started()).result()

    async def awaited(self, work: Coroutine[Any, Any, T]) -> T:
        """The same for somebody who has a loop. Whoever is cancelled cancels the work."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._started()))

    def stream(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """What an asynchronous generator yields, drawn by this thread. What waits in between is bounded by
        what the other side gives: a reply, the events of a question.
        """
        arrived: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()

        async def pump() -> None:
            try:
                async with aclosing(items):
                    async for item in items:
                        arrived.put((item,))
            finally:
                arrived.put(None)

        work = _Work(pump(), self._started())
        try:
            while (held := arrived.get()) is not None:
                yield held[0]
            work.result()
        finally:
            work.stop()

    def close(self, last: Coroutine[Any, Any, None]) -> None:
        """Do the last piece of work, then end the loop."""
        with self._starting:
            loop, self._loop = self._loop, None
        if loop is None:
            last.close()
            return
        try:
            _Work(last, loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                # An interpreter that ends before the loop does would complain about its last task.
                self._thread.join(CLOSING)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_run, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(_end(asyncio.all_tasks(loop)))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


async def _end(tasks: set[asyncio.Task[Any]]) -> None:
    """LangGraph's store leaves one behind; the loop would complain about it on standard error."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Work(Generic[T]):
    """A coroutine over there, and how to end it from here."""

    def __init__(self, work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        self._over = threading.Event()
        self._future = asyncio.run_coroutine_threadsafe(self._watched(work), loop)

    async def _watched(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await work
        finally:
            self._over.set()

    def result(self) -> T:
        try:
            return self._future.result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Cancel, and wait until it is really over; what will not end is not waited for."""
        if not self._future.done():
            self._future.cancel()
            self._over.wait(CLOSING)
