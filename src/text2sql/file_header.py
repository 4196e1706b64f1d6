"""Reads the header of a file without releasing SQLite's locks on it.

POSIX drops every lock that a process has on a file when the process closes *any* descriptor of that file. A
plain `open()` and `close()` on a SQLite database therefore unlocks all connections of this process: another
process then takes itself for the last one, deletes the write-ahead log, and later writes are lost. SQLite's
own library tracks its other connections and keeps their locks, so the file is opened with SQLite first. No
other module may open a file that can be a database; `tests/unit/test_file_header.py` checks that.
"""

import errno
import os
import stat
from contextlib import closing
from pathlib import Path

SQLITE_SIGNATURE = b"SQLite format 3\0"


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first `count` bytes: for SQLite only its signature, for an empty or special file nothing."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return b""
    if sqlite_application_id(path) is not None:
        return SQLITE_SIGNATURE[:count]
    with path.open("rb") as file:  # not SQLite: no connection can have a lock on it
        return file.read(count)


def sqlite_application_id(path: Path) -> int | None:
    """Return the application id in the header of a SQLite file; None for any other file.

    `immutable` takes no locks and creates no files beside the database. It does not see the write-ahead log
    either, but the id is set when a database is created, before a log exists.
    """
    import sqlite3  # noqa: PLC0415  many commands never need it

    _require_readable(path)
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
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
