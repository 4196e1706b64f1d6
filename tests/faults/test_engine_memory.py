"""Embedded engines under a hard memory limit: memory bombs without the guard."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import duckdb
import pytest

from text2sql.config import Settings
from text2sql.database import Cancellation, Database, open_database
from text2sql.database.process.owner import ProcessSession, current_host
from text2sql.errors import QueryCancelled, QueryTimeout, ResourceExhausted
from text2sql.i18n import explain
from text2sql.types import CheckedSql, Limits

MEMORY = 512  # megabytes
SETTINGS = Settings(engine_memory=MEMORY, pool_size=1, pool_overflow=0, time_limit=5.0)
BOMBS = {
    "duckdb": (
        "SELECT repeat('x', 31 << 25)",
        "SELECT format('{:>{}}', 'x', 1000000000)",
        "SELECT range(1000000000)",
        "SELECT list_aggregate(range(1000000000), 'sum')",
        "SELECT list_transform(range(300000000), x -> x + 1)",
        "SELECT string_agg(i::VARCHAR, ',') FROM range(300000000) t(i)",
        "SELECT repeat('x', 60000000) FROM range(1000)",
        "SELECT list(repeat('x', 1000000)) FROM range(100000)",
    ),
    "sqlite": (
        f"SELECT {', '.join(['hex(zeroblob(31000000))'] * 60)}",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT group_concat(n) FROM t",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 100) "
        "SELECT json_group_array(hex(zeroblob(30000000))) FROM t",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT 300) "
        "SELECT DISTINCT hex(randomblob(5000000)) AS x FROM t ORDER BY 1",
    ),
}
CASES = [(dialect, sql) for dialect, bombs in BOMBS.items() for sql in bombs]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    paths = {"sqlite": tmp_path / "a.db", "duckdb": tmp_path / "a.duckdb"}
    with closing(sqlite3.connect(paths["sqlite"])) as connection:
        connection.executescript("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)")
    with duckdb.connect(str(paths["duckdb"])) as there:
        there.execute("CREATE TABLE t AS SELECT 1 AS a")
    return paths


def megabytes(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(text.partition("VmRSS:")[2].split()[0]) // 1000 if "VmRSS:" in text else 0


def children_of(process: int) -> list[int]:
    try:
        listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(number) for number in listed.split()]


@contextmanager
def watched() -> Iterator[dict[str, int]]:
    """The peak growth of this process, and the peak memory of any engine process."""
    before, most, over = megabytes(os.getpid()), {"here": 0, "engine": 0}, threading.Event()

    def look() -> None:
        while not over.wait(0.02):
            most["here"] = max(most["here"], megabytes(os.getpid()) - before)
            for child in children_of(current_host().process):
                most["engine"] = max(most["engine"], megabytes(child))

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def works(database: Database) -> bool:
    return database.run(CheckedSql("SELECT a FROM t", database.dialect), Limits(seconds=30.0)).rows == ((1,),)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the memory of a process this way")
@pytest.mark.parametrize(("dialect", "sql"), CASES)
def test_a_bomb_ends_at_the_limit_and_costs_this_process_nothing(
    dialect: str, sql: str, files: dict[str, Path]
) -> None:
    with open_database(str(files[dialect]), SETTINGS) as database:
        assert works(database)
        began = time.monotonic()
        with watched() as most:
            with suppress(ResourceExhausted, QueryTimeout):
                database.run(CheckedSql(sql, dialect))
            seconds = time.monotonic() - began
        assert most["here"] < 150, most
        assert most["engine"] < MEMORY + 100, most  # its code and the file's pages do not count
        assert seconds < 12
        assert works(database)


def test_a_process_that_dies_in_a_statement_is_reported_and_replaced(files: dict[str, Path]) -> None:
    with open_database(str(files["duckdb"]), SETTINGS) as database:
        assert works(database)
        (child,) = children_of(current_host().process)[-1:]
        killer = threading.Timer(0.5, os.kill, (child, signal.SIGKILL))
        killer.start()
        with pytest.raises(ResourceExhausted) as caught:
            database.run(CheckedSql("SELECT count(*) FROM range(1000000000000)", "duckdb"))
        killer.join()
        assert "512 MB" in explain(caught.value, "en")
        assert "512 MB" in explain(caught.value, "zh")
        assert works(database)


def test_a_process_that_died_while_idle_is_replaced_unnoticed(files: dict[str, Path]) -> None:
    with open_database(str(files["sqlite"]), SETTINGS) as database:
        assert works(database)
        os.kill(children_of(current_host().process)[-1], signal.SIGKILL)
        assert works(database)


def test_a_host_that_died_is_replaced(files: dict[str, Path]) -> None:
    with open_database(str(files["sqlite"]), SETTINGS) as database:
        assert works(database)
        os.kill(current_host().process, signal.SIGKILL)
        time.sleep(0.2)
        assert works(database)
    with open_database(str(files["duckdb"]), SETTINGS) as database:
        assert works(database)


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_a_cancelled_statement_leaves_no_process_behind(dialect: str, files: dict[str, Path]) -> None:
    forever = (
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10000) "
        "SELECT count(*) FROM t a, t b, t c, t d"
    )
    with open_database(str(files[dialect]), SETTINGS) as database:
        assert works(database)
        before = set(children_of(current_host().process))
        cancel = Cancellation()
        threading.Timer(0.3, cancel.cancel).start()
        began = time.monotonic()
        with pytest.raises(QueryCancelled):
            database.run(CheckedSql(forever, dialect), cancel=cancel)
        assert time.monotonic() - began < 3
        assert works(database)
        assert not before & set(children_of(current_host().process))


def test_the_processes_end_with_their_owner(files: dict[str, Path]) -> None:
    code = (
        "import time; from text2sql.database import open_database; from text2sql.types import CheckedSql\n"
        "from text2sql.database.process.owner import current_host\n"
        f"db = open_database({str(files['duckdb'])!r}); db.run(CheckedSql('SELECT 1', 'duckdb'))\n"
        "print(current_host().process, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        host = int(owner.stdout.readline())
        children = children_of(host)
        assert children
        owner.kill()
    until = time.monotonic() + 10
    while time.monotonic() < until and any(Path(f"/proc/{pid}").exists() for pid in (host, *children)):
        time.sleep(0.05)
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]


def test_sessions_are_processes_and_their_cells_are_cut_there(files: dict[str, Path]) -> None:
    with open_database(str(files["duckdb"]), SETTINGS) as database, watched() as most:
        result = database.run(CheckedSql("SELECT repeat('x', 60000000) AS a, 1 AS b", "duckdb"))
        lease = database._pool.take()
        assert isinstance(lease.session, ProcessSession)
        database._pool.give_back(lease)
    assert (len(str(result.rows[0][0])), result.rows[0][1], result.cut_cells) == (64_001, 1, 1)
    assert most["here"] < 50, most
