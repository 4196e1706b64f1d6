"""Catalog refresh jobs, on request or scheduled: run by one server, effective on all."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from agents.asking import change
from server.people import with_key
from server.serving import COUNT, Served, due, scripted, served, settings_of, until
from server.test_users import keyed
from text2sql.errors import UsageError
from text2sql.server.app_factory import build

PLANETS = "CREATE TABLE planets (name TEXT); INSERT INTO planets VALUES ('Mars'), ('Venus');"
REFRESH = "/api/v1/sources/shop/refresh"


async def tables(server: Served) -> set[str]:
    return {table["name"] for table in (await server.get("/api/v1/schema"))["tables"]}


async def done(server: Served, who: dict[str, str] | None = None) -> dict[str, Any]:
    response = await server.client.post(REFRESH, json={}, headers=who)
    assert response.status_code == 202, response.text
    body: dict[str, Any] = response.json()
    async with asyncio.timeout(30):
        while body["status"] == "running":
            await asyncio.sleep(0.02)
            path = f"/api/v1/refreshes/{body['refresh_id']}"
            body = (await server.client.get(path, headers=who)).json()
    return body


async def known(server: Served, name: str) -> None:
    async with asyncio.timeout(10):
        while name not in await tables(server):
            await asyncio.sleep(0.05)


def test_every_server_finds_a_new_table_without_a_restart(memory: str, shop: Path) -> None:
    async def scenario() -> list[Any]:
        backend = scripted([], last="SELECT count(*) AS planets FROM planets")
        first, second = (served(shop, backend, memory=memory) for _ in range(2))
        async with first as server, second as other_server:
            assert "planets" not in await tables(server) | await tables(other_server)
            change(shop, PLANETS)
            state = await done(server)
            assert (state["status"], state["source"], state["problem"]) == ("done", "shop", None)
            await asyncio.gather(known(server, "planets"), known(other_server, "planets"))
            return [
                (await each.answer("How many planets are there?"))["rows"] for each in (server, other_server)
            ]

    assert asyncio.run(scenario()) == [[[2]], [[2]]]


def test_new_values_are_found_after_a_refresh(shop: Path) -> None:
    async def scenario() -> list[bool]:
        async with served(shop, scripted([], last=COUNT), values_wait=5.0) as server:
            catalog_cache = (await server.here.sources.named("shop").app.resources()).catalog_cache

            async def holds() -> bool:
                return (await catalog_cache.schema_context()).values.contains(
                    "cities", "name", "Ulan Bator"
                ) is True

            seen = [await holds()]
            change(shop, "INSERT INTO cities VALUES (99, 'Ulan Bator', 'Mongolia')")
            await done(server)
            async with asyncio.timeout(10):
                while not await holds():
                    await asyncio.sleep(0.05)
            return [*seen, await holds()]

    assert asyncio.run(scenario()) == [False, True]


def test_a_scheduled_refresh_runs_once_with_several_servers(memory: str, shop: Path) -> None:
    async def scenario() -> list[str]:
        settings: dict[str, Any] = {"memory": memory, "refresh_every": "*/5 * * * *"}
        first, second = (served(shop, scripted([]), **settings) for _ in range(2))
        async with first as server, second as other_server:
            both = server, other_server
            await asyncio.gather(*(due(each.here.refreshes, datetime(2026, 11, 16, 8, 5)) for each in both))

            async def counted() -> list[str]:
                pages = [(await each.client.get("/metrics")).text.splitlines() for each in both]
                return [
                    line for page in pages for line in page if line.startswith("text2sql_refreshes_total{")
                ]

            async with asyncio.timeout(30):
                while not await counted():
                    await asyncio.sleep(0.05)
            await asyncio.gather(*(due(each.here.refreshes, datetime(2026, 11, 16, 8, 5)) for each in both))
            await asyncio.sleep(0.3)
            await until(lambda: not any(each.here.jobs.claimed for each in both), 30)
            return await counted()

    [line] = asyncio.run(scenario())
    assert line.endswith("} 1.0")


def test_a_refresh_belongs_to_its_user_and_needs_access_to_the_source(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([]), **keyed(tmp_path)) as server:
            ann, bob = await with_key(server, "ann"), await with_key(server, "bob", sources=["zoo"])
            state = await done(server, ann)
            path = f"/api/v1/refreshes/{state['refresh_id']}"
            assert (await server.client.get(path, headers=bob)).status_code == 404
            assert (await server.client.delete(path, headers=bob)).status_code == 404
            assert (await server.client.post(REFRESH, json={}, headers=bob)).status_code == 404
            assert (await server.client.delete(path, headers=ann)).status_code == 204
            assert (await server.client.get(path, headers=ann)).status_code == 404

    asyncio.run(scenario())


def test_a_source_that_is_down_ends_a_refresh_with_a_problem(shop: Path) -> None:
    async def scenario() -> dict[str, Any]:
        sources = {"zoo": str(shop), "shop": "postgresql://127.0.0.1:1/shop"}
        async with served(sources, scripted([])) as server:
            return await done(server)

    state = asyncio.run(scenario())
    assert (state["status"], state["problem"]["status"]) == ("failed", 503)


def test_an_invalid_schedule_is_rejected_at_startup(shop: Path) -> None:
    with pytest.raises(UsageError) as raised:
        build({"shop": str(shop)}, settings_of(refresh_every="every day"), model="scripted:none")
    assert raised.value.message_key == "usage.report_cron"
