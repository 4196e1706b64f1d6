"""The queue of the embedded model: one call at a time, positions are reported, waiting does not time out."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from llm.embedded.asker import ask
from llm.embedded.llama_server import DROPPED, REPLY
from text2sql.config import Settings
from text2sql.errors import ModelUnavailable
from text2sql.llm.embedded import EmbeddedBackend, process
from text2sql.llm.embedded.queue import Ticket, ticket
from text2sql.types import Message, ModelRequest, Reply

HERE = Path(__file__).parent


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "other.gguf"
    file.write_bytes(b"GGUF" + bytes(100))
    return file


@contextmanager
def llama_server(model: Path, cache: Path, seconds: float, prefix_seconds: float = 0.0) -> Iterator[Path]:
    """A fake server in a process of its own, found like the real one; yields its directory."""
    plan = process.plan_for(model, ours=False, settings=Settings(cache_dir=str(cache)))
    command = [sys.executable, str(HERE / "llama_server.py"), str(plan.run), str(seconds)]
    command.append(str(prefix_seconds))
    with subprocess.Popen(command, cwd=HERE.parents[1], env=_environment()) as child:
        try:
            until = time.monotonic() + 60
            while process._ready_host(plan.run) is None:
                assert time.monotonic() < until
                time.sleep(0.05)
            yield plan.run
        finally:
            child.kill()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE.parents[1])}


def start(cache: Path, model: Path, timeout: float) -> "subprocess.Popen[str]":
    command = [sys.executable, str(HERE / "asker.py"), str(cache), str(model), str(timeout)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=HERE.parents[1], env=_environment()
    )


def ended(process: "subprocess.Popen[str]") -> dict[str, Any]:
    with process:
        out, _ = process.communicate(timeout=120)
    return dict(json.loads(out))


@pytest.mark.slow
def test_programs_that_wait_longer_than_the_time_out_are_answered_when_their_turn_comes(
    model: Path, tmp_path: Path
) -> None:
    async def outcomes_after_waiting(run: Path) -> list[dict[str, Any]]:
        async with ticket(run) as drawn:
            async for _ in drawn.turn():
                pass
            waiting = [start(tmp_path, model, timeout=6.0) for _ in range(2)]
            while len(list((run / "queue").iterdir())) < 3:
                await asyncio.sleep(0.1)
            await asyncio.sleep(8.0)
        return [await asyncio.to_thread(ended, process) for process in waiting]

    with llama_server(model, tmp_path, seconds=0.5) as run:
        outcomes = asyncio.run(outcomes_after_waiting(run))
    assert [(outcome["error"], outcome["text"]) for outcome in outcomes] == [("", REPLY)] * 2
    assert min(outcome["seconds"] for outcome in outcomes) > 6.0
    assert [outcome["positions"][-1] for outcome in outcomes] == [0, 0]  # its turn has come
    assert sorted(max(outcome["positions"]) for outcome in outcomes) == [1, 2]


@pytest.mark.slow
def test_the_time_out_counts_when_the_model_works_on_the_call(model: Path, tmp_path: Path) -> None:
    with llama_server(model, tmp_path, seconds=20.0):
        began = time.monotonic()
        outcome = asyncio.run(ask(str(tmp_path), str(model), 0.5))
    assert (outcome["error"], time.monotonic() - began < 15) == ("timeout", True)


def test_reading_a_new_schema_does_not_count_as_time_out(model: Path, tmp_path: Path) -> None:
    with llama_server(model, tmp_path, seconds=0.1, prefix_seconds=1.5):
        outcome = asyncio.run(ask(str(tmp_path), str(model), 1.0))
    assert (outcome["error"], outcome["text"], outcome["positions"]) == ("", REPLY, [])


@pytest.mark.slow
def test_a_program_that_is_killed_loses_its_place(model: Path, tmp_path: Path) -> None:
    with llama_server(model, tmp_path, seconds=1.0) as run:
        Ticket(run).close()  # makes the directory
        hold = "import sys, time\nfrom pathlib import Path\nfrom text2sql.llm.embedded.queue import Ticket\n"
        hold += "drawn = Ticket(Path(sys.argv[1]))\nprint(flush=True)\ntime.sleep(60)\n"
        command = [sys.executable, "-c", hold, str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as dies:
            assert dies.stdout is not None
            dies.stdout.readline()
            waiting = start(tmp_path, model, timeout=5.0)
            while len(list((run / "queue").iterdir())) < 2:
                time.sleep(0.05)
            time.sleep(0.5)
            dies.kill()
        outcome = ended(waiting)
    assert (outcome["text"], outcome["positions"]) == (REPLY, [1, 0])


def test_a_call_whose_connection_breaks_leaves_the_others_alone(model: Path, tmp_path: Path) -> None:
    async def outcome(backend: EmbeddedBackend, text: str) -> str:
        messages = (Message("system", "rules " * 30), Message("user", text))
        try:
            replies = [
                item async for item in backend.stream(ModelRequest(messages)) if isinstance(item, Reply)
            ]
        except ModelUnavailable:
            return "unavailable"
        return replies[0].text

    async def at_once(texts: list[str]) -> list[str]:
        backend = EmbeddedBackend(str(model), Settings(cache_dir=str(tmp_path)))
        return await asyncio.gather(*(outcome(backend, text) for text in texts))

    with llama_server(model, tmp_path, seconds=0.2):
        outcomes = asyncio.run(at_once([DROPPED, "How many?", DROPPED, "How many now?", "And now?"]))
    assert outcomes == ["unavailable", REPLY, "unavailable", REPLY, REPLY]


def test_tickets_are_served_in_the_order_in_which_they_were_drawn(tmp_path: Path) -> None:
    served: list[int] = []
    positions_by_call: dict[int, list[int]] = {}

    async def call(number: int) -> None:
        await asyncio.sleep(number / 50)
        async with ticket(tmp_path) as drawn:
            positions_by_call[number] = [ahead async for ahead in drawn.turn()]
            served.append(number)
            await asyncio.sleep(0.1)

    async def calls() -> None:
        await asyncio.gather(*(call(number) for number in range(5)))

    asyncio.run(calls())
    assert served == [0, 1, 2, 3, 4]
    assert positions_by_call[0] == []
    assert positions_by_call[1][-1] == 1
    assert all(positions == sorted(positions, reverse=True) for positions in positions_by_call.values())
    assert list((tmp_path / "queue").iterdir()) == []


def test_a_cancelled_call_leaves_the_queue(tmp_path: Path) -> None:
    async def waits() -> None:
        async with ticket(tmp_path) as drawn:
            async for _ in drawn.turn():
                pass

    async def both() -> None:
        async with ticket(tmp_path) as drawn:
            async for _ in drawn.turn():
                pass
            waiting = asyncio.create_task(waits())
            await asyncio.sleep(0.1)
            assert len(list((tmp_path / "queue").iterdir())) == 2
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            assert len(list((tmp_path / "queue").iterdir())) == 1
        await asyncio.wait_for(waits(), 5)

    asyncio.run(both())
