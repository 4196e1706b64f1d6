"""Runs the real CLI commands in separate processes, with a model that answers at once.

    python cli_processes.py    reads one command per line as JSON, forks a child for it, prints its process id

All imports happen once, before the forks: a round of starting and killing takes a fraction of a second.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any, Self

COUNT = "SELECT count(*) AS customers FROM customers"
PATIENCE = 30.0
ENVIRONMENT = {
    "TEXT2SQL_VALUES_WAIT": "0",
    "TEXT2SQL_REQUESTS_PER_MINUTE": "0",
    "TEXT2SQL_SHUTDOWN_GRACE": "1",
    "TEXT2SQL_LANG": "en",
}


class Child:
    """A running command. It is a child of the starter, which reports its exit status."""

    def __init__(self, starter: "Starter", pid: int, output: Path) -> None:
        self._starter, self.pid, self._output = starter, pid, output

    def send(self, sent: signal.Signals) -> None:
        os.kill(self.pid, sent)  # not reaped before `wait`, so the pid is not reused

    def wait(self) -> int:
        return int(self._starter.call(wait=self.pid))

    def printed(self) -> list[dict[str, Any]]:
        """Complete lines only: a truncated line was not an answer."""
        lines = self._output.read_text().splitlines(keepends=True) if self._output.exists() else []
        return [json.loads(line) for line in lines if line.endswith("\n")]


class Starter:
    """The process that forks the commands."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count = folder, 0
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
        environment |= {**ENVIRONMENT, "TEXT2SQL_MEMORY": str(folder / "memory.db")}
        environment |= {"TEXT2SQL_CACHE_DIR": str(folder / "cache"), "TEXT2SQL_DATA_DIR": str(folder)}
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def start(self, *words: str, repeat: int = 1) -> Child:
        """Run `text2sql WORDS…` `repeat` times in a row; `{at}` in a word is the iteration."""
        self._count += 1
        output = self._folder / f"output-{self._count}"
        pid = self.call(words=words, repeat=repeat, output=str(output), errors=str(self._folder / "errors"))
        return Child(self, int(pid), output)

    def call(self, **request: Any) -> str:
        channel_in, channel_out = self._process.stdin, self._process.stdout
        assert channel_in is not None
        assert channel_out is not None
        channel_in.write(json.dumps(request) + "\n")
        channel_in.flush()
        return channel_out.readline()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=PATIENCE)


def _install_scripted_model() -> None:
    from text2sql.cli import question_options
    from text2sql.client.async_client import AsyncText2SQL
    from text2sql.client.sync_client import Text2SQL
    from text2sql.config import Settings
    from text2sql.llm import AsyncChatModel, ScriptedBackend
    from text2sql.server import sources
    from text2sql.types import ModelProfile

    def model(settings: Settings) -> AsyncChatModel:
        can = ModelProfile(context=32_768, grammar=True, candidates=True, logprobs=True)
        return AsyncChatModel([ScriptedBackend([], last=lambda _: COUNT, profile=can)], settings)

    class CommandLineApp(Text2SQL):
        def __init__(self, source: str, **options: Any) -> None:
            super().__init__(source, **{**options, "model": model(Settings())})

    class ServerApp(AsyncText2SQL):
        def __init__(self, address: str, *, settings: Settings, **options: Any) -> None:
            super().__init__(address, settings=settings, **{**options, "model": model(settings)})

    for module, name, app in (
        (question_options, "Text2SQL", CommandLineApp),
        (sources, "AsyncText2SQL", ServerApp),
    ):
        setattr(module, name, app)


def _run(request: dict[str, Any]) -> None:
    from text2sql.cli import main

    for name, descriptor in (("output", 1), ("errors", 2)):
        os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), descriptor)
    status = 0
    for at in range(request["repeat"]):
        status = status or main([word.replace("{at}", str(at)) for word in request["words"]])
    os._exit(status)


def _serve_requests(orders: IO[str]) -> None:
    running: set[int] = set()
    for line in orders:
        request = json.loads(line)
        if "wait" in request:
            print(_exit_status(request["wait"]), flush=True)
            running.discard(request["wait"])
            continue
        pid = os.fork()
        if pid == 0:
            _run(request)
        running.add(pid)
        print(pid, flush=True)
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _exit_status(pid: int) -> int:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 1_000  # it did not end: no exit status is that large


if __name__ == "__main__":
    import text2sql.agents
    import text2sql.memory.sqlite
    import text2sql.server.run  # noqa: F401

    _install_scripted_model()
    _serve_requests(sys.stdin)
