"""A scripted endpoint: an OpenAI-compatible HTTP server that answers well, or badly in just the way one asks.

    with endpoint() as one:
        open_model("openai-compatible:fault:hang", Settings(base_url=one.base_url))

`python -m text2sql.llm.endpoint [PORT]` runs it by hand. The faults are in `scenarios.py`. It listens on the
loopback address only, asks for no key, and is meant for tests: ours and those of programs built on this one.
"""

import asyncio
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from text2sql.llm.scenarios import scenario
from text2sql.llm.wire import Call, Wire, lines, problem


class Endpoint:
    """Counts and keeps what it was asked, by model name."""

    def __init__(self) -> None:
        self.port = 0
        self._asked: defaultdict[str, list[Call]] = defaultdict(list)
        self._work: set[asyncio.Future[None]] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def open_connections(self) -> int:
        return len(self._work)

    def calls(self, model: str) -> list[Call]:
        return list(self._asked[model])

    async def serve(self, port: int = 0) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def stop(self, server: asyncio.Server) -> None:
        """End what is being played; its connections then close themselves, without a word in the log."""
        server.close()
        for work in self._work:
            work.cancel()
        while self._work:
            await asyncio.sleep(0.01)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        work = asyncio.ensure_future(self._answer(reader, writer))
        self._work.add(work)
        # Whoever asked may go away while a scenario sleeps for an hour: then the connection is over, too.
        gone = asyncio.ensure_future(_until_closed(reader, work))
        try:
            await asyncio.wait([work, gone], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, gone):
                task.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
            self._work.discard(work)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(writer)
        head = [line async for line in lines(reader)]
        if not head:
            return
        path = head[0].split()[1]
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in head[1:])
        }
        body: Any = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
        if not path.partition("?")[0].endswith("/chat/completions"):
            await wire.json(404, problem(f"nothing is at {path}"))
            return
        model = str(body.get("model"))
        call = Call(model, body, headers, path, len(self._asked[model]) + 1)
        self._asked[model].append(call)
        play, argument = scenario(model)
        with suppress(ConnectionError):  # the caller closed: for a fault that is the end one hopes for
            await play(call, wire, argument)


async def _until_closed(reader: asyncio.StreamReader, work: "asyncio.Future[None]") -> None:
    while not work.done() and not reader.at_eof():
        await asyncio.sleep(0.02)


@contextmanager
def endpoint(port: int = 0) -> Iterator[Endpoint]:
    """The endpoint in a thread of its own, for as long as the block lasts."""
    one = Endpoint()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="text2sql-endpoint", daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(one.serve(port), loop).result(5)
    try:
        yield one
    finally:
        asyncio.run_coroutine_threadsafe(one.stop(server), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


async def _main(port: int) -> None:
    one = Endpoint()
    server = await one.serve(port)
    sys.stderr.write(f"listening on {one.base_url}\n")
    await server.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
