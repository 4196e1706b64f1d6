"""DuckDB: a file opened read-only, without access to any other file, with its settings locked."""

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

import duckdb

from text2sql.config import Settings
from text2sql.database.engines.duckdb.errors import connection_error, translate
from text2sql.database.engines.duckdb.restriction import Restriction
from text2sql.database.engines.duckdb.session import DuckSession
from text2sql.database.engines.duckdb.writing_session import DuckWritingSession
from text2sql.database.files import convert, is_data_file, load_notes, read_options
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, Forbidden
from text2sql.types import Policy

# `read_only` alone still reads and writes other files, attaches databases and loads extensions.
_CONFIG: Mapping[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    "max_temp_directory_size": "4GB",
}
_MAX_THREADS = 8  # each has a stack and caches that count against the process's memory limit


class DuckEngine:
    """One database object in this process; a session is a cursor of it."""

    dialect = "duckdb"

    def __init__(self, source: Source, settings: Settings) -> None:
        if source.path is None:
            raise ValueError("DuckDB needs a file")
        self._path = source.path
        self._options = read_options(source.options) if is_data_file(source.path) else None
        # DuckDB's own accounting; strings and lists are extra, up to the process's limit.
        self._memory = f"{settings.engine_memory // 2}MB"
        self._lock = threading.Lock()
        self._root: duckdb.DuckDBPyConnection | None = None
        self._file = self._path  # or the copy of a data file or a folder
        # For spilled data and the copy of a data file: never next to the user's file.
        self._scratch = Path(tempfile.mkdtemp(prefix="text2sql-"))
        self._remove = weakref.finalize(self, _remove, self._scratch, os.getpid())

    def prepare(self, convert_apart: Callable[[str], Path]) -> tuple[Path, str]:
        """Convert a data file if needed, with a function that does so in another process; return the database
        file to open and the directory for spilled data.
        """
        with self._lock:
            if self._needs_copy:
                self._file = convert_apart(str(self._scratch))
            return self._file, str(self._scratch)

    def convert(self) -> Path:
        """Read the data file or folder into a copy in this process, and return the copy."""
        if self._options is None:
            return self._path
        return convert(self._path, self._scratch, self._options, self._memory)

    def use_scratch(self, directory: str) -> None:
        """Spill to this directory; its creator removes it."""
        self._remove()
        self._scratch = Path(directory)

    def connect(self) -> DuckSession:
        with self._lock:
            if self._needs_copy:
                self._file = self.convert()
            if self._root is None:
                self._root = self._open(self._file)
            return DuckSession(self._root, self._open_restricted, load_notes(self._scratch))

    def connect_writing(self) -> DuckWritingSession:
        """The caller ensures that no session is open: DuckDB cannot write a file that is open for reading."""
        if self._options is not None:
            raise Forbidden("a data file", key="database.not_writable", path=self._path.name)
        with self._lock:
            self._close_root()
            return DuckWritingSession(self._open(self._path, read_only=False))

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        with self._lock:
            self._close_root()
        self._remove()

    @property
    def _needs_copy(self) -> bool:
        return self._options is not None and self._file == self._path

    def _close_root(self) -> None:
        if self._root is not None:
            self._root.close()
            self._root = None

    def _open_restricted(self, readable: Policy) -> tuple[duckdb.DuckDBPyConnection, Restriction]:
        root = duckdb.connect(":memory:", config=self._config(external_access=True))
        try:
            restriction = Restriction(root, self._file, readable)
            root.execute("SET enable_external_access = false")
            _lock(root)
        except duckdb.Error as error:
            root.close()
            raise connection_error(error) from error
        return root, restriction

    def _config(self, *, external_access: bool = False) -> dict[str, str | bool | int | float | list[str]]:
        access = {"enable_external_access": "true"} if external_access else {}
        session_config: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": str(self._scratch / f"spill-{os.getpid()}"),
            "memory_limit": self._memory,
            "threads": min(os.cpu_count() or 1, _MAX_THREADS),
        }
        return {**_CONFIG, **access, **session_config}

    def _open(self, path: Path, *, read_only: bool = True) -> duckdb.DuckDBPyConnection:
        try:
            root = duckdb.connect(str(path), read_only=read_only, config=self._config())
        except duckdb.Error as error:
            raise connection_error(error) from error
        _lock(root)
        return root


def _lock(root: duckdb.DuckDBPyConnection) -> None:
    root.execute("SET GLOBAL TimeZone = 'UTC'")
    root.execute("SET lock_configuration = true")  # last: no setting can be changed after it


def _remove(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove the parent's files
        shutil.rmtree(directory, ignore_errors=True)
