"""Compare the throughput of the server with a bare handler that runs the same SQL on the same kind of pool.

    python benchmarks/serve.py                 # ten seconds each, 1,000 streams: about six minutes
    python benchmarks/serve.py --database demo --seconds 2 --clients 1 50 --streams 0
    python benchmarks/serve.py --only question --clients --minutes 10      # memory under 500 clients

The model is scripted and answers at once, the database is a SQLite file, client and server are two processes
on the loopback address. Two databases:

- tiny      a thousand rows and a trivial query, which shows the overhead
- demo      the shop of `text2sql demo`: revenue by month over 32,000 orders with their items, as users ask it

Four servers run the same SQL under the same limits, on the same kind of pool with the same number of threads.
SQLite releases the GIL while it works, so all of them use every core:

- bare      FastAPI, one handler: the query, the rows as JSON
- graph     the same after a LangGraph of six empty nodes with one checkpoint: the cost of LangGraph itself
- question  `POST /api/v1/query/sync` with a new question each time: classified, linked, generated, checked,
            explained, run, stored in its thread, counted
- cached    the same question each time: from the result cache, in a new thread

`processor ms` is the CPU time of the server's process per request. On a busy machine its ratio to the bare
handler says more than requests per second.

Exits with 1 if a response was not 200, 429 or 503, if one of the latter had no `Retry-After`, or if resources
were leaked.
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

ALIASES = r"\b(people|revenue)"  # of the numbers in the queries
SERVERS = ("bare", "graph", "question", "cached")
NODES = 6
ASK, STREAM = "/api/v1/query/sync", "/api/v1/query"
MAX_LAG = 0.2  # seconds that the event loop may be blocked
LEAK_SECONDS = 40.0  # after that nothing may be left; a stream without a reader ends after 20


@dataclass(frozen=True, slots=True)
class Workload:
    """A database, a question about it, and its query as the guard writes it."""

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


WORKLOADS = {
    "tiny": Workload(
        make_tiny,
        "how many customers are there in which city",
        "SELECT city, COUNT(*) AS people FROM customers GROUP BY city ORDER BY people DESC",
        (1, 50, 500),
    ),
    "demo": Workload(
        build_demo,
        "what was the revenue of completed orders by month",
        "SELECT STRFTIME('%Y-%m', o.ordered_on) AS month, SUM(i.quantity * i.unit_price * (1 - i.discount))"
        " AS revenue FROM order_items AS i JOIN orders AS o ON i.order_id = o.id WHERE o.status = 'completed'"
        " GROUP BY month ORDER BY month",
        (1, 50),  # 500 clients would exceed the wait limit of the pool
    ),
}


# -- the servers, each in a process of its own ----------------------------------------------------


class Instant(ScriptedBackend):
    """Answers at once and forgets its requests, because they would look like a leak."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        async for piece in super().stream(request):
            yield piece
        self.requests.clear()
        self.warmed.clear()


def bare(path: str, sql: str, settings: Settings, nodes: int = 0) -> FastAPI:
    """One handler that runs the query, after a graph of `nodes` empty nodes."""
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
    async def run(body: dict[str, Any]) -> Response:
        if nodes:
            state = {"messages": [{"role": "user", "content": body["question"]}]}
            config = {"configurable": {"thread_id": os.urandom(16).hex()}}
            async for _ in graph.astream(state, config, stream_mode=["custom", "updates"], durability="exit"):
                pass
        result = await database.run(query, settings.limits)
        return Response(json.dumps({"rows": result.rows}), media_type="application/json")

    return app


@asynccontextmanager
async def saved_graph(nodes: int, memory: str) -> AsyncIterator[Any]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver  # noqa: PLC0415 -- takes two seconds
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


def serve(kind: str, workload: str, path: str, memory: str, listener: socket.socket) -> None:
    logging.disable(logging.WARNING)
    settings = Settings(memory=memory, requests_per_minute=0)
    sql, plain = WORKLOADS[workload].sql, kind in ("bare", "graph")
    if plain:
        app = bare(path, sql, settings, NODES if kind == "graph" else 0)
    else:
        # different texts each time, because the guard caches its verdicts
        replies = (re.sub(ALIASES, rf"\g<0>{number}", sql) for number in count())
        profile = ModelProfile(context=16_384, location="local", size="small")
        model = AsyncChatModel([Instant(replies, profile=profile)], settings)
        app = build({"shop": path}, settings, model=model)
    add_probe(app)
    config = uvicorn.Config(app, log_config=None, access_log=False)
    server = uvicorn.Server(config) if plain else GracefulServer(config, app, lambda: None)
    server.run([listener])


def add_probe(app: FastAPI) -> None:
    """Add `GET /probe`: resources of the process, and the longest block of its loop since the last probe."""
    lag, tasks = 0.0, list[asyncio.Task[None]]()

    async def measure_lag() -> None:
        nonlocal lag
        while True:
            began, cpu = time.monotonic(), time.thread_time()
            await asyncio.sleep(0.01)
            # at most its own CPU time, so that other processes do not count
            lag = max(lag, min(time.monotonic() - began - 0.01, time.thread_time() - cpu))

    @app.get("/probe")
    async def probe() -> dict[str, float]:
        nonlocal lag
        if not tasks:
            tasks.append(asyncio.create_task(measure_lag()))
        longest, lag = lag, 0.0
        files = sum(1 for _ in Path("/proc/self/fd").iterdir())
        resources = {
            "lag": longest,
            "processor": time.process_time(),
            "tasks": len(asyncio.all_tasks()),
            "files": files,
        }
        resources |= {"threads": threading.active_count(), "megabytes": resident()}
        pipeline = getattr(app.state, "pipeline", None)
        if pipeline is not None:
            database = pipeline.sources.named(None).app.app_resources.database
            resources |= {"connections": database.busy if database else 0}
            resources |= {"work": pipeline.admission.running + pipeline.admission.waiting}
            resources |= {"streams": pipeline.streams.running}
        return resources


def resident() -> float:
    """Resident memory of this process in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1_000
    return 0.0


@contextmanager
def running(kind: str, workload: str, folder: Path) -> Iterator[int]:
    """Run a server; yields its port."""
    folder.mkdir()
    path = folder.parent / f"{workload}.db"  # read only
    if not path.exists():
        WORKLOADS[workload].make(path)
    with socket.create_server(("127.0.0.1", 0), backlog=2_048) as listener:
        spawn = multiprocessing.get_context("spawn")
        process = spawn.Process(
            target=serve, args=(kind, workload, str(path), str(folder / "memory.db"), listener)
        )
        process.start()
        try:
            yield listener.getsockname()[1]
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

    def add(self, code: int, head: bytes, seconds: float) -> None:
        self.codes[code] += 1
        if code == 200:
            self.seconds.append(seconds)
        elif code not in (429, 503):
            self.faults.append(f"answered {code}")
        elif b"retry-after:" not in head:
            self.faults.append(f"{code} without Retry-After")

    def percentiles(self) -> tuple[float, float]:
        if len(self.seconds) < 2:
            return (self.seconds or [0.0])[0], (self.seconds or [0.0])[0]
        cut = quantiles(self.seconds, n=100, method="inclusive")
        return cut[49], cut[98]

    def code_counts(self) -> str:
        return ", ".join(f"{code}: {count}" for code, count in sorted(self.codes.items()))


def request(path: str, question: str) -> bytes:
    body = json.dumps({"question": question}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def read_response(reader: asyncio.StreamReader) -> tuple[int, bytes, bytes]:
    """Code, headers, body; 0 for a connection that broke."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), head, await reader.readexactly(length)
    except (OSError, asyncio.IncompleteReadError):
        return 0, b"", b""


async def probe(port: int) -> dict[str, float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /probe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    _, _, body = await read_response(reader)
    writer.close()
    return dict(json.loads(body))


async def one_client(
    port: int, number: int, kind: str, workload: Workload, until: float, tally: Tally
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    count = 0
    while time.monotonic() < until:
        ending = "?" if kind == "cached" else f", as of {number} {count}?"
        writer.write(request(ASK, workload.question + ending))
        began = time.monotonic()
        code, head, body = await read_response(reader)
        tally.add(code, head, time.monotonic() - began)
        if code == 200 and kind in ("question", "cached") and not is_answer(body, workload):
            tally.faults.append(f"not answered: {body[:300]!r}")
        if code == 0:
            break
        if code != 200:
            await asyncio.sleep(0.1)  # back off
        count += 1
    writer.close()


def is_answer(body: bytes, workload: Workload) -> bool:
    """Whether the answer has the query of the bare handler, apart from an alias."""
    answer = json.loads(body)
    return answer["status"] == "answered" and re.sub(f"{ALIASES}\\d+", r"\1", answer["sql"]).startswith(
        workload.sql
    )


async def load(
    port: int, kind: str, workload: Workload, clients: int, seconds: float
) -> tuple[Tally, float, dict[str, float]]:
    """The responses, the duration, and the resources of the server."""
    await ready(port, workload)
    await one_client(port, -1, kind, workload, time.monotonic() + 0.5, Tally())
    before = await probe(port)
    tally, began = Tally(), time.monotonic()
    until = began + seconds
    await asyncio.gather(*(one_client(port, n, kind, workload, until, tally) for n in range(clients)))
    taken, after = time.monotonic() - began, await probe(port)
    return tally, taken, {**after, "processor": after["processor"] - before["processor"]}


async def ready(port: int, workload: Workload) -> None:
    until = time.monotonic() + 120
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request(ASK, f"{workload.question} in all?"))
            async with asyncio.timeout(30):
                code, _, _ = await read_response(reader)
            writer.close()
            if code == 200:
                return
        except (OSError, TimeoutError):
            pass
        if time.monotonic() > until:
            raise RuntimeError("the server does not answer")
        await asyncio.sleep(0.1)


# -- streams, and clients that do not read them ----------------------------------------------------------


async def open_stream(port: int, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request(STREAM, f"{WORKLOADS['tiny'].question}, {name}?"))
    return reader, writer


async def one_stream(port: int, number: int, firsts: list[float]) -> str:
    """The last event, or the status code; appends the seconds until the first event to `firsts`."""
    began, last = time.monotonic(), ""
    reader, writer = await open_stream(port, f"stream {number}")
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


async def reset_connection(port: int, number: int) -> None:
    """Reset the connection in the middle of an answer."""
    reader, writer = await open_stream(port, f"vanished {number}")
    await reader.readuntil(b"event: ")
    connection: socket.socket = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # RST instead of FIN
    writer.transport.abort()


async def slow_reader(port: int, number: int) -> None:
    """Read a few bytes now and then, and give up."""
    reader, writer = await open_stream(port, f"slow {number}")
    for _ in range(20):
        await reader.read(64)
        await asyncio.sleep(0.1)
    writer.close()


async def streams(port: int, count: int) -> list[str]:
    """Open `count` streams at once, then clients that do not read to the end; returns what went wrong."""
    await ready(port, WORKLOADS["tiny"])
    await asyncio.sleep(1.0)
    before = await probe(port)
    firsts: list[float] = []
    began = time.monotonic()
    reading = asyncio.gather(*(one_stream(port, n, firsts) for n in range(count)))
    most = 0.0
    while not reading.done():
        most = max(most, (await probe(port))["streams"])
        await asyncio.wait({reading}, timeout=0.2)
    ends = Counter(reading.result())
    p95 = sorted(firsts)[int(len(firsts) * 0.95) - 1] if firsts else 0.0
    print(f"\n{count} streams: {dict(ends)} in {time.monotonic() - began:.1f} s; ", end="")
    print(f"{most:.0f} at once at most; first event p95 {p95:.2f} s")
    some = max(1, count // 5)
    await asyncio.gather(
        *(reset_connection(port, n) for n in range(some)), *(slow_reader(port, n) for n in range(some))
    )
    left = await leaked(port, before)
    print(f"after {some} resets and {some} slow readers, left: {left or 'nothing'}")
    faults = [f"a stream ended with {end}" for end in ends if end not in ("finished", "503", "429")]
    return faults + ([f"leaked: {left}"] if left else [])


async def leaked(port: int, before: dict[str, float]) -> dict[str, float]:
    """The resources beyond those before, after some time to release them."""
    until = time.monotonic() + LEAK_SECONDS
    while True:
        now = await probe(port)
        kinds = ("tasks", "files", "connections", "work", "streams")
        # a pool keeps up to 20 connections open, each with a file or two
        allowed = {"files": 60}
        left = {
            kind: now[kind] - before[kind]
            for kind in kinds
            if now[kind] > before[kind] + allowed.get(kind, 0)
        }
        if not left or time.monotonic() > until:
            return left
        await asyncio.sleep(1.0)


async def soak(port: int, clients: int, minutes: float) -> list[str]:
    """Measure memory under constant load."""
    workload = WORKLOADS["tiny"]
    await ready(port, workload)
    tally, until = Tally(), time.monotonic() + minutes * 60
    load = asyncio.gather(*(one_client(port, n, "question", workload, until, tally) for n in range(clients)))
    probes: list[dict[str, float]] = []
    while not load.done():
        await asyncio.wait({load}, timeout=min(10.0, minutes * 6))
        probes.append(await probe(port))
    megabytes = [values["megabytes"] for values in probes]
    lag = max(values["lag"] for values in probes[1:] or probes)
    print(f"\n{clients} clients for {minutes:g} minutes: {tally.code_counts()}; ", end="")
    half = len(megabytes) // 2
    print(
        f"{megabytes[0]:.0f} MB at first, {max(megabytes[: half or 1]):.0f} at most in the first half, ",
        end="",
    )
    print(f"{max(megabytes[half:]):.0f} in the second, {megabytes[-1]:.0f} at the end; ", end="")
    print(f"loop blocked for {lag * 1e3:.0f} ms at most")
    return sorted(set(tally.faults))


# -- the report -----------------------------------------------------------------------------------


def table(arguments: argparse.Namespace, folder: Path) -> list[str]:
    columns = ["database", "clients", "server", "requests per second", "of bare", "processor ms", "of bare"]
    columns += ["p50 ms", "p99 ms", "codes", "MB", "loop blocked ms"]
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    faults: list[str] = []
    for name in arguments.database:
        for clients in WORKLOADS[name].clients if arguments.clients is None else arguments.clients:
            faults += rows(name, clients, arguments, folder)
    return faults


def rows(name: str, clients: int, arguments: argparse.Namespace, folder: Path) -> list[str]:
    faults: list[str] = []
    most = least = 0.0
    for kind in arguments.only:
        with running(kind, name, folder / f"{name}-{kind}-{clients}") as port:
            tally, seconds, resources = asyncio.run(
                load(port, kind, WORKLOADS[name], clients, arguments.seconds)
            )
        rate = tally.codes[200] / seconds
        cpu = resources["processor"] / max(1, tally.codes.total()) * 1e3
        most, least = (rate, cpu) if kind == "bare" else (most, least)
        p50, p99 = tally.percentiles()
        cells = [
            name,
            str(clients),
            kind,
            f"{rate:.1f}",
            f"{rate / most:.2f}" if most else "-",
            f"{cpu:.2f}",
            f"{least / cpu:.2f}" if least else "-",
            f"{p50 * 1e3:.1f}",
            f"{p99 * 1e3:.1f}",
            tally.code_counts(),
            f"{resources['megabytes']:.0f}",
            f"{resources['lag'] * 1e3:.0f}" + (" (!)" if resources["lag"] > MAX_LAG else ""),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)
        faults += [f"{name}, {kind}, {clients} clients: {fault}" for fault in sorted(set(tally.faults))]
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--database", choices=WORKLOADS, nargs="+", default=list(WORKLOADS))
    parser.add_argument("--clients", type=int, nargs="*", help="1, 50 and, on the tiny database, 500")
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument(
        "--minutes", type=float, default=0.0, help="of constant load by 500 clients, to measure memory"
    )
    parser.add_argument("--only", choices=SERVERS, nargs="+", default=SERVERS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        faults = table(arguments, folder) if arguments.clients != [] else []
        if arguments.streams:
            with running("question", "tiny", folder / "streams") as port:
                faults += asyncio.run(streams(port, arguments.streams))
        if arguments.minutes:
            with running("question", "tiny", folder / "soak") as port:
                faults += asyncio.run(soak(port, 500, arguments.minutes))
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
