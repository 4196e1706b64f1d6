"""A server over a small shop and a model that says what it is told: in this process, or on a real port."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI

from agents.asking import make_shop, scripted
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server.building import build
from text2sql.server.reception import Reception
from text2sql.server.timely import Timely
from text2sql.server.works import Kind
from text2sql.types import Policy

__all__ = ["make_shop", "scripted"]

COUNT = "SELECT count(*) AS customers FROM customers"
ASK = {"question": "How many customers are there?"}
# A table, and a query over it that goes on for minutes.
NUMBERS = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, n INTEGER);
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000)
INSERT INTO customers SELECT x, x FROM c;
"""
SLOW = "SELECT count(*) AS customers FROM customers a, customers b, customers c WHERE a.n + b.n + c.n < 0"


@dataclass(frozen=True, slots=True)
class Event:
    id: str
    name: str
    data: Any


@dataclass(frozen=True, slots=True)
class Served:
    app: FastAPI
    client: httpx.AsyncClient
    url: str = ""

    @property
    def here(self) -> Reception:
        found: Reception = self.app.state.reception
        return found

    async def answer(self, question: str = ASK["question"], **more: Any) -> dict[str, Any]:
        response = await self.client.post("/api/v1/query/sync", json={"question": question, **more})
        assert response.status_code == 200, response.text
        told: dict[str, Any] = response.json()
        return told

    async def get(self, path: str, status: int = 200, **query: Any) -> Any:
        response = await self.client.get(path, params=query)
        assert response.status_code == status, response.text
        return response.json()


def settings_of(**given: Any) -> Settings:
    quick = {"stream_grace": 0.2, "shutdown_grace": 0.2, "values_wait": 0.0}
    return Settings(**{"memory": "none", "requests_per_minute": 0, **quick, **given})


def app_of(
    places: Path | dict[str, str], backend: ScriptedBackend, policy: Policy | None = None, **given: Any
) -> FastAPI:
    policies, schedule = given.pop("policies", None), given.pop("schedule", ())
    told = settings_of(**given)
    addresses = {"shop": str(places)} if isinstance(places, Path) else places
    model = AsyncChatModel([backend], told)
    return build(addresses, told, model=model, policy=policy, policies=policies, schedule=schedule)


@asynccontextmanager
async def served(
    places: Path | dict[str, str], backend: ScriptedBackend, policy: Policy | None = None, **given: Any
) -> AsyncIterator[Served]:
    async with served_app(app_of(places, backend, policy, **given)) as server:
        yield server


@asynccontextmanager
async def served_app(app: FastAPI) -> AsyncIterator[Served]:
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            yield Served(app, client)


class _Quiet(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # they are pytest's


@asynccontextmanager
async def listening(
    places: Path | dict[str, str], backend: ScriptedBackend, **given: Any
) -> AsyncIterator[Served]:
    """On a free port: what a client that goes away does to a server is seen only there."""
    app = app_of(places, backend, **given)
    with socket.create_server(("127.0.0.1", 0)) as door:
        server = _Quiet(uvicorn.Config(app, http=Timely, log_config=None, access_log=False))
        running = asyncio.create_task(server.serve([door]))
        while not server.started:
            await asyncio.sleep(0.01)
        url = f"http://127.0.0.1:{door.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=url, timeout=20) as client:
            try:
                yield Served(app, client, url)
            finally:
                server.should_exit = True
                await client.aclose()
                await running


def events_of(text: str) -> list[Event]:
    """What a client that follows the standard reads; comments are left out."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields:
            assert set(fields) == {"id", "event", "data"}, block
            found.append(Event(fields["id"], fields["event"], json.loads(fields["data"])))
    return found


async def follow(client: httpx.AsyncClient, how: Any, most: int | None = None) -> list[Event]:
    """Read a stream; with `most`, go away after so many events."""
    found: list[Event] = []
    async with how as response:
        assert response.status_code == 200, await response.aread()
        buffer = ""
        async for piece in response.aiter_text():
            buffer += piece
            *whole, buffer = buffer.split("\n\n")
            for block in whole:
                found += events_of(block + "\n\n")
                if most is not None and len(found) >= most:
                    return found[:most]
    return found


async def due(kind: Kind, when: datetime) -> None:
    """As the schedule says it when the moment has come."""
    for line, _, told in kind.schedule():
        await kind.works.due(kind, line, told, when)


async def until(true: Any, seconds: float = 5.0) -> None:
    """Wait until something holds; a test that waits too long fails there."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not true():
                await asyncio.sleep(0.01)
    assert true()
