"""Disconnects and outages with a real PostgreSQL server, observed on the database."""

import asyncio
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from faults.asking import admin, running
from faults.conftest import or_missing
from server.serving import ASK, SLOW, follow, listening, scripted, served, until
from servers import Postgres, postgres
from text2sql.server import sources

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    with or_missing(), postgres() as one:
        admin(one.url, "CREATE TABLE customers (n INTEGER)")
        admin(one.url, "INSERT INTO customers SELECT * FROM generate_series(1, 3000)")
        yield one


@pytest.mark.fault("D07", "C01")
def test_clients_that_vanish_leave_no_query_on_the_server(server: Postgres) -> None:
    async def scenario() -> tuple[int, int]:
        most = 0
        async with listening({"pg": server.url}, scripted([], last=SLOW), preset="hybrid") as door:
            app = door.here.sources.named(None).app
            await app.catalog()
            for _ in range(3):
                going = [
                    follow(
                        door.client, door.client.stream("POST", "/api/v1/query", json=ASK), limit=at % 8 + 1
                    )
                    for at in range(5)
                ]
                sync = [
                    asyncio.create_task(door.client.post("/api/v1/query/sync", json=ASK)) for _ in range(3)
                ]
                await asyncio.gather(*going)
                await asyncio.sleep(0.15)
                most = max(most, await asyncio.to_thread(running, server.url))
                for item in sync:
                    item.cancel()
                await asyncio.gather(*sync, return_exceptions=True)
            database = app.app_resources.database
            assert database is not None
            await until(lambda: door.here.streams.running == 0 and database.busy == 0)
            return most, await asyncio.to_thread(running, server.url)

    most, left = asyncio.run(scenario())
    assert most > 0
    assert left == 0


@pytest.mark.fault("D03", "G8")
def test_a_server_that_goes_down_turns_red_and_comes_back_by_itself(
    server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_FRESH", 0.0)

    async def scenario() -> list[Any]:
        backend = scripted([], last="SELECT count(*) AS customers FROM customers")
        given: dict[str, Any] = {"connect_timeout": 2.0, "cache_lifetime": 0.0}
        async with served({"pg": server.url}, backend, **given) as door:
            seen = [(await door.client.get("/readyz")).status_code, (await door.answer())["rows"]]
            await asyncio.to_thread(server.stop, signal.SIGINT)
            seen.append((await door.client.get("/readyz")).status_code)
            failed = await door.answer()
            seen += [failed["status"], (await door.client.get("/healthz")).status_code]
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(20):
                while (await door.client.get("/readyz")).status_code != 200:
                    await asyncio.sleep(0.1)
            return [*seen, (await door.answer())["rows"]]

    assert asyncio.run(scenario()) == [200, [[3_000]], 503, "failed", 200, [[3_000]]]
