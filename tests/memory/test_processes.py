"""Several programs with one memory: no data is lost, and a claim is won once."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memory.helpers import within
from text2sql.config import Settings
from text2sql.memory import Memory

pytestmark = pytest.mark.slow  # each program imports LangGraph

WORKER = Path(__file__).with_name("worker.py")
NAMES, COUNT = ("ann", "bob", "eve", "joe"), 15


def start(settings: Settings, name: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-W", "error", str(WORKER), settings.memory, name, str(count)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_four_programs_open_claim_and_write_at_once(shared: Settings) -> None:
    workers = [start(shared, name, COUNT) for name in NAMES]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "open\n"
    won = [json.loads(worker.communicate("go\n", timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    assert sorted(key for keys in won for key in keys) == list(range(COUNT))

    async def work(memory: Memory) -> None:
        for name in NAMES:
            assert {thread.thread_id for thread in await memory.threads(name)} == {
                f"thread {number}" for number in range(COUNT)
            }
        assert len(await memory.recall("shop", "question", most=1_000)) == COUNT * len(NAMES)
        assert (await memory.stats()).questions == COUNT * len(NAMES)
        assert not await memory.claim("key 3")

    within(shared, work)


@pytest.mark.fault("P04", "G9")
def test_a_killed_program_leaves_a_whole_memory(tmp_path: Path) -> None:
    settings = Settings(memory=str(tmp_path / "memory.db"))
    worker = start(settings, "ann", 100_000)
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdout.readline()
    worker.stdin.write("go\n")
    worker.stdin.flush()
    time.sleep(0.3)
    os.kill(worker.pid, signal.SIGKILL)
    worker.communicate()

    async def work(memory: Memory) -> None:
        assert not await memory.claim("key 0")
        assert await memory.claim("key 99999")

    within(settings, work)
    import sqlite3

    connection = sqlite3.connect(settings.memory)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_importing_the_room_imports_neither_langgraph_nor_a_driver() -> None:
    output = subprocess.run(
        [sys.executable, "-c", "import sys, text2sql.memory; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(output.stdout.split())
    assert not loaded & {"langgraph", "langchain_core", "aiosqlite", "sqlite3", "psycopg"}
