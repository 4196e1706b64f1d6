"""Writes rows to a Parquet file with DuckDB. Column types are inferred from the values: engines name their
types differently, and some engines report none.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Self

import duckdb

from text2sql.database.dialects import BY_NAME
from text2sql.types import ResultColumn, Row, Value

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?")
_TIMESTAMPTZ = re.compile(_TIMESTAMP.pattern + r"(?:Z|[+-]\d\d:\d\d)")
_LARGE_INTEGER = re.compile(r"-?[1-9]\d{15,18}")
_INT64 = 2**63
# Column type by the kinds of its values; any other combination is text.
_TYPES = {
    frozenset({"flag"}): "BOOLEAN",
    frozenset({"integer"}): "BIGINT",
    frozenset({"integer", "big"}): "BIGINT",
    frozenset({"number"}): "DOUBLE",
    frozenset({"integer", "number"}): "DOUBLE",
    frozenset({"date"}): "DATE",
    frozenset({"moment"}): "TIMESTAMP",
    frozenset({"date", "moment"}): "TIMESTAMP",
    frozenset({"zoned"}): "TIMESTAMPTZ",
}
_TEXT = "VARCHAR"
_quoted = BY_NAME["duckdb"].quoted
_OBJECT_BYTES = 256_000_000  # one row of JSON


class ParquetFile:
    """`with ParquetFile(path, columns) as file: file.add(rows); file.finish()`

    Rows are first written to a temporary file next to it, because their types are known only when all rows
    have been seen; memory holds one batch.
    """

    def __init__(self, path: Path, columns: Sequence[ResultColumn]) -> None:
        self._path = path
        self._names = unique_names([column.name for column in columns])
        # Integers beyond 2^53 arrive as text; a string of digits may also be text.
        self._kinds = [{"integer"} if "INT" in column.type.upper() else set() for column in columns]
        self._temporary = path.with_name(path.name + ".rows")
        self._rows = self._temporary.open("w", encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()
        self._temporary.unlink(missing_ok=True)

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            for kinds, value in zip(self._kinds, row, strict=True):
                if value is not None:
                    kinds.add(kind_of(value))
            cells = {str(at): as_text(value) for at, value in enumerate(row)}
            self._rows.write(json.dumps(cells, ensure_ascii=False, allow_nan=False) + "\n")

    def finish(self) -> None:
        """Write the Parquet file; without this call no file is created."""
        self._rows.close()
        types = [_TYPES.get(frozenset(kinds), _TEXT) for kinds in self._kinds]
        text_columns = ", ".join(f"'{at}': 'VARCHAR'" for at in range(len(types)))
        casts = ", ".join(
            f'CAST("{at}" AS {kind}) AS {_quoted(name)}'
            for at, (kind, name) in enumerate(zip(types, self._names, strict=True))
        )
        rows = (
            f"read_json({_path_literal(self._temporary)}, format = 'newline_delimited',"
            f" columns = {{{text_columns}}},"
            f" maximum_object_size = {_OBJECT_BYTES})"
        )
        with duckdb.connect(config={"python_enable_replacements": False}) as writer:
            writer.execute("SET TimeZone = 'UTC'")
            writer.execute(
                f"COPY (SELECT {casts} FROM {rows}) TO {_path_literal(self._path)} (FORMAT parquet)"
            )


def column_type(values: Iterable[Value]) -> str:
    """The type of a column by its values, if the engine's type is not known."""
    return _TYPES.get(frozenset(kind_of(value) for value in values if value is not None), _TEXT)


def kind_of(value: Value) -> str:
    """`flag`, `integer`, `number`, `date`, `moment`, `zoned`, `big` or `text`."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int):
        return "integer" if -_INT64 <= value < _INT64 else "text"
    if isinstance(value, float):
        return "number"
    return _kind_of_text(value) if isinstance(value, str) else "text"


def _kind_of_text(value: str) -> str:
    if _DATE.fullmatch(value):
        return "date" if _is_valid(value, date) else "text"
    for form, kind in ((_TIMESTAMP, "moment"), (_TIMESTAMPTZ, "zoned")):
        if form.fullmatch(value):
            return kind if _is_valid(value, datetime) else "text"
    return "big" if _LARGE_INTEGER.fullmatch(value) and -_INT64 <= int(value) < _INT64 else "text"


def _is_valid(value: str, kind: type[date]) -> bool:
    """A string of the right form may still be no valid date: 2023-02-30."""
    try:
        kind.fromisoformat(value)
    except ValueError:
        return False
    return True


def as_text(value: Value) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def unique_names(names: Sequence[str]) -> list[str]:
    """Rename duplicates: two columns of a result may share a name, two columns of a file may not."""
    result: list[str] = []
    taken: set[str] = set()
    for name in names:
        candidate, number = name or "column", 1
        while candidate.lower() in taken:
            number += 1
            candidate = f"{name or 'column'}_{number}"
        taken.add(candidate.lower())
        result.append(candidate)
    return result


def _path_literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
