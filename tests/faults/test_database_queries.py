"""Faults of a running query (faults.md D06–D12, D14–D17, D34).

D13 is about the memory's store and is tested there; D14 on ClickHouse is tested with that engine.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from faults.asking import SLOW, admin, ask, dialect_of, idle_within, memory_mb, mysql_admin, opened, running
from servers import Postgres, Server
from text2sql.database import Cancellation
from text2sql.errors import (
    DatabaseError,
    LockConflict,
    QueryCancelled,
    QueryTimeout,
    ResourceExhausted,
)
from text2sql.types import CheckedSql, Limits

pytestmark = pytest.mark.slow
RetryLater = Callable[[float, Callable[[], object]], None]
RUNAWAY = {
    "postgres": (
        "SELECT pg_sleep(30)::text",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
        "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
    ),
    "mysql": (
        "SELECT SLEEP(30)",
        # MariaDB's own limit would end this one after 1,000 rows, without a word
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT COUNT(*) FROM t",
        # D09: MariaDB ends this one early and calls it an answer
        "SELECT BENCHMARK(1000000000000, SHA2('x', 512))",
    ),
}
ENDLESS = {
    "postgres": "SELECT a FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
    "mysql": "SELECT a.seq FROM seq_1_to_100000 a, seq_1_to_100000 b",
}


@pytest.fixture(params=["postgres_server", "mariadb_server"])
def server(request: pytest.FixtureRequest) -> Server:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


@pytest.mark.parametrize("number", range(3))
def test_d06_d09_a_slow_query_ends_at_its_limit_on_the_server_too(server: Server, number: int) -> None:
    with opened(server.url) as database:
        began = time.monotonic()
        with pytest.raises(QueryTimeout) as caught:
            ask(database, RUNAWAY[database.dialect][number], seconds=0.7)
        assert time.monotonic() - began < 2.7
        assert idle_within(server.url, 2.0)
        assert caught.value.facts["seconds"] == 0.7
        assert ask(database, "SELECT 1") == ((1,),)


def test_d07_a_reader_who_leaves_stops_the_query_on_the_server(server: Server) -> None:
    with opened(server.url) as database:
        limits = Limits(rows=10**9, bytes=10**12)
        with database.stream(CheckedSql(ENDLESS[database.dialect], database.dialect), limits) as stream:
            next(iter(stream))
            assert running(server.url) == 1
        assert idle_within(server.url, 2.0)


def test_d07_a_query_that_is_cancelled_stops_on_the_server(server: Server, later: RetryLater) -> None:
    with opened(server.url) as database:
        cancel = Cancellation()
        later(0.3, cancel.cancel)
        began = time.monotonic()
        with pytest.raises(QueryCancelled):
            database.run(CheckedSql(SLOW[database.dialect], database.dialect), cancel=cancel)
        assert time.monotonic() - began < 2.3
        assert idle_within(server.url, 2.0)


def test_d08_a_cancel_that_comes_late_never_hits_the_next_query(server: Server) -> None:
    with opened(server.url, pool_size=1, pool_overflow=1) as database:
        for number in range(1000 if database.dialect == "postgres" else 300):
            cancel = Cancellation()
            timer = threading.Timer(0.001, cancel.cancel)
            timer.start()
            with suppress(QueryCancelled):
                assert database.run(CheckedSql(f"SELECT {number}", database.dialect), cancel=cancel).rows
            assert ask(database, f"SELECT {number} + 1") == ((number + 1,),)
            timer.join()


def test_d10_a_table_that_somebody_locked_is_an_error_with_a_name(server: Server) -> None:
    with _locked(server.url), opened(server.url) as database:
        began = time.monotonic()
        with pytest.raises(LockConflict) as caught:
            ask(database, "SELECT * FROM locked_table", seconds=3.0)
        assert time.monotonic() - began < 3.0
        assert caught.value.retry == "again"


def test_d10_a_locked_sqlite_file_is_an_error_with_a_name(tmp_path: Path) -> None:
    path = tmp_path / "locked.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE t (a)")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with opened(str(path)) as database, pytest.raises((LockConflict, QueryTimeout)):
            ask(database, "SELECT * FROM t", seconds=2.0)
    finally:
        holder.close()


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_d11_a_conflict_between_transactions_may_be_tried_again(postgres_server: Postgres, code: str) -> None:
    admin(
        postgres_server.url,
        f"CREATE OR REPLACE FUNCTION conflict_{code}() RETURNS int LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}', MESSAGE = 'conflict'; END $$",
    )
    with opened(postgres_server.url) as database, pytest.raises(LockConflict) as caught:
        ask(database, f'SELECT "conflict_{code.lower()}"()')
    assert caught.value.retry == "again"
    assert caught.value.code == code


def test_d12_a_sort_that_needs_more_disk_than_allowed_is_an_error_with_a_name(
    postgres_server: Postgres,
) -> None:
    small = f"{postgres_server.url}?options=-ctemp_file_limit%3D1MB%20-cwork_mem%3D64kB"
    with opened(small) as database:
        with pytest.raises(ResourceExhausted):
            ask(database, "SELECT a FROM generate_series(1, 3000000) a ORDER BY md5(a::text)")
        assert ask(database, "SELECT 1") == ((1,),)


def test_d14_a_value_the_server_cannot_hold_is_an_error_with_a_name(postgres_server: Postgres) -> None:
    with opened(postgres_server.url) as database, pytest.raises(ResourceExhausted):
        ask(database, "SELECT repeat(repeat('x', 1000000), 2000)")


def test_d15_ten_million_rows_cost_a_page(server: Server) -> None:
    ten_million = {
        "postgres": "SELECT a + b FROM generate_series(1, 10000) a, generate_series(1, 1000) b",
        "mysql": "SELECT seq FROM seq_1_to_10000000",
    }
    with opened(server.url) as database:
        ask(database, "SELECT 1")
        before = memory_mb()
        result = database.run(CheckedSql(ten_million[database.dialect], database.dialect), Limits(rows=1000))
        assert (result.row_count, result.truncated) == (1000, "rows")
        assert memory_mb() - before < 32
        assert idle_within(server.url, 2.0)


def test_d15_all_of_ten_million_rows_can_be_streamed_in_little_memory(server: Server) -> None:
    a_million = {
        "postgres": "SELECT a, 'some text ' || a FROM generate_series(1, 1000000) a",
        "mysql": "SELECT seq, CONCAT('some text ', seq) FROM seq_1_to_1000000",
    }
    with opened(server.url, time_limit=60.0) as database:
        before, peak, rows = memory_mb(), 0.0, 0
        limits = Limits(rows=10**9, bytes=10**12, seconds=60.0)
        with database.stream(CheckedSql(a_million[database.dialect], database.dialect), limits) as stream:
            for batch in stream:
                rows += len(batch)
                peak = max(peak, memory_mb())
        assert rows == 1_000_000
        assert peak - before < 32


def test_d16_a_gigabyte_in_few_rows_is_cut_by_bytes(server: Server) -> None:
    wide = {
        "postgres": "SELECT repeat('x', 1000000) FROM generate_series(1, 1000)",
        "mysql": "SELECT REPEAT('x', 1000000) FROM seq_1_to_1000",
    }
    with opened(server.url) as database:
        before = memory_mb()
        limits = Limits(bytes=5_000_000, cell_bytes=2_000_000)
        result = database.run(CheckedSql(wide[database.dialect], database.dialect), limits)
        assert result.truncated == "bytes"
        assert 1 <= result.row_count <= 5
        assert memory_mb() - before < 40
        assert idle_within(server.url, 2.0)


def test_d17_a_cell_of_200_megabytes_is_given_up_while_it_arrives(postgres_server: Postgres) -> None:
    with opened(postgres_server.url, time_limit=30.0) as database:
        before, peak = memory_mb(), [0.0]
        over = threading.Event()

        def watch() -> None:
            while not over.wait(0.01):
                peak[0] = max(peak[0], memory_mb())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            with pytest.raises(ResourceExhausted):
                ask(database, "SELECT repeat('x', 200000000)", seconds=30.0)
        finally:
            over.set()
            watcher.join()
        # libpq may swallow the rest of a row in one gulp; no copy of it is ever made (there were four)
        assert peak[0] - before < 260
        assert idle_within(postgres_server.url, 2.0)
        assert ask(database, "SELECT 1") == ((1,),)


def test_d17_a_cell_of_some_megabytes_is_cut_and_marked(server: Server) -> None:
    with opened(server.url) as database:
        result = database.run(CheckedSql("SELECT REPEAT('x', 3000000)", database.dialect))
        assert result.cut_cells == 1
        assert len(str(result.rows[0][0])) <= 64_001  # and the mark that says it was cut


def test_d34_an_estimate_that_hangs_ends_at_the_limit(server: Server) -> None:
    with _locked(server.url), opened(server.url, time_limit=2.0) as database:
        began = time.monotonic()
        with pytest.raises(DatabaseError):
            database.explain(CheckedSql("SELECT * FROM locked_table", database.dialect))
        assert time.monotonic() - began < 3.0


@contextmanager
def _locked(url: str) -> Iterator[None]:
    """Another connection locks `locked_table` inside this context."""
    admin(url, "DROP TABLE IF EXISTS locked_table")
    admin(url, "CREATE TABLE locked_table (a int)")
    if dialect_of(url) == "postgres":
        with psycopg.connect(url) as holder:
            holder.execute("LOCK TABLE locked_table IN ACCESS EXCLUSIVE MODE")
            yield
    else:
        with mysql_admin(url) as run:
            run("LOCK TABLES locked_table WRITE")
            yield
            run("UNLOCK TABLES")
