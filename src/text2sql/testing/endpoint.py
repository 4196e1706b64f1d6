"""A scripted OpenAI-compatible HTTP server for tests, with chat completions and the Responses API: it answers
correctly, or with a fault chosen by model name.

    with endpoint() as server:
        open_model("openai-compatible:fault:hang", Settings(base_url=server.base_url))

`python -m text2sql.testing.endpoint [PORT]` runs it by hand. The faults are in `scenarios.py`. It listens on
the loopback address only and needs no key.
"""

import asyncio
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from text2sql.testing.scenarios import scenario
from text2sql.testing.wire import Call, Wire, lines, problem


class Endpoint:
    """The server; it records the requests by model name."""

    def __init__(self) -> None:
        self.port = 0
        self._calls: defaultdict[str, list[Call]] = defaultdict(list)
        self.embedding: Callable[[str], Sequence[float]] = lambda text: [1.0, float(len(text))]
        self._work: set[asyncio.Future[None]] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def open_connections(self) -> int:
        return len(self._work)

    def calls(self, model: str) -> list[Call]:
        return list(self._calls[model])

    async def serve(self, port: int = 0) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, "127.0.0.1", port)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def stop(self, server: asyncio.Server) -> None:
        """Cancel the running scenarios; their connections then close without log messages."""
        server.close()
        for work in self._work:
            work.cancel()
        while self._work:
            await asyncio.sleep(0.01)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        work = asyncio.ensure_future(self._respond(reader, writer))
        self._work.add(work)
        # The client may disconnect while a scenario sleeps for an hour: then the connection ends as well.
        closed = asyncio.ensure_future(_wait_until_closed(reader, work))
        try:
            await asyncio.wait([work, closed], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, closed):
                task.cancel()
            await asyncio.gather(work, closed, return_exceptions=True)
            self._work.discard(work)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _respond(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(writer)
        head = [line async for line in lines(reader)]
        if not head:
            return
        path = head[0].split()[1]
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:])
        }
        body: Any = json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}")
        if path.endswith("/embeddings"):
            await self._embed(wire, body, headers, path)
            return
        if not path.partition("?")[0].endswith(("/chat/completions", "/responses")):
            await wire.json(404, problem(f"nothing is at {path}"))
            return
        model = str(body.get("model"))
        call = Call(model, body, headers, path, len(self._calls[model]) + 1)
        self._calls[model].append(call)
        play, argument = scenario(model)
        with suppress(ConnectionError):  # the client disconnected, which is the expected end of a fault
            await play(call, wire, argument)

    async def _embed(self, wire: Wire, body: Any, headers: dict[str, str], path: str) -> None:
        """Reply with the vectors of `embedding`; the model `fault` fails."""
        model = str(body["model"])
        self._calls[model].append(Call(model, body, headers, path, len(self._calls[model]) + 1))
        if model == "fault":
            await wire.json(500, problem("no embeddings today"))
            return
        vectors = [list(self.embedding(text)) for text in body["input"]]
        data = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
        await wire.json(200, {"object": "list", "model": model, "data": data})


async def _wait_until_closed(reader: asyncio.StreamReader, work: "asyncio.Future[None]") -> None:
    while not work.done() and not reader.at_eof():
        await asyncio.sleep(0.02)


@contextmanager
def endpoint(port: int = 0) -> Iterator[Endpoint]:
    """Run the endpoint in a separate thread for the duration of the block."""
    server = Endpoint()
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="text2sql-endpoint", daemon=True)
    thread.start()
    listener = asyncio.run_coroutine_threadsafe(server.serve(port), loop).result(5)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(listener), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


async def _main(port: int) -> None:
    server = Endpoint()
    listener = await server.serve(port)
    sys.stderr.write(f"listening on {server.base_url}\n")
    await listener.serve_forever()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_main(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
