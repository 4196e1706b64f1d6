"""Faults of processes (P01, P03, P05, P09, P12, A15) on the real program under load: killed, asked to stop,
short of memory or files; and what it stored, inspected afterwards.
"""

import asyncio
import os
import signal
import socket
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.asking import app, make_shop, scripted
from faults.server_program import COUNT, HANG, SLOWLY, WAIT, running
from server.serving import NUMBERS, events_of
from server.test_serve import Program
from server.test_workers import pids_of
from text2sql.errors import UsageError

pytestmark = pytest.mark.slow
JSON = {"Accept": "application/json"}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "numbers.db", NUMBERS)


def answer_to(program: Program, question: str, thread: str) -> httpx.Response:
    with httpx.Client(base_url=program.address, timeout=60) as client:
        return client.post("/api/v1/query/sync", json={"question": question, "thread_id": thread})


class Crowd:
    """Clients that ask continuously, each question in its own thread, and record the answers."""

    def __init__(self, program: Program, clients: int = 4) -> None:
        self.answered: list[str] = []
        self.begun: list[str] = []
        self.codes: Counter[int] = Counter()  # 0 is a connection that was lost
        self._program = program
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(n,)) for n in range(clients)]
        for thread in self._threads:
            thread.start()

    def _ask(self, number: int) -> None:
        count = 0
        while not self._over.is_set():
            count += 1
            thread = f"t{number}-{count}"
            self.begun.append(thread)
            try:
                response = answer_to(self._program, WAIT, thread)
            except httpx.HTTPError:
                self.codes[0] += 1
                self._over.wait(0.2)
                continue
            self.codes[response.status_code] += 1
            if response.status_code == 200 and response.json()["rows"] == [[3_000]]:
                self.answered.append(thread)

    def until(self, answers: int) -> None:
        end = time.monotonic() + 90
        expected = len(self.answered) + answers
        while len(self.answered) < expected:
            assert time.monotonic() < end, self.codes
            time.sleep(0.05)

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(60)


def stored_state(shop: Path, memory: Path, threads: list[str]) -> dict[str, Any]:
    """What became of each thread, told by a process that never had it: its rows, or that there is none."""

    async def look() -> dict[str, Any]:
        state: dict[str, Any] = {}
        quick = {"memory": str(memory), "preset": "hybrid", "time_limit": 0.5}
        async with app(shop, scripted([], last=COUNT), **quick) as db:
            for thread in threads:
                try:
                    state[thread] = (await db.threads.resume(thread)).rows
                except UsageError as error:
                    state[thread] = error.message_key
        return state

    return asyncio.run(look())


def sockets_of(pid: int) -> set[str]:
    names = set()
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            target = str(path.readlink())
            if target.startswith("socket:"):
                names.add(target)
    return names


def test_p03_a15_a_killed_server_leaves_a_whole_thread_and_an_open_record(shop: Path, tmp_path: Path) -> None:
    with running(shop, tmp_path, audit="on") as process:
        program = Program(process)
        assert answer_to(program, WAIT, "before").json()["rows"] == [[3_000]]
        body = {"question": HANG, "thread_id": "cut"}
        with (
            httpx.Client(base_url=program.address, timeout=60) as client,
            client.stream("POST", "/api/v1/query", json=body) as response,
        ):
            for line in response.iter_lines():
                if line == "event: sql_token":
                    break
            process.kill()
            process.wait(10)
    with closing(sqlite3.connect(tmp_path / "m.db")) as memory:
        assert memory.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        recorded = memory.execute("SELECT thread, event FROM text2sql_audit ORDER BY at").fetchall()
    assert [event for thread, event in recorded if thread == "before"] == ["begun", "ran", "ended"]
    assert [event for thread, event in recorded if thread == "cut"] == ["begun"]
    (tmp_path / "over").touch()
    with running(shop, tmp_path) as process:
        program = Program(process)
        with httpx.Client(base_url=program.address, timeout=60) as client:
            resumed = client.post("/api/v1/threads/cut/resume", json={}, headers=JSON).json()
            assert (resumed["status"], resumed["rows"]) == ("answered", [[3_000]])
            path = resumed["receipt"]["path"]
            assert len(path) == len(set(path)), "no stage is done twice"
            assert len(client.get("/api/v1/threads/before").json()["turns"]) == 1


def test_p01_a_stop_signal_ends_twenty_slow_queries(shop: Path, tmp_path: Path) -> None:
    texts: list[str] = []
    with running(shop, tmp_path) as process:
        program = Program(process)

        def follow(number: int) -> None:
            body = {"question": SLOWLY, "thread_id": f"s{number}"}
            with httpx.Client(base_url=program.address, timeout=60) as client:
                texts.append(client.post("/api/v1/query", json=body).text)

        readers = [threading.Thread(target=follow, args=(number,)) for number in range(20)]
        for reader in readers:
            reader.start()
        with httpx.Client(base_url=program.address, timeout=60) as client:
            end = time.monotonic() + 60
            while 'text2sql_streams{state="running"} 20.0' not in client.get("/metrics").text:
                assert time.monotonic() < end
                time.sleep(0.05)
        code, _ = program.end(signal.SIGTERM)
        for reader in readers:
            reader.join(10)
    assert code == 0
    ends = [events_of(text)[-1] for text in texts]
    assert [(end.name, end.data["kind"]) for end in ends] == [("problem", "usage.stream_cancelled")] * 20
    threads = [end.data["thread_id"] for end in ends][:5]
    begun = [
        rows for rows in stored_state(shop, tmp_path / "m.db", threads).values() if rows != "usage.thread"
    ]
    assert begun
    assert set(begun) <= {((3_000,),), ()}  # a new question, or the slow query again, and its limit


def test_p05_p12_a_worker_that_is_killed_and_a_stop_under_load_lose_no_answer(
    shop: Path, tmp_path: Path
) -> None:
    with running(shop, tmp_path, "--workers", "2") as process:
        program = Program(process)
        crowd = Crowd(program)
        try:
            crowd.until(4)
            first = pids_of(program)
            assert len(first) == 2
            first_worker, other = (sockets_of(pid) for pid in first)
            assert len(first_worker & other) <= 1  # the door, and no connection
            os.kill(min(first), signal.SIGKILL)
            crowd.until(6)  # the other goes on
            end = time.monotonic() + 60
            while len(pids_of(program)) < 2:
                assert time.monotonic() < end
                time.sleep(0.1)
            assert set(crowd.codes) <= {0, 200, 503}
            with httpx.Client(base_url=program.address, timeout=60) as client:
                for thread in crowd.begun[:4]:  # also those whose worker is gone
                    response = client.post(f"/api/v1/threads/{thread}/resume", json={}, headers=JSON)
                    assert response.status_code in (200, 404, 409), response.text
            code, _ = program.end(signal.SIGTERM)
        finally:
            crowd.end()
    assert code == 0
    state = stored_state(shop, tmp_path / "m.db", crowd.begun)
    assert {state[thread] for thread in crowd.answered} == {((3_000,),)}  # every answer that was told is kept
    assert set(state.values()) <= {((3_000,),), "usage.thread"}  # the rest goes on, or had not begun


def test_p09_without_file_descriptors_the_server_waits_and_then_continues(shop: Path, tmp_path: Path) -> None:
    with running(shop, tmp_path, files=64) as process:
        program = Program(process)
        assert answer_to(program, WAIT, "before").json()["rows"] == [[3_000]]
        port = int(program.address.rpartition(":")[2])
        sockets = []
        for _ in range(100):
            with suppress(OSError):
                sockets.append(socket.create_connection(("127.0.0.1", port), timeout=1))
        time.sleep(0.5)
        assert process.poll() is None
        for each in sockets:
            each.close()
        end = time.monotonic() + 30
        while True:
            with suppress(httpx.HTTPError, KeyError):
                if answer_to(program, WAIT, "after").json()["rows"] == [[3_000]]:
                    break
            assert time.monotonic() < end
            time.sleep(0.2)
