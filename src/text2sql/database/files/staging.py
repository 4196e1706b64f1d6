"""Loads tables of texts into DuckDB and creates the final tables with their types, keys and comments."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from text2sql.database.dialects import BY_NAME
from text2sql.database.files.columns import TextColumn, TypedColumn, typed_columns
from text2sql.database.files.grid import TextTable
from text2sql.database.files.limits import CELL_CHARACTERS
from text2sql.database.files.notes import Notes, TableContext
from text2sql.database.files.options import FileOptions

_STAGE = "staging.main.cells"
_quoted = BY_NAME["duckdb"].quoted


class Staging:
    """Creates tables in the database `copy`; the texts are in a second database file until then."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, directory: Path, options: FileOptions, notes: Notes
    ) -> None:
        self._connection, self._options, self._notes = connection, options, notes
        self._path = directory / "staging.duckdb"
        connection.execute(f"ATTACH {literal(self._path)} AS staging")

    def close(self) -> None:
        self._connection.execute("DETACH staging")
        self._path.unlink(missing_ok=True)

    def add(self, tables: Sequence[TextTable], name: str, file_column: str = "") -> None:
        """Create one table from tables of equal columns; `file_column` says which file a row is from."""
        self._load(tables, file_column)
        first = tables[0]
        context = TableContext(name, first.file, self._options, self._notes)
        columns = [TextColumn(f"c{at}", column) for at, (_, column) in enumerate(first.columns)]
        typed = typed_columns(self._connection, _STAGE, columns, context)
        if file_column:
            typed.insert(0, TypedColumn(file_column, "file", "VARCHAR"))
        texts = ", ".join(f"{column.text} AS {column.alias}" for column in columns)
        self._create(name, typed, first, f"(SELECT *, {texts} FROM {_STAGE})")
        self._connection.execute(f"DROP TABLE {_STAGE}")
        for table in tables:
            if not table.separator:
                table.path.unlink(missing_ok=True)

    def _load(self, tables: Sequence[TextTable], file_column: str) -> None:
        selects = [_select(table, file_column) for table in tables]
        self._connection.execute(f"CREATE TABLE {_STAGE} AS {' UNION ALL '.join(selects)}")

    def _create(self, name: str, columns: Sequence[TypedColumn], table: TextTable, source: str) -> None:
        definitions = [f"{_quoted(column.name)} {column.type}" for column in columns]
        if table.row_id:
            definitions.append(f"PRIMARY KEY ({_quoted(table.row_id)})")
        if table.parent:
            definitions.append(
                f"FOREIGN KEY ({_quoted(table.parent_key)}) REFERENCES {_quoted(table.parent)}"
            )
        self._connection.execute(f"CREATE TABLE {_quoted(name)} ({', '.join(definitions)})")
        expressions = ", ".join(column.expression for column in columns)
        self._connection.execute(f"INSERT INTO {_quoted(name)} SELECT {expressions} FROM {source}")
        for column in columns:
            if column.comment:
                comment = column.comment.replace("'", "''")
                self._connection.execute(
                    f"COMMENT ON COLUMN {_quoted(name)}.{_quoted(column.name)} IS '{comment}'"
                )
            if column.hidden:
                self._notes.hide(name, column.name)


def literal(path: Path | str) -> str:
    return "'" + str(path).replace("'", "''") + "'"


def read_plain(path: Path, width: int, separator: str = "") -> str:
    """SQL that reads a file that we wrote, or with a `separator` a regular file with a header, as texts `c0`,
    `c1` … Of a file that is not regular, it raises.
    """
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(width))
    own = "null_padding=true, parallel=false" if not separator else "strict_mode=true, skip=1"
    return (
        f"read_csv({literal(escaped_pattern(path))}, auto_detect=false, header=false,"
        f" delim='{separator or ','}', quote='\"', escape='\"', {own},"
        f" columns={{{columns}}}, nullstr='', max_line_size={CELL_CHARACTERS * 8})"
    )


def escaped_pattern(path: Path) -> str:
    """The readers treat *, ? and [ as patterns, which would match other files."""
    return "".join(f"[{character}]" if character in "*?[" else character for character in str(path))


def _select(table: TextTable, file_column: str) -> str:
    columns = [f"c{position} AS c{at}" for at, (position, _) in enumerate(table.columns)]
    if file_column:
        columns.append(f"{literal(table.file)} AS file")
    if not table.rows:
        empty = ", ".join(
            [f"NULL::VARCHAR AS c{at}" for at in range(len(table.columns))]
            + (["NULL::VARCHAR AS file"] if file_column else [])
        )
        return f"(SELECT {empty} WHERE false)"
    return f"(SELECT {', '.join(columns)} FROM {read_plain(table.path, table.width, table.separator)})"
