"""CSV, Parquet and JSON: read once into a DuckDB file of our own, which is then opened like any other."""

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


def is_data(path: Path) -> bool:
    """Whether it is read into a copy, which nobody wants to write to."""
    return path.suffix.lower() in _READERS


def converted(path: Path, directory: Path) -> Path:
    """The database to open for a file: the file itself, or a copy of its data with one table named after it.

    A view over the file would need access to files, and with it every statement would have it.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        return path
    copy = directory / "copy.duckdb"
    table = BY_NAME["duckdb"].quoted(path.stem or "data")
    # Named exactly: the readers take *, ? and [ for patterns, which would draw in the files beside it.
    place = "'" + re.sub(r"([*?\[])", r"[\1]", str(path)).replace("'", "''") + "'"
    try:
        with duckdb.connect(str(copy)) as connection:
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM {reader}({place})")
    except duckdb.Error as error:
        copy.unlink(missing_ok=True)
        raise UsageError("usage.db_unreadable", path=str(path), detail=_first_line(error)) from error
    return copy


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]
