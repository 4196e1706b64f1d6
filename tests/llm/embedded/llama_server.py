"""A fake of llama.cpp's server without a model: its events for tokens that end inside characters, and its
delays. `python llama_server.py RUN SECONDS PREFIX_SECONDS` runs it in a process of its own.

`events` follows `process_token` of llama.cpp's `server-context.cpp`: it sends nothing while the text ends
inside a character, and delays text that may become a stop string.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from text2sql.llm.embedded.locking import locked

REPLY = "SELECT COUNT(*) FROM 学生"
DROPPED = "drop the connection"  # a prompt with these words gets no answer


def ends_inside(data: bytes) -> bool:
    """Its `validate_utf8`."""
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        for mask, mark, size in ((0xE0, 0xC0, 2), (0xF0, 0xE0, 3), (0xF8, 0xF0, 4)):
            if lead & mask == mark:
                return back < size
    return False


def events(
    tokens: Sequence[bytes],
    stop: Sequence[str] = (),
    limit: int = 10_000,
    others: Sequence[tuple[int, bytes]] = (),
) -> Iterator[dict[str, Any]]:
    """The stream of a completion that consists of these tokens."""
    written, sent, why = b"", 0, "eos"
    for number, token in enumerate(tokens):
        written += token
        stopped = False
        if not ends_inside(written):
            fresh = written[sent:]
            at = min((fresh.find(word.encode()) for word in stop if word.encode() in fresh), default=-1)
            stopped = at >= 0
            if stopped:
                written = written[: sent + at]
            delayed = not stopped and any(
                fresh.endswith(word.encode()[:size]) for word in stop for size in range(1, len(word.encode()))
            )
            piece = b"" if delayed else written[sent:]
            sent += len(piece)
            yield _event(number, token, piece, others)
        if stopped or number + 1 >= limit:
            why = "word" if stopped else "limit"
            break
    yield {"index": 0, "content": "", "stop": True, "stop_type": why, "timings": {"predicted_n": len(tokens)}}


def _event(number: int, token: bytes, piece: bytes, others: Sequence[tuple[int, bytes]]) -> dict[str, Any]:
    def shown(number: int, data: bytes, logprob: float) -> dict[str, Any]:
        return {
            "id": number,
            "token": data.decode(errors="replace"),
            "bytes": list(data),
            "logprob": logprob,
        }

    top = [shown(1_000 + number, token, -0.1), *(shown(token_id, data, -0.5) for token_id, data in others)]
    chosen = {**shown(1_000 + number, piece, -0.1), "top_logprobs": top}
    return {
        "index": 0,
        "content": piece.decode(errors="replace"),
        "stop": False,
        "completion_probabilities": [chosen],
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 its own name
        """Nobody reads it."""

    def do_GET(self) -> None:
        self._answer({"status": "ok"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        server: Any = self.server
        if self.path == "/apply-template":
            self._answer({"prompt": "\n".join(message["content"] for message in body["messages"])})
        elif self.path == "/tokenize":
            self._answer({"tokens": list(body["content"].encode())})
        elif self.path.startswith("/slots/"):
            self._answer({}, 501 if "save" in self.path else 200)
        elif DROPPED in str(body.get("prompt")):
            self.close_connection = True  # without an answer
        elif body.get("n_predict") == 0:
            time.sleep(server.prefix_seconds)
            self._answer({"timings": {"prompt_n": len(body["prompt"])}, "id_slot": 0})
        else:
            with server.counting:
                server.busy += 1
                server.most_busy = max(server.most_busy, server.busy)
            self._write(server)
            with server.counting:
                server.busy -= 1

    def _write(self, server: Any) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        pieces = list(events([bytes([byte]) for byte in REPLY.encode()]))
        try:
            for event in pieces:
                time.sleep(server.seconds / len(pieces))
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        except OSError:  # the client has disconnected
            pass
        self.close_connection = True

    def _answer(self, body: dict[str, Any], status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class LlamaServer(ThreadingHTTPServer):
    """Each completion takes `seconds`, each evaluation of a prefix `prefix_seconds`."""

    daemon_threads = True

    def __init__(self, seconds: float, prefix_seconds: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seconds, self.prefix_seconds = seconds, prefix_seconds
        self.counting = threading.Lock()
        self.busy = 0
        self.most_busy = 0


def serve(run: Path, seconds: float, prefix_seconds: float) -> None:
    """As the process of a plan whose directory this is: it holds the lock and says where it listens."""
    run.mkdir(parents=True, exist_ok=True)
    with LlamaServer(seconds, prefix_seconds) as server, locked(run / "host.lock"):
        about = {"pid": 0, "started": 0.0, "model": "", "idle": 60.0, "key": ""}
        about["address"] = f"http://127.0.0.1:{server.server_address[1]}"
        (run / "host.json").write_text(json.dumps(about))
        server.serve_forever(0.05)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
