"""The memory in PostgreSQL, for programs on many machines: LangGraph's tables and this package's, in one
pool.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import DictRow, dict_row, tuple_row
from psycopg_pool import AsyncConnectionPool

from text2sql.config import Settings
from text2sql.errors import StoreError, StoreFull, StoreNewer, StoreUnavailable
from text2sql.memory.error_mapping import (
    DriverErrors,
    StorageHandles,
    TranslatedSaver,
    TranslatedStore,
    serializer,
)
from text2sql.memory.location import Server
from text2sql.memory.tables import Cell, migrations_for

_LOCK = 0x74327371  # advisory lock of all programs that set up a memory in one database
MIGRATIONS = migrations_for("postgres")
_RETRY_SECONDS = 0.05  # between two attempts to get the lock
_Pool = AsyncConnectionPool[psycopg.AsyncConnection[DictRow]]


@asynccontextmanager
async def open_server(server: Server, settings: Settings) -> AsyncIterator[StorageHandles]:
    location = server.shown
    driver_errors = DriverErrors(psycopg.Error, lambda error: translate_error(location, error), location)
    pool: _Pool = AsyncConnectionPool(
        server.url,
        min_size=1,
        max_size=settings.pool_size,
        timeout=settings.pool_wait,
        max_lifetime=settings.pool_recycle,
        kwargs={
            "autocommit": True,
            "prepare_threshold": None,  # a connection pooler may not support prepared statements
            "row_factory": dict_row,
            "connect_timeout": max(2, round(settings.connect_timeout)),
            "application_name": "text2sql memory",
        },
        check=AsyncConnectionPool.check_connection,  # a restarted server fails no question
        open=False,
    )
    async with AsyncExitStack() as stack:
        try:
            await _check_connection(server, settings)
            await stack.enter_async_context(pool)
            saver, store = _Saver(pool, driver_errors), _Store(pool, driver_errors)
            tables = PostgresTables(pool, location)
            await _set_up(pool, saver, store, location)
        except psycopg.Error as error:
            raise translate_error(location, error) from error
        yield StorageHandles(saver, store, tables)


async def _check_connection(server: Server, settings: Settings) -> None:
    """Connect once without the pool: the pool would retry a wrong password, and lock the account."""
    seconds = max(2, round(settings.connect_timeout))
    connection = await psycopg.AsyncConnection.connect(server.url, connect_timeout=seconds)
    await connection.close()


async def _set_up(pool: _Pool, saver: AsyncPostgresSaver, store: AsyncPostgresStore, location: str) -> None:
    """Run one program at a time. Waiting programs poll instead of waiting inside the server: LangGraph
    creates an index CONCURRENTLY, which waits for every running statement, including this one.
    """
    async with pool.connection() as connection:
        cursor = connection.cursor(row_factory=tuple_row)
        while not _first_cell(
            await (await cursor.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,))).fetchone()
        ):
            await asyncio.sleep(_RETRY_SECONDS)
        try:
            await _migrate(connection, location)
            await saver.setup()
            await store.setup()
        finally:
            await cursor.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


async def _migrate(
    connection: psycopg.AsyncConnection[DictRow], location: str, steps: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    async with connection.transaction(), connection.cursor(row_factory=tuple_row) as cursor:
        await cursor.execute("CREATE TABLE IF NOT EXISTS text2sql_version (version BIGINT NOT NULL)")
        await cursor.execute("SELECT max(version) FROM text2sql_version")
        version = int(_first_cell(await cursor.fetchone()) or 0)
        if version > len(steps):
            raise StoreNewer(location, "", found=version, known=len(steps))
        for number, step in enumerate(steps[version:], version + 1):
            for statement in step:
                await cursor.execute(statement.encode())
            await cursor.execute("INSERT INTO text2sql_version VALUES (%s)", (number,))


def _first_cell(row: tuple[Any, ...] | None) -> Any:
    return row[0] if row else None


def translate_error(location: str, error: psycopg.Error) -> StoreError:
    text = (error.diag.message_primary or str(error)).strip()
    detail = text.splitlines()[0] if text else type(error).__name__
    full = isinstance(error, psycopg.errors.DiskFull)
    return (StoreFull if full else StoreUnavailable)(location, detail)


class PostgresTables:
    """Every statement is durable here anyway."""

    def __init__(self, pool: _Pool, location: str) -> None:
        self._pool = pool
        self._place = location

    async def change(self, sql: str, *values: Cell, durable: bool = False) -> int:  # noqa: ARG002
        try:
            async with self._pool.connection() as connection:
                return (await connection.execute(_with_postgres_placeholders(sql), values)).rowcount
        except psycopg.Error as error:
            raise translate_error(self._place, error) from error

    async def rows(self, sql: str, *values: Cell) -> Sequence[tuple[Any, ...]]:
        try:
            async with (
                self._pool.connection() as connection,
                connection.cursor(row_factory=tuple_row) as cursor,
            ):
                return await (await cursor.execute(_with_postgres_placeholders(sql), values)).fetchall()
        except psycopg.Error as error:
            raise translate_error(self._place, error) from error


def _with_postgres_placeholders(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


class _Saver(TranslatedSaver, AsyncPostgresSaver):
    def __init__(self, pool: _Pool, driver_errors: DriverErrors) -> None:
        super().__init__(pool, serde=serializer())
        self.driver_errors = driver_errors


class _Store(TranslatedStore, AsyncPostgresStore):
    def __init__(self, pool: _Pool, driver_errors: DriverErrors) -> None:
        super().__init__(pool)
        self.driver_errors = driver_errors
