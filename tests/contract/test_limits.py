"""Limits: a limit that was hit is a fact of the result, and the statement is over."""

import resource
import time

import pytest

from contract.engine_databases import ENDLESS_ROWS, FOREVER, NUMBERS, EngineDatabase
from text2sql.database import Database
from text2sql.errors import QueryTimeout, ResourceExhausted
from text2sql.types import Limits

TEN = NUMBERS + "SELECT n FROM t WHERE n <= 10 ORDER BY n"
TEN_THOUSAND = NUMBERS + "SELECT a.n AS x, b.n AS y FROM t a, t b WHERE b.n <= 10"


def test_one_row_more_than_allowed_marks_the_result(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked(TEN), Limits(rows=9))
    assert (result.row_count, result.truncated) == (9, "rows")


def test_exactly_as_many_rows_as_allowed_is_whole(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked(TEN), Limits(rows=10))
    assert (result.row_count, result.truncated) == (10, "")


@pytest.mark.needs("streams")
@pytest.mark.parametrize("rows", [1, 16, 17, 1000, 3000])
def test_an_endless_result_stops_at_the_row_limit(db: Database, engine_db: EngineDatabase, rows: int) -> None:
    result = db.run(engine_db.checked(ENDLESS_ROWS), Limits(rows=rows))
    assert (result.row_count, result.truncated) == (rows, "rows")
    assert result.seconds < 10


@pytest.mark.needs("streams")
def test_an_endless_result_stops_at_the_byte_limit(db: Database, engine_db: EngineDatabase) -> None:
    result = db.run(engine_db.checked(ENDLESS_ROWS), Limits(rows=10**9, bytes=50_000))
    assert result.truncated == "bytes"
    assert 1_000 < result.row_count < 10_000


def test_a_long_cell_is_cut_and_counted(db: Database, engine_db: EngineDatabase) -> None:
    long = "é" * 300
    result = db.run(engine_db.checked(f"SELECT '{long}' AS a, 'short' AS b"), Limits(cell_bytes=101))
    assert result.rows == (("é" * 50 + "…", "short"),)
    assert result.cut_cells == 1


def test_a_query_is_stopped_at_its_time_limit(db: Database, engine_db: EngineDatabase) -> None:
    began = time.monotonic()
    with pytest.raises(QueryTimeout) as caught:
        db.run(engine_db.checked(FOREVER), Limits(seconds=0.5))
    assert 0.4 < time.monotonic() - began < 2.5
    assert caught.value.facts["seconds"] == 0.5
    assert caught.value.retry == "rewrite"


@pytest.mark.needs("streams")
def test_the_time_limit_covers_reading_the_rows(db: Database, engine_db: EngineDatabase) -> None:
    began = time.monotonic()
    with pytest.raises(QueryTimeout):
        db.run(engine_db.checked(ENDLESS_ROWS), Limits(rows=10**12, bytes=10**12, seconds=0.5))
    assert time.monotonic() - began < 2.5


@pytest.mark.needs("server")
def test_after_a_time_out_the_server_is_idle(db: Database, engine_db: EngineDatabase) -> None:
    with pytest.raises(QueryTimeout):
        db.run(engine_db.checked(FOREVER), Limits(seconds=0.5))
    until = time.monotonic() + 2
    while engine_db.running() and time.monotonic() < until:
        time.sleep(0.05)
    assert engine_db.running() == 0


def test_the_next_query_after_a_time_out_is_answered(db: Database, engine_db: EngineDatabase) -> None:
    for _ in range(3):
        with pytest.raises(QueryTimeout):
            db.run(engine_db.checked(FOREVER), Limits(seconds=0.05))
        assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)


def test_a_stream_gives_batches_of_converted_rows(db: Database, engine_db: EngineDatabase) -> None:
    with db.stream(engine_db.checked(TEN_THOUSAND), Limits(rows=5_000)) as stream:
        sizes = [len(batch) for batch in stream]
    assert sum(sizes) == 5_000
    assert len(sizes) > 2
    assert max(sizes) <= 2_048
    assert stream.truncated == "rows"
    assert [column.name for column in stream.columns] == engine_db.named("x", "y")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT SFORMAT('{:>{}}', 'x', 200000000) AS a",
        f"SELECT {', '.join(f'REPEAT(1, 15000000) AS c{number}' for number in range(6))}",
    ],
)
def test_a_row_of_many_megabytes_never_reaches_this_process(
    db: Database, engine_db: EngineDatabase, sql: str
) -> None:
    if engine_db.dialect != "mysql":
        pytest.skip("the client's limit is MySQL's; SFORMAT is MariaDB's")
    assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KB
    with pytest.raises(ResourceExhausted):
        db.run(engine_db.checked(sql), Limits(seconds=120.0))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 150_000
    assert db.run(engine_db.checked("SELECT 1 AS a")).rows == ((1,),)
