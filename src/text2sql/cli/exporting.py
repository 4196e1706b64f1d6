"""Export rows atomically as JSON, or as CSV that is safe to open in a spreadsheet."""

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from text2sql.errors import UsageError
from text2sql.serialization import csv_text, plain
from text2sql.types import Row


def as_csv(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Rows as CSV. The byte order mark makes Excel read it as UTF-8. NULL is an empty cell."""
    return csv_text([columns, *rows]).encode("utf-8-sig", "replace")


def as_json(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """Rows as JSON. Rows are lists and not objects, because column names may be duplicate."""
    document = {"columns": list(columns), "rows": plain(tuple(rows))}
    return (json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8", "replace")


FORMATS: Mapping[str, Callable[[Sequence[str], Sequence[Row]], bytes]] = {".csv": as_csv, ".json": as_json}


def target_of(name: str, endings: Collection[str], message_key: str) -> Path:
    """The path of a file to write. Its extension selects the format."""
    path = Path(name.strip().strip("\"'")).expanduser()
    if path.suffix.lower() not in endings:
        raise UsageError(message_key, name=name, endings=", ".join(endings))
    return path.resolve()


def write_rows(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    write_file(path, FORMATS[path.suffix.lower()](columns, rows))


def write_file(path: Path, content: bytes) -> None:
    """Write a file that is complete or not there."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(content)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise UsageError("usage.export", path=str(path), detail=error.strerror or str(error)) from error
