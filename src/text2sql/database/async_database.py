"""Async wrapper around `Database`: requests run in threads, and cancelling a task stops its query."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import Self, TypeVar

from text2sql.database.cancellation import Cancellation
from text2sql.database.database import Database
from text2sql.database.stream import Stream
from text2sql.errors import PoolExhausted
from text2sql.types import (
    Catalog,
    CheckedSql,
    CheckedWrite,
    Limits,
    Plan,
    Policy,
    QueryResult,
    ResultColumn,
    Row,
)

T = TypeVar("T")


@dataclass(slots=True)
class _Load:
    """Request counters, shared by a database and its restricted views."""

    busy: int = 0
    waiting: int = 0


class AsyncDatabase:
    """Wraps a `Database`. A cancelled task returns only when its query has also ended on the server."""

    def __init__(self, database: Database) -> None:
        settings = database.settings
        self.database = database
        self._capacity = settings.pool_size + settings.pool_overflow
        self._wait = settings.pool_wait
        self._readable: Policy | None = None
        self._account: AsyncDatabase | None = None
        # An executor's queue has no limit and no timeout, so tasks wait here, before it.
        self._slots = asyncio.Semaphore(self._capacity)
        self._threads = ThreadPoolExecutor(self._capacity, thread_name_prefix="text2sql")
        self._load = _Load()

    def with_restriction(self, readable: Policy) -> "AsyncDatabase":
        """A view on the same connections and threads that can read only what `readable` allows."""
        view = copy(self)
        view._readable = readable
        return view

    def with_account(self, account: "AsyncDatabase") -> "AsyncDatabase":
        """A view whose `run`, `explain` and `stream` use the connections of another account. The catalog and
        writes still use this account.
        """
        view = copy(self)
        view._account = account
        return view

    @property
    def busy(self) -> int:
        """Number of requests that are running."""
        return self._load.busy

    @property
    def waiting(self) -> int:
        """Number of requests that wait for a free slot."""
        return self._load.waiting

    @property
    def open_count(self) -> int:
        return self.database.open_count

    @property
    def opened(self) -> int:
        """Number of connections opened so far, including those of the account that runs queries."""
        return self.database.opened + (self._account.opened if self._account else 0)

    @property
    def dialect(self) -> str:
        return self.database.dialect

    async def run(self, query: CheckedSql, limits: Limits | None = None) -> QueryResult:
        target = self._account or self
        return await target._do(lambda cancel: target.database.run(query, limits, cancel, self._readable))

    async def explain(self, query: CheckedSql) -> Plan:
        target = self._account or self
        return await target._do(lambda cancel: target.database.explain(query, cancel, self._readable))

    async def catalog(self, samples: int = 3) -> Catalog:
        return await self._do(lambda cancel: self.database.catalog(samples, cancel))

    async def rehearse(self, write: CheckedWrite) -> int:
        return await self._do(lambda cancel: self.database.rehearse(write, cancel))

    async def commit(self, write: CheckedWrite) -> int:
        """Commit a confirmed write. If the task is cancelled while COMMIT is in flight, the write may still
        have happened; its key tells a caller that tries again.
        """
        return await self._do(lambda cancel: self.database.commit(write, cancel))

    async def ping(self) -> None:
        await self._do(lambda _: self.database.ping())

    def stream(self, query: CheckedSql, limits: Limits | None = None) -> "AsyncStream":
        return AsyncStream(self._account or self, query, limits, self._readable)

    async def close(self) -> None:
        await asyncio.to_thread(self.database.close)
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _do(self, work: Callable[[Cancellation], T]) -> T:
        await self.enter()
        try:
            cancel = Cancellation()
            return await self.in_thread(lambda: work(cancel), cancel)
        finally:
            self.leave()

    async def enter(self) -> None:
        self._load.waiting += 1
        try:
            async with asyncio.timeout(self._wait):
                await self._slots.acquire()
        except TimeoutError as error:
            raise PoolExhausted("no connection came free", size=self._capacity, wait=self._wait) from error
        finally:
            self._load.waiting -= 1
        self._load.busy += 1

    def leave(self) -> None:
        self._load.busy -= 1
        self._slots.release()

    async def in_thread(self, work: Callable[[], T], cancel: Cancellation) -> T:
        """Run blocking work in a thread. If this task is cancelled, stop the query and wait until it has
        ended.
        """
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        cancelled = False
        while not future.done():
            try:
                await asyncio.wait([future])
            except asyncio.CancelledError:
                cancelled = True
                cancel.cancel()
        if cancelled:
            future.exception()  # mark as retrieved: the caller gets the cancellation, not the query's error
            raise asyncio.CancelledError
        return future.result()


class AsyncStream:
    """`async with db.stream(query) as stream: async for batch in stream: …`"""

    def __init__(
        self, owner: AsyncDatabase, query: CheckedSql, limits: Limits | None, readable: Policy | None
    ) -> None:
        self._owner = owner
        self._query = query
        self._limits = limits
        self._readable = readable
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
        database = self._owner.database
        self._stream = database.stream(self._query, self._limits, self._cancel, self._readable)

    async def __aexit__(self, *_: object) -> None:
        try:
            await self._owner.in_thread(self._opened.close, self._cancel)
        finally:
            self._owner.leave()

    async def __aiter__(self) -> AsyncIterator[list[Row]]:
        batches = iter(self._opened)
        while (batch := await self._owner.in_thread(lambda: next(batches, None), self._cancel)) is not None:
            yield batch
