"""A catalogue that is read anew: for all servers, by one of them, asked for or due."""

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
from text2sql.server.building import build

PLANETS = "CREATE TABLE planets (name TEXT); INSERT INTO planets VALUES ('Mars'), ('Venus');"
PLACE = "/api/v1/sources/shop/refresh"


async def tables(here: Served) -> set[str]:
    return {one["name"] for one in (await here.get("/api/v1/schema"))["tables"]}


async def done(here: Served, who: dict[str, str] | None = None) -> dict[str, Any]:
    response = await here.client.post(PLACE, json={}, headers=who)
    assert response.status_code == 202, response.text
    told: dict[str, Any] = response.json()
    async with asyncio.timeout(30):
        while told["status"] == "running":
            await asyncio.sleep(0.02)
            place = f"/api/v1/refreshes/{told['refresh_id']}"
            told = (await here.client.get(place, headers=who)).json()
    return told


async def known(here: Served, name: str) -> None:
    async with asyncio.timeout(10):
        while name not in await tables(here):
            await asyncio.sleep(0.05)


def test_a_new_table_is_answered_for_on_every_server_without_a_restart(memory: str, shop: Path) -> None:
    async def told() -> list[Any]:
        backend = scripted([], last="SELECT count(*) AS planets FROM planets")
        one, two = (served(shop, backend, memory=memory) for _ in range(2))
        async with one as here, two as there:
            assert "planets" not in await tables(here) | await tables(there)
            change(shop, PLANETS)
            state = await done(here)
            assert (state["status"], state["source"], state["problem"]) == ("done", "shop", None)
            await asyncio.gather(known(here, "planets"), known(there, "planets"))
            return [(await each.answer("How many planets are there?"))["rows"] for each in (here, there)]

    assert asyncio.run(told()) == [[[2]], [[2]]]


def test_values_that_have_come_since_are_known_after_a_refresh(shop: Path) -> None:
    async def told() -> list[bool]:
        async with served(shop, scripted([], last=COUNT), values_wait=5.0) as here:
            library = (await here.here.sources.named("shop").app.rooms()).library

            async def holds() -> bool:
                return (await library.knowledge()).values.contains("cities", "name", "Ulan Bator") is True

            seen = [await holds()]
            change(shop, "INSERT INTO cities VALUES (99, 'Ulan Bator', 'Mongolia')")
            await done(here)
            async with asyncio.timeout(10):
                while not await holds():
                    await asyncio.sleep(0.05)
            return [*seen, await holds()]

    assert asyncio.run(told()) == [False, True]


def test_a_refresh_that_is_due_is_done_once_however_many_servers_say_so(memory: str, shop: Path) -> None:
    async def told() -> list[str]:
        given: dict[str, Any] = {"memory": memory, "refresh_every": "*/5 * * * *"}
        one, two = (served(shop, scripted([]), **given) for _ in range(2))
        async with one as here, two as there:
            both = here, there
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
            await until(lambda: not any(each.here.works.held for each in both), 30)
            return await counted()

    [line] = asyncio.run(told())
    assert line.endswith("} 1.0")


def test_a_refresh_is_its_persons_and_of_a_source_that_they_may_ask(shop: Path, tmp_path: Path) -> None:
    async def told() -> None:
        async with served(shop, scripted([]), **keyed(tmp_path)) as here:
            ann, bob = await with_key(here, "ann"), await with_key(here, "bob", sources=["zoo"])
            state = await done(here, ann)
            place = f"/api/v1/refreshes/{state['refresh_id']}"
            assert (await here.client.get(place, headers=bob)).status_code == 404
            assert (await here.client.delete(place, headers=bob)).status_code == 404
            assert (await here.client.post(PLACE, json={}, headers=bob)).status_code == 404
            assert (await here.client.delete(place, headers=ann)).status_code == 204
            assert (await here.client.get(place, headers=ann)).status_code == 404

    asyncio.run(told())


def test_a_source_that_is_down_ends_a_refresh_with_a_problem(shop: Path) -> None:
    async def told() -> dict[str, Any]:
        places = {"zoo": str(shop), "shop": "postgresql://127.0.0.1:1/shop"}
        async with served(places, scripted([])) as here:
            return await done(here)

    state = asyncio.run(told())
    assert (state["status"], state["problem"]["status"]) == ("failed", 503)


def test_a_schedule_that_is_none_is_told_before_anything_is_served(shop: Path) -> None:
    with pytest.raises(UsageError) as told:
        build({"shop": str(shop)}, settings_of(refresh_every="every day"), model="scripted:none")
    assert told.value.message_key == "usage.report_cron"
