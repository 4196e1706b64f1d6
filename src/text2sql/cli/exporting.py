"""Rows as a file: CSV that a spreadsheet reads and does not execute, or JSON; whole or not at all."""

import csv
import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from text2sql.errors import UsageError
from text2sql.shapes import csv_cell, harmless, plain
from text2sql.types import Row


def as_csv(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """With a byte order mark: without one Excel shows Chinese as noise. NULL is an empty cell."""
    told = io.StringIO(newline="")
    writer = csv.writer(told)
    writer.writerow([harmless(name) for name in columns])
    writer.writerows([[csv_cell(value) for value in row] for row in rows])
    return told.getvalue().encode("utf-8-sig", "replace")


def as_json(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Two columns may share a name, so rows are lists and not objects."""
    told = {"columns": list(columns), "rows": plain(tuple(rows))}
    return (json.dumps(told, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")


FORMATS: Mapping[str, Callable[[Sequence[str], Sequence[Row]], bytes]] = {".csv": as_csv, ".json": as_json}


def target_of(name: str) -> Path:
    path = Path(name.strip().strip("\"'")).expanduser()
    if path.suffix.lower() not in FORMATS:
        raise UsageError("usage.export_name", name=name, endings=", ".join(FORMATS))
    return path.resolve()


def write(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(FORMATS[path.suffix.lower()](columns, rows))
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise UsageError("usage.export", path=str(path), detail=error.strerror or str(error)) from error
