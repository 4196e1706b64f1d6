"""Converts CSV, Parquet and JSON files to a temporary DuckDB file, which is then opened like any other."""

import re
from pathlib import Path

import duckdb

from text2sql.database.dialects import BY_NAME
from text2sql.errors import UsageError

_READERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".parquet": "read_parquet",
    ".json": "read_json_auto",
    ".jsonl": "read_json_auto",
    ".ndjson": "read_json_auto",
}


def is_data_file(path: Path) -> bool:
    """Whether the file is read into a copy, which cannot be written."""
    return path.suffix.lower() in _READERS


def convert_data_file(path: Path, directory: Path) -> Path:
    """Return the database to open: the file itself, or a copy of its data with one table named after the
    file.

    A view over the file would need file access, and every statement would have it too.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        return path
    copy = directory / "copy.duckdb"
    table = BY_NAME["duckdb"].quoted(path.stem or "data")
    # Escaped: the readers treat *, ? and [ as patterns, which would match other files.
    path_literal = "'" + re.sub(r"([*?\[])", r"[\1]", str(path)).replace("'", "''") + "'"
    try:
        with duckdb.connect(str(copy)) as connection:
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM {reader}({path_literal})")
    except duckdb.Error as error:
        copy.unlink(missing_ok=True)
        raise UsageError("usage.db_unreadable", path=str(path), detail=_first_line(error)) from error
    return copy


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
