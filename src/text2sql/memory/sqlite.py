"""The memory as one SQLite file: LangGraph's tables and ours, each through a connection of its own, written
ahead (WAL), shared by as many processes as like to. The same in memory for `none`.
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
from text2sql.memory.tables import Cell, steps_for
from text2sql.memory.translated import Edge, Opened, TranslatedSaver, TranslatedStore, serializer

APPLICATION_ID = 0x74327371  # "t2sq", in the header of every memory: what has another is not ours
BUSY_SECONDS = 30.0  # to wait for another process that writes
STEPS = steps_for("sqlite")
_MAGIC, _HEADER, _ID_AT = b"SQLite format 3\0", 100, 68
_KINDS: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_FULL: StoreFull,
    sqlite3.SQLITE_CORRUPT: StoreDamaged,
    sqlite3.SQLITE_NOTADB: StoreDamaged,
}


@asynccontextmanager
async def open_file(path: Path | None) -> AsyncIterator[Opened]:
    """None is a memory of this process alone."""
    place = str(path or "none")
    async with AsyncExitStack() as stack:
        try:
            if path is not None:
                if not path.exists():
                    await _make(path)
                _check(path)
            opened = await stack.enter_async_context(_connected(path))
        except sqlite3.Error as error:
            raise translated(place, error) from error
        except OSError as error:
            raise StoreUnavailable(place, error.strerror or str(error)) from error
        yield opened


@asynccontextmanager
async def _connected(path: Path | None) -> AsyncIterator[Opened]:
    address, place = str(path or ":memory:"), str(path or "none")
    edge = Edge(sqlite3.Error, lambda error: translated(place, error), place)
    async with (
        _connection(address, isolation_level=None) as ours,
        _connection(address) as threads,  # the saver commits by itself
        _connection(address, isolation_level=None) as knowledge,
    ):
        await prepare(ours, place)
        for connection in (ours, threads, knowledge):
            # A killed process loses nothing; a power cut may lose the last writes, but tears none.
            await connection.execute("PRAGMA synchronous = NORMAL")
        saver, store = _Saver(threads, edge), _Store(knowledge, edge)
        await saver.setup()
        await store.setup()
        yield Opened(saver, store, SqliteTables(ours, place))


@asynccontextmanager
async def _connection(address: str, **how: Any) -> AsyncIterator[aiosqlite.Connection]:
    """Opening one is seen through even where whoever waits is cancelled: left half-way, its thread would call
    a loop that may be closed by then, and say so on standard error.
    """
    opening = asyncio.ensure_future(aiosqlite.connect(address, timeout=BUSY_SECONDS, **how))
    try:
        await asyncio.shield(opening)
        yield opening.result()
    finally:
        await (await opening).close()


async def prepare(
    connection: aiosqlite.Connection, place: str, steps: Sequence[Sequence[str]] = STEPS
) -> None:
    """Bring our tables to this version; all steps or none, whoever else tries the same."""
    if await _version(connection, place, steps) == len(steps):
        return
    await connection.execute("BEGIN IMMEDIATE")
    try:
        for step in steps[await _version(connection, place, steps) :]:
            for statement in step:
                await connection.execute(statement)
        await connection.execute(f"PRAGMA user_version = {len(steps)}")
        await connection.execute("COMMIT")
    except BaseException:  # a half-made version must not stay, whatever stopped it
        with suppress(sqlite3.Error):
            await connection.execute("ROLLBACK")
        raise


async def _version(connection: aiosqlite.Connection, place: str, steps: Sequence[Sequence[str]]) -> int:
    async with connection.execute("PRAGMA user_version") as cursor:
        row = await cursor.fetchone()
    version = int(row[0]) if row else 0
    if version > len(steps):
        raise StoreNewer(place, "", found=version, known=len(steps))
    return version


async def _make(path: Path) -> None:
    """Whole or not at all: made beside its place and put there when it is ready. LangGraph makes its tables
    in several steps, and a file that was left between two of them could never be opened again.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        async with _connection(str(new)) as connection:
            await connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        async with _connected(new):
            pass
        _put(new, path)
    finally:
        for ending in ("", "-wal", "-shm", "-journal"):
            new.with_name(new.name + ending).unlink(missing_ok=True)


def _put(new: Path, path: Path) -> None:
    """Without replacing what another process may have put there in the meantime."""
    try:
        os.link(new, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            new.rename(path)


def _check(path: Path) -> None:
    """Before SQLite may touch it: opening somebody else's file would already change it."""
    with path.open("rb") as file:
        head = file.read(_HEADER)
    known = len(head) == _HEADER and head.startswith(_MAGIC)
    if not known or int.from_bytes(head[_ID_AT : _ID_AT + 4], "big") != APPLICATION_ID:
        raise StoreForeign(str(path), "")
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def translated(place: str, error: sqlite3.Error) -> StoreError:
    # LangGraph's store commits after a failure too: then SQLite says that there is nothing to commit.
    first = error.__context__ if isinstance(error.__context__, sqlite3.Error) else error
    code = getattr(first, "sqlite_errorcode", 0) & 0xFF  # the rest says more, and is not needed
    return _KINDS.get(code, StoreUnavailable)(place, str(first))


class SqliteTables:
    def __init__(self, connection: aiosqlite.Connection, place: str) -> None:
        self._connection = connection
        self._place = place
        self._durably = asyncio.Lock()

    async def change(self, sql: str, *values: Cell, durable: bool = False) -> int:
        try:
            if not durable:
                return await self._change(sql, values)
            async with self._durably:
                await self._connection.execute("PRAGMA synchronous = FULL")
                try:
                    return await self._change(sql, values)
                finally:
                    await self._connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error as error:
            raise translated(self._place, error) from error

    async def _change(self, sql: str, values: Sequence[Cell]) -> int:
        """The rows are counted by having them returned: a cursor costs a second hop to its thread."""
        return len(list(await self._connection.execute_fetchall(f"{sql} RETURNING 1", values)))

    async def rows(self, sql: str, *values: Cell) -> Sequence[tuple[Any, ...]]:
        try:
            return [tuple(row) for row in await self._connection.execute_fetchall(sql, values)]
        except sqlite3.Error as error:
            raise translated(self._place, error) from error


class _Saver(TranslatedSaver, AsyncSqliteSaver):
    def __init__(self, connection: aiosqlite.Connection, edge: Edge) -> None:
        super().__init__(connection, serde=serializer())
        self.edge = edge

    async def undo(self) -> None:
        await _undo(self.conn, self.lock)


class _Store(TranslatedStore, AsyncSqliteStore):
    def __init__(self, connection: aiosqlite.Connection, edge: Edge) -> None:
        super().__init__(connection)
        self.edge = edge

    async def undo(self) -> None:
        await _undo(self.conn, self.lock)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads and writes apart: a transaction that read first and writes then is refused at once, without
        waiting, when another process has written in between.
        """
        every = list(ops)
        writes = [op for op in every if isinstance(op, PutOp)]
        reads = [op for op in every if not isinstance(op, PutOp)]
        read = iter(await super().abatch(reads) if reads else [])
        if writes:
            await super().abatch(writes)
        return [None if isinstance(op, PutOp) else next(read) for op in every]


async def _undo(connection: aiosqlite.Connection, lock: asyncio.Lock) -> None:
    async with lock:
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                await connection.rollback()
