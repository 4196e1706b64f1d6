"""DuckDB: a file opened read-only, cut off from every other file, with its settings locked."""

import os
import shutil
import tempfile
import threading
import weakref
from collections.abc import Mapping
from pathlib import Path

import duckdb

from text2sql.config import Settings
from text2sql.database.engines.duckdb.errors import refused, translate
from text2sql.database.engines.duckdb.files import converted, is_data
from text2sql.database.engines.duckdb.session import DuckSession
from text2sql.database.engines.duckdb.writing import DuckWriting
from text2sql.database.source import Source
from text2sql.errors import DatabaseError, Forbidden

# `read_only` alone still reads and writes other files, attaches databases and loads extensions.
_CONFIG: Mapping[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",
    "python_scan_all_frames": "false",
    "memory_limit": "2GB",
    "max_temp_directory_size": "4GB",
}


class DuckEngine:
    """One database object in this process; a session is a cursor of it."""

    dialect = "duckdb"

    def __init__(self, source: Source, settings: Settings) -> None:  # noqa: ARG002 one shape for all engines
        if source.path is None:
            raise ValueError("DuckDB needs a file")
        self._path = source.path
        self._lock = threading.Lock()
        self._root: duckdb.DuckDBPyConnection | None = None
        # For what a sort spills and for the copy of a data file: never beside the user's own file.
        self._scratch = Path(tempfile.mkdtemp(prefix="text2sql-"))
        self._remove = weakref.finalize(self, _remove, self._scratch, os.getpid())

    def connect(self) -> DuckSession:
        with self._lock:
            if self._root is None:
                self._root = self._open(converted(self._path, self._scratch))
            return DuckSession(self._root)

    def connect_writing(self) -> DuckWriting:
        """The caller sees to it that no session is open: DuckDB refuses a file that is open for reading."""
        if is_data(self._path):
            raise Forbidden("a data file", key="database.not_writable", path=self._path.name)
        with self._lock:
            self._close_root()
            return DuckWriting(self._open(self._path, read_only=False))

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return translate(error, sql)

    def close(self) -> None:
        with self._lock:
            self._close_root()
        self._remove()

    def _close_root(self) -> None:
        if self._root is not None:
            self._root.close()
            self._root = None

    def _open(self, path: Path, *, read_only: bool = True) -> duckdb.DuckDBPyConnection:
        config = {**_CONFIG, "temp_directory": str(self._scratch / "spill")}
        try:
            root = duckdb.connect(str(path), read_only=read_only, config=config)
        except duckdb.Error as error:
            raise refused(error) from error
        root.execute("SET GLOBAL TimeZone = 'UTC'")
        root.execute("SET lock_configuration = true")  # last: nothing can be set after it
        return root


def _remove(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not take the parent's files away
        shutil.rmtree(directory, ignore_errors=True)
