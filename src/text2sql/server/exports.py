"""A whole result as a file: CSV and JSON are sent as they are read, Excel and Parquet when they are complete.

Nothing in a cell is ever a formula or a link, numbers and dates are numbers and dates, text is UTF-8.
"""

import asyncio
import csv
import io
import json
import re
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import xlsxwriter  # type: ignore[import-untyped]

from text2sql.database.parquet import ParquetFile, kind_of
from text2sql.errors import UsageError
from text2sql.shapes import csv_cell, harmless, plain
from text2sql.types import ResultColumn, Row, Value

Format: TypeAlias = Literal["csv", "xlsx", "parquet", "json"]

MEDIA: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
EXCEL_ROWS = 1_048_575  # under a line of names
EXCEL_COLUMNS = 16_384
_EXCEL_TEXT = 32_767  # characters of a cell
_EXCEL_DIGITS = 10**15  # beyond, Excel changes digits
_EXCEL_EPOCH = date(1900, 3, 1)  # before, its calendar is wrong, or has not begun
_PIECE = 262_144
_NO_XML = re.compile(
    "[\ud800-\udfff\ufffe\uffff]"
)  # control characters have a spelling there, these have none


class Rows(Protocol):
    """What `AsyncDatabase.stream` gives."""

    @property
    def columns(self) -> tuple[ResultColumn, ...]: ...

    @property
    def truncated(self) -> str: ...

    def __aiter__(self) -> Any: ...


async def as_csv(rows: Rows, cut: bool = False) -> AsyncGenerator[bytes, None]:
    """With a byte order mark: without one Excel shows Chinese as noise. `cut`: the reader was told so."""
    yield ("\ufeff" + _lines([[harmless(column.name) for column in rows.columns]])).encode("utf-8", "replace")
    async for batch in rows:
        yield await asyncio.to_thread(_csv, batch)
    _whole(rows, "csv", cut)


async def as_json(rows: Rows, cut: bool = False) -> AsyncGenerator[bytes, None]:
    names = json.dumps([column.name for column in rows.columns], ensure_ascii=False)
    yield f'{{"columns": {names}, "rows": ['.encode("utf-8", "replace")
    comma = ""
    async for batch in rows:
        yield await asyncio.to_thread(_json, batch, comma)
        comma = ","
    _whole(rows, "json", cut)
    yield b"]}\n"


def _csv(batch: Sequence[Row]) -> bytes:
    return _lines([[csv_cell(value) for value in row] for row in batch]).encode("utf-8", "replace")


def _json(batch: Sequence[Row], comma: str) -> bytes:
    told = ",".join(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) for row in batch)
    return (comma + told).encode("utf-8", "replace")


def _lines(cells: list[list[str]]) -> str:
    told = io.StringIO(newline="")
    csv.writer(told).writerows(cells)
    return told.getvalue()


def _whole(rows: Rows, kind: str, cut: bool) -> None:
    """A file that a limit cut off must not look complete. Once it is on its way, breaking off says so."""
    if rows.truncated == "bytes" or (rows.truncated and not cut):
        raise UsageError("usage.export_large", kind=kind, most=rows.truncated)


# -- files that are complete before they are sent ------------------------------------------------


async def as_file(rows: Rows, kind: Format, held: AsyncExitStack) -> Path:
    """A temporary file that lives as long as `held`. All writing is done by a thread."""
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="text2sql-export-")
    held.callback(folder.cleanup)
    path = Path(folder.name) / f"rows.{kind}"
    writer: ParquetFile | ExcelFile = (
        ExcelFile(path, rows.columns) if kind == "xlsx" else ParquetFile(path, rows.columns)
    )
    with writer:
        async for batch in rows:
            await _by_a_thread(partial(writer.add, batch))
        _whole(rows, kind, cut=True)
        await _by_a_thread(writer.finish)
    return path


async def _by_a_thread(work: Callable[[], None]) -> None:
    """To its end, even if the task is cancelled: nobody closes a file that a thread still writes to."""
    doing = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await asyncio.wait({doing})
        raise


async def pieces_of(path: Path) -> AsyncGenerator[bytes, None]:
    with path.open("rb") as file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


class ExcelFile:
    """Row by row: memory holds one row, not the book."""

    def __init__(self, path: Path, columns: Sequence[ResultColumn]) -> None:
        if len(columns) > EXCEL_COLUMNS:
            raise UsageError("usage.export_large", kind="xlsx", most=EXCEL_COLUMNS)
        options = {
            "constant_memory": True,
            "tmpdir": str(path.parent),
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
            "nan_inf_to_errors": False,
        }
        self._book = xlsxwriter.Workbook(str(path), options)
        self._sheet = self._book.add_worksheet("text2sql")
        self._day = self._book.add_format({"num_format": "yyyy-mm-dd"})
        self._moment = self._book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self._row = 0
        bold = self._book.add_format({"bold": True})
        for at, column in enumerate(columns):
            self._sheet.write_string(0, at, column.name[:_EXCEL_TEXT], bold)
        self._sheet.freeze_panes(1, 0)

    def __enter__(self) -> "ExcelFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(OSError):  # the file is thrown away; only its handles matter
                self._book.close()

    def add(self, rows: Sequence[Row]) -> None:
        if self._row + len(rows) > EXCEL_ROWS:
            raise UsageError("usage.export_large", kind="xlsx", most=EXCEL_ROWS)
        for row in rows:
            self._row += 1
            for at, value in enumerate(row):
                self._cell(at, value)

    def finish(self) -> None:
        self._book.close()

    def _cell(self, at: int, value: Value) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            self._sheet.write_boolean(self._row, at, value)
        elif (isinstance(value, int | float) and abs(value) < _EXCEL_DIGITS) or isinstance(value, float):
            self._sheet.write_number(self._row, at, value)
        else:
            self._text(at, value)

    def _text(self, at: int, value: Value) -> None:
        """A day is a day; everything else is written as a text, which is never read as a formula."""
        kind = kind_of(value)
        if isinstance(value, str) and kind in ("date", "moment", "zoned"):
            when = _moment(value)
            if when.date() >= _EXCEL_EPOCH:
                self._sheet.write_datetime(self._row, at, when, self._day if kind == "date" else self._moment)
                return
        told = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        cut = told if len(told) <= _EXCEL_TEXT else told[: _EXCEL_TEXT - 1] + "…"
        self._sheet.write_string(self._row, at, _NO_XML.sub("\N{REPLACEMENT CHARACTER}", cut))


def _moment(text: str) -> datetime:
    """Excel knows no time zones: a moment with one is written in UTC."""
    when = datetime.fromisoformat(text)
    return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
