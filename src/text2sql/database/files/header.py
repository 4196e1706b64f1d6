"""Finds the table within a grid of cells: title rows above it, one or two header rows, empty columns around
it, totals and footnotes below it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Cells: TypeAlias = Sequence[str]
Kind: TypeAlias = Literal["empty", "number", "date", "text"]

HEAD_ROWS = 200  # rows from which the place of the table is decided
TAIL_ROWS = 12  # at most so many rows below the table
_NUMBER = re.compile(
    r"\(?[-+−]?\s?(?:[A-Z]{0,3}[$€£¥￥₹₩])?\s?[-+−]?\d[\d.,'’ \u00a0\u202f]*(?:[eE][-+]?\d+)?"
    r"\s?(?:%|％|[$€£¥￥₹]|元|EUR|USD)?\)?"
)
_DATE = re.compile(
    r"\d{4}[-/.年]\d{1,2}([-/.月]\d{1,2}日?)?.{0,16}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}.{0,12}"
    r"|\d{1,2}[- ][A-Z][a-z]{2,8}[- ,]+\d{2,4}|[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_TOTAL = re.compile(
    r"(?i)(?:(?:grand|sub|sub-|overall|report|running)?\s*totals?|total g[eé]n[eé]ral|totale|sums?|summe"
    r"|gesamt(?:summe)?|insgesamt|somme|suma|итого|всего|averages?"
    r"|[合总總小共][\s　]*[计計]|总\s*和|总\s*额|汇\s*总|平均(?:值)?)"
    r"(?:\s*[(（].{0,12}[)）])?\s*[:：]?"
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the table is. Rows and columns count from 0."""

    header: tuple[int, ...]  # the rows of the header: none, one or two
    first: int  # the first row of data
    columns: tuple[int, ...]  # the columns that are not empty
    names: tuple[str, ...]  # as in the file; "" for a column without a name

    @property
    def titles(self) -> int:
        """The number of rows above the header."""
        return self.header[0] if self.header else self.first


def find_table(rows: Sequence[Cells], header: str = "") -> Layout:
    """`header` is the user's word on it: a row number (from 1) or `none`."""
    width = max((len(row) for row in rows), default=0)
    grid = [[*row, *[""] * (width - len(row))] for row in rows]
    start = _first_row(grid)
    if header == "none":
        header_rows: tuple[int, ...] = ()
        first = start
    elif header.isdigit():
        header_rows = (min(max(int(header), 1), max(len(grid), 1)) - 1,)
        first = header_rows[0] + 1
    else:
        header_rows = _header_rows(grid, start)
        first = header_rows[-1] + 1 if header_rows else start
    columns = tuple(
        at
        for at in range(width)
        if any(grid[row][at] for row in header_rows) or any(row[at] for row in grid[first:])
    )
    names = _joined([grid[row] for row in header_rows], columns) if header_rows else ("",) * len(columns)
    return Layout(header_rows, first, columns, names)


def footer_length(tail: Sequence[Cells], data_kinds: Sequence[Kind]) -> int:
    """How many of the last rows of a table are totals, footnotes or empty.

    `data_kinds` are the kinds of the columns in the rows before.
    """
    width = len(data_kinds)
    count = pending = 0
    for row in reversed(tail):
        if not any(row):
            pending += 1
        elif is_total(row, data_kinds) or (width >= 3 and _is_footnote(row, data_kinds)):
            count += pending + 1
            pending = 0
        else:
            break
    return count


def is_total(row: Cells, data_kinds: Sequence[Kind]) -> bool:
    """A label such as *Total* where the other rows have a text, with numbers beside it."""
    filled = [(at, cell) for at, cell in enumerate(row) if cell]
    if len(filled) < 2 or len(filled) > len(data_kinds):
        return False
    texts = [cell for at, cell in filled if kind_of(cell) == "text"]
    has_number = any(kind_of(cell) == "number" for _, cell in filled)
    return bool(texts) and has_number and _TOTAL.fullmatch(texts[0].strip()) is not None and len(texts) <= 2


def _is_footnote(row: Cells, data_kinds: Sequence[Kind]) -> bool:
    """A single text in a row of a wide table: a source, a date of printing, a remark."""
    filled = [(at, cell) for at, cell in enumerate(row) if cell]
    if len(filled) != 1:
        return False
    at, cell = filled[0]
    return kind_of(cell) == "text" and (
        data_kinds[at] != "text" or len(cell) > 12 or ":" in cell or "：" in cell
    )


def kind_of(cell: str) -> Kind:
    """What a cell looks like."""
    text = cell.strip()
    if not text:
        return "empty"
    if _NUMBER.fullmatch(text):
        return "number"
    return "date" if _DATE.fullmatch(text) else "text"


def kinds_of(rows: Sequence[Cells], width: int) -> list[Kind]:
    """The most frequent kind of each column."""
    kinds: list[Kind] = []
    for at in range(width):
        counts = Counter(kind_of(row[at]) for row in rows if at < len(row) and row[at].strip())
        kinds.append(counts.most_common(1)[0][0] if counts else "empty")
    return kinds


def _first_row(grid: Sequence[Cells]) -> int:
    """The first row that is as wide as the table: what is above it are titles."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in grid]
    widths = Counter(count for count in filled if count)
    if not widths:
        return 0
    usual = max(widths, key=lambda count: (widths[count] * count, count))
    needed = max(1 if usual == 1 else 2, (usual + 1) // 2)
    return next((at for at, count in enumerate(filled) if count >= needed), 0)


def _header_rows(grid: Sequence[Cells], start: int) -> tuple[int, ...]:
    body = [row for row in grid[start + 1 :] if any(row)]
    if start >= len(grid) or not body:
        return (start,) if start < len(grid) and _is_all_text(grid[start]) else ()
    if _has_second_header(grid, start, body):
        return (start, start + 1)
    return (start,) if _is_header(grid[start], body) else ()


def _is_header(row: Cells, body: Sequence[Cells]) -> bool:
    data = kinds_of(body, len(row))
    kinds = [kind_of(cell) for cell in row]
    odd = [at for at, kind in enumerate(kinds) if kind in ("number", "date")]
    if odd:
        # Years or months as names of columns: `Region, 2023, 2024`.
        named = [at for at in odd if _is_period(row[at])]
        repeated = any(_is_period(other[at]) for at in named for other in body if other[at].strip())
        return len(named) == len(odd) and "text" in kinds and len(set(row)) == len(row) and not repeated
    if any(data[at] in ("number", "date") for at, kind in enumerate(kinds) if kind == "text"):
        return True
    # All texts: a header's names are not among the values below.
    values = [{other[at].strip().lower() for other in body} for at in range(len(row))]
    return not any(cell.strip() and cell.strip().lower() in values[at] for at, cell in enumerate(row))


def _is_period(cell: str) -> bool:
    text = cell.strip()
    return bool(_YEAR.fullmatch(text)) or bool(re.fullmatch(r"\d{4}[-/.年]\d{1,2}月?", text))


def _has_second_header(grid: Sequence[Cells], start: int, body: Sequence[Cells]) -> bool:
    """Whether the header has a second row: the groups of columns above, their names below."""
    upper, lower = grid[start], grid[start + 1]
    if len(body) < 2 or not _is_all_text(upper, periods=True) or not _is_all_text(lower):
        return False
    data = kinds_of(body[1:], len(lower))
    numeric = [at for at, kind in enumerate(data) if kind in ("number", "date")]
    named = [at for at in numeric if lower[at].strip()]
    grouped = sum(bool(cell.strip()) for cell in upper) < sum(bool(kind != "empty") for kind in data)
    repeated = len({cell for cell in upper if cell.strip()}) < sum(bool(cell.strip()) for cell in upper)
    units = all(
        re.fullmatch(r"[(（\[].{1,12}[)）\]]|%|[A-Z]{3}|[a-z]{1,3}", cell.strip())
        for cell in lower
        if cell.strip()
    )
    return bool(named) and len(named) * 2 >= len(numeric) and (grouped or repeated or units)


def _is_all_text(row: Cells, *, periods: bool = False) -> bool:
    filled = [cell for cell in row if cell.strip()]
    return bool(filled) and all(kind_of(cell) == "text" or (periods and _is_period(cell)) for cell in filled)


def _joined(rows: Sequence[Cells], columns: Sequence[int]) -> tuple[str, ...]:
    """The names of the columns: two rows are joined with a space, a group's name goes for all its columns."""
    if len(rows) == 1:
        return tuple(rows[0][at].strip() for at in columns)
    upper, lower = list(rows[0]), rows[1]
    group = ""
    for at, cell in enumerate(upper):
        if cell.strip():
            group = cell
        elif lower[at].strip():
            upper[at] = group
    pairs = [(upper[at].strip(), lower[at].strip()) for at in columns]
    return tuple(
        first if first == second or not second else f"{first} {second}".strip() for first, second in pairs
    )
