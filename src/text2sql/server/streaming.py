"""JSON and streamed responses that stop the work when the client disconnects."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, aclosing
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

T = TypeVar("T")

# For documents with text of a client: they must not run scripts in the origin of this server.
SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_LINE_BREAK = re.compile("[\x85\u2028\u2029]")
_LINE_BREAK_ESCAPES = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_CHUNK_BYTES = 65_536  # passed to the server at once; bounds the memory that a slow reader holds
_SEND_TIMEOUT = 30.0  # seconds that a client may take to read one chunk


class ClientGone(Exception):
    """The client disconnected before the response was ready."""


class Json(Response):
    """A JSON response without NaN, always valid UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return to_json(content).encode("utf-8", "replace")


def to_json(content: Any) -> str:
    """JSON on one line; also escapes NEL, LS and PS, which some readers treat as line breaks."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_LINE_BREAK_ESCAPES) if _LINE_BREAK.search(text) else text


async def run_until_disconnect(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Await `work`; raise `ClientGone` if the client disconnects first."""
    task = await _run(work, request.receive)
    if task.cancelled():
        raise ClientGone
    return task.result()


class Streamed(Response):
    """A response streamed from a generator, which is closed on disconnect. `resources` are always closed."""

    def __init__(
        self,
        chunks: Callable[[], AsyncGenerator[bytes, None]],
        *,
        media_type: str,
        headers: Mapping[str, str] | None = None,
        resources: AsyncExitStack | None = None,
    ) -> None:
        self._chunks = chunks
        self._resources = resources or AsyncExitStack()
        self.status_code = 200
        self.media_type = media_type
        self.background = None
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 -- the ASGI signature
        async def send_all() -> None:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with aclosing(self._chunks()) as chunks:
                async for chunk in chunks:
                    for offset in range(0, len(chunk), _CHUNK_BYTES):
                        await _send_chunk(send, chunk[offset : offset + _CHUNK_BYTES])
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        async with self._resources:
            task = await _run(send_all(), receive)
        if not task.cancelled():
            task.result()


async def _send_chunk(send: Send, chunk: bytes) -> None:
    async with asyncio.timeout(_SEND_TIMEOUT):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})


async def _run(work: Coroutine[Any, Any, T], receive: Callable[[], Awaitable[Any]]) -> "asyncio.Task[T]":
    """Run `work` as a task; if the client disconnects first, cancel it and wait until it has ended."""

    async def wait_for_disconnect() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    task, disconnected = asyncio.create_task(work), asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnected.cancel()
        if not task.done():
            await _cancel_and_wait(task)
        await _cancel_and_wait(disconnected)
    return task


async def _cancel_and_wait(task: "asyncio.Task[Any]") -> None:
    """Cancel a task and wait until it has released its resources."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
