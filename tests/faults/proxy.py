"""A TCP proxy that misbehaves on request: late, stalled, reset or half-open, between us and a server."""

import socket
import struct
import threading
import time
from types import TracebackType
from typing import Literal, Self

Verb = Literal["pass", "stall", "reset"]


class Proxy:
    """Forwards to `target` from a port of its own. Its verbs hold for open connections and for new ones.

    `stall` keeps every connection open and forwards nothing, which is what a half-open connection looks
    like from here: no FIN, no RST, no answer.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.verb: Verb = "pass"
        self.latency = 0.0
        self.accepted = 0
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._closed = threading.Event()
        threading.Thread(target=self._welcome, daemon=True).start()

    def reset(self) -> None:
        """Cut every connection without a goodbye, and refuse new ones in the same way."""
        self.verb = "reset"
        self.cut()

    def cut(self) -> None:
        """As `reset`, for the connections there are now."""
        for pair in self._pairs:
            for one in pair:
                _abort(one)
        self._pairs.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        self.cut()
        self._door.close()

    def _welcome(self) -> None:
        while not self._closed.is_set():
            try:
                guest, _ = self._door.accept()
            except OSError:
                return
            self.accepted += 1
            if self.verb == "reset":
                _abort(guest)
                continue
            try:
                host = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                _abort(guest)
                continue
            host.settimeout(None)
            self._pairs.append((guest, host))
            for source, sink in ((guest, host), (host, guest)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                while self.verb == "stall" and not self._closed.wait(0.02):
                    pass
                time.sleep(self.latency)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other half was cut


def _abort(one: socket.socket) -> None:
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # already gone
    one.close()
