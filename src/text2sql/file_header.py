"""Reads the header of a file without releasing the locks that an engine in this process has on it.

POSIX drops every lock that a process has on a file when the process closes *any* descriptor of that file. A
plain `open()` and `close()` on a SQLite database therefore unlocks all connections of this process: another
process then takes itself for the last one, deletes the write-ahead log, and later writes are lost. SQLite's
own library tracks its other connections and keeps their locks, so the file is opened with SQLite first.
DuckDB's library does not: a DuckDB file, once opened here, stays open. No other module may open a file that
can be a database; `tests/unit/test_file_header.py` checks that.
"""

import errno
import os
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

SQLITE_SIGNATURE = b"SQLite format 3\0"
_DUCKDB_SIGNATURE = slice(8, 12), b"DUCK"

# By device and inode: a descriptor of the file, and the connection with which SQLite rejected it.
_open_files: dict[tuple[int, int], "tuple[int, sqlite3.Connection]"] = {}
_lock = threading.Lock()


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first `count` bytes: for SQLite only its signature, for an empty or special file nothing."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return b""
    with _lock:
        _close_deleted()
        opened = _open_files.get((status.st_dev, status.st_ino))
        if opened is not None:
            return os.pread(opened[0], count, 0)
        return _open_and_read(path, count)


def _open_and_read(path: Path, count: int) -> bytes:
    connection = _immutable(path)
    keep = False
    try:
        if _application_id(connection) is not None:
            return SQLITE_SIGNATURE[:count]
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        try:
            header = os.read(descriptor, max(count, 12))
            offset, signature = _DUCKDB_SIGNATURE
            keep = os.name == "posix" and header[offset] == signature
            if keep:
                status = os.fstat(descriptor)
                _open_files[status.st_dev, status.st_ino] = descriptor, connection
        finally:
            if not keep:
                os.close(descriptor)
        return header[:count]
    finally:
        if not keep:
            connection.close()


def _close_deleted() -> None:
    """Close deleted files, which are not opened again, to free their space."""
    for key, (descriptor, connection) in list(_open_files.items()):
        if not os.fstat(descriptor).st_nlink:
            del _open_files[key]
            os.close(descriptor)
            connection.close()


def sqlite_application_id(path: Path) -> int | None:
    """Return the application id in the header of a SQLite file; None for any other file.

    `immutable` takes no locks and creates no files next to the database. It does not see the write-ahead log
    either, but the id is set when a database is created, before a log exists.
    """
    _require_readable(path)
    if first_bytes(path, len(SQLITE_SIGNATURE)) != SQLITE_SIGNATURE:
        return None
    with closing(_immutable(path)) as connection:
        return _application_id(connection)


def _immutable(path: Path) -> "sqlite3.Connection":
    import sqlite3  # noqa: PLC0415  many commands never need it

    _require_readable(path)
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


def _application_id(connection: "sqlite3.Connection") -> int | None:
    import sqlite3  # noqa: PLC0415  as above

    try:
        # The header may count pages that a checkpoint in another process has not written yet.
        connection.execute("PRAGMA writable_schema = ON")
        return int(connection.execute("PRAGMA application_id").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_NOTADB:
            return None
        raise OSError(error.sqlite_errorcode, str(error)) from error


def _require_readable(path: Path) -> None:
    """Raise the operating system's error: SQLite has only one error for every file it cannot open."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
