"""An event loop in a separate thread, for synchronous wrappers of asynchronous code, and for work that must
outlive the caller's loop.

Ctrl-C, or leaving a stream early, cancels the work in the thread before it propagates.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import aclosing
from typing import Any, Generic, TypeVar

T = TypeVar("T")

CLOSING = 2.0  # seconds to wait for cancelled work to end


class LoopThread:
    """A lazily started event loop in a daemon thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    @property
    def running(self) -> bool:
        return self._loop is not None

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the thread and wait for its result."""
        return _Work(work, self._ensure_loop()).result()

    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """Await a coroutine in the thread from another loop; cancelling the caller cancels it."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._ensure_loop()))

    def stream(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """Iterate over an asynchronous generator in the calling thread. The queue is bounded by the
        generator's own output: a reply, or the events of a question.
        """
        received: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()

        async def pump() -> None:
            try:
                async with aclosing(items):
                    async for item in items:
                        received.put((item,))
            finally:
                received.put(None)

        work = _Work(pump(), self._ensure_loop())
        try:
            while (item := received.get()) is not None:
                yield item[0]
            work.result()
        finally:
            work.stop()

    def close(self, final: Coroutine[Any, Any, None]) -> None:
        """Run a final coroutine, then stop the loop."""
        with self._starting:
            loop, self._loop = self._loop, None
        if loop is None:
            final.close()
            return
        try:
            _Work(final, loop).result()
        finally:
            loop.call_soon_threadsafe(loop.stop)
            if self._thread is not None:
                # If the interpreter exits before the loop, it warns about the last task.
                self._thread.join(CLOSING)

    def _ensure_loop(self) -> asyncio.AbstractEventLoop:
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
        loop.run_until_complete(_cancel_all(asyncio.all_tasks(loop)))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


async def _cancel_all(tasks: set[asyncio.Task[Any]]) -> None:
    """LangGraph's store leaves a task behind, which the loop would report on standard error."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _Work(Generic[T]):
    """A coroutine in the thread: its result, and a way to stop it."""

    def __init__(self, work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> None:
        self._ended = threading.Event()
        self._future = asyncio.run_coroutine_threadsafe(self._signal_end(work), loop)

    async def _signal_end(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            return await work
        finally:
            self._ended.set()

    def result(self) -> T:
        try:
            return self._future.result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Cancel, and wait until it has ended, at most `CLOSING` seconds."""
        if not self._future.done():
            self._future.cancel()
            self._ended.wait(CLOSING)
