"""The memory's file: private, never reset, with an actionable error if it cannot be used."""

import asyncio
import os
import sqlite3
import stat
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiosqlite
import pytest

from memory.helpers import big_catalog, graph, thread, within
from text2sql.config import Settings
from text2sql.errors import (
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreNewer,
    StoreUnavailable,
    UsageError,
)
from text2sql.i18n import explain
from text2sql.memory import Memory, QuestionMetrics, StoredResult, open_memory
from text2sql.memory.keys import new_key
from text2sql.memory.location import data_root
from text2sql.memory.sqlite import prepare
from text2sql.memory.tables import MIGRATIONS


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(memory=str(tmp_path / "memory.db"))


@pytest.fixture
def filled(settings: Settings) -> Settings:
    async def fill(memory: Memory) -> None:
        for number in range(30):
            await graph(memory).ainvoke({"now": "x" * 1_000}, thread("ann", f"t{number}"))
            await memory.turn("ann", f"t{number}", "hello")

    within(settings, fill)
    return settings


async def run(memory: Memory, pragma: str) -> None:
    """Apply it to all three connections: which of them a call uses is internal to the memory."""
    for connection in (memory.checkpointer.conn, memory.store.conn, memory._tables._connection):  # type: ignore[attr-defined]
        await connection.execute_fetchall(f"PRAGMA {pragma}")


def refused(settings: Settings, kind: type[StoreError]) -> StoreError:
    """Return the error, after checking that the file is unchanged and both languages have a message."""
    path = Path(settings.memory)
    before, neighbours = path.read_bytes(), sorted(path.parent.iterdir())
    with pytest.raises(kind) as caught:
        within(settings, lambda memory: memory.threads("ann"))
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == neighbours
    for run in (explain(caught.value, "en"), explain(caught.value, "zh")):
        assert str(path) in run
        assert len(run.splitlines()) == 2
    return caught.value


def test_it_is_made_for_its_owner_alone_among_the_users_data(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path / "data"))
    within(settings, lambda memory: memory.turn("ann", "t"))
    path = data_root(settings) / "memory.db"
    assert path == tmp_path / "data" / "memory.db"
    assert list(path.parent.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)
    within(settings, lambda memory: memory.turn("ann", "t"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_users_data_are_where_the_system_keeps_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_root(Settings()) == tmp_path / "text2sql"


def test_it_is_written_ahead(settings: Settings) -> None:
    within(settings, lambda memory: memory.turn("ann", "t"))
    connection = sqlite3.connect(settings.memory)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


@pytest.mark.parametrize(
    "contents", [b"", b"hello", b"\x00" * 5_000, bytes(range(256)) * 40, b"SQLite format 3\x00"]
)
def test_a_file_that_is_something_else_is_refused(settings: Settings, contents: bytes) -> None:
    Path(settings.memory).write_bytes(contents)
    refused(settings, StoreForeign)


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_somebody_elses_database_is_refused(settings: Settings, mode: str) -> None:
    connection = sqlite3.connect(settings.memory)
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute("CREATE TABLE customers (id)")
    connection.close()
    refused(settings, StoreForeign)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.fault("P13")
def test_a_truncated_file_is_refused(filled: Settings, share: float) -> None:
    path = Path(filled.memory)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    error = refused(filled, StoreDamaged)
    assert error.detail == "database disk image is malformed"


@pytest.mark.fault("P13")
def test_a_file_with_broken_pages_is_a_typed_error(filled: Settings) -> None:
    path = Path(filled.memory)
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))
    with pytest.raises(StoreDamaged):
        within(filled, lambda memory: memory.threads("ann"))
    assert path.read_bytes()[4096:] == b"\xa5" * (len(content) - 4096)


def test_a_file_of_a_newer_version_is_refused(filled: Settings) -> None:
    connection = sqlite3.connect(filled.memory)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    error = refused(filled, StoreNewer)
    assert error.facts["found"] == 99
    assert "99" in explain(error, "en")


OLD: Sequence[Sequence[str]] = (("CREATE TABLE a (x)", "INSERT INTO a VALUES (1)"),)
NEW: Sequence[Sequence[str]] = (*OLD, ("ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = 2"))
BROKEN: Sequence[Sequence[str]] = (*OLD, ("ALTER TABLE a ADD COLUMN z", "NO SUCH STATEMENT"))


def test_an_older_version_is_brought_up_to_date_whole_or_not_at_all(tmp_path: Path) -> None:
    async def work() -> list[Any]:
        async with aiosqlite.connect(tmp_path / "x.db", isolation_level=None) as connection:
            await prepare(connection, "x", OLD)
            with pytest.raises(sqlite3.OperationalError):
                await prepare(connection, "x", BROKEN)
            for _ in range(2):
                await prepare(connection, "x", NEW)
            rows = await connection.execute_fetchall("SELECT * FROM a")
            with pytest.raises(StoreNewer):
                await prepare(connection, "x", OLD)
            return list(rows)

    assert asyncio.run(work()) == [(1, 2)]


def test_a_memory_from_before_our_tables_gets_them_and_keeps_its_threads(filled: Settings) -> None:
    connection = sqlite3.connect(filled.memory)
    ours = "SELECT name FROM sqlite_master WHERE name LIKE 'text2sql%' AND type = 'table'"
    for (name,) in connection.execute(ours).fetchall():
        connection.execute(f"DROP TABLE {name}")
    connection.execute("PRAGMA user_version = 0")
    connection.close()

    async def work(memory: Memory) -> int:
        assert await memory.claim("k")
        return len(await memory.threads("ann"))

    assert within(filled, work) == 30


@pytest.mark.fault("P13")
def test_a_memory_of_the_first_version_gets_what_the_second_added(filled: Settings) -> None:
    connection = sqlite3.connect(filled.memory)
    for name in ("turns", "keys", "audit", "works", "parts", "pace"):
        connection.execute(f"DROP TABLE text2sql_{name}")
    connection.execute("PRAGMA user_version = 1")
    connection.close()

    async def work(memory: Memory) -> int:
        await memory.keys.add(new_key("ann")[1])
        return len(await memory.threads("ann"))

    assert within(filled, work) == 30


def test_a_memory_of_the_second_version_gets_what_the_third_added(filled: Settings) -> None:
    connection = sqlite3.connect(filled.memory)
    for name in ("works", "parts", "pace"):
        connection.execute(f"DROP TABLE text2sql_{name}")
    connection.execute("PRAGMA user_version = 2")
    connection.close()

    async def work(memory: Memory) -> int:
        assert await memory.jobs.add("w", "ann", "{}")
        assert await memory.rate_limits.take("ann", 1)
        return len(await memory.threads("ann"))

    assert within(filled, work) == 30
    assert len(MIGRATIONS) == 3  # a fourth step needs its own test with a real file of the third


@pytest.mark.fault("D13")
def test_a_full_disk_is_a_typed_error_and_harms_no_earlier_thread(filled: Settings) -> None:
    big = StoredResult("s", "d", (), (("x" * 1_000_000,),), 1)

    async def work(memory: Memory) -> None:
        await run(memory, "max_page_count = 1")  # what a full disk is to SQLite
        running = graph(memory)
        for attempt in (
            lambda: running.ainvoke({"now": "y" * 1_000_000}, thread("ann", "new")),
            lambda: memory.keep_result("ann", "t", big),
            lambda: memory.save_catalog("k", big_catalog(100, 20)),
        ):
            for _ in range(3):  # not only once: a failure leaves no transaction open
                with pytest.raises(StoreFull) as caught:
                    await attempt()
                assert caught.value.detail == "database or disk is full"
                assert "空间已满" in explain(caught.value, "zh")
        for _ in range(10):
            await memory.count(QuestionMetrics("answered", model="m" * 1_000))
        assert len(await memory.threads("ann")) == 30
        assert (await running.aget_state(thread("ann", "t3"))).values["said"] == ["x" * 1_000]
        await run(memory, "max_page_count = 1000000")
        await running.ainvoke({"now": "room again"}, thread("ann", "t3"))
        await memory.keep_result("ann", "t", big)
        await memory.set_preferences("ann", model="m")
        assert (await running.aget_state(thread("ann", "t3"))).values["said"] == ["x" * 1_000, "room again"]

    within(filled, work)


def test_a_file_that_somebody_holds_is_a_typed_error_after_a_while(filled: Settings) -> None:
    holder = sqlite3.connect(filled.memory, isolation_level=None)

    async def work(memory: Memory) -> None:
        await run(memory, "busy_timeout = 30")
        holder.execute("BEGIN IMMEDIATE")  # not before: opening clears old paces away, and waits its 30 s
        with pytest.raises(StoreUnavailable) as caught:
            await memory.turn("ann", "t")
        assert caught.value.retry == "again"
        with pytest.raises(StoreUnavailable):
            await memory.checkpointer.adelete_thread("t")
        assert not memory.checkpointer.conn.in_transaction  # type: ignore[attr-defined]
        assert len(await memory.threads("ann")) == 30
        holder.execute("ROLLBACK")
        await memory.turn("ann", "t")

    within(filled, work)
    holder.close()


def test_a_cancelled_question_does_not_hold_the_file(filled: Settings) -> None:
    """Cancelled between its INSERT and its COMMIT, which takes a while here because somebody else writes."""
    other = sqlite3.connect(filled.memory, isolation_level=None, timeout=0.5)
    other.execute("BEGIN IMMEDIATE")

    async def work(memory: Memory) -> None:
        step: Any = {
            "configurable": {**thread("ann", "t")["configurable"], "checkpoint_ns": "", "checkpoint_id": "1"}
        }
        asking = asyncio.ensure_future(memory.checkpointer.aput_writes(step, [("said", "x")], "task"))
        await asyncio.sleep(0.1)
        asking.cancel()
        await asyncio.sleep(0.05)
        other.execute("ROLLBACK")
        await asyncio.wait([asking])
        assert asking.cancelled()
        await asyncio.sleep(0.3)
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")

    within(filled, work)
    other.close()


def test_two_that_read_and_write_at_once_wait_for_each_other(settings: Settings) -> None:
    async def both(memory: Memory, name: str) -> None:
        for number in range(40):
            read = memory.store.aget(("x",), name)
            await asyncio.gather(read, memory.store.aput(("x",), name, {"number": number}))

    async def work() -> None:
        async with open_memory(settings) as first, open_memory(settings) as second:
            await asyncio.gather(both(first, "a"), both(second, "b"))
            items = [await memory.store.aget(("x",), name) for memory, name in ((second, "a"), (first, "b"))]
            assert [item and item.value for item in items] == [{"number": 39}, {"number": 39}]

    asyncio.run(work())


def test_a_place_that_cannot_be_made_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "memory.db", tmp_path):
        with pytest.raises(StoreUnavailable) as caught:
            within(Settings(memory=str(path)), lambda memory: memory.threads("ann"))
        assert str(path) in explain(caught.value, "zh")


def test_a_place_of_an_unknown_kind_is_bad_usage() -> None:
    with pytest.raises(UsageError) as caught:
        within(Settings(memory="redis://localhost"), lambda memory: memory.threads("ann"))
    assert caught.value.facts == {"scheme": "redis"}


def test_nothing_is_left_behind_when_making_it_is_stopped(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "link", full)
    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(StoreUnavailable):
        within(settings, lambda memory: memory.threads("ann"))
    assert list(Path(settings.memory).parent.iterdir()) == []
    monkeypatch.undo()
    within(replace(settings), lambda memory: memory.threads("ann"))


def test_a_cancelled_opening_leaves_no_thread_that_calls_a_closed_loop(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `text2sql chat` does when its person leaves at once; standard error showed the thread's end."""
    ends: list[BaseException | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda run: ends.append(run.exc_value))

    async def opened() -> None:
        async with open_memory(settings):
            pass

    async def cancel(after: int) -> None:
        opening = asyncio.create_task(opened())
        for _ in range(after):
            await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

    here = set(threading.enumerate())
    for round_ in range(40):
        asyncio.run(cancel(1 + round_ % 4))
    for thread_ in set(threading.enumerate()) - here:
        thread_.join(10)
    assert ends == []
