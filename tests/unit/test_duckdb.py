"""DuckDB's own failures: locked files, damage, streaming, and files left beside the user's file."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.database.engines.duckdb import DuckEngine
from text2sql.database.engines.duckdb.columns import read_clock, read_duration, read_moment, read_single
from text2sql.database.url import read_source
from text2sql.errors import DatabaseError, LockConflict, OtherDatabaseError
from text2sql.i18n import explain
from text2sql.types import CheckedSql, Limits, Policy


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


def test_a_file_that_another_process_writes_is_reported_as_locked(file: Path) -> None:
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


def test_a_damaged_file_is_reported(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with open_database(str(file)) as db, pytest.raises(OtherDatabaseError) as caught:
        db.ping()
    assert caught.value.message_key == "database.damaged"


def test_no_temporary_files_are_left_beside_the_file(file: Path) -> None:
    with open_database(str(file)) as db:
        ask(db, "SELECT i FROM range(3000000) r(i) ORDER BY hash(i) LIMIT 1")
        scratch: Path = db._engine.engine._scratch  # type: ignore[attr-defined]
        assert scratch.exists()
    assert not scratch.exists()
    assert [path.name for path in file.parent.iterdir()] == ["it's.duckdb"]


def test_ten_million_rows_cost_no_more_memory_than_a_page(file: Path) -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    with open_database(str(file)) as db:
        query = CheckedSql("SELECT i, i * 2, 'text ' || i FROM range(10000000) r(i)", "duckdb")
        db.run(query, Limits(rows=10))
        before, peak, count = resident(), 0, 0
        with db.stream(query, Limits(rows=10**9, bytes=10**12)) as stream:
            for batch in stream:
                count, peak = count + len(batch), max(peak, resident())
                if count > 100_000:
                    break
    assert count > 100_000
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
def test_an_interval_is_converted(text: str, expected: str) -> None:
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
def test_a_timestamp_is_converted(text: str, expected: str) -> None:
    assert read_moment(text) == expected


def test_a_time_of_day_is_converted() -> None:
    assert read_clock("12:00:00+05:30") == "12:00:00+05:30"
    assert read_clock("24:00:00") == "24:00:00"


@pytest.mark.parametrize("value", [0.1, 1e-40, 3.4028235e38, 16777217.0, 1.5])
def test_a_single_precision_number_has_no_spurious_digits(value: float) -> None:
    import struct

    (single,) = struct.unpack("f", struct.pack("f", value))
    shown = read_single(single)
    assert struct.unpack("f", struct.pack("f", shown))[0] == single
    assert len(repr(shown)) <= len(repr(single))


def test_two_engines_of_one_process_read_one_file(file: Path) -> None:
    """As an evaluation does: the app answers, and a second one runs the reference."""
    with open_database(str(file)) as first, open_database(str(file)) as second:
        assert ask(first, "SELECT count(*) FROM t") == ask(second, "SELECT count(*) FROM t") == ((2,),)
        first.close()
        assert ask(second, "SELECT count(*) FROM t") == ((2,),)
        with open_database(str(file)) as third:
            assert ask(third, "SELECT count(*) FROM t") == ((2,),)
    with duckdb.connect(str(file)) as writer:  # let go of by all
        writer.execute("INSERT INTO t VALUES (3, NULL)")
    with open_database(str(file)) as again:
        assert ask(again, "SELECT count(*) FROM t") == ((3,),)


CATALOG = "hidden_" + "0" * 32
NAMING_THE_FILE = (
    f"SELECT day FROM {CATALOG}.main.t",
    f"SELECT day FROM {CATALOG}.t",
    f"SELECT a FROM t WHERE EXISTS (SELECT 1 FROM {CATALOG}.t h WHERE h.day IS NULL)",
    f"SELECT a FROM t JOIN {CATALOG}.main.t h USING (a)",
    f"SELECT 1 FROM t ORDER BY (SELECT max(day) FROM {CATALOG}.t)",
    f"SELECT * FROM query('SELECT day FROM {CATALOG}.t')",
    f"SELECT * FROM query_table('{CATALOG}.t')",
    f"SELECT * FROM pragma_storage_info('{CATALOG}.main.t')",
    f"SELECT json_execute_serialized_sql(json_serialize_sql('SELECT day FROM {CATALOG}.t'))",
    f"FROM json_execute_serialized_sql(json_serialize_sql('SELECT day FROM {CATALOG}.t'))",
    f"SUMMARIZE {CATALOG}.t",
    "SELECT * FROM duckdb_columns()",
    "SELECT * FROM duckdb_columns",
    "SELECT sql FROM duckdb_views()",
    "SELECT sql FROM sqlite_master",
    "SELECT * FROM information_schema.columns",
    "SELECT * FROM pg_catalog.pg_attribute",
    "WITH sqlite_master AS (SELECT 1 AS sql) SELECT * FROM sqlite_master",
    "SHOW ALL TABLES",
    "DESCRIBE t",
)


@pytest.mark.parametrize("sql", NAMING_THE_FILE)
def test_under_a_policy_no_statement_reaches_the_attached_file(
    sql: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even who knows the random name of the file gets nowhere with it."""
    monkeypatch.setattr("text2sql.database.engines.duckdb.restriction.random_name", lambda: CATALOG)
    readable = Policy({"t": ("a",)})
    with Database(DuckEngine(read_source(str(file)), Settings()), Settings()) as db:
        assert db.run(CheckedSql("SELECT * FROM t ORDER BY a", "duckdb"), readable=readable).rows == (
            (1,),
            (2,),
        )
        with pytest.raises(DatabaseError) as caught:
            db.run(CheckedSql(sql, "duckdb"), readable=readable)
    assert caught.value.kind in ("forbidden", "unknown_table")


def test_a_policy_shows_tables_of_other_schemas(file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE SCHEMA sales; CREATE TABLE sales.orders AS SELECT 1 AS id, 2 AS margin")
    readable = Policy({"sales.orders": ("id",)})
    with open_database(str(file)) as db:
        query = CheckedSql("SELECT * FROM sales.orders", "duckdb")
        assert db.run(query, readable=readable).rows == ((1,),)


def test_a_file_that_another_program_writes_is_reported_with_the_program(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    program = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE t AS SELECT 1 AS a');"
        " c.execute('CHECKPOINT'); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        writer.stdout.readline()
        with open_database(str(path)) as db, pytest.raises(LockConflict) as caught:
            db.ping()
        writer.stdin.close()
    assert caught.value.message_key == "database.file_locked"
    assert f"PID {writer.pid}" in explain(caught.value, "en")


def test_a_file_is_read_beside_other_readers_and_count_has_a_readable_name(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    program = (
        "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True);"
        " print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdin is not None
        reader.stdout.readline()
        with open_database(str(path)) as db:
            result = db.run(CheckedSql("SELECT COUNT(*) FROM t", "duckdb"))
        reader.stdin.close()
    assert ([column.name for column in result.columns], result.rows) == (["count"], ((1,),))
