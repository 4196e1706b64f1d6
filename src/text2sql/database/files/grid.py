"""Turns the rows of a text file or a sheet into a table of texts: a plain CSV file that DuckDB reads."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

from text2sql.database.files.delimited import Row
from text2sql.database.files.header import (
    HEAD_ROWS,
    TAIL_ROWS,
    Kind,
    Layout,
    find_table,
    footer_length,
    kinds_of,
)
from text2sql.database.files.names import column_names
from text2sql.database.files.notes import TableContext

_RAGGED = 0.02  # share of rows up to which cells beyond the header are left out
_LINES = 5  # line numbers in a note


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table whose cells are all texts, in a file."""

    name: str
    file: str  # for messages: the name of the user's file, and the sheet
    path: Path
    width: int  # cells in the longest row of `path`
    columns: tuple[tuple[int, str], ...]  # the position of a column in `path`, and its name
    rows: int
    parent: str = ""  # of an array in JSON: the table of the objects that contain it
    parent_key: str = ""  # the column that refers to it
    row_id: str = ""  # the column with the number of an object, which the tables of its arrays refer to
    separator: str = ""  # of the user's own file, which is read as it is; "" for a file that we wrote
    named: bool = True  # False: the file has no header


@dataclass(slots=True)
class _Counts:
    """What was seen of the rows that were written."""

    rows: int = 0
    filled: list[int] = field(default_factory=list)  # by column
    short: list[int] = field(default_factory=list)  # line numbers
    long: list[int] = field(default_factory=list)
    width: int = 0

    def add(self, line: int, row: Sequence[str], expected: int) -> None:
        self.rows += 1
        if len(row) > len(self.filled):
            self.filled += [0] * (len(row) - len(self.filled))
        for at, cell in enumerate(row):
            if cell:
                self.filled[at] += 1
        if len(row) < expected:
            self.short.append(line)
        elif len(row) > expected and any(row[expected:]):
            self.long.append(line)


def write_grid(rows: Iterable[Row], path: Path, context: TableContext) -> TextTable | None:
    """Write the table that the rows contain; None if there is none."""
    iterator = iter(rows)
    head = list(islice(iterator, HEAD_ROWS))
    layout = find_table([row for _, row in head], context.options.header)
    if not any(any(row) for _, row in head) or not layout.columns:
        return None
    header_width = max((len(head[at][1]) for at in layout.header), default=0)
    data = [row for _, row in head[layout.first :]]
    expected = header_width or max((len(row) for row in data), default=0)
    kinds = kinds_of([row for row in data if any(row)][: HEAD_ROWS - TAIL_ROWS], expected)
    header_cells = [head[at][1] for at in layout.header]
    counts = _Counts()
    with path.open("w", encoding="utf-8", newline="") as output:
        writer = csv.writer(output)
        body = chain(head[layout.first :], iterator)
        for line, row in _without_footer(body, kinds, header_cells, context):
            if any(row):
                counts.add(line, row, expected)
                writer.writerow(row)
    _note_titles(head, layout, context)
    columns = _columns(layout, header_width, counts, context)
    width = len(counts.filled) or expected
    named = bool(layout.header)
    return TextTable(context.name, context.file, path, width, columns, counts.rows, named=named)


def _without_footer(
    body: Iterable[Row], kinds: Sequence[Kind], header: Sequence[Sequence[str]], context: TableContext
) -> Iterator[Row]:
    """The rows of the table, without totals and footnotes at its end, and without repeated headers."""
    recent: deque[Row] = deque()
    repeated: list[int] = []
    for line, row in body:
        if len(header) == 1 and row == header[0]:
            repeated.append(line)
            continue
        recent.append((line, row))
        if len(recent) > TAIL_ROWS:
            yield recent.popleft()
    footer = 0 if context.options.keep_totals else footer_length([row for _, row in recent], kinds)
    if footer >= len(recent):  # nothing but totals
        footer = 0
    yield from islice(recent, len(recent) - footer)
    if repeated:
        context.note("repeated_header", lines=_lines(repeated))
    for line, row in islice(recent, len(recent) - footer, None):
        if any(row):
            cells = [cell for cell in row if cell]
            key = "total_row" if len(cells) > 1 else "footnote"
            context.note(key, line=line, text=", ".join(cells))


def _note_titles(head: Sequence[Row], layout: Layout, context: TableContext) -> None:
    titles = [", ".join(filter(None, row)) for _, row in head[: layout.titles] if any(row)]
    if titles:
        context.note("titles", count=len(titles), text="; ".join(titles))
    if len(layout.header) == 2:
        context.note("two_headers", line=head[layout.header[1]][0])
    if not layout.header:
        context.note("no_header")


def _columns(
    layout: Layout, header_width: int, counts: _Counts, context: TableContext
) -> tuple[tuple[int, str], ...]:
    """The columns that have a name or a value. A few cells beyond the header are left out and said."""
    named = dict(zip(layout.columns, layout.names, strict=True))
    positions: list[int] = []
    for at in range(max(len(counts.filled), header_width)):
        filled = counts.filled[at] if at < len(counts.filled) else 0
        beyond = header_width and at >= header_width and filled <= max(1, counts.rows * _RAGGED)
        if named.get(at) or (filled and not beyond):
            positions.append(at)
    names, changed = column_names([named.get(at, "") for at in positions])
    if layout.header and changed:
        listed = ", ".join(names[at] for at in changed)
        context.note("renamed", columns=listed)
    if counts.short:
        context.note("short_rows", count=len(counts.short), lines=_lines(counts.short))
    dropped = any(
        at not in positions and at < len(counts.filled) and counts.filled[at]
        for at in range(len(counts.filled))
    )
    if counts.long:
        key = "long_rows" if dropped else "wide_rows"
        context.note(key, count=len(counts.long), lines=_lines(counts.long))
    return tuple(zip(positions, names, strict=True))


def _lines(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_LINES]))
    return f"{shown}, …" if len(numbers) > _LINES else shown
