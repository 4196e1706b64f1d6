"""Writes on every engine: a rehearsal changes nothing, a commit changes exactly that."""

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from contract.engine_databases import FOREVER, EngineDatabase
from text2sql.config import Settings
from text2sql.database import AsyncDatabase, Cancellation, Database, open_database
from text2sql.database.dialects import load_engine
from text2sql.database.engine import Engine, Session, WritingSession
from text2sql.database.url import read_source
from text2sql.errors import (
    ConnectionFailed,
    ConstraintViolated,
    DatabaseError,
    Forbidden,
    OtherDatabaseError,
    PermissionDenied,
    PoolExhausted,
    QueryCancelled,
    QueryTimeout,
)
from text2sql.i18n import explain
from text2sql.sql import check_write
from text2sql.types import CheckedSql, CheckedWrite, SqlRejected

Kind = Literal["insert", "update", "delete"]
SLOW = f"UPDATE boxes SET weight = ({FOREVER}) WHERE id = 1"
SHELVES, BOXES = ((1, "a"), (2, "b")), ((1, 1, 10), (2, 1, 20), (3, 2, 30))


def write(
    engine_db: EngineDatabase, sql: str, kind: Kind = "update", key: str = "k", table: str = "boxes"
) -> CheckedWrite:
    """A write that the guard has not checked: these tests simulate a guard that fails."""
    return CheckedWrite(sql, engine_db.dialect, table, kind, key)


def rows_of(db: Database, table: str = "boxes") -> tuple[tuple[Any, ...], ...]:
    return db.run(CheckedSql(f"SELECT * FROM {table} ORDER BY 1", db.dialect)).rows


@pytest.fixture
def stock(shelf: EngineDatabase) -> Iterator[Database]:
    with open_database(shelf.url, Settings(time_limit=20.0, pool_wait=5.0)) as database:
        yield database


CHANGES: list[tuple[Kind, str, int, tuple[tuple[int, int, int], ...]]] = [
    ("insert", "INSERT INTO boxes (id, shelf_id, weight) VALUES (4, 2, 40)", 1, (*BOXES, (4, 2, 40))),
    ("insert", "INSERT INTO boxes SELECT id + 10, 1, 5 FROM shelves", 2, (*BOXES, (11, 1, 5), (12, 1, 5))),
    (
        "update",
        "UPDATE boxes SET weight = weight + 1 WHERE shelf_id = 1",
        2,
        ((1, 1, 11), (2, 1, 21), BOXES[2]),
    ),
    ("update", "UPDATE boxes SET weight = 10 WHERE id = 1", 1, BOXES),
    ("update", "UPDATE boxes SET weight = 1 WHERE id = 99", 0, BOXES),
    ("delete", "DELETE FROM boxes WHERE weight > 10", 2, BOXES[:1]),
]


@pytest.mark.parametrize(("kind", "sql", "touched", "_"), CHANGES)
def test_a_rehearsal_counts_the_rows_and_changes_nothing(
    stock: Database, shelf: EngineDatabase, kind: Kind, sql: str, touched: int, _: object
) -> None:
    for _again in range(2):
        assert stock.rehearse(write(shelf, sql, kind)) == touched
        assert (rows_of(stock), rows_of(stock, "shelves")) == (BOXES, SHELVES)


@pytest.mark.parametrize(("kind", "sql", "touched", "expected"), CHANGES)
def test_a_commit_changes_exactly_that(
    stock: Database, shelf: EngineDatabase, kind: Kind, sql: str, touched: int, expected: object
) -> None:
    assert rows_of(stock) == BOXES  # the pool has a connection that was there before
    assert stock.commit(write(shelf, sql, kind)) == touched
    assert (rows_of(stock), rows_of(stock, "shelves")) == (expected, SHELVES)
    stock.close()
    with open_database(shelf.url) as another:
        assert rows_of(another) == expected


def test_after_a_write_the_pool_is_as_closed_as_before(stock: Database, shelf: EngineDatabase) -> None:
    stock.commit(write(shelf, "UPDATE boxes SET weight = 7 WHERE id = 1"))
    with pytest.raises((Forbidden, PermissionDenied)):
        stock.run(CheckedSql("DELETE FROM boxes WHERE id = 1", shelf.dialect))
    boxes = next(table for table in stock.catalog(0).tables if table.name == "boxes")
    assert stock.rejects_writes(boxes)
    assert rows_of(stock)[0] == (1, 1, 7)


def test_a_statement_runs_once_for_its_key(stock: Database, shelf: EngineDatabase) -> None:
    sql = "UPDATE boxes SET weight = weight + 1 WHERE id = 1"
    assert stock.commit(write(shelf, sql, key="one")) == 1
    with pytest.raises(Forbidden) as caught:
        stock.commit(write(shelf, sql, key="one"))
    assert caught.value.message_key == "database.already_written"
    assert stock.commit(write(shelf, sql, key="two")) == 1
    assert rows_of(stock)[0] == (1, 1, 12)


def test_a_commit_that_failed_may_be_tried_again(stock: Database, shelf: EngineDatabase) -> None:
    with pytest.raises(ConstraintViolated):
        stock.commit(write(shelf, "UPDATE boxes SET shelf_id = 9 WHERE id = 1"))
    assert stock.commit(write(shelf, "UPDATE boxes SET weight = 9 WHERE id = 1")) == 1


def test_what_the_guard_passed_is_rehearsed_and_committed(stock: Database) -> None:
    catalog = stock.catalog(0)
    verdict = check_write("update Boxes set weight = 99 where id = 3", stock.dialect, catalog)
    if stock.dialect == "mysql":  # there Boxes is not boxes
        assert isinstance(verdict, SqlRejected)
        verdict = check_write("update boxes set weight = 99 where id = 3", stock.dialect, catalog)
    assert isinstance(verdict, CheckedWrite)
    assert (stock.rehearse(verdict), stock.commit(verdict)) == (1, 1)
    assert rows_of(stock)[2] == (3, 2, 99)


def test_a_task_can_write_too(shelf: EngineDatabase) -> None:
    async def story() -> tuple[int, int]:
        async with AsyncDatabase(open_database(shelf.url)) as db:
            change = write(shelf, "DELETE FROM boxes WHERE id = 3", "delete")
            return await db.rehearse(change), await db.commit(change)

    assert asyncio.run(story()) == (1, 1)
    with open_database(shelf.url) as db:
        assert rows_of(db) == BOXES[:2]


@pytest.mark.parametrize("write", ["DELETE FROM boxes WHERE id = 1", CheckedSql("SELECT 1", "sqlite"), None])
def test_only_a_checked_write_is_taken(stock: Database, write: Any) -> None:
    for door in (stock.rehearse, stock.commit):
        with pytest.raises(TypeError, match="CheckedWrite"):
            door(write)


def test_a_write_for_another_dialect_is_not_taken(stock: Database) -> None:
    with pytest.raises(TypeError, match="oracle"):
        stock.commit(CheckedWrite("DELETE FROM boxes WHERE id = 1", "oracle", "boxes", "delete", "k"))


# -- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "sql", "table"),
    [
        ("insert", "INSERT INTO boxes VALUES (1, 1, 1)", "boxes"),
        ("insert", "INSERT INTO shelves VALUES (3, 'a')", "shelves"),
        ("insert", "INSERT INTO boxes VALUES (4, 9, 1)", "boxes"),
        ("insert", "INSERT INTO boxes VALUES (4, 1, -1)", "boxes"),
        ("insert", "INSERT INTO boxes (id, shelf_id) VALUES (4, NULL)", "boxes"),
        ("update", "UPDATE shelves SET label = NULL WHERE id = 1", "shelves"),
        ("delete", "DELETE FROM shelves WHERE id = 1", "shelves"),
    ],
)
def test_a_violated_constraint_has_one_error_kind(
    stock: Database, shelf: EngineDatabase, kind: Kind, sql: str, table: str
) -> None:
    for door in (stock.rehearse, stock.commit):
        with pytest.raises(ConstraintViolated) as caught:
            door(write(shelf, sql, kind, table=table))
        assert (caught.value.kind, caught.value.retry) == ("constraint", "never")
        assert caught.value.code
        assert explain(caught.value, "zh").count("\n") == 1
    assert (rows_of(stock), rows_of(stock, "shelves")) == (BOXES, SHELVES)


def test_a_write_is_stopped_at_its_time_limit_and_nothing_changed(shelf: EngineDatabase) -> None:
    with open_database(shelf.url, Settings(time_limit=0.5)) as db:
        for door in (db.rehearse, db.commit):
            began = time.monotonic()
            with pytest.raises(QueryTimeout) as caught:
                door(write(shelf, SLOW))
            assert 0.4 < time.monotonic() - began < 3
            assert caught.value.facts["seconds"] == 0.5
        assert rows_of(db) == BOXES
        assert db.commit(write(shelf, "UPDATE boxes SET weight = 5 WHERE id = 1")) == 1


def test_a_write_can_be_cancelled(stock: Database, shelf: EngineDatabase) -> None:
    cancel = Cancellation()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    with pytest.raises(QueryCancelled):
        stock.commit(write(shelf, SLOW), cancel)
    timer.join()
    assert rows_of(stock) == BOXES
    with pytest.raises(QueryCancelled):
        stock.rehearse(write(shelf, "DELETE FROM boxes WHERE id = 1", "delete"), cancel)


@dataclass
class Cut:
    """An engine whose connection is lost between a write and its COMMIT."""

    engine: Engine
    cut: Callable[[], None]

    def __post_init__(self) -> None:
        self.dialect = self.engine.dialect

    def connect(self) -> Session:
        return self.engine.connect()

    def connect_writing(self) -> WritingSession:
        session = self.engine.connect_writing()
        commit = session.commit

        def cut_and_commit() -> None:
            self.cut()
            commit()

        session.commit = cut_and_commit  # type: ignore[method-assign]
        return session

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return self.engine.translate(error, sql)

    def close(self) -> None:
        self.engine.close()


@pytest.mark.needs("server")
def test_a_connection_killed_before_its_commit_leaves_nothing_and_is_never_tried_again(
    shelf: EngineDatabase,
) -> None:
    settings = Settings()
    engine = Cut(load_engine(shelf.facts, read_source(shelf.url), settings), shelf.drop_connections)
    with Database(engine, settings) as db:
        with pytest.raises(OtherDatabaseError) as caught:
            db.commit(write(shelf, "DELETE FROM boxes WHERE id = 1", "delete"))
        assert (caught.value.message_key, caught.value.retry) == ("database.commit_unknown", "never")
        with pytest.raises(Forbidden):
            db.commit(write(shelf, "DELETE FROM boxes WHERE id = 1", "delete"))
        assert rows_of(db) == BOXES


@pytest.mark.needs("server")
def test_a_connection_killed_while_it_writes_leaves_nothing(stock: Database, shelf: EngineDatabase) -> None:
    def cut() -> None:
        until = time.monotonic() + 5
        while not shelf.running() and time.monotonic() < until:
            time.sleep(0.02)
        shelf.drop_connections()

    axe = threading.Thread(target=cut)
    axe.start()
    with pytest.raises(ConnectionFailed):
        stock.commit(write(shelf, SLOW))
    axe.join()
    assert rows_of(stock) == BOXES


DIE = """
import os, sys
from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME, load_engine
from text2sql.database.url import read_source
from text2sql.types import CheckedWrite
source = read_source(sys.argv[1])
session = load_engine(BY_NAME[source.dialect], source, Settings()).connect_writing()
session.begin(10.0)
print(session.write(CheckedWrite("DELETE FROM boxes WHERE id < 3", source.dialect, "boxes", "delete", "k")))
sys.stdout.flush()
os._exit(9)
"""


def test_a_process_killed_before_its_commit_leaves_nothing(shelf: EngineDatabase) -> None:
    done = subprocess.run([sys.executable, "-c", DIE, shelf.url], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (9, "2\n")
    with open_database(shelf.url) as db:
        assert rows_of(db) == BOXES


# -- the engine's own wall -----------------------------------------------------------------------

NO_WRITES = (
    "CREATE TABLE made (a INTEGER)",
    "CREATE TEMPORARY TABLE made (a INTEGER)",
    "CREATE VIEW made AS SELECT 1",
    "CREATE TRIGGER made AFTER DELETE ON boxes BEGIN DELETE FROM shelves; END",
    "DROP TABLE log",
    "ALTER TABLE boxes ADD COLUMN x INTEGER",
    "TRUNCATE TABLE boxes",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SELECT 1",
    "UPDATE boxes SET weight = 1 WHERE id = 1; DROP TABLE log",
    "UPDATE boxes SET weight = 1 WHERE id = 1; COMMIT",
)
OWN = {
    "sqlite": (
        "ATTACH '{file}' AS other",
        "VACUUM INTO '{file}'",
        "PRAGMA user_version = 7",
        "PRAGMA writable_schema = ON",
        "PRAGMA foreign_keys = OFF",
        "INSERT INTO sqlite_master VALUES ('table', 'made', 'made', 2, 'x')",
        "UPDATE sqlite_master SET sql = 'x'",
        "DELETE FROM sqlite_sequence",
        "SAVEPOINT x",
        "ANALYZE",
        "REINDEX",
    ),
    "duckdb": (
        "ATTACH '{file}' AS other",
        "COPY boxes TO '{file}'",
        "EXPORT DATABASE '{file}'",
        "UPDATE boxes SET weight = (SELECT count(*) FROM read_text('/etc/hostname')) WHERE id = 1",
        "INSTALL httpfs",
        "SET memory_limit = '99GB'",
        "CHECKPOINT",
        "USE memory",
    ),
    "postgres": (
        "COPY boxes TO PROGRAM 'cat > {file}'",
        "DO $$ BEGIN DELETE FROM boxes; END $$",
        "SET ROLE postgres",
        "LOCK TABLE boxes",
        "VACUUM",
        "PREPARE TRANSACTION 'x'",
        "SELECT * INTO made FROM boxes",
    ),
    "mysql": (
        "SELECT 1 INTO OUTFILE '{file}'",
        "LOAD DATA INFILE '/etc/passwd' INTO TABLE log",
        "SET autocommit = 1",
        "SET GLOBAL max_connections = 1",
        "LOCK TABLES boxes WRITE",
        "REPLACE INTO boxes VALUES (1, 1, 1)",
        "RENAME TABLE log TO logs",
    ),
}


def test_a_connection_that_writes_does_nothing_else(
    stock: Database, shelf: EngineDatabase, tmp_path: Path
) -> None:
    file, schema = tmp_path / "made", stock.catalog(0).fingerprint
    ran = set()
    for sql in (*NO_WRITES, *OWN[shelf.dialect]):
        for door in (stock.rehearse, stock.commit):
            try:
                door(write(shelf, sql.format(file=file), key=sql))
            except DatabaseError:
                continue
            ran.add(sql)
    assert stock.catalog(0).fingerprint == schema
    assert (rows_of(stock), rows_of(stock, "shelves"), rows_of(stock, "numbered")) == (BOXES, SHELVES, ())
    assert not file.exists()
    assert ran == set()


# -- what a rollback leaves ----------------------------------------------------------------------

NEXT_NUMBER = {"sqlite": 1, "duckdb": 1, "postgres": 2, "mysql": 2}


def test_a_rehearsal_uses_up_a_number_where_numbers_are_not_rolled_back(
    stock: Database, shelf: EngineDatabase
) -> None:
    change = write(shelf, "INSERT INTO numbered (label) VALUES ('x')", "insert", table="numbered")
    stock.rehearse(change)
    assert rows_of(stock, "numbered") == ()
    stock.commit(change)
    assert rows_of(stock, "numbered") == ((NEXT_NUMBER[shelf.dialect], "x"),)


TRIGGERS = {
    "sqlite": ["CREATE TRIGGER told AFTER DELETE ON boxes BEGIN INSERT INTO log VALUES (old.id); END"],
    "postgres": [
        "CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN INSERT INTO log VALUES (old.id); RETURN old; END'",
        "CREATE TRIGGER told AFTER DELETE ON boxes FOR EACH ROW EXECUTE FUNCTION tell()",
    ],
    "mysql": ["CREATE TRIGGER told AFTER DELETE ON boxes FOR EACH ROW INSERT INTO log VALUES (old.id)"],
}


def test_the_owners_triggers_run_and_are_rolled_back_with_the_rest(shelf: EngineDatabase) -> None:
    if shelf.dialect not in TRIGGERS:
        pytest.skip("DuckDB has no triggers")
    for statement in TRIGGERS[shelf.dialect]:
        shelf.admin(statement)
    with open_database(shelf.url) as db:
        change = write(shelf, "DELETE FROM boxes WHERE shelf_id = 1", "delete")
        assert (db.rehearse(change), rows_of(db, "log")) == (2, ())
        assert (db.commit(change), rows_of(db, "log")) == (2, ((1,), (2,)))
    if shelf.dialect == "postgres":
        shelf.admin("DROP FUNCTION tell() CASCADE")


# -- one engine each -----------------------------------------------------------------------------


def only(shelf: EngineDatabase, dialect: str) -> None:
    if shelf.dialect != dialect:
        pytest.skip(f"a matter of {dialect} alone")


def test_a_constraint_that_waits_for_the_end_is_found_in_the_rehearsal(
    stock: Database, shelf: EngineDatabase
) -> None:
    only(shelf, "postgres")
    shelf.admin("ALTER TABLE boxes ALTER CONSTRAINT boxes_shelf_id_fkey DEFERRABLE INITIALLY DEFERRED")
    with pytest.raises(ConstraintViolated):
        stock.rehearse(write(shelf, "UPDATE boxes SET shelf_id = 9 WHERE id = 1"))


def test_a_table_without_transactions_is_not_tried(stock: Database, shelf: EngineDatabase) -> None:
    only(shelf, "mysql")
    shelf.admin("ALTER TABLE log ENGINE = MyISAM")
    for door in (stock.rehearse, stock.commit):
        with pytest.raises(Forbidden) as caught:
            door(write(shelf, "INSERT INTO log VALUES (1)", "insert", table="log"))
        assert caught.value.message_key == "database.no_rollback"
    assert rows_of(stock, "log") == ()


def test_a_change_that_cannot_be_rolled_back_is_reported(stock: Database, shelf: EngineDatabase) -> None:
    only(shelf, "mysql")
    shelf.admin("ALTER TABLE log ENGINE = MyISAM")
    shelf.admin(TRIGGERS["mysql"][0])
    with pytest.raises(Forbidden) as caught:
        stock.rehearse(write(shelf, "DELETE FROM boxes WHERE id = 1", "delete"))
    assert caught.value.message_key == "database.not_undone"
    assert rows_of(stock) == BOXES


def test_a_value_that_does_not_fit_is_not_cut_to_size(stock: Database, shelf: EngineDatabase) -> None:
    only(shelf, "mysql")
    with pytest.raises(DatabaseError):
        stock.rehearse(write(shelf, f"UPDATE shelves SET label = '{'x' * 21}' WHERE id = 1", table="shelves"))


def test_a_write_waits_for_those_who_read_and_they_for_it(stock: Database, shelf: EngineDatabase) -> None:
    only(shelf, "duckdb")
    change = write(shelf, "UPDATE boxes SET weight = 5 WHERE id = 1")
    stream = stock.stream(CheckedSql("SELECT * FROM boxes", "duckdb"))
    threading.Timer(0.3, stream.close).start()
    began = time.monotonic()
    assert stock.commit(change) == 1
    assert time.monotonic() - began > 0.2
    assert rows_of(stock)[0] == (1, 1, 5)


def test_a_reader_who_does_not_leave_ends_the_wait_not_the_data(shelf: EngineDatabase) -> None:
    only(shelf, "duckdb")
    with open_database(shelf.url, Settings(pool_wait=0.3)) as db:
        with db.stream(CheckedSql("SELECT * FROM boxes", "duckdb")), pytest.raises(PoolExhausted):
            db.rehearse(write(shelf, "UPDATE boxes SET weight = 5 WHERE id = 1"))
        assert rows_of(db) == BOXES


def test_an_engine_that_cannot_take_a_change_back_makes_none(engine_db: EngineDatabase) -> None:
    if "writes" not in engine_db.facts.gaps:
        pytest.skip("it can")
    with open_database(engine_db.url) as db:
        for door in (db.rehearse, db.commit):
            with pytest.raises(Forbidden) as caught:
                door(CheckedWrite("DELETE FROM uses WHERE 1 = 0", engine_db.dialect, "uses", "delete", "k"))
            assert caught.value.message_key == "database.no_writes"
            assert engine_db.facts.product in explain(caught.value, "zh")


def test_a_data_file_is_never_written(tmp_path: Path) -> None:
    file = tmp_path / "boxes.csv"
    file.write_text("id\n1\n")
    with open_database(str(file)) as db:
        with pytest.raises(Forbidden) as caught:
            db.rehearse(CheckedWrite("DELETE FROM boxes WHERE id = 1", "duckdb", "boxes", "delete", "k"))
        assert explain(caught.value, "en").startswith("boxes.csv is a data file")
    assert file.read_text() == "id\n1\n"
