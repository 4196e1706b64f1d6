"""What the server adds: questions a second beside a bare handler that runs the same SQL on the same pool.

    python benchmarks/serve.py                 # ten seconds each, 1,000 streams: about six minutes
    python benchmarks/serve.py --database demo --seconds 2 --clients 1 50 --streams 0
    python benchmarks/serve.py --only question --clients --minutes 10      # memory under 500 clients

The model is scripted and answers at once, the database is a SQLite file, client and server are two processes
on the loopback address. Two databases:

- tiny      a thousand rows, and a query that takes almost nothing: what is left is what we add
- demo      the shop of `text2sql demo`, and its revenue by month over 32,000 orders with their items: what a
            person feels who asks such a question

Four servers are measured, all of which run the very same SQL under the same limits, on the same kind of pool
with the same number of threads; SQLite lets go of the interpreter's lock while it works, so that both use
every core:

- bare      FastAPI, one handler: the same query on the same kind of pool, the rows as JSON
- graph     the same, and before it a LangGraph of six nodes that do nothing, saved once at its end: what
            anything costs that goes through LangGraph
- question  `POST /api/v1/query/sync`, every question a new one: classified, linked, written, checked,
            explained, run, kept in its thread, counted
- cached    the same question again: from the result cache, in a thread of its own

`processor ms` is what the server's process spent on a request. On a machine that others use, too, its ratio
to the bare handler's says more than requests a second do.

Ends with 1 if anything but 200, 429 and 503 was answered, one of the latter without `Retry-After`, or if
something was left behind.
"""

import argparse
import asyncio
import gc
import json
import logging
import multiprocessing
import os
import re
import socket
import sqlite3
import struct
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response

from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database
from text2sql.database.demo import build_demo
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server.app_factory import build
from text2sql.server.run import GracefulServer
from text2sql.sql import check
from text2sql.types import CheckedSql, ModelProfile, ModelRequest, Reply

NAMED = r"\b(people|revenue)"  # what a query calls its numbers
SERVERS = ("bare", "graph", "question", "cached")
NODES = 6
ASK, STREAM = "/api/v1/query/sync", "/api/v1/query"
MOST_LAG = 0.2  # seconds that the event loop may be held up
LEFT_SECONDS = 40.0  # until nothing may be left: a stream that nobody reads has a grace of 20


@dataclass(frozen=True, slots=True)
class World:
    """A database, a question about it, and the query that answers it, as the guard writes it."""

    make: Callable[[Path], object]
    question: str
    sql: str
    clients: tuple[int, ...]


def make_tiny(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)")
        rows = ((n, f"customer {n}", ("Oslo", "Paris", "上海", "Rome")[n % 4]) for n in range(1_000))
        database.executemany("INSERT INTO customers VALUES (?, ?, ?)", rows)
    database.close()


WORLDS = {
    "tiny": World(
        make_tiny,
        "how many customers are there in which city",
        "SELECT city, COUNT(*) AS people FROM customers GROUP BY city ORDER BY people DESC",
        (1, 50, 500),
    ),
    "demo": World(
        build_demo,
        "what was the revenue of completed orders by month",
        "SELECT STRFTIME('%Y-%m', o.ordered_on) AS month, SUM(i.quantity * i.unit_price * (1 - i.discount))"
        " AS revenue FROM order_items AS i JOIN orders AS o ON i.order_id = o.id WHERE o.status = 'completed'"
        " GROUP BY month ORDER BY month",
        (1, 50),  # of 500 each would wait for longer than a pool lets anybody wait
    ),
}


# -- the servers, each in a process of its own ----------------------------------------------------


class Instant(ScriptedBackend):
    """Answers at once and keeps no record of what it was asked: that would look like a leak."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        async for piece in super().stream(request):
            yield piece
        self.requests.clear()
        self.warmed.clear()


def bare(path: str, sql: str, settings: Settings, nodes: int = 0) -> FastAPI:
    """One handler that runs the query; with nodes, a graph of so many goes before it."""
    database = AsyncDatabase(open_database(path, settings))
    query = check(sql, "sqlite")
    assert isinstance(query, CheckedSql)
    graph: Any = None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        nonlocal graph
        async with saved_graph(nodes, settings.memory) as graph:
            gc.collect()
            gc.freeze()  # as our own server does
            yield
        await database.close()

    app = FastAPI(lifespan=lifespan)

    @app.post(ASK)
    async def run(asked: dict[str, Any]) -> Response:
        if nodes:
            said = {"messages": [{"role": "user", "content": asked["question"]}]}
            config = {"configurable": {"thread_id": os.urandom(16).hex()}}
            async for _ in graph.astream(said, config, stream_mode=["custom", "updates"], durability="exit"):
                pass
        found = await database.run(query, settings.limits)
        return Response(json.dumps({"rows": found.rows}), media_type="application/json")

    return app


@asynccontextmanager
async def saved_graph(nodes: int, memory: str) -> AsyncIterator[Any]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # noqa: PLC0415  two seconds
    from langgraph.graph import START, MessagesState, StateGraph  # noqa: PLC0415

    async def node(state: MessagesState) -> dict[str, object]:  # noqa: ARG001
        return {}

    graph = StateGraph(MessagesState)
    names = [f"n{number}" for number in range(max(1, nodes))]
    for name, before in zip(names, [START, *names], strict=False):
        graph.add_node(name, node)
        graph.add_edge(before, name)
    async with AsyncSqliteSaver.from_conn_string(memory) as saver:
        await saver.setup()
        await saver.conn.execute("PRAGMA synchronous = NORMAL")
        yield graph.compile(checkpointer=saver)


def serve(kind: str, world: str, path: str, memory: str, door: socket.socket) -> None:
    logging.disable(logging.WARNING)
    settings = Settings(memory=memory, requests_per_minute=0)
    sql, plain = WORLDS[world].sql, kind in ("bare", "graph")
    if plain:
        app = bare(path, sql, settings, NODES if kind == "graph" else 0)
    else:
        # never the same text twice: the guard would remember what it said of it
        written = (re.sub(NAMED, rf"\g<0>{number}", sql) for number in count())
        can = ModelProfile(context=16_384, location="local", size="small")
        model = AsyncChatModel([Instant(written, profile=can)], settings)
        app = build({"shop": path}, settings, model=model)
    watch(app)
    config = uvicorn.Config(app, log_config=None, access_log=False)
    server = uvicorn.Server(config) if plain else GracefulServer(config, app, lambda: None)
    server.run([door])


def watch(app: FastAPI) -> None:
    """`GET /probe`: what the process holds, and how long its loop was held up since the last look."""
    lag, watching = 0.0, list[asyncio.Task[None]]()

    async def look() -> None:
        nonlocal lag
        while True:
            began, spent = time.monotonic(), time.thread_time()
            await asyncio.sleep(0.01)
            # by its own work: a machine that is busy with others is none of its doing
            lag = max(lag, min(time.monotonic() - began - 0.01, time.thread_time() - spent))

    @app.get("/probe")
    async def probe() -> dict[str, float]:
        nonlocal lag
        if not watching:
            watching.append(asyncio.create_task(look()))
        seen, lag = lag, 0.0
        files = sum(1 for _ in Path("/proc/self/fd").iterdir())
        held = {
            "lag": seen,
            "processor": time.process_time(),
            "tasks": len(asyncio.all_tasks()),
            "files": files,
        }
        held |= {"threads": threading.active_count(), "megabytes": resident()}
        pipeline = getattr(app.state, "reception", None)
        if pipeline is not None:
            database = pipeline.sources.named(None).app.app_resources.database
            held |= {"connections": database.busy if database else 0}
            held |= {"work": pipeline.admission.running + pipeline.admission.waiting}
            held |= {"streams": pipeline.streams.running}
        return held


def resident() -> float:
    """Megabytes of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1_000
    return 0.0


@contextmanager
def running(kind: str, world: str, folder: Path) -> Iterator[int]:
    """A server's port."""
    folder.mkdir()
    path = folder.parent / f"{world}.db"  # which nobody changes
    if not path.exists():
        WORLDS[world].make(path)
    with socket.create_server(("127.0.0.1", 0), backlog=2_048) as door:
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(target=serve, args=(kind, world, str(path), str(folder / "memory.db"), door))
        process.start()
        try:
            yield door.getsockname()[1]
        finally:
            process.terminate()
            process.join(20)
            process.kill()


# -- the client -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Tally:
    seconds: list[float] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def take(self, code: int, head: bytes, seconds: float) -> None:
        self.codes[code] += 1
        if code == 200:
            self.seconds.append(seconds)
        elif code not in (429, 503):
            self.faults.append(f"answered {code}")
        elif b"retry-after:" not in head:
            self.faults.append(f"{code} without Retry-After")

    def spread(self) -> tuple[float, float]:
        if len(self.seconds) < 2:
            return (self.seconds or [0.0])[0], (self.seconds or [0.0])[0]
        cut = quantiles(self.seconds, n=100, method="inclusive")
        return cut[49], cut[98]

    def told(self) -> str:
        return ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items()))


def request(path: str, question: str) -> bytes:
    body = json.dumps({"question": question}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def answered(reader: asyncio.StreamReader) -> tuple[int, bytes, bytes]:
    """Code, headers, body; 0 for a connection that broke."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), head, await reader.readexactly(length)
    except (OSError, asyncio.IncompleteReadError):
        return 0, b"", b""


async def probed(port: int) -> dict[str, float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /probe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    _, _, body = await answered(reader)
    writer.close()
    return dict(json.loads(body))


async def one_client(port: int, number: int, kind: str, world: World, until: float, tally: Tally) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    asked = 0
    while time.monotonic() < until:
        said = "?" if kind == "cached" else f", as of {number} {asked}?"
        writer.write(request(ASK, world.question + said))
        began = time.monotonic()
        code, head, body = await answered(reader)
        tally.take(code, head, time.monotonic() - began)
        if code == 200 and kind in ("question", "cached") and not is_answer(body, world):
            tally.faults.append(f"not answered: {body[:300]!r}")
        if code == 0:
            break
        if code != 200:
            await asyncio.sleep(0.1)  # it was told to come again
        asked += 1
    writer.close()


def is_answer(body: bytes, world: World) -> bool:
    """By the query that the bare handler runs, too, but for a name: no repair has made another of it."""
    answer = json.loads(body)
    return answer["status"] == "answered" and re.sub(f"{NAMED}\\d+", r"\1", answer["sql"]).startswith(
        world.sql
    )


async def load(
    port: int, kind: str, world: World, clients: int, seconds: float
) -> tuple[Tally, float, dict[str, float]]:
    """What was answered, in how many seconds, and what the server held and spent."""
    await ready(port, world)
    await one_client(port, -1, kind, world, time.monotonic() + 0.5, Tally())
    before = await probed(port)
    tally, began = Tally(), time.monotonic()
    until = began + seconds
    await asyncio.gather(*(one_client(port, n, kind, world, until, tally) for n in range(clients)))
    taken, after = time.monotonic() - began, await probed(port)
    return tally, taken, {**after, "processor": after["processor"] - before["processor"]}


async def ready(port: int, world: World) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request(ASK, f"{world.question} in all?"))
            async with asyncio.timeout(30):
                code, _, _ = await answered(reader)
            writer.close()
            if code == 200:
                return
        except (OSError, TimeoutError):
            pass
        if time.monotonic() > until:
            raise RuntimeError("the server does not answer")
        await asyncio.sleep(0.1)


# -- streams, and who does not read them ----------------------------------------------------------


async def opened(port: int, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request(STREAM, f"{WORLDS['tiny'].question}, {name}?"))
    return reader, writer


async def one_stream(port: int, number: int, firsts: list[float]) -> str:
    """Its last event, or the code that it was refused with; `firsts` gets the seconds until the first one."""
    began, last = time.monotonic(), ""
    reader, writer = await opened(port, f"stream {number}")
    status = await reader.readuntil(b"\r\n")
    while line := await reader.readline():
        if line.startswith(b"event: "):
            if not last:
                firsts.append(time.monotonic() - began)
            last = line[7:].decode().strip()
            if last == "problem":
                last = str(json.loads((await reader.readline())[6:])["status"])
            if last == "finished" or last.isdigit():
                break
    writer.close()
    return last or status.decode().split(" ")[1]


async def vanishing(port: int, number: int) -> None:
    """Goes away without a word, in the middle of an answer."""
    reader, writer = await opened(port, f"vanished {number}")
    await reader.readuntil(b"event: ")
    line: socket.socket = writer.get_extra_info("socket")
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no goodbye
    writer.transport.abort()


async def slow(port: int, number: int) -> None:
    """Reads a few bytes now and then, and gives up."""
    reader, writer = await opened(port, f"slow {number}")
    for _ in range(20):
        await reader.read(64)
        await asyncio.sleep(0.1)
    writer.close()


async def streams(port: int, count: int) -> list[str]:
    """As many at once as are wanted: how they ended, and what those left who did not read to the end."""
    await ready(port, WORLDS["tiny"])
    await asyncio.sleep(1.0)
    before = await probed(port)
    firsts: list[float] = []
    began = time.monotonic()
    reading = asyncio.gather(*(one_stream(port, n, firsts) for n in range(count)))
    most = 0.0
    while not reading.done():
        most = max(most, (await probed(port))["streams"])
        await asyncio.wait({reading}, timeout=0.2)
    ends = Counter(reading.result())
    p95 = sorted(firsts)[int(len(firsts) * 0.95) - 1] if firsts else 0.0
    print(f"\n{count} streams: {dict(ends)} in {time.monotonic() - began:.1f} s; ", end="")
    print(f"{most:.0f} at once at most; first event p95 {p95:.2f} s")
    some = max(1, count // 5)
    await asyncio.gather(*(vanishing(port, n) for n in range(some)), *(slow(port, n) for n in range(some)))
    left = await settled(port, before)
    print(f"{some} vanished and {some} slow readers left behind: {left or 'nothing'}")
    faults = [f"a stream ended with {end}" for end in ends if end not in ("finished", "503", "429")]
    return faults + ([f"left behind: {left}"] if left else [])


async def settled(port: int, before: dict[str, float]) -> dict[str, float]:
    """What is still held that was not before, once everybody has had time to let go."""
    until = time.monotonic() + LEFT_SECONDS
    while True:
        now = await probed(port)
        kinds = ("tasks", "files", "connections", "work", "streams")
        # a pool keeps up to 20 connections, each with a file or two: those are not left, they are kept
        room = {"files": 60}
        left = {
            kind: now[kind] - before[kind] for kind in kinds if now[kind] > before[kind] + room.get(kind, 0)
        }
        if not left or time.monotonic() > until:
            return left
        await asyncio.sleep(1.0)


async def soak(port: int, clients: int, minutes: float) -> list[str]:
    """Memory while they ask and ask."""
    world = WORLDS["tiny"]
    await ready(port, world)
    tally, until = Tally(), time.monotonic() + minutes * 60
    asking = asyncio.gather(*(one_client(port, n, "question", world, until, tally) for n in range(clients)))
    seen: list[dict[str, float]] = []
    while not asking.done():
        await asyncio.wait({asking}, timeout=min(10.0, minutes * 6))
        seen.append(await probed(port))
    held = [one["megabytes"] for one in seen]
    lag = max(one["lag"] for one in seen[1:] or seen)
    print(f"\n{clients} clients for {minutes:g} minutes: {tally.told()}; ", end="")
    half = len(held) // 2
    print(f"{held[0]:.0f} MB at first, {max(held[: half or 1]):.0f} at most in the first half, ", end="")
    print(f"{max(held[half:]):.0f} in the second, {held[-1]:.0f} in the end; loop held up {lag * 1e3:.0f} ms")
    return sorted(set(tally.faults))


# -- all of it ------------------------------------------------------------------------------------


def table(given: argparse.Namespace, folder: Path) -> list[str]:
    columns = ["database", "clients", "server", "requests a second", "of bare", "processor ms", "of bare"]
    columns += ["p50 ms", "p99 ms", "codes", "MB", "loop held up ms"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    faults: list[str] = []
    for name in given.database:
        for clients in WORLDS[name].clients if given.clients is None else given.clients:
            faults += rows(name, clients, given, folder)
    return faults


def rows(name: str, clients: int, given: argparse.Namespace, folder: Path) -> list[str]:
    faults: list[str] = []
    most = least = 0.0
    for kind in given.only:
        with running(kind, name, folder / f"{name}-{kind}-{clients}") as port:
            tally, seconds, held = asyncio.run(load(port, kind, WORLDS[name], clients, given.seconds))
        rate = tally.codes[200] / seconds
        spent = held["processor"] / max(1, tally.codes.total()) * 1e3
        most, least = (rate, spent) if kind == "bare" else (most, least)
        p50, p99 = tally.spread()
        cells = [
            name,
            str(clients),
            kind,
            f"{rate:.1f}",
            f"{rate / most:.2f}" if most else "-",
            f"{spent:.2f}",
            f"{least / spent:.2f}" if least else "-",
            f"{p50 * 1e3:.1f}",
            f"{p99 * 1e3:.1f}",
            tally.told(),
            f"{held['megabytes']:.0f}",
            f"{held['lag'] * 1e3:.0f}" + (" (!)" if held["lag"] > MOST_LAG else ""),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)
        faults += [f"{name}, {kind}, {clients} clients: {one}" for one in sorted(set(tally.faults))]
    return faults


def main() -> None:
    told = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    told.add_argument("--seconds", type=float, default=10.0)
    told.add_argument("--database", choices=WORLDS, nargs="+", default=list(WORLDS))
    told.add_argument("--clients", type=int, nargs="*", help="1, 50 and, on the tiny database, 500")
    told.add_argument("--streams", type=int, default=1_000)
    told.add_argument("--minutes", type=float, default=0.0, help="of 500 clients, for a look at memory")
    told.add_argument("--only", choices=SERVERS, nargs="+", default=SERVERS)
    given = told.parse_args()
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        faults = table(given, folder) if given.clients != [] else []
        if given.streams:
            with running("question", "tiny", folder / "streams") as port:
                faults += asyncio.run(streams(port, given.streams))
        if given.minutes:
            with running("question", "tiny", folder / "soak") as port:
                faults += asyncio.run(soak(port, 500, given.minutes))
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
