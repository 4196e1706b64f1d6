"""Minimal HTTP client for health checks of the model process, based on the standard library."""

import json
import socket
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from text2sql.llm.embedded.paths import SOCKET


class _UnixConnection(HTTPConnection):
    """A connection over a unix socket. (httpx leaks the socket if no process listens.)"""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)
        self._connect_timeout = timeout

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self._connect_timeout)
        self.sock.connect(self._path)


def get(run: Path, address: str, key: str, path: str, timeout: float = 10.0) -> tuple[int, Any]:
    """GET `path`; returns status and JSON. Raises `OSError` if no process answers."""
    connection = (
        HTTPConnection(urlsplit(address).netloc, timeout=timeout)
        if address
        else _UnixConnection(run / SOCKET, timeout)
    )
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (HTTPException, ValueError) as error:
        raise ConnectionError("no HTTP") from error
    finally:
        connection.close()
