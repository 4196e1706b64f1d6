"""Requests and responses of the scripted endpoint."""

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

TEXT = "SELECT count(*) FROM orders"
USAGE = {"prompt_tokens": 12, "completion_tokens": 6, "prompt_tokens_details": {"cached_tokens": 8}}
REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found"}


@dataclass(frozen=True, slots=True)
class Call:
    """One request, numbered from 1 per model."""

    model: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    path: str
    number: int

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))


@dataclass(frozen=True, slots=True)
class Wire:
    """Writes a response to the client. Every response ends by closing the connection."""

    writer: asyncio.StreamWriter

    async def head(self, status: int, kind: str, **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", f"Content-Type: {kind}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw(("\r\n".join([*lines, "Connection: close"]) + "\r\n\r\n").encode())

    async def json(self, status: int, payload: object, **headers: str) -> None:
        await self.head(status, "application/json", **headers)
        await self.raw(json.dumps(payload).encode())

    async def events(self) -> None:
        await self.head(200, "text/event-stream")

    async def event(self, payload: object) -> None:
        await self.raw(b"data: " + json.dumps(payload).encode() + b"\n\n")

    async def done(self) -> None:
        await self.raw(b"data: [DONE]\n\n")

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """End the connection as a crash does: with RST instead of FIN."""
        connection: socket.socket = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


def chunk(call: Call, finish: str | None = None, /, **delta: object) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": call.model,
        "choices": [choice],
    }


def whole(call: Call, finish: str, **message: object) -> dict[str, Any]:
    count = int(call.body.get("n") or 1)
    choices = [
        {"index": at, "finish_reason": finish, "message": {"role": "assistant", **message}, "logprobs": None}
        for at in range(count)
    ]
    return {"id": "c", "object": "chat.completion", "created": 1, "model": call.model, "choices": choices}


def words(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


async def answer(
    call: Call, wire: Wire, text: str = TEXT, finish: str = "stop", usage: object = USAGE, **extra: object
) -> None:
    """A correct answer, streamed or not, as the request asks."""
    if call.path.endswith("/responses"):
        events = responses_events(call, text, finish)
        if not call.streams:
            await wire.json(200, events[-1]["response"])
            return
        await wire.events()
        for event in events:
            await wire.event(event)
        return
    if not call.streams:
        message = whole(call, finish, content=text or None, **extra)
        if call.body.get("logprobs"):
            for choice in message["choices"]:
                choice["logprobs"] = {"content": logprobs(words(text))}
        await wire.json(200, {**message, "usage": usage})
        return
    await wire.events()
    await wire.event(chunk(call, None, role="assistant", content="", **extra))
    for word in words(text):
        piece = chunk(call, content=word)
        if call.body.get("logprobs"):
            piece["choices"][0]["logprobs"] = {"content": logprobs([word])}
        await wire.event(piece)
    await wire.event(chunk(call, finish))
    if (call.body.get("stream_options") or {}).get("include_usage"):
        await wire.event({**chunk(call), "choices": [], "usage": usage})
    await wire.done()


def responses_events(call: Call, text: str, finish: str = "stop") -> list[dict[str, Any]]:
    """The stream of OpenAI's Responses API."""
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    reason = {"length": "max_output_tokens"}.get(finish, finish)
    response = {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": call.model,
        "output": [message],
        "parallel_tool_calls": False,
        "tool_choice": "auto",
        "tools": [],
        "status": "completed" if finish == "stop" else "incomplete",
        "incomplete_details": None if finish == "stop" else {"reason": reason},
        "usage": {
            "input_tokens": 12,
            "input_tokens_details": {"cached_tokens": 8},
            "output_tokens": 6,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 18,
        },
    }
    ids = {"item_id": "m", "output_index": 0, "content_index": 0, "logprobs": []}
    last = "response.completed" if finish == "stop" else "response.incomplete"
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "output": [], "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**message, "content": []}},
        *({"type": "response.output_text.delta", "delta": word, **ids} for word in words(text)),
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": last, "response": response},
    ]
    return [{**event, "sequence_number": at} for at, event in enumerate(events)]


def logprobs(tokens: list[str]) -> list[dict[str, Any]]:
    return [{"token": token, "logprob": -0.5, "bytes": None, "top_logprobs": []} for token in tokens]


def problem(message: str, code: str = "", kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "code": code or None, "param": None}}


async def lines(reader: asyncio.StreamReader) -> AsyncIterator[str]:
    """The head of a request, line by line."""
    while line := (await reader.readline()).decode("latin-1").strip():
        yield line
