"""Extends PyMySQL's connection: rows one by one with the project's cell readers, a size limit for a row,
parsing without execution, COM_RESET_CONNECTION, and disconnecting from another thread.
"""

import os
import socket
import struct
from collections.abc import Generator
from contextlib import suppress
from typing import Any

from pymysql.connections import Connection
from pymysql.constants import COMMAND
from pymysql.protocol import MysqlPacket

from text2sql.database.engines.mysql.cells import reader, type_name
from text2sql.errors import ResourceExhausted
from text2sql.types import ResultColumn

ROW_BYTES = 64_000_000  # limit of one packet, which contains one row; the client's `max_allowed_packet`
_RESET_CONNECTION = 0x1F


class MysqlConnection(Connection):
    """Uses private names of the base class, only in this module; the lock file pins its version."""

    _socket_copy: socket.socket | None = None
    _packet_bytes = 0

    @property
    def _base(self) -> Any:
        """This connection, with the attributes that its type stubs lack."""
        return self

    def connect(self, sock: Any = None) -> None:
        super().connect(sock)
        # A second handle of the socket: PyMySQL drops its own on close, in whatever thread that happens.
        self._socket_copy = socket.socket(fileno=os.dup(self._base._sock.fileno()))

    def _read_packet(self, packet_type: Any = MysqlPacket) -> Any:
        self._packet_bytes = 0
        return super()._read_packet(packet_type)  # type: ignore[no-untyped-call]

    def _read_bytes(self, num_bytes: int) -> Any:
        """A packet announces its length first, in pieces of 16 MB: a row that is too large is never read."""
        self._packet_bytes += num_bytes
        if self._packet_bytes > ROW_BYTES:
            self._base._force_close()  # the server stops when the client disconnects
            raise ResourceExhausted(f"a row of more than {ROW_BYTES:,} bytes", code="row_bytes")
        return super()._read_bytes(num_bytes)  # type: ignore[misc]

    @property
    def is_mariadb(self) -> bool:
        return "mariadb" in str(self._base.server_version).lower()

    @property
    def connection_id(self) -> int:
        """The server's id of this connection."""
        return int(self._base.thread_id())

    def do(self, sql: str) -> tuple[tuple[Any, ...], ...]:
        """Run an internal statement and fetch all of its rows."""
        self.send(sql)
        return tuple(self.rows())

    def send(self, sql: str) -> tuple[ResultColumn, ...]:
        """Start a statement; return its columns, or () if it returns no rows."""
        self.query(sql, unbuffered=True)
        result = self._base._result
        fields = getattr(result, "fields", ())
        result.converters = [(None, reader(field)) for field in fields]
        return tuple(ResultColumn(field.name, type_name(field)) for field in fields)

    def rows(self) -> Generator[tuple[Any, ...], None, None]:
        result = self._base._result
        while result.unbuffered_active and (row := result._read_rowdata_packet_unbuffered()) is not None:
            yield row

    @property
    def changed_rows(self) -> int:
        """The number of rows that the last statement changed or, with FOUND_ROWS, matched."""
        return int(self._base.affected_rows())

    @property
    def has_unread_rows(self) -> bool:
        """Whether rows of a statement are still to be read."""
        result = self._base._result
        return self.open and result is not None and bool(result.unbuffered_active)

    def parse(self, sql: str) -> None:
        """The server parses the statement and resolves its names, without running it."""
        self._base._execute_command(COMMAND.COM_STMT_PREPARE, sql)
        answer = self._base._read_packet()
        answer.advance(1)
        statement_id, columns, parameters = struct.unpack("<IHH", answer.read(8))
        for count in (parameters, columns):
            if count:
                for _ in range(count + 1):  # the column descriptions, and a packet that ends them
                    self._base._read_packet()
        # The server sends no reply.
        self._base._execute_command(COMMAND.COM_STMT_CLOSE, struct.pack("<I", statement_id))

    def reset_session(self) -> None:
        """Release locks, variables, temporary tables, prepared statements and settings."""
        self._base._execute_command(_RESET_CONNECTION, b"")
        self._base._read_ok_packet()

    def set_timeout(self, seconds: float) -> None:
        """Limit the wait for a silent server; a half-open connection would block forever."""
        self._base._read_timeout = self._base._write_timeout = seconds

    def discard_result(self) -> None:
        """Drop rows that will never be read; PyMySQL would otherwise read them all."""
        result = self._base._result
        if result is not None:
            result.unbuffered_active = False
            self._base._result = None

    def disconnect(self) -> None:
        """Wake a thread that waits on the socket: it sees a lost connection. Safe from another thread."""
        if self._socket_copy is not None:
            with suppress(OSError):  # already gone
                self._socket_copy.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        self.discard_result()
        if not self._base._closed:
            self.close()
        if self._socket_copy is not None:
            self._socket_copy.close()
