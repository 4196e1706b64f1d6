"""Reads JSON: an array of objects, one object per line, or an object that contains one array. Objects inside
become columns, arrays of objects become tables that refer to theirs.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from text2sql.database.files.encoding import decoded_chunks
from text2sql.database.files.grid import TextTable
from text2sql.database.files.limits import CELL_CHARACTERS, COLUMNS, TABLES
from text2sql.database.files.names import clean, table_name, unique
from text2sql.database.files.notes import Notes
from text2sql.errors import UsageError

_ROW, _PARENT = "\0row", "\0parent"  # keys of two columns that are not in the file
_DEPTH = 5  # objects deeper than that stay JSON
_BLANK = " \t\r\n\ufeff"
_MOST_CHARACTERS = 500_000_000  # of a document that is not read line by line or element by element


def read_json(path: Path, directory: Path, encoding: str, notes: Notes, taken: set[str]) -> list[TextTable]:
    """The table of the objects, called like the file, then those of the arrays inside."""
    writer = _Writer(directory, path.name, taken)
    root = writer.table(table_name(path.stem))
    try:
        for value in _objects(_records(path, encoding, notes, root.name)):
            writer.add(root, value)
    finally:
        writer.close()
    if not root.rows:
        raise UsageError("usage.file_empty", file=path.name)
    tables = writer.finished()
    for table in tables[1:]:
        notes.add("array", table.name, file=path.name, parent=table.parent)
    return tables


@dataclass(slots=True)
class _Table:
    """A table while it is written. Its columns are found as the objects come."""

    name: str
    path: Path
    output: TextIO
    writer: Any
    parent: "_Table | None" = None
    columns: dict[str, int] = field(default_factory=dict)  # by path in the object
    rows: int = 0
    children: dict[str, "_Table"] = field(default_factory=dict)

    def position(self, key: str) -> int:
        return self.columns.setdefault(key, len(self.columns))


class _Writer:
    """Writes objects as rows of texts."""

    def __init__(self, directory: Path, file: str, taken: set[str]) -> None:
        self._directory, self._file, self._taken = directory, file, taken
        self._tables: list[_Table] = []

    def table(self, name: str, parent: _Table | None = None) -> _Table:
        if len(self._tables) >= TABLES:
            raise UsageError("usage.file_large", file=self._file, limit=f"{TABLES} tables")
        name = unique(name, self._taken)
        self._taken.add(name.lower())
        path = self._directory / f"json-{len(self._tables)}.csv"
        output = path.open("w", encoding="utf-8", errors="replace", newline="")
        table = _Table(name, path, output, csv.writer(output), parent)
        table.position(_ROW)
        if parent is not None:
            table.position(_PARENT)
        self._tables.append(table)
        return table

    def add(self, table: _Table, value: Any, parent_row: int = 0) -> None:
        table.rows += 1
        row = {0: str(table.rows)}
        if table.parent is not None:
            row[1] = str(parent_row)
        for key, items in list(
            self._flatten(table, value if isinstance(value, dict) else {"value": value}, row)
        ):
            child = table.children.get(key) or self._child(table, key)
            for item in items:
                self.add(child, item, table.rows)
        if len(table.columns) > COLUMNS:
            raise UsageError(
                "usage.file_columns",
                file=self._file,
                line=table.rows,
                columns=len(table.columns),
                limit=COLUMNS,
            )
        table.writer.writerow([row.get(at, "") for at in range(max(row) + 1)])

    def close(self) -> None:
        for table in self._tables:
            table.output.close()

    def finished(self) -> list[TextTable]:
        return [self._finished(table) for table in self._tables]

    def _child(self, table: _Table, key: str) -> _Table:
        child = self.table(f"{table.name}_{_column(key)}", table)
        table.children[key] = child
        return child

    def _flatten(
        self, table: _Table, value: Mapping[str, Any], row: dict[int, str], prefix: str = "", depth: int = 1
    ) -> Iterator[tuple[str, list[Any]]]:
        """Fill in the cells of a row, and yield the arrays of objects."""
        for key, item in value.items():
            path = f"{prefix}.{key}" if prefix else str(key)
            if isinstance(item, dict) and item and depth < _DEPTH:
                yield from self._flatten(table, item, row, path, depth + 1)
            elif isinstance(item, list) and any(isinstance(each, dict) for each in item) and depth < _DEPTH:
                yield path, item
            elif item is not None:
                row[table.position(path)] = _text(item)
            else:
                table.position(path)

    def _finished(self, table: _Table) -> TextTable:
        """Only a table with arrays needs the numbers of its rows."""
        keys = [key for key in table.columns if key not in table.children and (key != _ROW or table.children)]
        taken: set[str] = set()
        names: dict[str, str] = {}
        for key in sorted(keys, key=lambda each: each in (_ROW, _PARENT)):  # the file's own names first
            names[key] = unique(_key_name(table, key), taken)
            taken.add(names[key].lower())
        return TextTable(
            table.name,
            self._file,
            table.path,
            len(table.columns),
            tuple((table.columns[key], names[key]) for key in keys),
            table.rows,
            parent=table.parent.name if table.parent is not None else "",
            parent_key=names.get(_PARENT, ""),
            row_id=names.get(_ROW, ""),
        )


def _key_name(table: _Table, key: str) -> str:
    if key == _ROW:
        return "row_id"
    if key == _PARENT and table.parent is not None:
        return f"{table.parent.name}_row_id"
    return _column(key)


def _column(key: str) -> str:
    """`user.city` is called user_city."""
    return clean(key.replace(".", "_")) or "value"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value.replace("\0", "")[:CELL_CHARACTERS]
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and not any(isinstance(each, dict | list) for each in value):
        return ", ".join(_text(each) for each in value if each is not None)
    if isinstance(value, dict) and not value:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


# -- records ---------------------------------------------------------------------------------------


def _records(path: Path, encoding: str, notes: Notes, name: str) -> Iterator[Any]:
    """The objects of a document, one after the other."""
    start = ""
    for chunk in decoded_chunks(path, encoding):
        start = chunk.lstrip(_BLANK)
        if start:
            break
    if not start:
        raise UsageError("usage.file_empty", file=path.name)
    if start[0] == "[":
        yield from _Elements(path, encoding)
    elif _is_one_object_per_line(start):
        yield from _lines(path, encoding)
    else:
        yield from _document(path, encoding, notes, name)


def _is_one_object_per_line(start: str) -> bool:
    line = start.partition("\n")[0]
    try:
        json.loads(line)
    except ValueError:
        # A first line that is damaged: the second one tells.
        second = start.partition("\n")[2].lstrip(_BLANK)
        return line.rstrip().startswith("{") and len(line.strip()) > 1 and second.startswith("{")
    rest = start.partition("\n")[2].lstrip(_BLANK)
    return bool(rest)


def _lines(path: Path, encoding: str) -> Iterator[Any]:
    with path.open(encoding=encoding, newline="\n") as file:
        for number, line in enumerate(file, start=1):
            text = line.strip(_BLANK)
            if not text:
                continue
            try:
                yield _parse(text)
            except json.JSONDecodeError as error:
                indent = len(line) - len(line.lstrip(_BLANK))
                raise _wrong_json(path, number, indent + error.colno, error.msg) from error
            except RecursionError as error:
                raise _wrong_json(path, number, 1, "nested too deeply") from error


def _document(path: Path, encoding: str, notes: Notes, name: str) -> Iterator[Any]:
    """One object: the array in it, or itself."""
    text = "".join(_bounded(decoded_chunks(path, encoding), path))
    try:
        value = _parse(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and error.lineno > 1:  # lines longer than a chunk
            yield from _lines(path, encoding)
            return
        raise _wrong_json(path, error.lineno, error.colno, error.msg) from error
    except RecursionError as error:
        raise _wrong_json(path, 1, 1, "nested too deeply") from error
    key, records = _wrapped(value)
    if key:
        notes.add("wrapper", name, file=path.name, path=key)
    yield from records


def _wrapped(value: Any) -> tuple[str, list[Any]]:
    """The array of objects that an object contains beside plain values, and its path."""
    path: list[str] = []
    current = value
    while isinstance(current, dict) and len(path) < 3:
        arrays = {key: item for key, item in current.items() if _is_records(item)}
        if len(arrays) == 1:
            key, items = next(iter(arrays.items()))
            others = [item for each, item in current.items() if each != key]
            # An object with a name of its own is a record that has an array.
            if all(isinstance(item, dict) or not isinstance(item, list) for item in others):
                return ".".join([*path, key]), items
        objects = {key: item for key, item in current.items() if isinstance(item, dict)}
        if arrays or len(objects) != 1:
            break
        key, current = next(iter(objects.items()))
        path.append(key)
    return "", _keyed(value) or [value]


def _keyed(value: Any) -> list[Any]:
    """The objects of `{"u1": {…}, "u2": {…}}` and of pandas' `{"city": {"0": "Oslo", "1": "Rome"}}`."""
    if not isinstance(value, dict) or len(value) < 2:
        return []
    items = list(value.values())
    if all(isinstance(item, list) and len(item) == len(items[0]) for item in items) and len(items[0]) > 1:
        return [dict(zip(value, row, strict=True)) for row in zip(*items, strict=True)]
    if not all(isinstance(item, dict) and item and item.keys() == items[0].keys() for item in items):
        return []
    if all(key.isdigit() for key in items[0]):
        return [{column: cells[key] for column, cells in value.items()} for key in items[0]]
    return [{"key": key, **item} for key, item in value.items()]


def _objects(values: Iterable[Any]) -> Iterator[Any]:
    """Arrays as objects, where the first array has their names."""
    header: list[str] | None = None
    for value in values:
        if (
            isinstance(value, list)
            and header is None
            and value
            and all(isinstance(each, str) for each in value)
        ):
            header = value
        elif isinstance(value, list):
            names = header or [f"column_{at + 1}" for at in range(len(value))]
            yield {name: item for name, item in zip(names, value, strict=False)}  # noqa: C416 names may repeat
        else:
            yield value


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


class _Elements:
    """The elements of an array, parsed one by one: memory holds one of them."""

    def __init__(self, path: Path, encoding: str) -> None:
        self._path = path
        self._chunks = decoded_chunks(path, encoding)
        self._text, self._at = "", 0
        self._line, self._column = 1, 1  # of the beginning of the text
        self._decoder = json.JSONDecoder(parse_int=str, parse_float=str)

    def __iter__(self) -> Iterator[Any]:
        self._skip("[")
        if self._peek() == "]":
            return
        while True:
            yield self._value()
            mark = self._peek()
            if mark not in (",", "]"):
                raise self._wrong(self._at, "Expecting ',' delimiter" if mark else "the array is not closed")
            self._at += 1
            if mark == "]":
                break
        if self._peek():
            raise self._wrong(self._at, "Extra data")

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                wrong = self._wrong(error.pos, error.msg)
                unfinished = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - 8
                if unfinished and self._more():
                    continue
                raise wrong from error
            except RecursionError as error:
                raise self._wrong(self._at, "nested too deeply") from error
            if end == len(self._text) and self._more():  # a number may go on
                continue
            self._at = end
            return value

    def _peek(self) -> str:
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def _skip(self, mark: str) -> None:
        if self._peek() == mark:
            self._at += 1

    def _more(self) -> bool:
        chunk = next(self._chunks, "")
        consumed = self._text[: self._at]
        if "\n" in consumed:
            self._line += consumed.count("\n")
            self._column = len(consumed.rpartition("\n")[2]) + 1
        else:
            self._column += len(consumed)
        self._text, self._at = self._text[self._at :] + chunk, 0
        if len(self._text) > _MOST_CHARACTERS:
            raise UsageError(
                "usage.file_large", file=self._path.name, limit=f"{_MOST_CHARACTERS:,} characters"
            )
        return bool(chunk)

    def _wrong(self, at: int, detail: str) -> UsageError:
        before = self._text[:at]
        line = self._line + before.count("\n")
        column = len(before.rpartition("\n")[2]) + (1 if "\n" in before else self._column)
        return _wrong_json(self._path, line, column, detail)


def _bounded(chunks: Iterable[str], path: Path) -> Iterator[str]:
    total = 0
    for chunk in chunks:
        total += len(chunk)
        if total > _MOST_CHARACTERS:
            raise UsageError("usage.file_large", file=path.name, limit=f"{_MOST_CHARACTERS:,} characters")
        yield chunk


def _parse(text: str) -> Any:
    return json.loads(text, parse_int=str, parse_float=str)


def _wrong_json(path: Path, line: int, column: int, detail: str) -> UsageError:
    return UsageError("usage.file_json", file=path.name, line=line, column=column, detail=detail)
