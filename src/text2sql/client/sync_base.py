"""What the synchronous classes share: an asynchronous object whose methods run in a thread with a loop."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from types import TracebackType
from typing import Generic, Self, TypeVar

from text2sql.client.async_client import AsyncText2SQL
from text2sql.client.moved import MovedNames
from text2sql.loop_thread import LoopThread

A = TypeVar("A")
T = TypeVar("T")


class InLoop(Generic[A]):
    """An asynchronous object and the loop in which its methods run."""

    def __init__(self, loop: LoopThread, wrapped: A) -> None:
        self._loop, self._async = loop, wrapped

    @contextmanager
    def _entered(self, manager: AbstractAsyncContextManager[T]) -> Iterator[T]:
        async def enter() -> T:
            return await manager.__aenter__()

        async def leave(error: BaseException | None) -> bool | None:
            return await manager.__aexit__(type(error) if error else None, error, None)

        value = self._loop.do(enter())
        try:
            yield value
        except BaseException as error:
            if not self._loop.do(leave(error)):
                raise
        else:
            self._loop.do(leave(None))


class SyncClient(InLoop[AsyncText2SQL], MovedNames):
    """Opens and closes the client. A view of another client shares its loop and leaves it running."""

    def _connect(self, client: AsyncText2SQL, loop: LoopThread | None = None) -> None:
        super().__init__(loop or LoopThread("text2sql"), client)
        self._owns_loop = loop is None
        self.settings, self.source = client.settings, client.source

    def open(self) -> Self:
        """Open the database now; otherwise the first question does it. `with` does both.

        >>> client = Text2SQL("demo.db", model=model).open()
        >>> client.close()
        """

        async def begin() -> None:
            await self._async.resources()

        self._loop.do(begin())
        return self

    def close(self) -> None:
        """Close the connections, the memory and the models. `with` does it.

        >>> client = Text2SQL("demo.db", model=model)
        >>> client.close()
        """
        if self._owns_loop:
            self._loop.close(self._async.close())
        else:
            self._loop.do(self._async.close())

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
