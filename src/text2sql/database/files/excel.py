"""Reads workbooks (.xlsx, .xlsm, .xlsb, .xls, .ods): every sheet is a table."""

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from text2sql.database.files.delimited import Row
from text2sql.database.files.grid import TextTable, write_grid
from text2sql.database.files.limits import (
    CELL_CHARACTERS,
    COLUMNS,
    EXCEL_BYTES,
    EXCEL_CELLS,
    UNPACKED_BYTES,
    read_head,
)
from text2sql.database.files.names import table_name, unique
from text2sql.database.files.notes import Notes, TableContext
from text2sql.database.files.options import FileOptions
from text2sql.errors import UsageError

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

ZIP = b"PK\x03\x04"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .xls, and an .xlsx with a password


def is_workbook(head: bytes) -> bool:
    return head.startswith((ZIP, COMPOUND))


def read_workbook(
    path: Path, directory: Path, options: FileOptions, notes: Notes, taken: set[str]
) -> Iterator[tuple[str, TextTable]]:
    """The sheets with a table: the name of the sheet and its table. Empty sheets are noted."""
    _require_bounded(path)
    workbook = _open(path)
    names = [sheet.name for sheet in workbook.sheets_metadata if "WorkSheet" in str(sheet.typ)]
    if options.sheet and options.sheet not in names:
        raise UsageError("usage.file_sheet", file=path.name, sheet=options.sheet, sheets=", ".join(names))
    for number, name in enumerate(names):
        if options.sheet and name != options.sheet:
            continue
        sheet = _sheet(workbook, name, path)
        file = f"{path.name} [{name}]"
        wanted = unique(table_name(name), taken)
        context = TableContext(wanted, file, options, notes)
        table = write_grid(_rows(sheet, file), directory / f"sheet-{number}.csv", context)
        if table is None:
            notes.add("empty_sheet", file=file)
            continue
        taken.add(wanted.lower())
        yield name, table


def _open(path: Path) -> "CalamineWorkbook":
    import python_calamine  # noqa: PLC0415 only workbooks need it

    try:
        return python_calamine.CalamineWorkbook.from_path(str(path))
    except python_calamine.PasswordError as error:
        raise UsageError("usage.file_password", file=path.name) from error
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise UsageError("usage.file_excel", file=path.name, detail=_first_line(error)) from error


def _sheet(workbook: "CalamineWorkbook", name: str, path: Path) -> "CalamineSheet":
    import python_calamine  # noqa: PLC0415 as above

    try:
        return workbook.get_sheet_by_name(name)
    except (python_calamine.CalamineError, OSError, ValueError) as error:
        raise UsageError(
            "usage.file_excel", file=f"{path.name} [{name}]", detail=_first_line(error)
        ) from error


def _rows(sheet: "CalamineSheet", file: str) -> Iterator[Row]:
    """The rows with the numbers that Excel shows. A value of cells merged over rows is in each row."""
    if sheet.start is None:
        return
    if sheet.total_height * sheet.width > EXCEL_CELLS or sheet.width > COLUMNS:
        raise UsageError("usage.file_large", file=file, limit=f"{EXCEL_CELLS:,} cells")
    offset = sheet.start[1]
    merged = [
        (first[0], last[0], first[1] - offset)
        for first, last in sheet.merged_cell_ranges or ()
        if last[0] > first[0] and first[1] >= offset
    ]
    values: dict[tuple[int, int, int], str] = {}
    for number, row in enumerate(sheet.iter_rows()):
        cells = [_text(cell) for cell in row]
        for area in merged:
            if number == area[0]:
                values[area] = cells[area[2]]
            elif area[0] < number <= area[1]:
                cells[area[2]] = cells[area[2]] or values.get(area, "")
        yield number + 1, cells


def _text(value: Any) -> str:
    """The text of a cell that the rules for texts read as the same value."""
    if isinstance(value, str):
        return value.strip()[:CELL_CHARACTERS]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ") if value.time() != time() else value.date().isoformat()
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _require_bounded(path: Path) -> None:
    """Refuse a workbook that unpacks to too much, before anything is unpacked."""
    size = path.stat().st_size
    if size > EXCEL_BYTES:
        raise UsageError("usage.file_large", file=path.name, limit=f"{EXCEL_BYTES // 1_000_000} MB")
    if not read_head(path, 4).startswith(ZIP):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise UsageError("usage.file_excel", file=path.name, detail=_first_line(error)) from error
    if unpacked > UNPACKED_BYTES:
        raise UsageError("usage.file_large", file=path.name, limit=f"{UNPACKED_BYTES // 1_000_000} MB")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
