"""SQLite through the standard library, with files opened so that no statement can change them
or open others.
"""

import sqlite3
from functools import partial

from text2sql.config import Settings
from text2sql.database.engines.sqlite.errors import translate
from text2sql.database.engines.sqlite.session import SqliteSession
from text2sql.database.engines.sqlite.writing_session import SqliteWritingSession
from text2sql.database.source import Source
from text2sql.errors import ConnectionFailed, DatabaseError

BUSY_SECONDS = 2.0  # how long to wait for a writer before the lock is reported
MAX_BYTES = 64_000_000  # of one string or blob; also the limit of what one uninterruptible call processes

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MAX_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_PRAGMAS = ("trusted_schema=OFF", "cell_size_check=ON")
_READ_PRAGMAS = (*_PRAGMAS, "query_only=ON")
_WRITE_PRAGMAS = (*_PRAGMAS, "foreign_keys=ON")  # off by default in SQLite


class SqliteEngine:
    """Opens sessions to one SQLite file."""

    dialect = "sqlite"

    def __init__(self, source: Source, settings: Settings) -> None:  # noqa: ARG002 all engines have the same signature
        if source.path is None:
            raise ValueError("SQLite needs a file")
        self._path = source.path

    def connect(self) -> SqliteSession:
        try:
            return SqliteSession(self._open("mode=ro", _READ_PRAGMAS))
        except sqlite3.Error as error:
            if self._has_no_pending_log(error):
                return self._connect_immutable()
            raise self._connection_error(error) from error

    def connect_writing(self) -> SqliteWritingSession:
        try:
            return SqliteWritingSession(self._open("mode=rw", _WRITE_PRAGMAS))
        except sqlite3.Error as error:
            raise self._connection_error(error) from error

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        pass

    def _connect_immutable(self) -> SqliteSession:
        """A write-ahead log needs a file next to the database. Where that file cannot be created, no process
        can be writing either, so the database is opened as one that never changes.
        """
        try:
            return SqliteSession(self._open("mode=ro&immutable=1", _READ_PRAGMAS))
        except sqlite3.Error as error:
            raise self._connection_error(error) from error

    def _open(self, mode: str, pragmas: tuple[str, ...]) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self._path.as_uri()}?{mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=16,
        )
        try:
            self._harden(connection, pragmas)
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()  # opens the file: it is lazy
        except BaseException:
            connection.close()
            raise
        return connection

    def _harden(self, connection: sqlite3.Connection, pragmas: tuple[str, ...]) -> None:
        # Text that is not UTF-8 is still an answer; `partial` stays in C, a lambda costs half the speed.
        connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        configure = getattr(connection, "setconfig", None)  # Python 3.12
        if configure is not None:
            configure(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]
            configure(sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, False)  # type: ignore[attr-defined,unused-ignore]

    def _has_no_pending_log(self, error: sqlite3.Error) -> bool:
        """Whether only the files next to the database caused the error, and they contain no data."""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        ):
            return False
        log_paths = (self._path.with_name(self._path.name + ending) for ending in ("-wal", "-journal"))
        try:
            return not any(log.exists() and log.stat().st_size for log in log_paths)
        except OSError:
            return False

    def _connection_error(self, error: sqlite3.Error) -> DatabaseError:
        return translate(error, "") or ConnectionFailed(str(error))
