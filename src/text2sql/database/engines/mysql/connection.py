"""PyMySQL's connection with the four things it lacks: rows one by one with our readers, a statement that
is parsed and not run, COM_RESET_CONNECTION, and a way to hang up from another thread.
"""

import os
import socket
import struct
from collections.abc import Generator
from contextlib import suppress
from typing import Any

from pymysql.connections import Connection
from pymysql.constants import COMMAND

from text2sql.database.engines.mysql.cells import reader, type_name
from text2sql.types import ResultColumn

_RESET_CONNECTION = 0x1F


class Wire(Connection):
    """Private names of the base class are used here and only here; the lock file holds its version."""

    _twin: socket.socket | None = None

    @property
    def _base(self) -> Any:
        """This connection with the names that its type stubs leave out."""
        return self

    def connect(self, sock: Any = None) -> None:
        super().connect(sock)
        # A second handle of the socket: PyMySQL forgets its own when it closes, in whatever thread that is.
        self._twin = socket.socket(fileno=os.dup(self._base._sock.fileno()))

    @property
    def is_mariadb(self) -> bool:
        return "mariadb" in str(self._base.server_version).lower()

    @property
    def number(self) -> int:
        """What the server calls this connection."""
        return int(self._base.thread_id())

    def do(self, sql: str) -> tuple[tuple[Any, ...], ...]:
        """A statement of our own, all of its rows at once."""
        self.send(sql)
        return tuple(self.rows())

    def send(self, sql: str) -> tuple[ResultColumn, ...]:
        """A statement begins to answer; () where it has no rows."""
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
    def touched(self) -> int:
        """The rows that the last statement changed or, with FOUND_ROWS, found to change."""
        return int(self._base.affected_rows())

    @property
    def answering(self) -> bool:
        """Whether rows of a statement are still to be read."""
        result = self._base._result
        return self.open and result is not None and bool(result.unbuffered_active)

    def parse(self, sql: str) -> None:
        """The server reads the statement, resolves its names and forgets it; nothing runs."""
        self._base._execute_command(COMMAND.COM_STMT_PREPARE, sql)
        answer = self._base._read_packet()
        answer.advance(1)
        number, columns, parameters = struct.unpack("<IHH", answer.read(8))
        for count in (parameters, columns):
            if count:
                for _ in range(count + 1):  # the descriptions, and a packet that ends them
                    self._base._read_packet()
        self._base._execute_command(COMMAND.COM_STMT_CLOSE, struct.pack("<I", number))  # has no answer

    def reset_session(self) -> None:
        """Locks, variables, temporary tables, prepared statements and settings are the server's again."""
        self._base._execute_command(_RESET_CONNECTION, b"")
        self._base._read_ok_packet()

    def expect_within(self, seconds: float) -> None:
        """How long a silent server is listened to; a half-open connection would be for ever."""
        self._base._read_timeout = self._base._write_timeout = seconds

    def forget_result(self) -> None:
        """Rows that will never be read; PyMySQL would read them all when it finds out."""
        result = self._base._result
        if result is not None:
            result.unbuffered_active = False
            self._base._result = None

    def hang_up(self) -> None:
        """Wake whoever waits on the socket: to it the connection is lost. Safe from another thread."""
        if self._twin is not None:
            with suppress(OSError):  # already gone
                self._twin.shutdown(socket.SHUT_RDWR)

    def end(self) -> None:
        self.forget_result()
        if not self._base._closed:
            self.close()
        if self._twin is not None:
            self._twin.close()
