"""The chat model for code without an event loop."""

import asyncio
import queue
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from text2sql.llm.chat import CLOSING, AsyncChatModel
from text2sql.types import Capabilities, Message, ModelRequest, Reply

T = TypeVar("T")


class ChatModel:
    """The synchronous twin: the same verbs, done by an event loop in a thread of its own.

    Ctrl-C, or leaving a stream early, cancels the work over there before it is passed on.
    """

    def __init__(self, model: AsyncChatModel) -> None:
        self.model = model
        self._loop: asyncio.AbstractEventLoop | None = None
        self._starting = threading.Lock()

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def capabilities(self) -> Capabilities:
        return self.model.capabilities

    def ask(self, request: ModelRequest) -> Reply:
        return self._do(self.model.ask(request))

    def stream(self, request: ModelRequest) -> Iterator[str | Reply]:
        arrived: queue.SimpleQueue[str | Reply | None] = queue.SimpleQueue()  # a reply is bounded, so this is

        async def pump() -> None:
            try:
                async with aclosing(self.model.stream(request)) as items:
                    async for item in items:
                        arrived.put(item)
            finally:
                arrived.put(None)

        work = _Work(pump(), self._running())
        try:
            while (item := arrived.get()) is not None:
                yield item
            work.result()
        finally:
            work.stop()

    def warm(self, messages: Sequence[Message]) -> None:
        self._do(self.model.warm(messages))

    def count_tokens(self, text: str) -> int:
        return self._do(self.model.count_tokens(text))

    def close(self) -> None:
        with self._starting:
            loop, self._loop = self._loop, None
        if loop is not None:
            try:
                _Work(self.model.close(), loop).result()
            finally:
                loop.call_soon_threadsafe(loop.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return _Work(work, self._running()).result()

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run, args=(self._loop,), name="text2sql-model", daemon=True).start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


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
        """Cancel, and wait until it is really over; a call that will not end is not waited for."""
        if not self._future.done():
            self._future.cancel()
            self._over.wait(2 * CLOSING)
