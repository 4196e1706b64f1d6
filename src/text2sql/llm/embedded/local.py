"""HTTP to the model's process with nothing but the standard library: for looking whether it lives."""

import json
import socket
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from text2sql.llm.embedded.places import SOCKET


class _Unix(HTTPConnection):
    """Over a unix socket. (httpx leaves the socket open when nobody listens.)"""

    def __init__(self, path: Path, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)
        self._patience = timeout

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self._patience)
        self.sock.connect(self._path)


def get(run: Path, address: str, key: str, path: str, timeout: float = 10.0) -> tuple[int, Any]:
    """Status and JSON; `OSError` where nobody answers."""
    connection = (
        HTTPConnection(urlsplit(address).netloc, timeout=timeout) if address else _Unix(run / SOCKET, timeout)
    )
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {key}"} if key else {})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    except (HTTPException, ValueError) as error:
        raise ConnectionError("no HTTP") from error
    finally:
        connection.close()
