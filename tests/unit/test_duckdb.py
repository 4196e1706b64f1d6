"""DuckDB's own troubles: files held by others, damage, streaming, and what is left beside the user's file."""

import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from text2sql.database import Database, open_database
from text2sql.database.engines.duckdb.columns import read_clock, read_duration, read_moment, read_single
from text2sql.errors import LockConflict, OtherDatabaseError
from text2sql.types import CheckedSql, Limits


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "it's.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t (a INTEGER, day DATE); INSERT INTO t VALUES (1, 'infinity'), (2, NULL)"
        )
    return path


def ask(db: Database, sql: str) -> object:
    return db.run(CheckedSql(sql, "duckdb")).rows


def test_an_order_survives_the_casts_around_the_query(file: Path) -> None:
    with open_database(str(file)) as db:
        assert ask(db, "SELECT a, day FROM t ORDER BY a DESC -- a remark") == ((2, None), (1, "infinity"))
        many = db.run(
            CheckedSql(
                "SELECT DATE '2000-01-01' + i::INT AS d FROM range(5000) r(i) ORDER BY i DESC", "duckdb"
            ),
            Limits(rows=5000),
        ).rows
    assert list(many) == sorted(many, reverse=True)
    assert len(many) == 5000


def test_a_file_that_another_process_writes_is_said_to_be_locked(file: Path) -> None:
    code = (
        f"import duckdb, sys; c = duckdb.connect({str(file)!r}); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with open_database(str(file)) as db, pytest.raises(LockConflict):
            db.ping()
        assert other.stdin is not None
        other.stdin.close()
        other.wait()
    with open_database(str(file)) as db:
        db.ping()


def test_a_damaged_file_is_said(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with open_database(str(file)) as db, pytest.raises(OtherDatabaseError) as caught:
        db.ping()
    assert caught.value.message_key == "database.damaged"


def test_nothing_is_left_beside_the_file(file: Path) -> None:
    with open_database(str(file)) as db:
        ask(db, "SELECT i FROM range(3000000) r(i) ORDER BY hash(i) LIMIT 1")
        scratch: Path = db._engine._scratch  # type: ignore[attr-defined]
        assert scratch.exists()
    assert not scratch.exists()
    assert [one.name for one in file.parent.iterdir()] == ["it's.duckdb"]


def test_ten_million_rows_cost_no_more_memory_than_a_page(file: Path) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    with open_database(str(file)) as db:
        query = CheckedSql("SELECT i, i * 2, 'text ' || i FROM range(10000000) r(i)", "duckdb")
        db.run(query, Limits(rows=10))
        before, peak, count = resident(), 0, 0
        until = time.monotonic() + 1
        with db.stream(query, Limits(rows=10**9, bytes=10**12)) as stream:
            for batch in stream:
                count, peak = count + len(batch), max(peak, resident())
                if time.monotonic() > until:
                    break
    assert count > 50_000
    assert peak - before < 64_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 year 2 months 3 days 04:05:06.7", "P1Y2M3DT4H5M6.7S"),
        ("-1 year -2 days -03:00:00", "P-1Y-2DT-3H"),
        ("100:00:00", "PT100H"),
        ("-00:00:00.5", "PT-0.5S"),
        ("00:00:00", "PT0S"),
        ("something new", "something new"),
    ],
)
def test_an_interval_is_read(text: str, expected: str) -> None:
    assert read_duration(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-01 07:00:00+00", "2024-01-01T07:00:00+00:00"),
        ("2024-01-01 07:00:00.5", "2024-01-01T07:00:00.500000"),
        ("2024-01-01 07:00:00.123456789", "2024-01-01T07:00:00.123456789"),
        ("infinity", "infinity"),
        ("0044-03-15 (BC) 01:02:03", "0044-03-15 (BC) 01:02:03"),
    ],
)
def test_a_moment_is_read(text: str, expected: str) -> None:
    assert read_moment(text) == expected


def test_a_clock_is_read() -> None:
    assert read_clock("12:00:00+05:30") == "12:00:00+05:30"
    assert read_clock("24:00:00") == "24:00:00"


@pytest.mark.parametrize("value", [0.1, 1e-40, 3.4028235e38, 16777217.0, 1.5])
def test_a_single_is_shown_with_as_few_digits_as_it_has(value: float) -> None:
    import struct

    (single,) = struct.unpack("f", struct.pack("f", value))
    shown = read_single(single)
    assert struct.unpack("f", struct.pack("f", shown))[0] == single
    assert len(repr(shown)) <= len(repr(single))
