"""SQLite through the standard library: a file opened so that no statement can change it or leave it."""

import sqlite3
from functools import partial

from text2sql.config import Settings
from text2sql.database.engines.sqlite.errors import translate
from text2sql.database.engines.sqlite.session import SqliteSession
from text2sql.database.engines.sqlite.writing import SqliteWriting
from text2sql.database.source import Source
from text2sql.errors import ConnectionFailed, DatabaseError

BUSY_SECONDS = 2.0  # how long to wait for a writer before the lock is reported
MOST_BYTES = 64_000_000  # of one string or blob, made or read; also what one uninterruptible call can chew on

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 500,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 10,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_PRAGMAS = ("trusted_schema=OFF", "cell_size_check=ON")
_READING = (*_PRAGMAS, "query_only=ON")
_WRITING = (*_PRAGMAS, "foreign_keys=ON")  # SQLite leaves them unchecked where nobody asks
_WAL_HEADER = slice(18, 20)  # file format bytes: 2, 2 in a database that uses a write-ahead log


class SqliteEngine:
    dialect = "sqlite"

    def __init__(self, source: Source, settings: Settings) -> None:  # noqa: ARG002 one shape for all engines
        if source.path is None:
            raise ValueError("SQLite needs a file")
        self._path = source.path

    def connect(self) -> SqliteSession:
        try:
            return SqliteSession(self._open("mode=ro", _READING))
        except sqlite3.Error as error:
            if self._is_quiet_wal(error):
                return self._again()
            raise self._refused(error) from error

    def connect_writing(self) -> SqliteWriting:
        try:
            return SqliteWriting(self._open("mode=rw", _WRITING))
        except sqlite3.Error as error:
            raise self._refused(error) from error

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        pass

    def _again(self) -> SqliteSession:
        """A write-ahead log needs a file beside the database. Where that cannot be made nobody can be
        writing either, so the file may be read as one that never changes.
        """
        try:
            return SqliteSession(self._open("mode=ro&immutable=1", _READING))
        except sqlite3.Error as error:
            raise self._refused(error) from error

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

    def _is_quiet_wal(self, error: sqlite3.Error) -> bool:
        """Whether the database uses a log, has nothing in it, and only the log's files were the trouble."""
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        ):
            return False
        log = self._path.with_name(self._path.name + "-wal")
        try:
            with self._path.open("rb") as file:
                uses_log = file.read(20)[_WAL_HEADER] == b"\x02\x02"
            return uses_log and not (log.exists() and log.stat().st_size)
        except OSError:
            return False

    def _refused(self, error: sqlite3.Error) -> DatabaseError:
        return translate(error, "") or ConnectionFailed(str(error))
