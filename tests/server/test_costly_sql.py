"""Fifty clients send the slowest possible statements while health probes measure latency."""

import asyncio
import resource
import statistics
import time
from pathlib import Path

import httpx

from server.serving import listening, make_shop, scripted
from text2sql.sql import check, in_worker

CLIENTS, SECONDS = 50, 6.0
SLOWEST = (
    "SELECT " + "date(" * 17 + "id" + ")" * 17 + " FROM customers",
    "SELECT " + "STRUCT(" * 30 + "id" + ")" * 30 + " FROM customers",
    "SELECT " + "*, " * 1_900 + "1 FROM customers",
    "SELECT 1 FROM customers WHERE " + " OR ".join(["id = 1"] * 990),
    "SELECT " + ", ".join(["a" + "[1]" * 15] * 13) + " FROM customers",
    "SELECT " + "(" * 60 + "id" + ")" * 60 + " FROM customers",
    "SELECT 1" + ", (SELECT id FROM customers LIMIT 1)" * 480,
    "SELECT " + "1 + " * 1_990 + "1",
    "SELECT '" + "x" * 90_000 + "'",
    "SELECT " + "a -> 'b' -> " * 29 + "'c' FROM customers",
)


def test_costly_statements_hold_up_neither_a_probe_nor_the_memory(tmp_path: Path) -> None:
    """A probe takes at most 0.1 s longer than without the expensive statements.

    Clients and server share an event loop, and tests share the machine, so the median is compared: a check
    in the event loop would raise it to seconds.
    """

    async def scenario() -> tuple[list[float], list[float], int]:
        backend, shop = scripted([]), make_shop(tmp_path / "shop.db")
        async with listening(shop, backend, cache_lifetime=0.0) as server:
            await server.here.sources.named(None).app.catalog()
            await in_worker(check, "SELECT 1", "sqlite")
            idle = await _probed(server.url, SECONDS / 2)
            end, answered = time.monotonic() + SECONDS, 0

            async def send(number: int) -> None:
                nonlocal answered
                while time.monotonic() < end:
                    body = {"sql": SLOWEST[number % len(SLOWEST)]}
                    response = await server.client.post("/api/v1/sql", json=body, timeout=60)
                    answered += response.status_code in (200, 429, 503)
                    number += 1

            sending = [asyncio.create_task(send(number)) for number in range(CLIENTS)]
            busy = await _probed(server.url, SECONDS)
            await asyncio.gather(*sending)
            return idle, busy, answered

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    idle, busy, answered = asyncio.run(scenario())
    assert answered >= CLIENTS / 2
    assert statistics.median(busy) < 0.1 + 2 * statistics.median(idle)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < 64_000_000


async def _probed(url: str, seconds: float) -> list[float]:
    waits, end = [], time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        await client.get("/healthz")
        while time.monotonic() < end:
            began = time.monotonic()
            assert (await client.get("/healthz")).status_code == 200
            waits.append(time.monotonic() - began)
            await asyncio.sleep(0.02)
    return waits
