"""Reads files into a DuckDB database: every file, sheet and array of objects is a table."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from text2sql.database.dialects import BY_NAME
from text2sql.database.files import encoding as encodings
from text2sql.database.files.delimited import read_rows, sniff
from text2sql.database.files.excel import is_workbook, read_workbook
from text2sql.database.files.folder import groups, visible_files
from text2sql.database.files.grid import TextTable, write_grid
from text2sql.database.files.json_tables import read_json
from text2sql.database.files.limits import FILES, SMALL_BYTES, read_head
from text2sql.database.files.names import combined, table_name, unique
from text2sql.database.files.notes import Notes, TableContext
from text2sql.database.files.options import FileOptions
from text2sql.database.files.regular import regular_table
from text2sql.database.files.staging import Staging, escaped_pattern, literal, read_plain
from text2sql.errors import Text2SQLError, UsageError

TEXT_SUFFIXES = (".csv", ".tsv", ".tab", ".psv")
JSON_SUFFIXES = (".json", ".jsonl", ".ndjson")
EXCEL_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet", *JSON_SUFFIXES, *EXCEL_SUFFIXES)
_HEAD = 1 << 18
_quoted = BY_NAME["duckdb"].quoted


def is_data_file(path: Path) -> bool:
    """Whether the source is read into a copy, which cannot be written."""
    return path.is_dir() or path.suffix.lower() in SUFFIXES


def convert(path: Path, directory: Path, options: FileOptions, memory: str) -> Path:
    """Read a file or a folder into a new database in `directory` and return it. Nothing is left of it if that
    fails. What was decided on the way is saved as notes.
    """
    copy = directory / "copy.duckdb"
    notes = Notes()
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": memory,
        "temp_directory": str(directory / "spill"),
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "python_enable_replacements": "false",
    }
    try:
        with duckdb.connect(str(copy), config=config) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            _Reader(connection, directory, options, notes).read(path)
        notes.save(directory)
    except duckdb.Error as error:
        copy.unlink(missing_ok=True)
        raise UsageError("usage.db_unreadable", path=str(path), detail=_first_line(error)) from error
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return copy


class _Reader:
    def __init__(
        self, connection: duckdb.DuckDBPyConnection, directory: Path, options: FileOptions, notes: Notes
    ) -> None:
        self._connection = connection
        self._options, self._notes = options, notes
        self._taken: set[str] = set()  # names of tables, in lower case
        self._staging = Staging(connection, directory, options, notes)
        self._texts = directory / "texts"
        self._texts.mkdir()

    def read(self, path: Path) -> None:
        try:
            if path.is_dir():
                self._folder(path)
            else:
                for table in self._tables(path, self._subdirectory(0)):
                    self._staging.add([table], table.name)
        finally:
            self._staging.close()
            shutil.rmtree(self._texts, ignore_errors=True)

    def _folder(self, folder: Path) -> None:
        tables: list[TextTable] = []
        first_error: Text2SQLError | None = None
        for number, path in enumerate(visible_files(folder)):
            mark = len(self._notes.items)
            try:
                if number >= FILES:
                    raise UsageError("usage.file_large", file=path.name, limit=f"{FILES} files")
                if path.suffix.lower() not in SUFFIXES:
                    raise UsageError("usage.db_not_a_database", path=path.name)
                tables += self._tables(path, self._subdirectory(number), in_folder=True)
            except (Text2SQLError, duckdb.Error) as error:
                del self._notes.items[mark:]
                known = error if isinstance(error, Text2SQLError) else _unreadable(path, error)
                self._notes.add_skipped(path.name, known)
                first_error = first_error or known
        created = self._connection.execute(
            "SELECT count(*) FROM duckdb_tables() WHERE database_name <> 'staging'"
        )
        if first_error is not None and not tables and not created.fetchall()[0][0]:
            raise first_error
        for name, members in groups(tables).items():
            column = self._file_column(members) if len(members) > 1 else ""
            self._staging.add(members, name, column)
            if column:
                files = ", ".join(table.file for table in members)
                self._notes.add("combined", name, column, count=len(members), files=files)

    def _file_column(self, members: Sequence[TextTable]) -> str:
        return unique("file", {name.lower() for _, name in members[0].columns})

    def _subdirectory(self, number: int) -> Path:
        directory = self._texts / str(number)
        directory.mkdir()
        return directory

    def _tables(self, path: Path, directory: Path, *, in_folder: bool = False) -> list[TextTable]:
        """The tables of one file. Those that DuckDB reads by itself are created at once."""
        if not path.stat().st_size:
            raise UsageError("usage.file_empty", file=path.name)
        head = read_head(path, 64)
        suffix = path.suffix.lower()
        if head.startswith(b"PAR1") or suffix == ".parquet":
            return self._parquet(path)
        if is_workbook(head):
            return self._workbook(path, directory, in_folder=in_folder)
        if suffix in EXCEL_SUFFIXES and head.lstrip().lower().startswith(
            (b"<html", b"<!doctype", b"<table", b"<?xml")
        ):
            raise UsageError("usage.file_html", file=path.name)
        if suffix in JSON_SUFFIXES:
            return self._json(path, directory)
        return [self._text(path, directory)]

    def _is_readable(self, table: TextTable) -> bool:
        """Whether DuckDB reads all rows of a large file: if not, they are read one by one."""
        try:
            self._connection.execute(
                f"SELECT count(*) FROM {read_plain(table.path, table.width, table.separator)}"
            )
        except duckdb.Error:
            return False
        return True

    def _new_name(self, path: Path) -> str:
        wanted = table_name(path.stem)
        if wanted.lower() in self._taken:
            wanted = f"{wanted}_{path.suffix.removeprefix('.').lower()}"
        name = unique(wanted, self._taken)
        self._taken.add(name.lower())
        return name

    def _parquet(self, path: Path) -> list[TextTable]:
        name = _quoted(self._new_name(path))
        try:
            self._connection.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_parquet({literal(escaped_pattern(path))})"
            )
        except duckdb.Error as error:
            raise _unreadable(path, error) from error
        return []

    def _workbook(self, path: Path, directory: Path, *, in_folder: bool) -> list[TextTable]:
        own: set[str] = set()
        sheets = list(
            read_workbook(path, directory, self._options, self._notes, own if in_folder else self._taken)
        )
        if not sheets:
            raise UsageError("usage.file_empty", file=path.name)
        if not in_folder:
            return [table for _, table in sheets]
        result = []
        for sheet, table in sheets:
            stem = table_name(path.stem)
            wanted = stem if len(sheets) == 1 else combined(stem, sheet)
            name = unique(wanted, self._taken)
            self._taken.add(name.lower())
            self._notes.rename(table.name, name, table.file)
            result.append(replace(table, name=name))
        return result

    def _json(self, path: Path, directory: Path) -> list[TextTable]:
        encoding = self._encoding(path)
        tables = read_json(path, directory, encoding, self._notes, self._taken)
        self._say_encoding(path, encoding, tables[0].name)
        return tables

    def _encoding(self, path: Path) -> str:
        return encodings.detect(path, self._options.encoding)

    def _say_encoding(self, path: Path, encoding: str, table: str) -> None:
        if not encoding.startswith("utf-8"):
            name = encodings.NAMES.get(encoding, encoding)
            self._notes.add("encoding", table, file=path.name, encoding=name)

    def _text(self, path: Path, directory: Path) -> TextTable:
        encoding = self._encoding(path)
        name = self._new_name(path)
        self._say_encoding(path, encoding, name)
        chunks = encodings.decoded_chunks(path, encoding)
        head = next(chunks, "")
        separator = self._options.separator or {".psv": "|"}.get(path.suffix.lower(), "")
        dialect = sniff(head[:_HEAD], separator)
        if path.stat().st_size > SMALL_BYTES and encoding.startswith("utf-8") and dialect.is_plain:
            regular = regular_table(
                path, head[:_HEAD], dialect, TableContext(name, path.name, self._options, self._notes)
            )
            if regular is not None and self._is_readable(regular):
                return regular
        rows = read_rows(encodings.decoded_chunks(path, encoding), dialect, path.name)
        table = write_grid(
            rows, directory / "table.csv", TableContext(name, path.name, self._options, self._notes)
        )
        if table is None:
            raise UsageError("usage.file_empty", file=path.name)
        return table


def _unreadable(path: Path, error: Exception) -> UsageError:
    return UsageError("usage.db_unreadable", path=path.name, detail=_first_line(error))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
