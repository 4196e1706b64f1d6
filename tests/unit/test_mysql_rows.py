"""A row that is too large is never read into memory, whatever the server announces."""

import io
from typing import Any

import pytest

from text2sql.database.engines.mysql.connection import ROW_BYTES, MysqlConnection
from text2sql.errors import ResourceExhausted

PACKET = 0xFFFFFF  # the largest packet: the row continues in the next one


class EndlessRow(io.RawIOBase):
    """The reading side of a connection on which one row never ends."""

    def __init__(self) -> None:
        self.read_bytes = 0
        self._sequence = 0

    def read(self, size: int = -1) -> bytes:
        self.read_bytes += size
        if size == 4:
            self._sequence += 1
            return PACKET.to_bytes(3, "little") + bytes([(self._sequence - 1) % 256])
        return bytes(size)


class Socket:
    closed = False

    def settimeout(self, seconds: Any) -> None: ...

    def close(self) -> None:
        self.closed = True


def test_an_endless_row_is_aborted_at_the_limit() -> None:
    connection: Any = MysqlConnection(defer_connect=True)
    sock, row = Socket(), EndlessRow()
    connection._sock, connection._rfile, connection._next_seq_id = sock, row, 0
    connection._current_timeout = None
    with pytest.raises(ResourceExhausted) as caught:
        connection._read_packet()
    assert caught.value.code == "row_bytes"
    assert row.read_bytes <= ROW_BYTES
    assert sock.closed
