"""Event streams: no gaps, no duplicates, and no leaks after a disconnect."""

import asyncio
import json
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.serving import (
    ASK,
    COUNT,
    NUMBERS,
    SLOW,
    Event,
    Served,
    events_of,
    follow,
    listening,
    make_shop,
    scripted,
    served,
    until,
)
from text2sql.llm import ScriptedBackend
from text2sql.server.app_factory import stop
from text2sql.types import ModelRequest, Reply


class Hanging(ScriptedBackend):
    """A model that starts to write and never ends; counts its running calls."""

    running = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        self.running += 1
        try:
            yield "SELECT "
            await asyncio.sleep(3_600)
        finally:
            self.running -= 1


def question_stream(client: httpx.AsyncClient, **more: Any) -> Any:
    return client.stream("POST", "/api/v1/query", json={**ASK, **more})


def taken_up(client: httpx.AsyncClient, stream_id: str, last: str = "") -> Any:
    headers = {"Last-Event-ID": last} if last else {}
    return client.stream("GET", f"/api/v1/query/{stream_id}", headers=headers)


def database_of(server: Served) -> Any:
    return server.here.sources.named(None).app.app_resources.database


@pytest.mark.fault("C09", "G2")
def test_events_are_numbered_named_and_end_with_the_answer(shop: Path) -> None:
    async def scenario() -> list[Event]:
        async with served(shop, scripted([COUNT])) as server:
            response = await server.client.post("/api/v1/query", json=ASK)
            assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert response.headers["cache-control"] == "no-cache"
            assert response.headers["x-accel-buffering"] == "no"
            return events_of(response.text)

    events = asyncio.run(scenario())
    first, last = events[0], events[-1]
    stream = first.data["stream_id"]
    assert [event.id for event in events] == [f"{stream}-{n}" for n in range(1, len(events) + 1)]
    assert first.name == "started"
    assert set(first.data) == {"stream_id", "thread_id"}
    names = [event.name for event in events]
    assert names.count("finished") == 1
    assert set(names) >= {"stage_started", "stage_ended", "sql_token", "checked", "rows_found"}
    assert "".join(event.data["text"] for event in events if event.name == "sql_token") == COUNT
    answer = last.data["answer"]
    assert (last.name, answer["status"], answer["rows"]) == ("finished", "answered", [[3]])
    assert answer["thread_id"] == first.data["thread_id"]


@pytest.mark.fault("C03")
def test_a_stream_cut_at_any_event_is_resumed_and_repeats_nothing(shop: Path) -> None:
    async def scenario() -> tuple[list[Event], list[list[Event]]]:
        async with listening(shop, scripted([COUNT] * 99), cache_lifetime=0.0, stream_grace=5.0) as server:
            complete = await follow(server.client, question_stream(server.client))
            cut = []
            for at in range(1, len(complete) + 1):
                before = await follow(server.client, question_stream(server.client), limit=at)
                stream, last = before[0].data["stream_id"], before[-1].id
                after = await follow(server.client, taken_up(server.client, stream, last))
                cut.append(before + after)
            return complete, cut

    complete, cut = asyncio.run(scenario())
    assert len(cut) == len(complete) > 15
    for events in cut:
        stream = events[0].data["stream_id"]
        assert [event.id for event in events] == [f"{stream}-{n}" for n in range(1, len(complete) + 1)]
        assert [event.name for event in events] == [event.name for event in complete]
        assert events[-1].data["answer"]["rows"] == [[3]]


def test_a_stream_cut_at_any_byte_resumes_after_its_last_complete_event(shop: Path) -> None:
    async def scenario() -> int:
        async with served(shop, scripted([COUNT])) as server:
            content = (await server.client.post("/api/v1/query", json=ASK)).content
            stream = server.here.streams.find("", events_of(content.decode())[0].data["stream_id"])
            for cut in range(len(content)):
                had, end, _ = content[:cut].rpartition(b"\n\n")
                had += end
                last = events_of(had.decode())[-1].id if had else ""
                rest = [frame async for frame in stream.read(stream.after(last), heartbeat=10.0)]
                assert had + b"".join(rest) == content
            return len(content)

    assert asyncio.run(scenario()) > 2_000


@pytest.mark.fault("C03", "G4")
def test_reading_a_stream_again_does_not_ask_the_question_again(shop: Path) -> None:
    backend = scripted([COUNT])

    async def scenario() -> list[Event]:
        async with served(shop, backend) as server:
            first = events_of((await server.client.post("/api/v1/query", json=ASK)).text)
            address = f"/api/v1/query/{first[0].data['stream_id']}"
            for _ in range(3):
                assert events_of((await server.client.get(address)).text) == first
            return first

    asyncio.run(scenario())
    assert len(backend.requests) == 1


@pytest.mark.parametrize("last", ["nonsense", "0-1", "{id}-0", "{id}-999", "{id}-x", "{id}--1", "{id}-१"])
def test_an_unknown_event_id_is_a_problem(shop: Path, last: str) -> None:
    async def scenario() -> httpx.Response:
        async with served(shop, scripted([COUNT])) as server:
            first = events_of((await server.client.post("/api/v1/query", json=ASK)).text)[0]
            stream = first.data["stream_id"]
            headers = {"Last-Event-ID": last.replace("{id}", stream).encode()}
            return await server.client.get(f"/api/v1/query/{stream}", headers=headers)  # type: ignore[arg-type]

    response = asyncio.run(scenario())
    assert (response.status_code, response.json()["kind"]) == (409, "usage.stream_event")


def test_a_stream_is_forgotten_after_a_while(shop: Path) -> None:
    async def scenario() -> int:
        async with served(shop, scripted([COUNT]), stream_keep=0.05) as server:
            first = events_of((await server.client.post("/api/v1/query", json=ASK)).text)[0]
            await until(lambda: server.here.streams.finished == 0)
            return (await server.client.get(f"/api/v1/query/{first.data['stream_id']}")).status_code

    assert asyncio.run(scenario()) == 404


@pytest.mark.fault("C01")
def test_a_question_is_cancelled_if_its_client_does_not_return(shop: Path) -> None:
    backend = Hanging()

    async def scenario() -> list[Event]:
        async with listening(shop, backend) as server:
            before = await follow(server.client, question_stream(server.client), limit=3)
            await until(lambda: backend.running == 1)
            await until(lambda: backend.running == 0)
            stream = before[0].data["stream_id"]
            return await follow(server.client, taken_up(server.client, stream))

    events = asyncio.run(scenario())
    last = events[-1]
    assert (last.name, last.data["kind"]) == ("problem", "usage.stream_cancelled")
    assert last.data["thread_id"] == events[0].data["thread_id"]
    assert last.data["thread_id"] in last.data["hint"]
    assert [event.name for event in events].count("problem") == 1


def test_a_client_that_reconnects_in_time_finds_its_question_running(shop: Path) -> None:
    backend = Hanging()

    async def scenario() -> tuple[int, int]:
        async with listening(shop, backend, stream_grace=0.5) as server:
            before = await follow(server.client, question_stream(server.client), limit=2)
            await asyncio.sleep(0.2)
            stream = before[0].data["stream_id"]
            async with taken_up(server.client, stream, before[-1].id) as response:
                assert response.status_code == 200
                await asyncio.sleep(0.6)
                during = backend.running
            await until(lambda: backend.running == 0)
            return during, backend.running

    assert asyncio.run(scenario()) == (1, 0)


@pytest.mark.fault("C01", "D07")
def test_a_client_that_goes_away_stops_the_query_on_the_database(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "numbers.db", NUMBERS)

    async def scenario() -> tuple[int, int]:
        async with listening(shop, scripted([SLOW], last=SLOW), preset="hybrid") as server:
            await server.here.sources.named(None).app.catalog()
            await until(lambda: database_of(server).busy == 0)
            await follow(server.client, question_stream(server.client), limit=8)
            await until(lambda: database_of(server).busy == 1)
            await until(lambda: (server.here.streams.running, database_of(server).busy) == (0, 0), 10.0)
            return server.here.streams.running, database_of(server).busy

    assert asyncio.run(scenario()) == (0, 0)


def test_delete_cancels_a_question_immediately(shop: Path) -> None:
    backend = Hanging()

    async def scenario() -> tuple[int, int, list[Event], int]:
        async with listening(shop, backend, stream_grace=60.0) as server:
            before = await follow(server.client, question_stream(server.client), limit=3)
            address = f"/api/v1/query/{before[0].data['stream_id']}"
            elsewhere = asyncio.create_task(follow(server.client, server.client.stream("GET", address)))
            await until(lambda: backend.running == 1)
            stopped = (await server.client.delete(address)).status_code
            left = backend.running
            heard = await elsewhere
            return stopped, left, heard, (await server.client.delete(address)).status_code

    stopped, left, heard, again = asyncio.run(scenario())
    assert (stopped, left, again) == (204, 0, 204)
    assert (heard[-1].name, heard[-1].data["kind"]) == ("problem", "usage.stream_cancelled")


def test_cancelling_a_finished_question_changes_nothing(shop: Path) -> None:
    async def scenario() -> tuple[int, bool, int]:
        async with served(shop, scripted([COUNT])) as server:
            text = (await server.client.post("/api/v1/query", json=ASK)).text
            address = f"/api/v1/query/{events_of(text)[0].data['stream_id']}"
            stopped = (await server.client.delete(address)).status_code
            same = (await server.client.get(address)).text == text
            return stopped, same, (await server.client.delete("/api/v1/query/nobodys")).status_code

    assert asyncio.run(scenario()) == (204, True, 404)


def test_a_disconnect_cancels_a_synchronous_question_immediately(shop: Path) -> None:
    backend = Hanging()

    async def scenario() -> None:
        async with listening(shop, backend, stream_grace=60.0) as server:
            waiting = asyncio.create_task(server.client.post("/api/v1/query/sync", json=ASK))
            await until(lambda: backend.running == 1)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await until(lambda: backend.running == 0, 2.0)

    asyncio.run(scenario())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "deep"),
    [(Hanging(), b"event: sql_token"), (scripted([], last=SLOW), b'{"stage":"executor"}')],
    ids=["while the model writes", "while the query runs"],
)
@pytest.mark.fault("C01", "G5")
def test_a_hundred_clients_that_vanish_leave_nothing_behind(
    tmp_path: Path, backend: ScriptedBackend, deep: bytes
) -> None:
    """Twice a hundred clients. Tasks and file descriptors are the same before and after."""
    shop = make_shop(tmp_path / "numbers.db", NUMBERS)
    settings: dict[str, Any] = {
        "stream_grace": 0.1,
        "stream_keep": 0.1,
        "pool_size": 8,
        "cache_lifetime": 0.0,
    }

    async def scenario() -> None:
        async with asyncio.timeout(100), listening(shop, backend, preset="hybrid", **settings) as server:
            streams, database = server.here.streams, database_of(server)

            def idle() -> bool:
                return (streams.running, streams.finished, database.busy, database.waiting) == (0, 0, 0, 0)

            await asyncio.gather(*(_vanish(server, at, deep) for at in range(10)))  # every room is open now
            await until(idle, 20.0)
            await asyncio.sleep(0.5)  # uvicorn lets go of the last connections
            before = _left(database)
            for group in range(0, 100, 10):
                await asyncio.gather(*(_vanish(server, group + at, deep) for at in range(10)))
            await until(idle, 20.0)
            await until(lambda: _left(database) == before, 20.0)

    asyncio.run(scenario())
    assert len(backend.requests) >= 40
    assert getattr(backend, "running", 0) == 0


async def _vanish(server: Served, at: int, deep: bytes) -> None:
    """Disconnect before the first byte, while waiting, after the first event, or during the query."""
    host, port = server.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    body, path = json.dumps(ASK).encode(), "/api/v1/query/sync" if at % 5 == 1 else "/api/v1/query"
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    if at % 5 == 1:
        await asyncio.sleep(0.02 * (at % 7))
    elif at % 5 > 1:
        await reader.readuntil(b"event: started" if at % 5 == 2 else deep)
    writer.close()
    await writer.wait_closed()


def _left(database: Any) -> tuple[list[str], int]:
    """Running tasks and open file descriptors, after idle connections are closed."""
    database.database._pool.drop_idle(float("inf"))
    tasks = sorted(getattr(task.get_coro(), "__qualname__", "") for task in asyncio.all_tasks())
    return tasks, len(os.listdir("/proc/self/fd"))  # noqa: PTH208 -- a name goes while it is listed


@pytest.mark.fault("C09")
def test_a_silent_stream_sends_heartbeats(shop: Path) -> None:
    async def scenario() -> str:
        text = ""
        async with (
            listening(shop, Hanging(), heartbeat=0.05) as server,
            question_stream(server.client) as response,
        ):
            async for piece in response.aiter_text():
                text += piece
                if text.count(": still here\n\n") == 3:
                    break
        return text

    text = asyncio.run(scenario())
    assert "finished" not in {event.name for event in events_of(text)}


@pytest.mark.fault("C02")
def test_a_stream_that_would_hold_too_much_ends_with_a_problem(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "numbers.db", NUMBERS)

    async def scenario() -> tuple[list[Event], int]:
        backend = scripted(["SELECT id, n FROM customers"])
        async with served(shop, backend, stream_bytes=8_000, row_limit=3_000) as server:
            response = await server.client.post("/api/v1/query", json=ASK)
            return events_of(response.text), len(response.content)

    events, size = asyncio.run(scenario())
    assert (events[-1].name, events[-1].data["kind"]) == ("problem", "usage.stream_full")
    assert size < 16_000


@pytest.mark.fault("C02")
def test_a_reader_that_does_not_read_holds_no_more_than_the_stream(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "numbers.db", NUMBERS)

    async def scenario() -> tuple[int, int]:
        backend = scripted(["SELECT id, n, 'x' || id AS name FROM customers"] * 9)
        async with listening(shop, backend, row_limit=3_000, cache_lifetime=0.0) as server:
            host, port = server.url.removeprefix("http://").split(":")
            _, writer = await asyncio.open_connection(host, int(port), limit=1_024)
            body = json.dumps(ASK).encode()
            head = f"POST /api/v1/query HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await until(lambda: server.here.streams.finished == 1)  # the question itself did not wait for it
            other = await server.answer()
            finished_bytes = server.here.streams.finished_bytes
            writer.close()
            return other["row_count"], finished_bytes

    rows, finished_bytes = asyncio.run(scenario())
    assert rows == 3_000
    assert finished_bytes < 1_000_000


HOSTILE = "\n\nevent: finished\ndata: pwned\r\n\r\nid: 1\x85\u2028\u2029\x00😀 <script>alert(1)</script>"


@pytest.mark.fault("C10", "D24")
def test_a_cell_cannot_end_its_event(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db", "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);")
    with closing(sqlite3.connect(shop)) as connection, connection:
        connection.execute("INSERT INTO customers VALUES (1, ?)", (HOSTILE,))

    async def scenario() -> list[Event]:
        async with served(shop, scripted(["SELECT id, name FROM customers"])) as server:
            return events_of((await server.client.post("/api/v1/query", json=ASK)).text)

    events = asyncio.run(scenario())
    assert [event.name for event in events].count("finished") == 1
    assert events[-1].data["answer"]["rows"] == [[1, HOSTILE.replace("\x00", "\ufffd")]]


def test_stopping_tells_every_stream_and_takes_no_new_question(shop: Path) -> None:
    backend = Hanging()

    async def scenario() -> tuple[list[Event], int, bool]:
        async with listening(shop, backend, shutdown_grace=0.1) as server:
            following = asyncio.create_task(follow(server.client, question_stream(server.client)))
            await until(lambda: backend.running == 1)
            await stop(server.app)
            late = await server.client.post("/api/v1/query", json=ASK)
            ready = (await server.client.get("/readyz")).status_code
            return await following, late.status_code, ready == 503

    events, late, red = asyncio.run(scenario())
    assert (events[-1].name, events[-1].data["kind"]) == ("problem", "usage.stream_cancelled")
    assert (late, red, backend.running) == (503, True, 0)
