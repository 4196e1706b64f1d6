"""A fleet of servers on one PostgreSQL behind nginx, as in docs/operations.md, with simulated users."""

import asyncio
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any

import httpx

from pythons import ROOT
from servers import Postgres, free_port, nginx, postgres
from text2sql.config import Settings
from text2sql.memory import new_key, open_memory

# The real program with a scripted model: it answers at once, or with a delay if the question says "slowly".
# For the questions of reports it writes a query of half a second with a different result each time.
PROGRAM = """
import asyncio, os, sys
from text2sql.cli import main
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.memory import queue
from text2sql.server import sources
from text2sql.types import ModelProfile

COUNT = "SELECT count(*) AS customers FROM customers"
RANDOM_NUMBER = '''WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 400000)
SELECT (SELECT count(*) FROM c) * 0 + abs(random() % 1000000000) AS n FROM customers LIMIT 1'''

def says(request):
    return RANDOM_NUMBER if "counted" in request.messages[-1].content else COUNT

class Model(ScriptedBackend):
    async def stream(self, request):
        if "slowly" in request.messages[-1].content:
            await asyncio.sleep(1.5)
        async for piece in super().stream(request):
            yield piece

class App(sources.AsyncText2SQL):
    def __init__(self, address, *, settings, model, policy):
        backend = Model([], last=says, profile=ModelProfile(context=128_000, structured_output=True))
        super().__init__(address, settings=settings, model=AsyncChatModel([backend], settings), policy=policy)

sources.AsyncText2SQL = App
if "IMPATIENT" in os.environ:  # a test has less time than a drill
    queue.STALLED, queue._WORD = 5.0, 1.0
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
CUSTOMERS = 3_000
_READY_SECONDS = 90.0


class ServerProcess:
    """A server: a process of its own on a port of its own."""

    def __init__(self, folder: Path, port: int, memory: str, **environment: str) -> None:
        self.port, self._folder = port, folder
        self._environment = {
            **os.environ,
            "TEXT2SQL_MEMORY": memory,
            "TEXT2SQL_AUTH": "keys",
            "TEXT2SQL_USER_REQUESTS_PER_MINUTE": "0",
            "TEXT2SQL_REQUESTS_PER_MINUTE": "0",
            "TEXT2SQL_SHUTDOWN_GRACE": "3",
            **environment,
        }
        self.start()

    def start(self) -> None:
        words = [sys.executable, str(self._folder / "program.py"), "serve"]
        words += ["--db", f"shop={self._folder / 'shop.db'}", "--port", str(self.port)]
        with (self._folder / f"log-{self.port}").open("ab") as log:
            self.process = subprocess.Popen(words, stderr=log, env=self._environment)

    def wait(self) -> None:
        until = time.monotonic() + _READY_SECONDS
        while True:
            with suppress(httpx.HTTPError):
                if httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).status_code == 200:
                    return
            if time.monotonic() > until or self.process.poll() is not None:
                raise RuntimeError(f"a server did not start:\n{self.log()[-3000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(30)

    def log(self) -> str:
        return (self._folder / f"log-{self.port}").read_text(errors="replace")


@dataclass(slots=True)
class Fleet:
    url: str  # the load balancer's
    memory: str
    database: Postgres
    servers: Sequence[ServerProcess]
    folder: Path
    keys: dict[str, str] = field(default_factory=dict)

    def client(self, person: str) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self.keys[person]}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=60)

    async def invite(self, *people: str) -> None:
        async with open_memory(Settings(memory=self.memory)) as memory:
            for person in people:
                self.keys[person], key = new_key(person)
                await memory.keys.add(key)


def site(ports: Sequence[int], port: int) -> str:
    """The configuration of docs/operations.md, with our addresses in it."""
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    block = re.search(r"```nginx\n(.*?)```", page, re.DOTALL)
    assert block is not None
    lines = []
    for line in block[1].splitlines():
        address = re.search(r"10\.0\.0\.1(\d):8000", line)
        if address is None:
            lines.append(line.replace("listen 80;", f"listen 127.0.0.1:{port};"))
        elif int(address[1]) <= len(ports):
            lines.append(line.replace(address[0], f"127.0.0.1:{ports[int(address[1]) - 1]}"))
    return "\n".join(lines)


@contextmanager
def fleet(
    count: int = 3, people: Sequence[str] = ("ann", "bob", "cho"), **environment: str
) -> Iterator[Fleet]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="text2sql-fleet-")))
        database = stack.enter_context(postgres({"max_connections": "200"}))
        (folder / "program.py").write_text(PROGRAM)
        _make_shop(folder / "shop.db")
        servers: list[ServerProcess] = []
        for _ in range(count):
            servers.append(ServerProcess(folder, free_port(), database.url, **environment))
            stack.callback(servers[-1].kill)
        for server in servers:
            server.wait()
        port = free_port()
        door = stack.enter_context(nginx(site([server.port for server in servers], port), port))
        running = Fleet(door.url, database.url, database, servers, folder)
        asyncio.run(running.invite(*people))
        yield running


def _make_shop(path: Path) -> None:
    shop = sqlite3.connect(path)
    shop.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    rows = ((number, f"customer {number}") for number in range(CUSTOMERS))
    shop.executemany("INSERT INTO customers VALUES (?, ?)", rows)
    shop.commit()
    shop.close()


# -- simulated users ------------------------------------------------------------------------------


@dataclass(slots=True)
class Load:
    """The results of simulated users."""

    finished: list[tuple[str, str, str]] = field(default_factory=list)  # (person, thread, result id)
    cut: list[tuple[str, str, str]] = field(default_factory=list)  # (person, thread, question)
    codes: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    over: bool = False

    @property
    def rate(self) -> float:
        return len(self.finished) / self.seconds


async def ask_until_over(
    cluster: Fleet, load: Load, clients: int = 6, *, slow: bool = True, pause: float = 0.2
) -> None:
    """Ask until `load.over`: each client one question after the other, each in a new thread."""
    began, people, day = time.monotonic(), list(cluster.keys), token_hex(4)

    async def client_loop(number: int) -> None:
        person, at = people[number % len(people)], 0
        async with cluster.client(person) as client:
            while not load.over:
                await asyncio.sleep(pause)
                at += 1
                how = "slowly" if slow and at % 5 == 0 else "now"
                question = f"How many customers are there, asked {how}, {number}.{at}?"
                await _ask(client, person, f"{day}-{number}-{at}", question, load)

    await asyncio.gather(*(client_loop(number) for number in range(clients)))
    load.seconds = time.monotonic() - began


async def _ask(client: httpx.AsyncClient, person: str, thread: str, question: str, load: Load) -> None:
    try:
        response = await client.post("/api/v1/query/sync", json={"question": question, "thread_id": thread})
        body = response.json() if response.status_code == 200 else {}
        load.codes[f"{response.status_code}"] += 1
    except httpx.HTTPError as error:
        body = {}
        load.codes[type(error).__name__] += 1
    if body.get("status") == "answered":
        assert body["rows"] == [[CUSTOMERS]], body
        load.finished.append((person, thread, body["result_id"]))
    else:
        load.cut.append((person, thread, question))
        await asyncio.sleep(0.2)


async def lost(cluster: Fleet, load: Load) -> list[str]:
    """The finished answers that are missing from their thread or their stored result."""
    missing: list[str] = []

    async def check(person: str) -> None:
        async with cluster.client(person) as client:
            for _, thread, result in [entry for entry in load.finished if entry[0] == person]:
                turns = await _get(client, f"/api/v1/threads/{thread}")
                rows = await _get(client, f"/api/v1/results/{result}")
                if [turn["status"] for turn in turns.get("turns", ())] != ["answered"]:
                    missing.append(f"{thread}: {turns}")
                elif rows.get("rows") != [[CUSTOMERS]]:
                    missing.append(f"{thread}: {rows}")

    await asyncio.gather(*map(check, cluster.keys))
    return missing


async def resumed(cluster: Fleet, load: Load) -> list[str]:
    """The cut-off questions that no other server could answer."""
    failed = []
    for person, thread, question in load.cut:
        async with cluster.client(person) as client:
            until = time.monotonic() + 30
            while True:
                body = await _resume(client, thread, question)
                if body.get("status") == "answered" and body["rows"] == [[CUSTOMERS]]:
                    break
                if time.monotonic() > until:
                    failed.append(f"{thread}: {body}")
                    break
                await asyncio.sleep(0.5)
    return failed


async def _resume(client: httpx.AsyncClient, thread: str, question: str) -> dict[str, Any]:
    """Resume the thread; ask again if it never began, or failed while the memory was unavailable."""
    accept = {"Accept": "application/json"}
    response = await client.post(f"/api/v1/threads/{thread}/resume", json={}, headers=accept)
    body = _read(response)
    if response.status_code == 404 or body.get("status") == "failed":
        request = {"question": question, "thread_id": thread}
        body = _read(await client.post("/api/v1/query/sync", json=request))
    return body


async def _get(client: httpx.AsyncClient, path: str) -> dict[str, Any]:
    return _read(await client.get(path))


def _read(response: httpx.Response) -> dict[str, Any]:
    body: dict[str, Any] = response.json() if "json" in response.headers["content-type"] else {}
    return body
