"""How fast a schema is read, and how much memory a page of a large table takes.

    python benchmarks/introspect.py                                  SQLite and DuckDB
    python tests/servers.py -- python benchmarks/introspect.py       and PostgreSQL and MariaDB

Introspection: 1,000 tables of 20 columns with foreign keys; ours against SQLAlchemy's inspector asked table
by table, in one run on one machine, so that the ratio means something. The inspector takes no sample values,
so the ratio is without them; what they add is in a column of its own.
Memory: the first page of 1,000 rows of a table of 10,000,000, and the same table streamed for two seconds.
"""

import argparse
import gc
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import sqlalchemy

from text2sql.config import Settings
from text2sql.database import open_database
from text2sql.errors import QueryTimeout
from text2sql.types import CheckedSql, Limits

PAGE = 4096
Admin = Callable[[list[str]], None]


def schema(tables: int, columns: int) -> list[str]:
    kinds = ("INTEGER", "VARCHAR(50)", "DECIMAL(10,2)", "DATE")
    made = []
    for number in range(tables):
        fields = ", ".join(f"c{at} {kinds[at % 4]}" for at in range(columns - 2))
        key = f", FOREIGN KEY (parent) REFERENCES t{number - 1} (id)" if number else ""
        made.append(f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, parent INTEGER, {fields}{key})")
    return made


BIG = {
    "sqlite": "CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
    "WHERE i < {rows}) SELECT i, i * 2 AS j, 'text ' || i AS s FROM n",
    "duckdb": "CREATE TABLE big AS SELECT i, i * 2 AS j, 'text ' || i AS s FROM range({rows}) t(i)",
    "postgres": "CREATE TABLE big AS SELECT i, i * 2 AS j, 'text ' || i AS s "
    "FROM generate_series(1, {rows}) t(i)",
    "mysql": "CREATE TABLE big AS SELECT seq AS i, seq * 2 AS j, concat('text ', seq) AS s "
    "FROM seq_1_to_{rows}",
}


@contextmanager
def places(directory: Path) -> Iterator[dict[str, tuple[str, str, Admin]]]:
    """Engine: our URL, SQLAlchemy's URL, and a way to make tables."""
    found = {
        "sqlite": (f"{directory}/x.db", f"sqlite:///{directory}/x.db", _sqlite(directory / "x.db")),
        "duckdb": (
            f"{directory}/x.duckdb",
            f"duckdb:///{directory}/x.duckdb",
            _duckdb(directory / "x.duckdb"),
        ),
    }
    drop = []
    for name, variable, driver in (
        ("postgres", "TEXT2SQL_TEST_POSTGRES_URL", "postgresql+psycopg"),
        ("mysql", "TEXT2SQL_TEST_MYSQL_URL", "mysql+pymysql"),
    ):
        url = os.environ.get(variable)
        if not url:
            print(f"{name}: {variable} is not set, left out", file=sys.stderr)
            continue
        parts = urlsplit(url)
        admin = _server(parts._replace(scheme=driver).geturl())
        admin(["CREATE DATABASE t2s_bench"])
        drop.append(admin)
        inside = parts._replace(path="/t2s_bench")
        alchemy = inside._replace(scheme=driver).geturl()
        found[name] = (inside.geturl(), alchemy, _server(alchemy))
    try:
        yield found
    finally:
        for admin in drop:
            admin(["DROP DATABASE t2s_bench"])


def _sqlite(path: Path) -> Admin:
    def run(statements: list[str]) -> None:
        connection = sqlite3.connect(path)
        with connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return run


def _duckdb(path: Path) -> Admin:
    def run(statements: list[str]) -> None:
        with duckdb.connect(str(path)) as connection:
            connection.execute("BEGIN")
            for statement in statements:
                connection.execute(statement)
            connection.execute("COMMIT")

    return run


def _server(url: str) -> Admin:
    def run(statements: list[str]) -> None:
        engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        engine.dispose()

    return run


def ours(url: str, samples: int = 0) -> tuple[float, int]:
    with open_database(url, Settings(time_limit=120)) as db:
        db.ping()
        began = time.perf_counter()
        tables = db.catalog(samples).tables
        return time.perf_counter() - began, sum(len(table.columns) for table in tables)


def theirs(url: str) -> tuple[float, int]:
    engine = sqlalchemy.create_engine(url)
    with engine.connect() as connection:
        began = time.perf_counter()
        inspector = sqlalchemy.inspect(connection)
        columns = 0
        for table in inspector.get_table_names():
            columns += len(inspector.get_columns(table))
            inspector.get_pk_constraint(table)
            inspector.get_foreign_keys(table)
            inspector.get_indexes(table)
            with suppress(NotImplementedError):
                inspector.get_table_comment(table)
        seconds = time.perf_counter() - began
    engine.dispose()
    return seconds, columns


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def memory(url: str) -> tuple[float, float]:
    """Growth in MB for one page, and for two seconds of streaming."""
    with open_database(url, Settings(pool_size=1)) as db:
        query = CheckedSql("SELECT * FROM big", db.dialect)
        db.ping()
        db.run(CheckedSql("SELECT * FROM big WHERE i = 1 LIMIT 1", db.dialect), Limits(seconds=60))
        gc.collect()
        before = resident()
        assert db.run(query, Limits(rows=1_000)).row_count == 1_000
        page = peak = resident()
        with (
            suppress(QueryTimeout),
            db.stream(query, Limits(rows=10**9, bytes=10**12, seconds=2)) as stream,
        ):
            for _ in stream:
                peak = max(peak, resident())
        return (page - before) / 1e6, (peak - before) / 1e6


def child(url: str) -> tuple[float, float]:
    """In a process of its own: what one measurement leaves behind must not flatter the next."""
    told = subprocess.run(
        [sys.executable, __file__, "--memory-of", url], capture_output=True, text=True, check=True
    ).stdout.split()
    return float(told[0]), float(told[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=1_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--engines", default="sqlite,duckdb,postgres,mysql")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory_of:
        print(*memory(given.memory_of))
        return
    with tempfile.TemporaryDirectory() as directory, places(Path(directory)) as found:
        print(f"{given.tables} tables of {given.columns} columns; a table of {given.rows:,} rows\n")
        print(
            f"{'engine':10}{'ours':>9}{'inspector':>11}{'ratio':>8}{'samples':>10}{'page':>10}{'stream':>10}"
        )
        for name, (url, alchemy, admin) in found.items():
            if name not in given.engines.split(","):
                continue
            report(name, url, alchemy, admin, given)


def report(name: str, url: str, alchemy: str, admin: Admin, given: Any) -> None:
    admin(schema(given.tables, given.columns))
    fast, mine = min(ours(url) for _ in range(3))
    slow, other = theirs(alchemy)
    assert mine == other, (mine, other)
    added = max(0.0, min(ours(url, 3) for _ in range(3))[0] - fast)
    admin([BIG[name].format(rows=given.rows)])
    page, stream = child(url)
    print(
        f"{name:10}{fast:8.2f}s{slow:10.2f}s{slow / fast:7.1f}x{added:+9.2f}s{page:7.1f} MB{stream:7.1f} MB",
        flush=True,
    )


if __name__ == "__main__":
    main()
