"""`text2sql serve`, the real program except for its model, which hangs, waits or answers as the question
says.

Run by tests as a child process, and by the server for each of its workers.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from text2sql.cli import main
from text2sql.client.async_client import AsyncText2SQL
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server import sources
from text2sql.types import ModelRequest, Reply

COUNT = "SELECT count(*) AS customers FROM customers"
SLOW = "SELECT count(*) AS customers FROM customers a, customers b, customers c WHERE a.n + b.n + c.n < 0"
HANG, WAIT, SLOWLY = "How many customers hang?", "How many customers wait?", "How many customers slowly?"


class Model(ScriptedBackend):
    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        question = request.messages[-1].content
        if "hang" in question and not Path(os.environ["FAULTS_OVER"]).exists():
            yield "SELECT "
            await asyncio.sleep(3_600)
        await asyncio.sleep(0.2 if "wait" in question else 0.0)
        yield self._reply(request, SLOW if "slowly" in question else COUNT)


class App(AsyncText2SQL):
    def __init__(self, address: str, *, settings: Any, model: Any, policy: Any) -> None:
        model = AsyncChatModel([Model()], settings)
        super().__init__(address, settings=settings, model=model, policy=policy)


if __name__ in ("__main__", "__mp_main__"):  # the program, or one of its workers; not a test
    vars(sources)["AsyncText2SQL"] = App


@contextmanager
def running(
    shop: Path, folder: Path, *words: str, files: int = 0, **settings: str
) -> Iterator["subprocess.Popen[str]"]:
    """Run with its memory in `place`; once `place/over` exists, nothing hangs any more."""
    environment = {
        **os.environ,
        "TEXT2SQL_MEMORY": str(folder / "m.db"),
        "TEXT2SQL_SHUTDOWN_GRACE": "0.5",
        "TEXT2SQL_CACHE_LIFETIME": "0",
        "TEXT2SQL_VALUES_WAIT": "0",
        "TEXT2SQL_PRESET": "hybrid",
        "FAULTS_OVER": str(folder / "over"),
        **{f"TEXT2SQL_{name.upper()}": value for name, value in settings.items()},
    }
    command = [sys.executable, __file__, "serve", "--db", str(shop), "--port", "0", *words]
    if files:
        command = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", *command]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
