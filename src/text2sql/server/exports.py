"""Export a whole result as a file: CSV and JSON are streamed, Excel and Parquet are sent once complete.

Cells never become formulas or links; numbers and dates keep their types; text is UTF-8.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

import xlsxwriter  # type: ignore[import-untyped]

from text2sql.database import AsyncStream
from text2sql.database.parquet import ParquetFile, kind_of
from text2sql.errors import UsageError
from text2sql.serialization import csv_text, plain
from text2sql.types import ResultColumn, Row, Value

Format: TypeAlias = Literal["csv", "xlsx", "parquet", "json"]

MEDIA: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
EXCEL_ROWS = 1_048_575  # below the header row
EXCEL_COLUMNS = 16_384
_EXCEL_TEXT = 32_767  # characters of a cell
_EXCEL_DIGITS = 10**15  # Excel keeps 15 digits
_EXCEL_EPOCH = date(1900, 3, 1)  # earlier dates are wrong in Excel, or missing
_CHUNK_BYTES = 262_144
# Control characters can be escaped in XML, these cannot.
_INVALID_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


async def csv_chunks(rows: AsyncStream, cut: bool = False) -> AsyncGenerator[bytes, None]:
    """CSV with a byte order mark, which Excel needs for Chinese. `cut`: the headers announce truncation."""
    yield f"\ufeff{csv_text([[column.name for column in rows.columns]])}".encode("utf-8", "replace")
    async for batch in rows:
        yield (await asyncio.to_thread(csv_text, batch)).encode("utf-8", "replace")
    _check_complete(rows, "csv", cut)


async def json_chunks(rows: AsyncStream, cut: bool = False) -> AsyncGenerator[bytes, None]:
    names = json.dumps([column.name for column in rows.columns], ensure_ascii=False)
    yield f'{{"columns": {names}, "rows": ['.encode("utf-8", "replace")
    comma = ""
    async for batch in rows:
        text = await asyncio.to_thread(_json_rows, batch)
        yield (comma + text).encode("utf-8", "replace")
        comma = ","
    _check_complete(rows, "json", cut)
    yield b"]}\n"


def _json_rows(batch: Sequence[Row]) -> str:
    return ",".join(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) for row in batch)


def _check_complete(rows: AsyncStream, kind: str, cut: bool) -> None:
    """Raise if a limit cut the file unannounced: an aborted download must not look complete."""
    if rows.truncated == "bytes" or (rows.truncated and not cut):
        raise UsageError("usage.export_large", kind=kind, most=rows.truncated)


# -- files that are complete before they are sent ------------------------------------------------


async def write_file(rows: AsyncStream, kind: Format, stack: AsyncExitStack) -> Path:
    """Write a temporary file that is deleted when `stack` is closed. A thread does the writing."""
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="text2sql-export-")
    stack.callback(folder.cleanup)
    path = Path(folder.name) / f"rows.{kind}"
    with (ExcelFile if kind == "xlsx" else ParquetFile)(path, rows.columns) as writer:
        async for batch in rows:
            await _run_in_thread(partial(writer.add, batch))
        _check_complete(rows, kind, cut=True)
        await _run_in_thread(writer.finish)
    return path


async def _run_in_thread(work: Callable[[], None]) -> None:
    """Wait for the thread even if the task is cancelled, so that no file is closed while it is written."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


async def file_chunks(path: Path) -> AsyncGenerator[bytes, None]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK_BYTES):
            yield chunk


class ExcelFile:
    """An Excel workbook that is written row by row in constant memory."""

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
        self._date_format = self._book.add_format({"num_format": "yyyy-mm-dd"})
        self._datetime_format = self._book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self._row = 0
        bold = self._book.add_format({"bold": True})
        for index, column in enumerate(columns):
            self._sheet.write_string(0, index, column.name[:_EXCEL_TEXT], bold)
        self._sheet.freeze_panes(1, 0)

    def __enter__(self) -> "ExcelFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with suppress(OSError):  # the file is discarded; this only closes its handles
                self._book.close()

    def add(self, rows: Sequence[Row]) -> None:
        if self._row + len(rows) > EXCEL_ROWS:
            raise UsageError("usage.export_large", kind="xlsx", most=EXCEL_ROWS)
        for row in rows:
            self._row += 1
            for index, value in enumerate(row):
                self._write_cell(index, value)

    def finish(self) -> None:
        self._book.close()

    def _write_cell(self, index: int, value: Value) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            self._sheet.write_boolean(self._row, index, value)
        elif (isinstance(value, int | float) and abs(value) < _EXCEL_DIGITS) or isinstance(value, float):
            self._sheet.write_number(self._row, index, value)
        else:
            self._write_text(index, value)

    def _write_text(self, index: int, value: Value) -> None:
        """Write a date as a date and any other value as text, which Excel does not read as a formula."""
        kind = kind_of(value)
        if isinstance(value, str) and kind in ("date", "moment", "zoned"):
            when = _excel_datetime(value)
            if when.date() >= _EXCEL_EPOCH:
                self._sheet.write_datetime(
                    self._row, index, when, self._date_format if kind == "date" else self._datetime_format
                )
                return
        text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        shortened = text if len(text) <= _EXCEL_TEXT else text[: _EXCEL_TEXT - 1] + "…"
        self._sheet.write_string(self._row, index, _INVALID_XML.sub("\N{REPLACEMENT CHARACTER}", shortened))


def _excel_datetime(text: str) -> datetime:
    """Parse a date-time. Excel has no time zones, so one with a zone is converted to UTC."""
    when = datetime.fromisoformat(text)
    return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
