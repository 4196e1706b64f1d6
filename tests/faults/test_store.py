"""Faults of the memory's store and of the clock (D13, P04, P06, P11, P13), while a server keeps serving."""

import asyncio
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agents.asking import app, make_shop, scripted
from server.serving import ASK, COUNT, Served, follow, served
from text2sql.memory import scoped
from text2sql.server import sources


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_FRESH", 0.0)


async def _room(server: Served, pages: int) -> None:
    """The free space of the store's disk, as SQLite sees it."""
    memory: Any = (await server.here.sources.named(None).app.resources()).memory
    for connection in (memory.checkpointer.conn, memory.store.conn, memory._tables._connection):
        await connection.execute_fetchall(f"PRAGMA max_page_count = {pages}")


def test_d13_p06_a_full_disk_fails_one_request_and_loses_no_thread(shop: Path, tmp_path: Path) -> None:
    async def run() -> None:
        backend = scripted([], last=COUNT)
        options: dict[str, Any] = {"memory": str(tmp_path / "m.db"), "cache_lifetime": 0.0}
        async with served(shop, backend, **options) as server:
            answer = await server.answer()
            await _room(server, 1)
            for _ in range(40):  # what is left of the last page takes a few
                response = await server.client.post("/api/v1/query/sync", json=ASK)
                if response.status_code != 200:
                    break
            assert (response.status_code, response.json()["kind"]) == (507, "full")
            assert response.json()["hint"]
            events = await follow(server.client, server.client.stream("POST", "/api/v1/query", json=ASK))
            assert (events[-1].name, events[-1].data["kind"]) == ("problem", "full")
            path = f"/api/v1/threads/{answer['thread_id']}"
            assert len((await server.get(path))["turns"]) == 1
            assert (await server.get(f"/api/v1/results/{answer['result_id']}"))["rows"] == [[3]]
            assert (await server.client.get("/healthz")).status_code == 200
            await _room(server, 1_000_000)
            assert (await server.answer(thread_id=answer["thread_id"]))["rows"] == [[3]]
            assert len((await server.get(path))["turns"]) == 2

    asyncio.run(run())


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def _overwritten(path: Path) -> None:
    path.write_bytes(b"somebody else's file" * 100)


def _of_the_future(path: Path) -> None:
    with closing(sqlite3.connect(path)) as memory:
        memory.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("damage", "kind"),
    [(_truncated, "damaged"), (_overwritten, "foreign"), (_of_the_future, "newer")],
    ids=["truncated", "foreign", "newer"],
)
def test_p13_an_unreadable_store_is_reported_and_never_reset(
    shop: Path, tmp_path: Path, damage: Callable[[Path], None], kind: str
) -> None:
    memory = tmp_path / "m.db"

    async def run() -> None:
        options: dict[str, Any] = {"memory": str(memory), "cache_lifetime": 0.0}
        async with served(shop, scripted([COUNT]), **options) as server:
            thread = (await server.answer())["thread_id"]
        good = memory.read_bytes()
        damage(memory)
        bad = memory.read_bytes()
        async with served(shop, scripted([COUNT]), **options) as server:
            assert (await server.client.get("/healthz")).status_code == 200
            assert (await server.client.get("/readyz")).status_code == 503
            response = await server.client.post("/api/v1/query/sync", json=ASK)
            assert (response.status_code, response.json()["kind"]) == (503, kind)
            assert response.json()["hint"]
            assert memory.read_bytes() == bad
            for path in tmp_path.glob("m.db-*"):
                path.unlink()
            memory.write_bytes(good)  # as from a backup: it is found without a restart
            assert (await server.client.get("/readyz")).status_code == 200
            assert len((await server.get(f"/api/v1/threads/{thread}"))["turns"]) == 1

    asyncio.run(run())


def test_p04_a_torn_end_of_the_log_loses_only_the_last_step(shop: Path, tmp_path: Path) -> None:
    """What a crash inside a write leaves: SQLite's checksums tell which frames are whole."""
    memory, torn = tmp_path / "m.db", tmp_path / "torn.db"

    async def run() -> None:
        async with app(shop, scripted([], last=COUNT), memory=str(memory)) as db:
            await db.ask("How many customers are there?", thread="first")
            files = {path.name: path.read_bytes() for path in tmp_path.glob("m.db*")}
            await db.ask("How many customers are there?", thread="second")
            log = (tmp_path / "m.db-wal").read_bytes()
        begun = len(files["m.db-wal"])
        assert len(log) > begun
        for cut in (begun + 37, begun + (len(log) - begun) // 2, len(log) - 11):
            torn.write_bytes(files["m.db"])
            (tmp_path / "torn.db-wal").write_bytes(log[:cut] + b"\xff" * 64)
            async with app(shop, scripted([], last=COUNT), memory=str(torn)) as db:
                assert len(await db.threads.history("first")) == 1
                assert (await db.ask("How many customers are there?", thread="third")).rows == ((3,),)
            for path in tmp_path.glob("torn.db*"):
                path.unlink()

    asyncio.run(run())


def test_p13_an_unreadable_checkpoint_affects_only_its_thread(shop: Path, tmp_path: Path) -> None:
    memory = tmp_path / "m.db"

    async def run() -> None:
        options: dict[str, Any] = {"memory": str(memory), "cache_lifetime": 0.0}
        async with served(shop, scripted([], last=COUNT), **options) as server:
            good, bad = [(await server.answer())["thread_id"] for _ in range(2)]
            with closing(sqlite3.connect(memory)) as connection, connection:
                connection.execute(
                    "UPDATE checkpoints SET checkpoint = x'c1ff00' WHERE thread_id = ?", (scoped("", bad),)
                )
            response = await server.client.get(f"/api/v1/threads/{bad}")
            assert (response.status_code, response.json()["kind"]) == (503, "damaged")
            assert (await server.client.get("/readyz")).status_code == 200
            assert len((await server.get(f"/api/v1/threads/{good}"))["turns"]) == 1
            assert (await server.client.delete(f"/api/v1/threads/{good}")).status_code == 204
            assert (await server.answer())["rows"] == [[3]]

    asyncio.run(run())


@pytest.mark.parametrize("jump", [86_400.0, -86_400.0])
def test_p11_a_clock_that_jumps_moves_no_deadline(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """It jumps while the model writes; what is kept for a time by the calendar is judged by the new one."""
    now = time.time
    backend = scripted([], last=COUNT)
    stream = backend.stream

    async def jumping(request: Any) -> Any:
        monkeypatch.setattr(time, "time", lambda: now() + jump)
        async for piece in stream(request):
            yield piece

    monkeypatch.setattr(backend, "stream", jumping)

    async def run() -> None:
        options: dict[str, Any] = {"memory": str(tmp_path / "m.db"), "cache_lifetime": 0.0}
        async with served(shop, backend, **options) as server:
            first = await server.answer(seconds=30)
            assert first["rows"] == [[3]]
            again = await server.answer(thread_id=first["thread_id"], seconds=30)
            assert again["rows"] == [[3]]
            assert len((await server.get(f"/api/v1/threads/{first['thread_id']}"))["turns"]) == 2

    asyncio.run(run())


def test_g8_a_store_that_fails_later_makes_the_server_unready_until_it_returns(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> list[int]:
        async with served(shop, scripted([COUNT]), memory=str(tmp_path / "m.db")) as server:
            memory: Any = (await server.here.sources.named(None).app.resources()).memory
            seen = [(await server.client.get("/readyz")).status_code]
            connection = memory._tables._connection

            def broken_read(*_: Any) -> Any:
                raise sqlite3.OperationalError("disk I/O error")

            monkeypatch.setattr(connection, "execute_fetchall", broken_read)
            seen.append((await server.client.get("/readyz")).status_code)
            seen.append((await server.client.get("/healthz")).status_code)
            monkeypatch.undo()
            monkeypatch.setattr(sources, "_FRESH", 0.0)
            seen.append((await server.client.get("/readyz")).status_code)
            return seen

    assert asyncio.run(run()) == [200, 503, 200, 200]
