"""A ClickHouse server for tests: the embedded engine behind the necessary part of the HTTP protocol.

    python tests/clickhouse_http.py DIRECTORY PORT PASSWORD

It runs in its own environment, created by `servers.py`, because the engine's wheel is 180 MB. As on a real
server, each request has its own session and settings. This module adds what the embedded engine lacks: one
statement per request, and KILL QUERY by the client's query id.
"""

import base64
import re
import socket
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import chdb

_OF_THE_PROTOCOL = frozenset(
    "query database query_id session_id default_format wait_end_of_query buffer_size compress decompress "
    "client_protocol_version user password quota_key role".split()
)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.|'')*'|`[^`]*`|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)
_CODE = re.compile(r"Code: (\d+)")
_KILLED = re.compile(r"query_id = '([\w-]+)'")
_OPEN: set[socket.socket] = set()


class Wire(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    directory, password = "", ""
    wbufsize = 65_536
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        _OPEN.add(self.connection)

    def finish(self) -> None:
        _OPEN.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        parameters = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/drop":  # as a firewall would: every other connection is cut
            for connection in _OPEN - {self.connection}:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            return self._reply(b"")
        if self._password() != self.password:
            return self._failed(
                "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)"
            )
        sql = "\n".join(part for part in (parameters.get("query"), body) if part)
        if re.search(r";\s*[^\s;]", _QUOTED.sub(" ", sql)):
            return self._failed(
                "Code: 62. DB::Exception: Syntax error (Multi-statements are not allowed). (SYNTAX_ERROR)"
            )
        if killed := _KILLED.search(sql) if sql.startswith("KILL") else None:
            marked = f"query LIKE '%/*{killed[1]}*/%' AND query NOT LIKE 'KILL%'"
            sql = sql.replace(killed[0], marked)
        connection = chdb.connect(self.directory)
        try:
            self._answer(connection, sql, parameters)
        except OSError:
            self.close_connection = True  # the client has gone
        finally:
            connection.close()

    def _answer(self, connection: Any, sql: str, parameters: dict[str, str]) -> None:
        form = parameters.get("default_format", "TabSeparated")
        try:
            self._prepare(connection, parameters)
            if not re.match(r"\s*(SELECT|WITH|\()", sql, re.IGNORECASE):
                self._reply(connection.query(sql, form).bytes())
                return
            text = f"{sql}\n/*{parameters.get('query_id', '')}*/"
            pieces = iter(connection.send_query(text, form))
            first = next(pieces, None)
            if first is None:  # a stream without rows forgets its columns
                self._reply(connection.query(text, form).bytes())
                return
        except chdb.ChdbError as error:
            self._failed(str(error))
            return
        self._begin(200, {"Transfer-Encoding": "chunked"})
        heads = 2 if "WithNamesAndTypes" in sql else 0  # lines that every piece begins with
        try:
            self._chunk(first.bytes())
            for piece in pieces:
                self._chunk(piece.bytes().split(b"\n", heads)[-1])
        except chdb.ChdbError as error:  # too late for a status: the text stands where rows would
            self._chunk(str(error).encode())
        self.wfile.write(b"0\r\n\r\n")

    def _prepare(self, connection: Any, parameters: dict[str, str]) -> None:
        connection.query(f"USE `{parameters.get('database') or 'default'}`")
        settings = {name: value for name, value in parameters.items() if name not in _OF_THE_PROTOCOL}
        for last in (False, True):  # once it is read-only, nothing more can be set
            chosen = [
                f"{name} = '{value}'" for name, value in settings.items() if (name == "readonly") is last
            ]
            if chosen:
                connection.query(f"SET {', '.join(chosen)}")

    def _password(self) -> str:
        credentials = self.headers.get("Authorization", "").removeprefix("Basic ")
        return base64.b64decode(credentials).decode().partition(":")[2]

    def _begin(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"X-ClickHouse-Timezone": "UTC", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _reply(self, body: bytes, status: int = 200, code: str = "") -> None:
        headers = {"X-ClickHouse-Exception-Code": code} if code else {}
        self._begin(status, {"Content-Length": str(len(body)), **headers})
        self.wfile.write(body)

    def _failed(self, text: str) -> None:
        code = _CODE.search(text)
        self._reply(text.encode(), 500, code[1] if code else "1001")

    def _chunk(self, data: bytes) -> None:
        if data:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
            self.wfile.flush()


def main(directory: str, port: str, password: str) -> None:
    first = chdb.connect(directory)  # held open: the engine ends with its last connection
    Wire.directory, Wire.password = directory, password
    with ThreadingHTTPServer(("127.0.0.1", int(port)), Wire) as server:
        server.daemon_threads = True
        server.serve_forever()
    first.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
