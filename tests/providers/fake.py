"""An HTTP server that imitates all providers and records the requests."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HOST = "models.example"
Script = Callable[[str], str]  # the body of a request → what the model says


class Fake:
    def __init__(self) -> None:
        self.port = 0
        self.received: list[bytes] = []  # the first line, the headers and the body of each request
        self.script: Script = lambda _: "SELECT 1"
        self.rejected: tuple[str, ...] = ()  # fields of a request that are answered with status 400

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def text(self) -> str:
        """All received text, with JSON escapes decoded."""
        bodies = [raw.partition(b"\r\n\r\n") for raw in self.received]
        read = [json.dumps(json.loads(body), ensure_ascii=False) for _, _, body in bodies]
        heads = [head.decode("latin-1") for head, _, _ in bodies]
        return "\n".join((*heads, *read))

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(raw.partition(b"\r\n\r\n")[2]) for raw in self.received]


@contextmanager
def fake() -> Iterator[Fake]:
    recorder = Fake()

    class Handler(_Handler):
        server_of = recorder

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    recorder.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    server_of: Fake

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        head = f"{self.requestline}\r\n{self.headers}".encode()
        self.server_of.received.append(head.strip() + b"\r\n\r\n" + body)
        request = json.loads(body)
        rejected = next((name for name in self.server_of.rejected if f'"{name}"' in body.decode()), "")
        if rejected:
            self._sent("application/json", [json.dumps(_problem(rejected))], status=400)
            return
        text = self.server_of.script(json.dumps(request, ensure_ascii=False))
        path = self.path.partition("?")[0]
        if path.endswith("/chat/completions"):
            self._sent(*_openai(request, text))
        elif path.endswith("/messages"):
            self._sent(*_anthropic(request, text))
        elif path.endswith(":streamGenerateContent"):
            self._sent("text/event-stream", [f"data: {json.dumps(_google(request, text))}\r\n\r\n"])
        elif path.endswith(":generateContent"):
            self._sent("application/json", [json.dumps(_google(request, text))])
        elif path.endswith("/api/chat"):
            self._sent("application/x-ndjson", [json.dumps(_ollama(request, text)) + "\n"])
        else:
            self.send_error(404, path)

    def _sent(self, kind: str, pieces: list[str], status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write("".join(pieces).encode())

    def log_message(self, *_: Any) -> None: ...


def _problem(name: str) -> dict[str, Any]:
    text = f"{name}: this model does not support that"
    return {"error": {"code": 400, "type": "invalid_request_error", "message": text, "status": "INVALID"}}


def _openai(request: dict[str, Any], text: str) -> tuple[str, list[str]]:
    usage = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}
    common = {"id": "c", "created": 1, "model": request["model"]}
    if not request.get("stream"):
        message = {"role": "assistant", "content": text}
        choices = [
            {"index": at, "finish_reason": "stop", "message": message} for at in range(request.get("n") or 1)
        ]
        return "application/json", [
            json.dumps({**common, "object": "chat.completion", "choices": choices, "usage": usage})
        ]
    chunk = {**common, "object": "chat.completion.chunk"}
    first: dict[str, Any] = {"role": "assistant", "content": text}
    if "tools" in request:
        function = {"name": request["tools"][0]["function"]["name"], "arguments": text}
        first = {"tool_calls": [{"index": 0, "id": "t", "type": "function", "function": function}]}
    deltas = [(first, None), ({}, "stop")]
    events: list[dict[str, Any]] = [
        {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        for delta, finish in deltas
    ]
    events.append({**chunk, "choices": [], "usage": usage})
    return "text/event-stream", [*(f"data: {json.dumps(event)}\n\n" for event in events), "data: [DONE]\n\n"]


def _anthropic(request: dict[str, Any], text: str) -> tuple[str, list[str]]:
    usage = {"input_tokens": 9, "output_tokens": 3}
    message = {"id": "m", "type": "message", "role": "assistant", "model": request["model"], "content": []}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    if not request.get("stream"):
        block = {"type": "text", "text": text}
        return "application/json", [json.dumps({**message, **ended, "content": [block], "usage": usage})]
    begun = {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}
    block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
    if "tools" in request:
        block = {"type": "tool_use", "id": "t", "name": request["tools"][0]["name"], "input": {}}  # type: ignore[dict-item]
        delta = {"type": "input_json_delta", "partial_json": text}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": begun},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": usage},
        {"type": "message_stop"},
    ]
    return "text/event-stream", [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


def _google(request: dict[str, Any], text: str) -> dict[str, Any]:
    part: dict[str, Any] = {"text": text}
    if "tools" in request:
        name = request["tools"][0]["functionDeclarations"][0]["name"]
        part = {"functionCall": {"name": name, "args": json.loads(text)}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}


def _ollama(request: dict[str, Any], text: str) -> dict[str, Any]:
    return {
        "model": request["model"],
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 9,
        "eval_count": 3,
    }
