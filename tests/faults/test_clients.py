"""Faults of clients and of the way to them (C06–C08, C11), and of work that would hold up the others (P07,
P08, P10). The rest of section C is proved in `tests/server`.
"""

import asyncio
import gc
import time
from pathlib import Path
from typing import Any

import pytest

from agents.asking import make_shop, scripted
from faults.asking import memory_mb
from server.serving import ASK, COUNT, NUMBERS, SLOW, Served, listening, served, until
from text2sql.server import header_timeout


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")


async def _connected(server: Served) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = server.url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


@pytest.mark.parametrize(
    "sent", [b"", b"GET /healthz HT", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "]
)
def test_c08_a_head_that_does_not_arrive_is_not_waited_for(
    shop: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(header_timeout, "HEAD_SECONDS", 0.3)

    async def run() -> bytes:
        async with listening(shop, scripted([])) as server:
            reader, writer = await _connected(server)
            closed = asyncio.create_task(reader.read())
            for at in range(len(sent)):  # one byte at a time: none of them restarts the time limit
                writer.write(sent[at : at + 1])
                await asyncio.sleep(0.005)
            async with asyncio.timeout(5):
                try:
                    return await closed
                except ConnectionError:  # closed while the last bytes were on their way
                    return b""
                finally:
                    writer.close()

    assert b"200" not in asyncio.run(run())


def test_c08_a_question_may_take_longer_than_its_head(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(header_timeout, "HEAD_SECONDS", 0.2)
    backend = scripted([], last=COUNT)
    stream = backend.stream

    async def slowly(request: Any) -> Any:
        await asyncio.sleep(0.5)
        async for piece in stream(request):
            yield piece

    monkeypatch.setattr(backend, "stream", slowly)

    async def run() -> list[Any]:
        async with listening(shop, backend, cache_lifetime=0.0) as server:
            return [(await server.answer())["rows"] for _ in range(2)]  # the second on the kept connection

    assert asyncio.run(run()) == [[[3]], [[3]]]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"GET /healthz HTTP/1.0", b"200"),
        (b"HEAD /healthz HTTP/1.1", b"405"),
        (b"OPTIONS /healthz HTTP/1.1", b"405"),
        (b"GET /../../etc/passwd HTTP/1.1", b"404"),
        (b"GET /healthz HTTP/9.9", b"400"),
        (b"nonsense", b"400"),
        (b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 50_000, b"413"),
    ],
    ids=range(7),
)
def test_c07_c11_odd_requests_have_their_codes_on_a_real_port(shop: Path, line: bytes, status: bytes) -> None:
    async def run() -> bytes:
        async with listening(shop, scripted([])) as server:
            reader, writer = await _connected(server)
            writer.write(line + b"\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            async with asyncio.timeout(5):
                first = await reader.readline()
            writer.close()
            assert (await server.client.get("/healthz")).status_code == 200
            return first

    assert asyncio.run(run()).split(b" ")[1] == status


def test_c07_a_head_without_end_is_broken_off(shop: Path) -> None:
    async def run() -> int:
        sent = 0
        async with listening(shop, scripted([])) as server:
            _, writer = await _connected(server)
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            try:
                while sent < 50_000_000:
                    writer.write(b"X-%d: %s\r\n" % (sent, b"x" * 10_000))
                    await writer.drain()
                    sent += 10_000
            except ConnectionError:
                pass
            writer.close()
        return sent

    assert asyncio.run(run()) < 50_000_000


def test_c06_the_same_request_twice_is_harmless(shop: Path, tmp_path: Path) -> None:
    async def run() -> None:
        backend = scripted([], last=COUNT)
        async with listening(shop, backend, memory=str(tmp_path / "m.db"), cache_lifetime=0.0) as server:
            twice = [server.answer(thread_id="same") for _ in range(2)]
            answers = await asyncio.gather(*twice)
            assert [answer["rows"] for answer in answers] == [[[3]], [[3]]]
            assert len((await server.get("/api/v1/threads/same"))["turns"]) == 2

    asyncio.run(run())


def test_c06_a_write_that_is_confirmed_twice_at_once_happens_once(shop: Path, tmp_path: Path) -> None:
    async def run() -> Any:
        backend = scripted(["INSERT INTO cities (name, country) VALUES ('Rome', 'Italy')"], last=COUNT)
        options: dict[str, Any] = {"allow_writes": True, "memory": str(tmp_path / "m.db")}
        async with listening(shop, backend, **options) as server:
            waiting = await server.answer("Add the city Rome in Italy")
            assert waiting["status"] == "confirm"
            path = f"/api/v1/threads/{waiting['thread_id']}/resume"
            accept = {"Accept": "application/json"}
            responses = await asyncio.gather(
                *(server.client.post(path, json={"confirm": True}, headers=accept) for _ in range(3))
            )
            assert {response.status_code for response in responses} <= {200, 409}
            own = {"sql": "SELECT count(*) AS n FROM cities"}
            return (await server.client.post("/api/v1/sql", json=own)).json()["rows"]

    assert asyncio.run(run()) == [[4]]


def test_p07_a_large_result_does_not_hold_up_the_loop(tmp_path: Path) -> None:
    """Nine in ten times it comes round at once, while megabytes are read, kept, written and sent."""
    shop = make_shop(tmp_path / "numbers.db", NUMBERS)
    wide = (
        "SELECT a.id, a.n, b.n AS m, 'some text of a row' AS t FROM customers a JOIN customers b ON b.id < 20"
    )

    async def run() -> tuple[int, list[float]]:
        backend = scripted([], last=wide)
        options: dict[str, Any] = {"row_limit": 10_000, "preset": "hybrid", "cache_lifetime": 0.0}
        async with listening(shop, backend, **options) as server:
            asking, gaps = asyncio.create_task(server.answer()), list[float]()
            while not asking.done():
                began = time.monotonic()
                await asyncio.sleep(0.01)
                gaps.append(time.monotonic() - began)
            return (await asking)["row_count"], sorted(gaps)

    gc.collect()  # what ten thousand other tests have left behind is not the server's to look through
    gc.freeze()
    rows, gaps = asyncio.run(run())
    gc.unfreeze()
    assert rows == 10_000
    assert gaps[len(gaps) * 9 // 10] < 0.2


@pytest.mark.slow
def test_p08_memory_does_not_grow_with_questions(shop: Path, tmp_path: Path) -> None:
    async def run() -> tuple[float, float]:
        backend = scripted([], last=COUNT)
        options: dict[str, Any] = {
            "memory": str(tmp_path / "m.db"),
            "cache_lifetime": 0.0,
            "stream_keep": 0.1,
        }
        async with served(shop, backend, **options) as server:

            async def ask(times: int) -> float:
                for _ in range(times):
                    await server.client.post("/api/v1/query", json=ASK)
                    backend.requests.clear()
                return memory_mb()

            return await ask(25), await ask(50)

    before, after = asyncio.run(run())
    assert after < before * 1.1


def test_p10_slow_queries_of_one_source_hold_up_no_other(shop: Path, tmp_path: Path) -> None:
    numbers = make_shop(tmp_path / "numbers.db", NUMBERS)

    async def run() -> tuple[Any, int, int]:
        sources = {"fast": str(shop), "slow": str(numbers)}
        backend = scripted([], last=COUNT)
        options: dict[str, Any] = {"pool_size": 2, "pool_overflow": 1, "preset": "hybrid"}
        async with served(sources, backend, **options) as server:
            body = {"sql": SLOW, "source": "slow"}
            asking = [asyncio.create_task(server.client.post("/api/v1/sql", json=body)) for _ in range(12)]
            database = (await server.here.sources.named("slow").app.resources()).database
            await until(lambda: database.busy == 3)
            rows = (await server.answer(source="fast"))["rows"]
            seen = rows, database.busy, database.waiting
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
            return seen

    rows, busy, waiting = asyncio.run(run())
    assert (rows, busy) == ([[3]], 3)
    assert waiting > 0
