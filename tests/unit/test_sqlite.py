"""SQLite's own failures: locks, logs, damage, unusual schemas; and what the authorizer allows."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from text2sql.config import Settings
from text2sql.database import Database, open_database
from text2sql.database.engines import sqlite as engine_module
from text2sql.database.engines.sqlite.session import SqliteSession
from text2sql.database.url import read_source
from text2sql.errors import DatabaseError, LockConflict, OtherDatabaseError, ResourceExhausted
from text2sql.types import CheckedSql, Limits, Policy


def ask(db: Database, sql: str) -> object:
    return db.run(CheckedSql(sql, "sqlite")).rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a b%#?.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE t (a INTEGER, b); INSERT INTO t VALUES (1, 'abc'), ('no number', 2.5)"
        )
    return path


def test_a_value_that_does_not_fit_its_column_type_is_returned(file: Path) -> None:
    with open_database(str(file)) as db:
        assert ask(db, "SELECT a, b FROM t") == ((1, "abc"), ("no number", 2.5))


def test_a_locked_database_is_reported_after_a_short_wait(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "BUSY_SECONDS", 0.1)
    with closing(sqlite3.connect(file, isolation_level=None)) as writer, open_database(str(file)) as db:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LockConflict) as caught:
            ask(db, "SELECT * FROM t")
        assert caught.value.retry == "again"
        writer.execute("ROLLBACK")
        assert ask(db, "SELECT count(*) FROM t") == ((2,),)


def test_a_database_with_a_log_is_read_during_writes(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM t")
        with open_database(str(file)) as db:
            assert ask(db, "SELECT count(*) FROM t") == ((2,),)
            writer.execute("COMMIT")
            assert ask(db, "SELECT count(*) FROM t") == ((0,),)


def test_a_database_whose_log_cannot_be_opened_is_read_as_immutable(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unwritable directory cannot be made as root, so its error is played by the first attempt."""
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
    opened = []
    real = sqlite3.connect

    def connect(address: str, **rest: object) -> sqlite3.Connection:
        opened.append(address.partition("?")[2])
        if opened[-1] == "mode=ro":
            error = sqlite3.OperationalError("unable to open database file")
            error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
            error.sqlite_errorname = "SQLITE_CANTOPEN"
            raise error
        return real(address, **rest)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(sqlite3, "connect", connect)
    engine = engine_module.SqliteEngine(read_source(str(file)), Settings())
    with Database(engine, Settings()) as db:  # in this process, where `connect` is the one above
        assert ask(db, "SELECT count(*) FROM t") == ((2,),)
    assert opened == ["mode=ro&immutable=1", "mode=ro", "mode=ro&immutable=1"]  # its kind, and two attempts


def test_a_damaged_file_is_reported(file: Path) -> None:
    bytes_of = file.read_bytes()
    file.write_bytes(bytes_of[:100] + b"\xff" * (len(bytes_of) - 100))
    with open_database(str(file)) as db, pytest.raises(OtherDatabaseError) as caught:
        db.catalog()
    assert caught.value.message_key == "database.damaged"


def test_an_empty_database_has_no_tables(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with open_database(str(tmp_path / "empty.db")) as db:
        assert db.catalog().tables == ()


def test_full_text_search_works_and_hides_its_own_tables(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE VIRTUAL TABLE ft USING fts5(body); INSERT INTO ft VALUES ('hello world')"
        )
    with open_database(str(file)) as db:
        assert ask(db, "SELECT body FROM ft WHERE ft MATCH 'hello'") == (("hello world",),)
        assert [table.name for table in db.catalog().tables] == ["ft", "t"]


def test_a_view_of_a_deleted_table_does_not_hide_the_others(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(
            "CREATE VIEW broken AS SELECT * FROM gone; CREATE VIEW whole AS SELECT a FROM t"
        )
    with open_database(str(file)) as db:
        assert [table.name for table in db.catalog().tables] == ["t", "whole"]


def test_a_table_may_be_called_pragma_something(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE pragma_notes (a)")
    with open_database(str(file)) as db:
        assert ask(db, "SELECT * FROM pragma_notes") == ()
        with pytest.raises(DatabaseError) as caught:
            ask(db, "SELECT * FROM pragma_table_info('t')")
        assert caught.value.kind == "forbidden"


def test_a_huge_cell_is_refused_by_the_engine(file: Path) -> None:
    with open_database(str(file)) as db, pytest.raises(ResourceExhausted):
        ask(db, "SELECT zeroblob(100000000)")


def test_large_rows_are_fetched_in_small_batches(file: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    fat = endless + "SELECT printf('%.*c', 500000, 'x') FROM n"
    with open_database(str(file)) as db:
        result = db.run(CheckedSql(fat, "sqlite"), Limits(rows=10**6, bytes=20_000_000, cell_bytes=10**6))
    assert result.truncated == "bytes"
    assert result.row_count == 39


@pytest.mark.slow
def test_ten_thousand_tables_are_read_in_seconds(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "many.db")) as connection, connection:
        connection.execute("BEGIN")  # Python opens no transaction for DDL; ten thousand syncs take a minute
        for number in range(10_000):
            connection.execute(f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, name TEXT)")
    with open_database(str(tmp_path / "many.db")) as db:
        began = time.monotonic()
        assert len(db.catalog().tables) == 10_000
        assert time.monotonic() - began < 10


def test_rows_of_a_closed_connection_are_released_silently() -> None:
    session = SqliteSession(sqlite3.connect(":memory:"))
    endless = "WITH t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t"
    answering = session.execute(endless, 10)
    assert next(answering.batches)
    session.close()
    answering.batches.close()  # type: ignore[attr-defined]


def test_sqlite_does_not_ask_about_the_columns_of_a_using_join(file: Path) -> None:
    """A limit of SQLite that docs/security.md tells. If this fails, SQLite asks: correct the page."""
    readable = Policy({"t": ("a",)})
    sql = "SELECT t.a FROM t JOIN (SELECT 'abc' AS b) AS guess USING (b)"
    with open_database(str(file)) as db:
        assert db.run(CheckedSql(sql, "sqlite"), readable=readable).rows == ((1,),)


def test_a_full_text_table_is_searched_under_a_policy(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE VIRTUAL TABLE notes USING fts5(a, b); INSERT INTO notes VALUES ('x y', 'z')"
        )
    query = CheckedSql("SELECT a FROM notes WHERE notes MATCH 'y' ORDER BY rank", "sqlite")
    hidden = CheckedSql("SELECT c1 FROM notes_content", "sqlite")
    with open_database(str(path)) as db:
        assert db.run(query, readable=Policy({"notes": ("a", "b")})).rows == (("x y",),)
        for sql in (query, hidden):  # its own tables hold every column, so that none can be hidden alone
            with pytest.raises(DatabaseError):
                db.run(sql, readable=Policy({"notes": ("a",)}))
