"""Write the five databases: two in SQLite, two in DuckDB, and a folder of files."""

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb

from everyday import files, logistics, school, subscriptions, webshop
from everyday.tables import Tables

SQLITE = {"webshop": webshop, "school": school}
_BATCH = 250  # rows of one statement; DuckDB inserts single rows slowly
DUCKDB = {"subscriptions": subscriptions, "logistics": logistics}


def build(folder: Path) -> list[Path]:
    """The files that the questions name in `db`. Existing ones are built again."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [_sqlite(folder / f"{name}.sqlite", module.tables()) for name, module in SQLITE.items()]
    paths += [_duckdb(folder / f"{name}.duckdb", module.tables()) for name, module in DUCKDB.items()]
    return [*paths, files.write(folder / "files")]


def build_typed_files(path: Path) -> Path:
    """The rows of the files in one DuckDB database with dates and numbers, to check the expected rows."""
    return _duckdb(path, files.tables())


def _sqlite(path: Path, tables: Tables) -> Path:
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(tables.schema)
        for name, rows in tables.rows.items():
            connection.executemany(f'INSERT INTO "{name}" VALUES ({_marks(rows[0])})', rows)
        connection.commit()
    return path


def _duckdb(path: Path, tables: Tables) -> Path:
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(tables.schema)
        for name, rows in tables.rows.items():
            # single rows for small tables: a row may refer to an earlier one, which must be there
            size = _BATCH if len(rows) > _BATCH else 1
            for start in range(0, len(rows), size):
                batch = rows[start : start + size]
                marks = ", ".join([f"({_marks(rows[0])})"] * len(batch))
                connection.execute(f'INSERT INTO "{name}" VALUES {marks}', [v for row in batch for v in row])
    return path


def _marks(row: tuple[object, ...]) -> str:
    return ", ".join("?" * len(row))
