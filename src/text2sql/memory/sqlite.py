"""The memory as one SQLite file in WAL mode, shared by any number of processes: LangGraph's tables and this
package's, each on a connection of its own. The setting `none` uses an in-memory database.
"""

import asyncio
import os
import secrets
import sqlite3
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.sqlite.aio import AsyncSqliteStore

from text2sql.errors import StoreDamaged, StoreError, StoreForeign, StoreFull, StoreNewer, StoreUnavailable
from text2sql.file_header import sqlite_application_id
from text2sql.memory.error_mapping import (
    DriverErrors,
    StorageHandles,
    TranslatedSaver,
    TranslatedStore,
    run_to_completion,
    serializer,
)
from text2sql.memory.tables import Cell, migrations_for

APPLICATION_ID = 0x74327371  # "t2sq", in the header of every memory file; other files are rejected
BUSY_SECONDS = 30.0  # how long to wait for another writing process
MIGRATIONS = migrations_for("sqlite")
_KINDS: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_CORRUPT: StoreDamaged,
    sqlite3.SQLITE_NOTADB: StoreDamaged,
}


@asynccontextmanager
async def open_file(path: Path | None) -> AsyncIterator[StorageHandles]:
    """Open the memory. `None` is an in-memory database of this process."""
    location = str(path or "none")
    async with AsyncExitStack() as stack:
        try:
            if path is not None:
                if not await asyncio.to_thread(path.exists):
                    await _create_memory(path)
                await asyncio.to_thread(_check, path)
            opened = await stack.enter_async_context(_connected(path))
        except sqlite3.Error as error:
            raise translate_error(location, error) from error
        except OSError as error:
            raise StoreUnavailable(location, error.strerror or str(error)) from error
        yield opened


@asynccontextmanager
async def _connected(path: Path | None) -> AsyncIterator[StorageHandles]:
    address, location = str(path or ":memory:"), str(path or "none")
    driver_errors = DriverErrors(sqlite3.Error, lambda error: translate_error(location, error), location)
    async with (
        _connection(address, isolation_level=None) as tables_connection,
        _connection(address) as saver_connection,  # the saver commits itself
        _connection(address, isolation_level=None) as store_connection,
    ):
        await prepare(tables_connection, location)
        for connection in (tables_connection, saver_connection, store_connection):
            # A killed process loses nothing. A power failure may lose the checkpoints of a running question;
            # a completed one ends with a durable write (`Memory.count`).
            await connection.execute("PRAGMA synchronous = NORMAL")
        saver, store = _Saver(saver_connection, driver_errors), _Store(store_connection, driver_errors)
        await saver.setup()
        await store.setup()
        yield StorageHandles(saver, store, SqliteTables(tables_connection, location))


@asynccontextmanager
async def _connection(address: str, **how: Any) -> AsyncIterator[aiosqlite.Connection]:
    """Complete opening even if the caller is cancelled: otherwise the connection's thread would call an event
    loop that may be closed by then, and report that on standard error.
    """
    opening = asyncio.ensure_future(aiosqlite.connect(address, timeout=BUSY_SECONDS, **how))
    try:
        await asyncio.shield(opening)
        yield opening.result()
    finally:
        await (await opening).close()


async def prepare(
    connection: aiosqlite.Connection, location: str, steps: Sequence[Sequence[str]] = MIGRATIONS
) -> None:
    """Migrate the tables to this version; all steps or none, even if several processes try."""
    if await _version(connection, location, steps) == len(steps):
        return
    await connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[await _version(connection, location, steps) :]:
            for statement in step:
                await connection.execute(statement)
        await connection.execute(f"PRAGMA user_version = {len(steps)}")
        await connection.execute("COMMIT")
    except BaseException:  # a partial migration must not stay, whatever interrupted it
        with suppress(sqlite3.Error):
            await connection.execute("ROLLBACK")
        raise


async def _version(connection: aiosqlite.Connection, location: str, steps: Sequence[Sequence[str]]) -> int:
    async with connection.execute("PRAGMA user_version") as cursor:
        row = await cursor.fetchone()
    version = int(row[0]) if row else 0
    if version > len(steps):
        raise StoreNewer(location, "", found=version, known=len(steps))
    return version


async def _create_memory(path: Path) -> None:
    """Create the file atomically: under a temporary name, moved when it is complete. LangGraph creates its
    tables in several steps, and a file that was left between two of them could never be opened again.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        await run_to_completion(asyncio.to_thread(_create_empty, temporary))
        async with _connection(str(temporary)) as connection:
            await connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        async with _connected(temporary):
            pass
        await run_to_completion(asyncio.to_thread(_publish, temporary, path))
    finally:
        await run_to_completion(asyncio.to_thread(_remove, temporary))


def _create_empty(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _publish(temporary: Path, path: Path) -> None:
    """Never replace a file that another process created in the meantime."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            temporary.rename(path)


def _check(path: Path) -> None:
    """Check before SQLite opens the file: opening a foreign file would already change it."""
    if sqlite_application_id(path) != APPLICATION_ID:
        raise StoreForeign(str(path), "")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def translate_error(location: str, error: sqlite3.Error) -> StoreError:
    # LangGraph's store commits even after a failure: SQLite then reports that there is nothing to commit.
    cause = error.__context__ if isinstance(error.__context__, sqlite3.Error) else error
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # drop the extended code
    return _KINDS.get(code, StoreUnavailable)(location, str(cause))


class SqliteTables:
    """Runs statements on this package's tables."""

    def __init__(self, connection: aiosqlite.Connection, location: str) -> None:
        self._connection = connection
        self._place = location
        self._durable_lock = asyncio.Lock()

    async def change(self, sql: str, *values: Cell, durable: bool = False) -> int:
        try:
            if not durable:
                return await self._change(sql, values)
            async with self._durable_lock:
                await self._connection.execute("PRAGMA synchronous = FULL")
                try:
                    return await self._change(sql, values)
                finally:
                    await self._connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error as error:
            raise translate_error(self._place, error) from error

    async def _change(self, sql: str, values: Sequence[Cell]) -> int:
        """Count rows with RETURNING: a cursor would need a second call to its thread."""
        return len(list(await self._connection.execute_fetchall(f"{sql} RETURNING 1", values)))

    async def rows(self, sql: str, *values: Cell) -> Sequence[tuple[Any, ...]]:
        try:
            return [tuple(row) for row in await self._connection.execute_fetchall(sql, values)]
        except sqlite3.Error as error:
            raise translate_error(self._place, error) from error


class _Saver(TranslatedSaver, AsyncSqliteSaver):
    def __init__(self, connection: aiosqlite.Connection, driver_errors: DriverErrors) -> None:
        super().__init__(connection, serde=serializer())
        self.driver_errors = driver_errors

    async def undo(self) -> None:
        await _undo(self.conn, self.lock)


class _Store(TranslatedStore, AsyncSqliteStore):
    def __init__(self, connection: aiosqlite.Connection, driver_errors: DriverErrors) -> None:
        super().__init__(connection)
        self.driver_errors = driver_errors

    async def undo(self) -> None:
        await _undo(self.conn, self.lock)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run reads and writes separately: a transaction that read first and then writes is rejected at once,
        without waiting, if another process has written in between.
        """
        all_ops = list(ops)
        writes = [op for op in all_ops if isinstance(op, PutOp)]
        reads = [op for op in all_ops if not isinstance(op, PutOp)]
        read_results = iter(await super().abatch(reads) if reads else [])
        if writes:
            await super().abatch(writes)
        return [None if isinstance(op, PutOp) else next(read_results) for op in all_ops]


async def _undo(connection: aiosqlite.Connection, lock: asyncio.Lock) -> None:
    async with lock:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                await connection.rollback()
