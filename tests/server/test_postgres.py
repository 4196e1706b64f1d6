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
    with or_missing(), postgres() as database_server:
        admin(database_server.url, "CREATE TABLE customers (n INTEGER)")
        admin(database_server.url, "INSERT INTO customers SELECT * FROM generate_series(1, 3000)")
        yield database_server


@pytest.mark.fault("D07", "C01")
def test_clients_that_vanish_leave_no_query_on_the_server(server: Postgres) -> None:
    async def scenario() -> tuple[int, int]:
        most = 0
        async with listening({"pg": server.url}, scripted([], last=SLOW), preset="hybrid") as http_server:
            app = http_server.here.sources.named(None).app
            await app.catalog()
            for _ in range(3):
                going = [
                    follow(
                        http_server.client,
                        http_server.client.stream("POST", "/api/v1/query", json=ASK),
                        limit=at % 8 + 1,
                    )
                    for at in range(5)
                ]
                sync = [
                    asyncio.create_task(http_server.client.post("/api/v1/query/sync", json=ASK))
                    for _ in range(3)
                ]
                await asyncio.gather(*going)
                await asyncio.sleep(0.15)
                most = max(most, await asyncio.to_thread(running, server.url))
                for item in sync:
                    item.cancel()
                await asyncio.gather(*sync, return_exceptions=True)
            database = app.app_resources.database
            assert database is not None
            await until(lambda: http_server.here.streams.running == 0 and database.busy == 0)
            return most, await asyncio.to_thread(running, server.url)

    most, left = asyncio.run(scenario())
    assert most > 0
    assert left == 0


@pytest.mark.fault("D03", "G8")
def test_a_stopped_database_makes_the_server_unready_until_it_returns(
    server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "_FRESH", 0.0)

    async def scenario() -> list[Any]:
        backend = scripted([], last="SELECT count(*) AS customers FROM customers")
        settings: dict[str, Any] = {"connect_timeout": 2.0, "cache_lifetime": 0.0}
        async with served({"pg": server.url}, backend, **settings) as http_server:
            seen = [
                (await http_server.client.get("/readyz")).status_code,
                (await http_server.answer())["rows"],
            ]
            await asyncio.to_thread(server.stop, signal.SIGINT)
            seen.append((await http_server.client.get("/readyz")).status_code)
            failed = await http_server.answer()
            seen += [failed["status"], (await http_server.client.get("/healthz")).status_code]
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(20):
                while (await http_server.client.get("/readyz")).status_code != 200:
                    await asyncio.sleep(0.1)
            return [*seen, (await http_server.answer())["rows"]]

    assert asyncio.run(scenario()) == [200, [[3_000]], 503, "failed", 200, [[3_000]]]
