"""Several processes behind one port share threads and results; a dead one is replaced."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.asking import app
from server.serving import COUNT, scripted
from server.test_serve import Program
from text2sql.errors import UsageError
from text2sql.memory import thread_lock

# The real program but for its model; each worker is a new process that reads the same file.
PROGRAM = """
import sys
from text2sql.cli import main
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server import sources

class App(sources.AsyncText2SQL):
    def __init__(self, address, *, settings, model, policy):
        model = AsyncChatModel([ScriptedBackend([], last="SELECT count(*) AS n FROM customers")], settings)
        super().__init__(address, settings=settings, model=model, policy=policy)

sources.AsyncText2SQL = App
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def two_workers(shop: Path, tmp_path: Path) -> Iterator[Program]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words = [sys.executable, str(program), "serve", "--db", str(shop), "--port", "0", "--workers", "2"]
    environment = {**os.environ, "TEXT2SQL_MEMORY": str(tmp_path / "m.db"), "TEXT2SQL_SHUTDOWN_GRACE": "1"}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield Program(process)
        finally:
            process.terminate()
            process.wait(20)


def pids_of(program: Program) -> set[int]:
    done = subprocess.run(
        ["pgrep", "-P", str(program.process.pid), "-f", "spawn_main"],
        capture_output=True,
        text=True,
        check=False,
    )
    return {int(line) for line in done.stdout.split()}


@pytest.mark.slow
@pytest.mark.fault("P12")
def test_workers_share_threads_and_results_and_one_that_dies_is_replaced(shop: Path, tmp_path: Path) -> None:
    with two_workers(shop, tmp_path) as program:

        def fresh(method: str, path: str, **more: Any) -> httpx.Response:
            """Send a request on a new connection, which the kernel gives to either worker."""
            with httpx.Client(base_url=program.address, timeout=60) as client:
                return client.request(method, path, **more)

        body = {"question": "how many customers are there?"}
        answer = fresh("POST", "/api/v1/query/sync", json=body).json()
        assert answer["rows"] == [[3]]
        for _ in range(6):
            assert len(fresh("GET", f"/api/v1/threads/{answer['thread_id']}").json()["turns"]) == 1
            assert fresh("GET", f"/api/v1/results/{answer['result_id']}").json()["rows"] == [[3]]
        elsewhere = fresh("GET", "/api/v1/query/nope")
        assert (elsewhere.status_code, elsewhere.json()["kind"]) == (503, "usage.stream_elsewhere")
        assert elsewhere.headers["connection"] == "close"
        before = pids_of(program)
        assert len(before) == 2
        os.kill(min(before), signal.SIGKILL)
        until = time.monotonic() + 60
        while len(pids_of(program) - before) < 1:
            assert time.monotonic() < until
            time.sleep(0.1)
        for _ in range(4):
            assert fresh("GET", f"/api/v1/results/{answer['result_id']}").json()["rows"] == [[3]]
        code, _ = program.end(signal.SIGTERM)
        assert code == 0


@pytest.mark.fault("P05")
def test_a_thread_that_another_process_works_on_is_a_conflict_until_it_ends_or_dies(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two apps with the same memory behave like two processes."""
    memory = str(tmp_path / "m.db")

    async def scenario() -> None:
        waits = asyncio.Event()
        hanging = scripted([], last=COUNT)
        stream = hanging.stream

        async def holding(request: Any) -> Any:
            await waits.wait()
            async for piece in stream(request):
                yield piece

        hanging.stream = holding  # type: ignore[method-assign]
        async with (
            app(shop, hanging, memory=memory) as app_instance,
            app(shop, scripted([COUNT]), memory=memory) as two,
        ):
            asking = asyncio.create_task(app_instance.ask("how many customers?", thread="t"))
            await asyncio.sleep(0.3)
            for attempt in (two.ask("and orders?", thread="t"), two.threads.resume("t")):
                with pytest.raises(UsageError) as busy:
                    await attempt
                assert busy.value.message_key == "usage.thread_busy"
            waits.set()
            assert (await asking).rows == ((3,),)
            assert (await two.threads.resume("t")).rows == ((3,),)
            assert len(await two.threads.history("t")) == 1

            # A dead worker does not renew its lock: after a while another one may take it.
            monkeypatch.setattr(thread_lock, "LOCK_SECONDS", 0.0)
            dead = (await app_instance.resources()).memory.thread_locks.lock("/t", "t")
            await dead.__aenter__()
            monkeypatch.undo()
            async with (await two.resources()).memory.thread_locks.lock("/t", "t"):
                pass

    asyncio.run(scenario())
