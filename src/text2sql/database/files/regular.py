"""Recognizes large files that DuckDB can read as they are: a header in the first line and nothing else around
the rows. Reading row by row would take many times as long.
"""

from pathlib import Path

from text2sql.database.files.delimited import Dialect, head_rows
from text2sql.database.files.grid import TextTable
from text2sql.database.files.header import HEAD_ROWS, TAIL_ROWS, find_table, footer_length, kinds_of
from text2sql.database.files.limits import blocks
from text2sql.database.files.names import column_names
from text2sql.database.files.notes import TableContext

_TAIL = 1 << 16


def regular_table(path: Path, head: str, dialect: Dialect, context: TableContext) -> TextTable | None:
    """The table of a file in UTF-8, or None if it may need more than DuckDB's reader does."""
    rows = head_rows(head, dialect, HEAD_ROWS)
    layout = find_table(rows, context.options.header)
    width = len(rows[0]) if rows else 0
    if dialect.skipped or layout.header != (0,) or any(len(row) != width for row in rows[:-1]):
        return None
    names, changed = column_names(rows[0])
    if changed or layout.columns != tuple(range(width)):
        return None
    *_, end = blocks(path, _TAIL, 2)
    tail = head_rows(end.decode("utf-8", "replace").partition("\n")[2], dialect, _TAIL)[-TAIL_ROWS:]
    kinds = kinds_of(rows[1:], width)
    if any(len(row) != width for row in tail) or footer_length(tail, kinds):
        return None
    columns = tuple(enumerate(names))
    return TextTable(context.name, context.file, path, width, columns, 1, separator=dialect.separator)
