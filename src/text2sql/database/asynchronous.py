"""The same database for tasks: the work runs in threads, and a cancelled task stops its query."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar

from text2sql.database.cancellation import Cancellation
from text2sql.database.database import Database
from text2sql.database.stream import Stream
from text2sql.errors import PoolExhausted
from text2sql.types import Catalogue, CheckedSql, CheckedWrite, Limits, Plan, QueryResult, ResultColumn, Row

T = TypeVar("T")


class AsyncDatabase:
    """Wraps a `Database`. A cancelled task returns only when its query is over on the server too."""

    def __init__(self, database: Database) -> None:
        settings = database.settings
        self.database = database
        self._places = settings.pool_size + settings.pool_overflow
        self._wait = settings.pool_wait
        # An executor's queue has no bound and no clock, so tasks queue here, before it.
        self._free = asyncio.Semaphore(self._places)
        self._threads = ThreadPoolExecutor(self._places, thread_name_prefix="text2sql")
        self.busy = 0  # requests that have a place
        self.waiting = 0  # requests that wait for one

    @property
    def open_count(self) -> int:
        return self.database.open_count

    @property
    def opened(self) -> int:
        return self.database.opened

    @property
    def dialect(self) -> str:
        return self.database.dialect

    async def run(self, query: CheckedSql, limits: Limits | None = None) -> QueryResult:
        return await self._do(lambda cancel: self.database.run(query, limits, cancel))

    async def explain(self, query: CheckedSql) -> Plan:
        return await self._do(lambda cancel: self.database.explain(query, cancel))

    async def catalogue(self, samples: int = 3) -> Catalogue:
        return await self._do(lambda cancel: self.database.catalogue(samples, cancel))

    async def rehearse(self, write: CheckedWrite) -> int:
        return await self._do(lambda cancel: self.database.rehearse(write, cancel))

    async def commit(self, write: CheckedWrite) -> int:
        """A task that is cancelled while the COMMIT is on its way may have made the change all the same; its
        key tells whoever asks again.
        """
        return await self._do(lambda cancel: self.database.commit(write, cancel))

    async def ping(self) -> None:
        await self._do(lambda _: self.database.ping())

    def stream(self, query: CheckedSql, limits: Limits | None = None) -> "AsyncStream":
        return AsyncStream(self, query, limits)

    async def close(self) -> None:
        await asyncio.to_thread(self.database.close)
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _do(self, work: Callable[[Cancellation], T]) -> T:
        await self.enter()
        try:
            cancel = Cancellation()
            return await self.in_thread(lambda: work(cancel), cancel)
        finally:
            self.leave()

    async def enter(self) -> None:
        self.waiting += 1
        try:
            async with asyncio.timeout(self._wait):
                await self._free.acquire()
        except TimeoutError as error:
            raise PoolExhausted("no connection came free", size=self._places, wait=self._wait) from error
        finally:
            self.waiting -= 1
        self.busy += 1

    def leave(self) -> None:
        self.busy -= 1
        self._free.release()

    async def in_thread(self, work: Callable[[], T], cancel: Cancellation) -> T:
        """Do blocking work. If this task is cancelled, stop the query and wait until it is really over."""
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        cancelled = False
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError:
                cancelled = True
                cancel.cancel()
        if cancelled:
            future.exception()  # seen: the cancellation is the news, not how the query took it
            raise asyncio.CancelledError
        return future.result()


class AsyncStream:
    """`async with db.stream(query) as stream: async for batch in stream: …`"""

    def __init__(self, owner: AsyncDatabase, query: CheckedSql, limits: Limits | None) -> None:
        self._owner = owner
        self._query = query
        self._limits = limits
        self._cancel = Cancellation()
        self._stream: Stream | None = None

    @property
    def columns(self) -> tuple[ResultColumn, ...]:
        return self._opened.columns

    @property
    def truncated(self) -> str:
        return self._opened.truncated

    @property
    def cut_cells(self) -> int:
        return self._opened.cut_cells

    @property
    def _opened(self) -> Stream:
        if self._stream is None:
            raise RuntimeError("the stream is used outside of its `async with`")
        return self._stream

    async def __aenter__(self) -> Self:
        await self._owner.enter()
        try:
            await self._owner.in_thread(self._open, self._cancel)
        except BaseException:
            if self._stream is not None:  # it opened just as the task was cancelled
                self._stream.close()
            self._owner.leave()
            raise
        return self

    def _open(self) -> None:
        self._stream = self._owner.database.stream(self._query, self._limits, self._cancel)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._owner.in_thread(self._opened.close, self._cancel)
        finally:
            self._owner.leave()

    async def __aiter__(self) -> AsyncIterator[list[Row]]:
        batches = iter(self._opened)
        while (batch := await self._owner.in_thread(lambda: next(batches, None), self._cancel)) is not None:
            yield batch
