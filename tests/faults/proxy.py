"""A TCP proxy that injects faults on request: delay, stall, reset or half-open, between a client and a
server.
"""

import socket
import struct
import threading
import time
from types import TracebackType
from typing import Literal, Self

Verb = Literal["pass", "stall", "reset"]


class Proxy:
    """Forwards to `target` from its own port. Its verbs apply to open and to new connections.

    `stall` keeps every connection open and forwards nothing, which is how a half-open connection appears to a
    client: no FIN, no RST, no reply.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.verb: Verb = "pass"
        self.latency = 0.0
        self.accepted = 0
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._closed = threading.Event()
        threading.Thread(target=self._accept_connections, daemon=True).start()

    def reset(self) -> None:
        """Abort every connection without a proper close, and new ones too."""
        self.verb = "reset"
        self.cut()

    def cut(self) -> None:
        """Abort the connections that are open now."""
        for pair in self._pairs:
            for connection in pair:
                _abort(connection)
        self._pairs.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        self.cut()
        self._listener.close()

    def _accept_connections(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            if self.verb == "reset":
                _abort(client)
                continue
            try:
                upstream = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                _abort(client)
                continue
            upstream.settimeout(None)
            self._pairs.append((client, upstream))
            for source, sink in ((client, upstream), (upstream, client)):
                threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                while self.verb == "stall" and not self._closed.wait(0.02):
                    pass
                time.sleep(self.latency)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side was aborted


def _abort(connection: socket.socket) -> None:
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # already gone
    connection.close()
