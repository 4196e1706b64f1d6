"""Persistent memory: threads, catalogs, results and audit records, in a SQLite file, in PostgreSQL, or in
process.

    async with open_memory(settings) as memory:
        graph = builder.compile(checkpointer=memory.checkpointer, store=memory.store)

Importing this is cheap; opening imports LangGraph, which takes two seconds.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from text2sql.config import Settings
from text2sql.errors import MissingDriver
from text2sql.memory.audit import Record
from text2sql.memory.encoding import scoped
from text2sql.memory.jobs import ClaimedJob, JobLost, StoredJob, job_owner
from text2sql.memory.keys import Key, new_key
from text2sql.memory.location import InMemory, Server, cache_location, is_shared, memory_location
from text2sql.memory.memory import Memory
from text2sql.memory.records import Claim, Pair, QuestionMetrics, Spread, Stats, StoredResult, ThreadInfo
from text2sql.memory.semantic import Embedder

if TYPE_CHECKING:
    from text2sql.memory.queue import Queue
    from text2sql.memory.redis import Redis

__all__ = [
    "Claim",
    "ClaimedJob",
    "JobLost",
    "Key",
    "Memory",
    "Pair",
    "QuestionMetrics",
    "Record",
    "Spread",
    "Stats",
    "StoredJob",
    "StoredResult",
    "ThreadInfo",
    "is_shared",
    "job_owner",
    "new_key",
    "open_memory",
    "queue_of",
    "redis_of",
    "scoped",
]


def queue_of(settings: Settings) -> "Queue | None":
    """Return the job queue if the memory is a PostgreSQL and the extra is installed. Opens nothing yet."""
    location = memory_location(settings)
    if not isinstance(location, Server):
        return None
    try:
        from text2sql.memory.queue import Queue  # noqa: PLC0415  an extra
    except ImportError:
        return None
    return Queue(location, settings)


def redis_of(settings: Settings) -> "Redis | None":
    """Return the cache that `settings.cache` names, or None. Opens nothing yet."""
    location = cache_location(settings)
    if location is None:
        return None
    try:
        from text2sql.memory.redis import Redis  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingDriver(database="Redis", extra="redis") from error
    return Redis(location)


@asynccontextmanager
async def open_memory(settings: Settings, embedder: Embedder | None = None) -> AsyncIterator[Memory]:
    """Open the memory of `settings.memory`; with an `embedder`, verified questions are found by meaning. A
    failure is a `StoreError` with the location and what to do.
    """
    location = memory_location(settings)
    if isinstance(location, Server):
        try:
            from text2sql.memory.postgres import open_server  # noqa: PLC0415  its driver is an extra
        except ImportError as error:
            raise MissingDriver(database="PostgreSQL", extra="postgres") from error
        opening = open_server(location, settings)
    else:
        from text2sql.memory.sqlite import open_file  # noqa: PLC0415  LangGraph takes two seconds

        opening = open_file(None if isinstance(location, InMemory) else location)
    async with opening as opened:
        memory = Memory(opened.checkpointer, opened.store, opened.tables, settings, embedder)
        await memory.sweep()
        try:
            yield memory
        finally:
            await memory.close()
