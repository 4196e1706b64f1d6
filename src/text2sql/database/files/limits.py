"""How much of a file is read. The process that reads it has a memory limit as well."""

from collections.abc import Iterator
from pathlib import Path

SMALL_BYTES = 8_000_000  # up to this size a text file is read row by row, above it by DuckDB if it is regular
EXCEL_BYTES = 200_000_000  # of a workbook
UNPACKED_BYTES = 1_000_000_000  # of all parts of a workbook
EXCEL_CELLS = 20_000_000  # of a sheet
COLUMNS = 4_000
CELL_CHARACTERS = 1_000_000
FILES = 500  # in a folder
TABLES = 500


def read_head(path: Path, count: int) -> bytes:
    with path.open("rb") as file:
        return file.read(count)


def blocks(path: Path, size: int, count: int) -> Iterator[bytes]:
    """Some blocks, spread evenly over the file."""
    length = path.stat().st_size
    with path.open("rb") as file:
        for number in range(count):
            file.seek(max(0, length - size) * number // max(1, count - 1))
            yield file.read(size)
