"""Sending while watching whether anybody is still there: a client that went away ends the work for it."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

T = TypeVar("T")

# For a document that holds its sender's text: it may not act as a page of this server.
SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
_BREAK = re.compile("[\x85\u2028\u2029]")
_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_PIECE = 65_536  # bytes that are handed to the server at once: what a slow reader can make it hold
_PATIENCE = 30.0  # seconds that a client may take to read one such piece


class ClientGone(Exception):
    """Nobody is left to be answered."""


class Json(Response):
    """Whatever the values hold: no NaN, and no text that is not UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return to_json(content).encode("utf-8", "replace")


def to_json(content: Any) -> str:
    """On one line, by anybody's idea of one: JSON leaves three breaks alone that some readers split at."""
    told = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return told.translate(_BREAKS) if _BREAK.search(told) else told


async def until_gone(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work; if the client goes away first, the work is cancelled, to its very end."""
    doing = asyncio.create_task(work)
    async with _watching(request.receive) as gone:
        try:
            await asyncio.wait({doing, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not doing.done():
                await _ended(doing)
    if doing.cancelled():
        raise ClientGone
    return doing.result()


class Streamed(Response):
    """Pieces as they come. When the client is gone the generator is closed, and `held` in any case."""

    def __init__(
        self,
        pieces: Callable[[], AsyncGenerator[bytes, None]],
        *,
        media_type: str,
        headers: Mapping[str, str] | None = None,
        held: AsyncExitStack | None = None,
    ) -> None:
        self._pieces = pieces
        self._held = held or AsyncExitStack()
        self.status_code = 200
        self.media_type = media_type
        self.background = None
        self.init_headers(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 as ASGI has it
        async def sent() -> None:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with aclosing(self._pieces()) as pieces:
                async for piece in pieces:
                    for at in range(0, len(piece), _PIECE):
                        await _patiently(send, piece[at : at + _PIECE])
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        sending = asyncio.create_task(sent())
        async with self._held, _watching(receive) as gone:
            try:
                await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                if not sending.done():
                    await _ended(sending)
        if not sending.cancelled():
            sending.result()


async def _patiently(send: Send, piece: bytes) -> None:
    async with asyncio.timeout(_PATIENCE):
        await send({"type": "http.response.body", "body": piece, "more_body": True})


@asynccontextmanager
async def _watching(receive: Callable[[], Awaitable[Any]]) -> AsyncIterator["asyncio.Task[None]"]:
    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    watch = asyncio.create_task(gone())
    try:
        yield watch
    finally:
        await _ended(watch)


async def _ended(task: "asyncio.Task[Any]") -> None:
    """Cancelled, and waited for: what it held is given back before anybody goes on."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
