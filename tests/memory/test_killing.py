"""A server, CLI questions and `stats` on one memory file, killed at random moments: every answer that was
returned is still there afterwards.
"""

import random
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.asking import make_shop
from memory.cli_processes import Child, Starter
from memory.helpers import within
from text2sql.config import Settings
from text2sql.memory import Memory, scoped

pytestmark = pytest.mark.slow

ROUNDS = 50
SIGNALS = (signal.SIGKILL, signal.SIGTERM)
QUESTION = "How many customers are there?"


class Server:
    """`text2sql serve`, and a client that asks one question after the other."""

    def __init__(self, starter: Starter, shop: Path) -> None:
        self._starter, self._shop = starter, shop
        self.given: dict[str, int] = {}  # thread → answers that arrived
        self._round = 0
        self.start()

    def start(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.child = self._starter.start("serve", "--db", f"shop={self._shop}", "--port", str(port))
        until = time.monotonic() + 30
        while not self._is_ready():
            assert time.monotonic() < until, "the server does not start"
            time.sleep(0.02)

    @contextmanager
    def asking(self) -> Iterator[None]:
        """In a thread of its own until the block ends or the server is gone."""
        self._round += 1
        stop = threading.Event()
        thread = threading.Thread(target=self._ask, args=(stop,))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def turns(self, thread: str) -> int:
        return len(httpx.get(f"{self.url}/api/v1/threads/{thread}").json()["turns"])

    def _ask(self, stop: threading.Event) -> None:
        with httpx.Client(base_url=self.url, timeout=20) as client, suppress(httpx.TransportError):
            for number in count():
                if stop.is_set():
                    return
                thread = f"http {self._round} {number // 3}"  # three questions a thread
                body = {"question": QUESTION, "thread_id": thread}
                response = client.post("/api/v1/query/sync", json=body)
                time.sleep(0.1)  # the others need the processor, too
                if response.status_code == 200 and response.json()["status"] == "answered":
                    self.given[thread] = self.given.get(thread, 0) + 1

    def _is_ready(self) -> bool:
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False


def answers_of(child: Child) -> dict[str, int]:
    return {line["thread_id"]: 1 for line in child.printed() if line.get("status") == "answered"}


def turns_in(path: Path, threads: dict[str, int]) -> dict[str, int]:
    """As a process that has just been started finds them."""

    async def read(memory: Memory) -> dict[str, int]:
        counted = {}
        for thread in threads:
            config: Any = {"configurable": {"thread_id": scoped("", thread)}}
            checkpoint = await memory.checkpointer.aget_tuple(config)
            turns = checkpoint.checkpoint["channel_values"].get("turns", []) if checkpoint else []
            counted[thread] = len(turns) if await memory.thread("", thread) else 0
        assert (await memory.stats()).questions >= sum(threads.values())
        return counted

    return within(Settings(memory=str(path)), read)


def is_whole(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))


def assert_nothing_lost(answered: dict[str, int], seen: dict[str, int]) -> None:
    lost = {thread: (count, seen[thread]) for thread, count in answered.items() if seen[thread] < count}
    assert not lost, f"given and still there: {lost}"


@pytest.mark.fault("P03", "P04", "G9")
def test_no_answer_is_lost_when_processes_are_killed_at_random_moments(tmp_path: Path) -> None:
    chance = random.Random(22)  # the same moments every time
    shop, memory = make_shop(tmp_path / "shop.db"), tmp_path / "memory.db"
    answered: dict[str, int] = {}
    with Starter(tmp_path) as starter:
        server = Server(starter, shop)
        for round_ in range(ROUNDS):
            with server.asking():
                words = ("ask", QUESTION, "--db", str(shop), "--json", "--thread", f"cli {round_} {{at}}")
                asking = starter.start(*words, repeat=2)
                counting = starter.start("stats", "--json")
                time.sleep(chance.uniform(0.05, 0.6))
                victim = chance.choice((asking, asking, server.child, counting))
                victim.send(chance.choice(SIGNALS))
                ended = {child.pid: child.wait() for child in (asking, counting)}
            assert all(status == 0 for pid, status in ended.items() if pid != victim.pid), ended
            answered |= answers_of(asking)
            if victim is server.child:
                server.child.wait()
                answered |= server.given
                assert is_whole(memory)
                assert_nothing_lost(answered, turns_in(memory, answered))
                server.start()
        answered |= server.given
        newest = dict(list(answered.items())[-20:])
        assert_nothing_lost(newest, {thread: server.turns(thread) for thread in newest})
        server.child.send(signal.SIGKILL)
        server.child.wait()
    assert is_whole(memory)
    assert_nothing_lost(answered, turns_in(memory, answered))
    assert sum(answered.values()) > ROUNDS
