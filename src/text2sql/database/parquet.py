"""Rows as a Parquet file, written by DuckDB. The types are seen from the values: an engine's own words for
them differ, and some engines have none.
"""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb

from text2sql.types import ResultColumn, Row, Value

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?")
_ZONED = re.compile(_MOMENT.pattern + r"(?:Z|[+-]\d\d:\d\d)")
_BIG = re.compile(r"-?[1-9]\d{15,18}")
_INT64 = 2**63
# What a column may become, by the kinds of its values; anything else is text.
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
_OBJECT_BYTES = 256_000_000  # one row of JSON


class ParquetFile:
    """`with ParquetFile(path, columns) as file: file.add(rows); file.finish()`

    Rows pass through a file beside it, because their types are known only when all have been seen; memory
    holds one batch.
    """

    def __init__(self, path: Path, columns: Sequence[ResultColumn]) -> None:
        self._path = path
        self._names = _distinct([column.name for column in columns])
        # Integers beyond 2^53 arrive as text; a text of digits may also be a text.
        self._kinds = [{"integer"} if "INT" in column.type.upper() else set() for column in columns]
        self._passing = path.with_name(path.name + ".rows")
        self._rows = self._passing.open("w", encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._rows.close()
        self._passing.unlink(missing_ok=True)

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            for kinds, value in zip(self._kinds, row, strict=True):
                if value is not None:
                    kinds.add(kind_of(value))
            told = {str(at): _told(value) for at, value in enumerate(row)}
            self._rows.write(json.dumps(told, ensure_ascii=False, allow_nan=False) + "\n")

    def finish(self) -> None:
        """Without it there is no file."""
        self._rows.close()
        types = [_TYPES.get(frozenset(kinds), "VARCHAR") for kinds in self._kinds]
        read = ", ".join(f"'{at}': 'VARCHAR'" for at in range(len(types)))
        shown = ", ".join(
            f'CAST("{at}" AS {kind}) AS {_quoted(name)}'
            for at, (kind, name) in enumerate(zip(types, self._names, strict=True))
        )
        rows = (
            f"read_json({_text(self._passing)}, format = 'newline_delimited', columns = {{{read}}},"
            f" maximum_object_size = {_OBJECT_BYTES})"
        )
        with duckdb.connect(config={"python_enable_replacements": False}) as writer:
            writer.execute("SET TimeZone = 'UTC'")
            writer.execute(f"COPY (SELECT {shown} FROM {rows}) TO {_text(self._path)} (FORMAT parquet)")


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
        return "date" if _is(value, date) else "text"
    for form, kind in ((_MOMENT, "moment"), (_ZONED, "zoned")):
        if form.fullmatch(value):
            return kind if _is(value, datetime) else "text"
    return "big" if _BIG.fullmatch(value) and -_INT64 <= int(value) < _INT64 else "text"


def _is(value: str, kind: type[date]) -> bool:
    """A text in the right form may still be no day: 2023-02-30."""
    try:
        kind.fromisoformat(value)
    except ValueError:
        return False
    return True


def _told(value: Value) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _distinct(names: Sequence[str]) -> list[str]:
    """Two columns may share a name, a file's may not."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        free, number = name or "column", 1
        while free.lower() in taken:
            number += 1
            free = f"{name or 'column'}_{number}"
        taken.add(free.lower())
        found.append(free)
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
