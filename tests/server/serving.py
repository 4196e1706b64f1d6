"""A test server over a small shop database and a scripted model, in this process or on a real port."""

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
from text2sql.server.app_factory import build
from text2sql.server.header_timeout import HeaderTimeout
from text2sql.server.jobs import JobType
from text2sql.server.query_pipeline import QueryPipeline
from text2sql.types import Policy

__all__ = ["make_shop", "scripted"]

COUNT = "SELECT count(*) AS customers FROM customers"
ASK = {"question": "How many customers are there?"}
# A table, and a query over it that runs for minutes.
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
    def here(self) -> QueryPipeline:
        pipeline: QueryPipeline = self.app.state.pipeline
        return pipeline

    async def answer(self, question: str = ASK["question"], **more: Any) -> dict[str, Any]:
        response = await self.client.post("/api/v1/query/sync", json={"question": question, **more})
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    async def get(self, path: str, status: int = 200, **query: Any) -> Any:
        response = await self.client.get(path, params=query)
        assert response.status_code == status, response.text
        return response.json()


def settings_of(**values: Any) -> Settings:
    quick = {"stream_grace": 0.2, "shutdown_grace": 0.2, "values_wait": 0.0}
    return Settings(**{"memory": "none", "requests_per_minute": 0, "analytic": False, **quick, **values})


def app_of(
    sources: Path | dict[str, str], backend: ScriptedBackend, policy: Policy | None = None, **values: Any
) -> FastAPI:
    more = {name: values.pop(name) for name in ("policies", "accounts", "schedule") if name in values}
    settings = settings_of(**values)
    addresses = {"shop": str(sources)} if isinstance(sources, Path) else sources
    model = AsyncChatModel([backend], settings)
    return build(addresses, settings, model=model, policy=policy, **more)


@asynccontextmanager
async def served(
    sources: Path | dict[str, str], backend: ScriptedBackend, policy: Policy | None = None, **values: Any
) -> AsyncIterator[Served]:
    async with served_app(app_of(sources, backend, policy, **values)) as server:
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
        yield  # pytest handles signals


@asynccontextmanager
async def listening(
    sources: Path | dict[str, str], backend: ScriptedBackend, **values: Any
) -> AsyncIterator[Served]:
    """Serve on a free port: only a real connection shows the effects of a disconnect."""
    app = app_of(sources, backend, **values)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = _Quiet(uvicorn.Config(app, http=HeaderTimeout, log_config=None, access_log=False))
        serve_task = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=url, timeout=20) as client:
            try:
                yield Served(app, client, url)
            finally:
                server.should_exit = True
                await client.aclose()
                await serve_task


def events_of(text: str) -> list[Event]:
    """Parse server-sent events, without comments."""
    events = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields:
            assert set(fields) == {"id", "event", "data"}, block
            events.append(Event(fields["id"], fields["event"], json.loads(fields["data"])))
    return events


async def follow(client: httpx.AsyncClient, request: Any, limit: int | None = None) -> list[Event]:
    """Read a stream; with `limit`, disconnect after that many events."""
    events: list[Event] = []
    async with request as response:
        assert response.status_code == 200, await response.aread()
        buffer = ""
        async for chunk in response.aiter_text():
            buffer += chunk
            *blocks, buffer = buffer.split("\n\n")
            for block in blocks:
                events += events_of(block + "\n\n")
                if limit is not None and len(events) >= limit:
                    return events[:limit]
    return events


async def due(job_type: JobType, when: datetime) -> None:
    """Enqueue the scheduled jobs of a type, as if they were due at `when`."""
    for owner, _, request in job_type.schedule():
        await job_type.jobs.enqueue_due(job_type, owner, request, when)


async def until(condition: Any, seconds: float = 5.0) -> None:
    """Wait until a condition is true; fail after `seconds`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.01)
    assert condition()
