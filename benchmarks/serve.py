"""What the server adds: questions a second beside a bare handler that runs the same SQL on the same pool.

    python benchmarks/serve.py                 # 1, 50 and 500 clients, ten seconds each; 1,000 streams
    python benchmarks/serve.py --seconds 2 --clients 1 50 --streams 100

The model is scripted and answers at once, the database is a small SQLite file, client and server are two
processes on the loopback address. Three servers are measured:

- bare      FastAPI, one handler: the same query on the same kind of pool, the rows as JSON
- question  `POST /api/v1/query/sync`, every question a new one: classified, linked, written, checked,
            explained, run, kept in its thread, counted
- cached    the same question again: from the result cache, in a thread of its own
"""

import argparse
import asyncio
import json
import logging
import multiprocessing
import socket
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response

from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server.building import build
from text2sql.sql import check
from text2sql.types import Capabilities, CheckedSql

SQL = "SELECT city, count(*) AS people FROM customers GROUP BY city ORDER BY people DESC"
SERVERS = ("bare", "question", "cached")


def make_database(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
        rows = ((n, f"customer {n}", ("Oslo", "Paris", "上海", "Rome")[n % 4]) for n in range(1_000))
        database.executemany("INSERT INTO customers VALUES (?, ?, ?)", rows)
    database.close()


# -- the servers, each in a process of its own ----------------------------------------------------


def bare(path: str, settings: Settings) -> FastAPI:
    database = AsyncDatabase(open_database(path, settings))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> Any:
        yield
        await database.close()

    app = FastAPI(lifespan=lifespan)
    query = check(SQL, "sqlite")
    assert isinstance(query, CheckedSql)

    @app.post("/api/v1/query/sync")
    async def run(_: dict[str, Any]) -> Response:
        found = await database.run(query, settings.limits)
        return Response(json.dumps({"rows": found.rows}), media_type="application/json")

    return app


def serve(kind: str, path: str, memory: str, door: socket.socket) -> None:
    logging.disable(logging.WARNING)
    settings = Settings(memory=memory, requests_per_minute=0)
    if kind == "bare":
        app = bare(path, settings)
    else:
        can = Capabilities(context=16_384)
        model = AsyncChatModel([ScriptedBackend([], last=SQL, capabilities=can)], settings)
        app = build({"shop": path}, settings, model=model)
    uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False)).run([door])


@contextmanager
def running(kind: str, folder: Path) -> Iterator[tuple[int, int]]:
    """A server's port and process id."""
    path = folder / f"{kind}.db"
    make_database(path)
    with socket.create_server(("127.0.0.1", 0), backlog=2_048) as door:
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(target=serve, args=(kind, str(path), str(folder / f"{kind}-memory.db"), door))
        process.start()
        try:
            yield door.getsockname()[1], process.pid or 0
        finally:
            process.terminate()
            process.join(20)
            process.kill()


# -- the client -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    seconds: list[float] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)

    def spread(self) -> tuple[float, float]:
        if len(self.seconds) < 2:
            return (self.seconds or [0.0])[0], (self.seconds or [0.0])[0]
        cut = quantiles(self.seconds, n=100, method="inclusive")
        return cut[49], cut[98]


def request(path: str, question: str) -> bytes:
    body = json.dumps({"question": question}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def answered(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    await reader.readexactly(length)
    return int(head.split(b" ", 2)[1])


async def one_client(port: int, number: int, kind: str, until: float, tally: Tally) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = 0
    while time.monotonic() < until:
        said = "in which city" if kind == "cached" else f"in which city, as of {number} {asked}"
        writer.write(request("/api/v1/query/sync", f"how many customers are there {said}?"))
        began = time.monotonic()
        code = await answered(reader)
        tally.codes[code] += 1
        if code == 200:
            tally.seconds.append(time.monotonic() - began)
        else:
            await asyncio.sleep(0.1)  # it was told to come again
        asked += 1
    writer.close()


async def load(port: int, kind: str, clients: int, seconds: float) -> tuple[Tally, float]:
    await ready(port)
    warm = Tally()
    await one_client(port, -1, kind, time.monotonic() + 0.5, warm)
    tally, began = Tally(), time.monotonic()
    until = began + seconds
    await asyncio.gather(*(one_client(port, n, kind, until, tally) for n in range(clients)))
    return tally, time.monotonic() - began


async def ready(port: int) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request("/api/v1/query/sync", "how many customers are there in all?"))
            async with asyncio.timeout(30):
                assert await answered(reader) == 200
            writer.close()
            break
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.1)


async def one_stream(port: int, number: int, firsts: list[float]) -> str:
    """Its last event; `firsts` gets the seconds until the first one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began, last = time.monotonic(), ""
    writer.write(request("/api/v1/query", f"how many customers are there in which city, stream {number}?"))
    status = await reader.readuntil(b"\r\n")
    while line := await reader.readline():
        if line.startswith(b"event: "):
            if not last:
                firsts.append(time.monotonic() - began)
            last = line[7:].decode().strip()
            if last in ("finished", "problem"):
                break
    writer.close()
    return last or status.decode().split(" ")[1]


def resident(pid: int) -> float:
    """Megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1_000
    return 0.0


def main() -> None:
    told = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    told.add_argument("--seconds", type=float, default=10.0)
    told.add_argument("--clients", type=int, nargs="+", default=[1, 50, 500])
    told.add_argument("--streams", type=int, default=1_000)
    told.add_argument("--only", choices=SERVERS, nargs="+", default=SERVERS)
    given = told.parse_args()
    print("| clients | server | requests a second | of bare | p50 ms | p99 ms | codes | MB |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for clients in given.clients:
            most = 0.0
            for kind in given.only:
                place = Path(folder) / f"{kind}-{clients}"
                place.mkdir()
                with running(kind, place) as (port, pid):
                    tally, seconds = asyncio.run(load(port, kind, clients, given.seconds))
                    megabytes = resident(pid)
                rate = tally.codes[200] / seconds
                most = rate if kind == "bare" else most
                share = f"{rate / most:.2f}" if most else "-"
                p50, p99 = tally.spread()
                codes = ", ".join(f"{code}: {count}" for code, count in sorted(tally.codes.items()))
                told_ = f"{rate:.1f} | {share} | {p50 * 1e3:.1f} | {p99 * 1e3:.1f}"
                print(f"| {clients} | {kind} | {told_} | {codes} | {megabytes:.0f} |", flush=True)
        if given.streams:
            place = Path(folder) / "streams"
            place.mkdir()
            with running("question", place) as (port, pid):
                asyncio.run(streams(port, pid, given.streams))


async def streams(port: int, pid: int, count: int) -> None:
    await ready(port)
    firsts: list[float] = []
    began = time.monotonic()
    ends = Counter(await asyncio.gather(*(one_stream(port, n, firsts) for n in range(count))))
    p95 = sorted(firsts)[int(len(firsts) * 0.95) - 1] if firsts else 0.0
    print(f"\n{count} streams at once: {dict(ends)} in {time.monotonic() - began:.1f} s; ", end="")
    print(f"first event p95 {p95:.2f} s; {resident(pid):.0f} MB")


if __name__ == "__main__":
    main()
