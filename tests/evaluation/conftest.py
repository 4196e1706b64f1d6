"""A small shop database, and the real model for the test that needs it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from real_model import real, real_file, real_settings

__all__ = ["databases", "real", "real_file", "real_settings"]


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    make(
        tmp_path,
        "shop",
        "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'x');",
    )
    make(tmp_path, "zoo", "CREATE TABLE animal (name TEXT); INSERT INTO animal VALUES ('Leo');")
    return tmp_path / "databases"


def make(folder: Path, name: str, script: str) -> None:
    directory = folder / "databases" / name
    directory.mkdir(parents=True)
    with closing(sqlite3.connect(directory / f"{name}.sqlite")) as connection:
        connection.executescript(script)
