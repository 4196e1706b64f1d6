"""Reads text files with separated values: finds separator and quotes, and yields rows with their lines."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from text2sql.database.files.limits import CELL_CHARACTERS, COLUMNS
from text2sql.errors import UsageError

SEPARATORS = (",", ";", "\t", "|")
SEPARATOR_NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "\\t": "\t"}
_SAMPLE_LINES = 400
_HINT = re.compile(r"(?i)sep=(.)\r?\n")
_COMMENT = ("#", "//", "--")

Row: TypeAlias = tuple[int, list[str]]  # the number of its last line, and its cells


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a file are separated and quoted."""

    separator: str = ","
    quote: str = '"'
    escape: str = ""  # "" if a quote within quotes is doubled
    comments: str = ""  # what the lines to skip begin with
    skipped: int = 0  # lines before the first row: comments, and Excel's `sep=;`

    @property
    def is_plain(self) -> bool:
        """Whether DuckDB's reader understands it."""
        return self.quote == '"' and not self.escape and not self.comments


def sniff(text: str, separator: str = "") -> Dialect:
    """The dialect of a file from its first lines."""
    skipped = 0
    hint = _HINT.match(text.lstrip("\ufeff"))
    if hint:
        separator, skipped = separator or hint[1], 1
    lines = text.lstrip("\ufeff").splitlines(keepends=True)[skipped:]
    lines = lines[:_SAMPLE_LINES]
    comment = _comment_mark(lines)
    while comment and lines and (lines[0].startswith(comment) or not lines[0].strip()):
        lines, skipped = lines[1:], skipped + 1
    sample = "".join(line for line in lines if not comment or not line.startswith(comment))
    quote = _quote(sample)
    base = Dialect(",", quote, _escape(sample, quote), comment, skipped)
    candidates = (separator,) if separator else SEPARATORS
    scores = {each: _score(sample, replace(base, separator=each)) for each in candidates}
    best = max(candidates, key=lambda each: scores[each])
    return replace(base, separator=best if scores[best] > (0.0, 0.0) or separator else ",")


def read_rows(chunks: Iterable[str], dialect: Dialect, file: str) -> Iterator[Row]:
    """The rows with their line numbers, without those of comments. Raises with the line of a wrong quote."""
    csv.field_size_limit(CELL_CHARACTERS)
    lines = _Lines(chunks, dialect.skipped)
    try:
        for row in _reader(lines, dialect):
            line = lines.number
            if len(row) > COLUMNS:
                raise UsageError("usage.file_columns", file=file, line=line, columns=len(row), limit=COLUMNS)
            if not (dialect.comments and row and row[0].startswith(dialect.comments)):
                yield line, [_cell(cell) for cell in row]
            lines.first = ""
    except csv.Error as error:
        key = "usage.file_cell" if "field limit" in str(error) else "usage.file_quote"
        column = _open_quote(lines.first, dialect)
        raise UsageError(
            key, file=file, line=lines.first_number, column=column, limit=CELL_CHARACTERS
        ) from error


def head_rows(text: str, dialect: Dialect, count: int) -> list[list[str]]:
    """The first rows of a sample that may end within a row."""
    rows: list[list[str]] = []
    lines = io.StringIO(text.lstrip("\ufeff"), newline="")
    for _ in range(dialect.skipped):
        lines.readline()
    for row in _reader(lines, dialect, strict=False):
        if not (dialect.comments and row and row[0].startswith(dialect.comments)):
            rows.append([_cell(cell) for cell in row])
        if len(rows) >= count:
            break
    return rows


class _Lines:
    """The lines of a text in chunks, counted."""

    def __init__(self, chunks: Iterable[str], skipped: int) -> None:
        self.number = 0
        self.first, self.first_number = "", 1  # the first line of the current row
        self._lines = self._split(chunks)
        for _ in range(skipped):
            next(self._lines, "")

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def _split(self, chunks: Iterable[str]) -> Iterator[str]:
        rest = ""
        for chunk in chunks:
            *lines, rest = (rest + chunk).split("\n")
            for line in lines:
                yield self._count(line + "\n")
        if rest:
            yield from map(self._count, rest.replace("\r", "\n").splitlines(keepends=True))

    def _count(self, line: str) -> str:
        self.number += 1
        if not self.first:
            self.first, self.first_number = line, self.number
        return line.removeprefix("\ufeff") if self.number == 1 else line


def _reader(lines: Iterable[str], dialect: Dialect, *, strict: bool = True) -> Iterator[list[str]]:
    return csv.reader(
        lines,
        delimiter=dialect.separator,
        quotechar=dialect.quote,
        doublequote=not dialect.escape,
        escapechar=dialect.escape or None,
        strict=strict,
    )


def _cell(cell: str) -> str:
    return cell.strip(" \t\r\n\u3000\xa0")


def _score(sample: str, dialect: Dialect) -> tuple[float, float]:
    """How regular the rows are, and how wide."""
    widths = Counter(len(row) for row in _sample_rows(sample, dialect) if any(row))
    if not widths:
        return 0.0, 0.0
    total = sum(widths.values())
    width = max(widths, key=lambda each: (widths[each] * min(each, 2), each))
    if width < 2:
        return 0.0, 0.0
    share = widths[width] / total
    return (1.0 if share >= 0.7 else share), width * share


def _sample_rows(sample: str, dialect: Dialect) -> Iterator[list[str]]:
    try:
        yield from _reader(io.StringIO(sample, newline=""), dialect, strict=False)
    except csv.Error:
        return


def _comment_mark(lines: Sequence[str]) -> str:
    """The mark of lines at the beginning that are comments: no header begins like them and goes on so."""
    first = next((line for line in lines if line.strip()), "")
    mark = next((mark for mark in _COMMENT if first.startswith(mark)), "")
    marked = sum(line.startswith(mark) for line in lines) if mark else 0
    if not mark or marked > len(lines) * 0.5 + 1:
        return ""
    following = next((line for line in lines if line.strip() and not line.startswith(mark)), "")
    separators = {each: following.count(each) for each in SEPARATORS}
    usual = max(separators, key=lambda each: separators[each])
    # `#,name,city` and `#id;name` are headers.
    return "" if marked == 1 and separators[usual] and first.count(usual) == separators[usual] else mark


def _quote(sample: str) -> str:
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|$)", sample, re.MULTILINE))
    double = sample.count('"')
    return "'" if single > 5 and single > double else '"'


def _escape(sample: str, quote: str) -> str:
    return "\\" if f"\\{quote}" in sample and quote * 2 not in sample.replace(f"{quote * 2},", "") else ""


def _open_quote(line: str, dialect: Dialect) -> int:
    """The column of the quote that is not closed in this line, or that is followed by more text."""
    quotes = [at for at, character in enumerate(line) if character == dialect.quote]
    if not quotes:
        return 1
    if len(quotes) % 2:
        return quotes[-1] + 1
    ends = dialect.separator + dialect.quote + "\r\n"
    closing = (at for at in quotes[1::2] if line[at + 1 : at + 2] not in ends)
    return next(closing, quotes[-1]) + 1
