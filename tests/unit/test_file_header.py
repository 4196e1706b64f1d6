"""Reading the header of a database file never drops the locks of this process's own connections."""

import ast
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from text2sql.database import open_database
from text2sql.file_header import SQLITE_SIGNATURE, first_bytes, sqlite_application_id
from text2sql.sql import check
from text2sql.types import CheckedSql

SOURCES = Path(__file__).parents[2] / "src" / "text2sql"
# Calls that open a file by its path. Each place that uses one is listed below with the files that it opens;
# none of them may be a database.
READS = {
    "read_bytes",
    "read_text",
    "write_bytes",
    "write_text",
    "touch",
    "mmap",
    "file_digest",
    "FileIO",
    "open_code",
    "fileinput",
    "ZipFile",
    "is_zipfile",
    "TarFile",
    "is_tarfile",
    "FileResponse",
    "StaticFiles",
    "NamedTemporaryFile",
    "mkstemp",
    "read_csv",
    "read_json",
    "read_excel",
    "read_parquet",
    "read_table",
    "fromfile",
    "memmap",
}
COPIES = {"copy", "copy2", "copyfile", "copytree", "move", "make_archive"}
REASONS = {
    "file_header.py": "only after SQLite's library has said that it is another kind of file",
    "charts/antv.py": "/dev/null",
    "cli/__init__.py": "/dev/null",
    "cli/exporting.py": "a new file of rows",
    "cli/prompt_input.py": "the history of a chat",
    "cli/sources.py": "a file of policies or accounts, read before the command opens anything",
    "config/files.py": "settings, read before any database is opened",
    "database/files/": "data files, read in a process of their own, and new temporary files",
    "database/parquet.py": "a new temporary file",
    "evaluation/": "questions, records and reports of an evaluation",
    "llm/": "models and what is made from them",
    "memory/pair_files.py": "files of verified queries, by their suffix",
    "memory/sqlite.py": "an empty file that the same function has made (O_EXCL), before SQLite opens it",
    "question/patterns.py": "files of the package",
    "reports/": "templates, by their suffix, and new documents",
    "server/exports.py": "a temporary file of an export",
    "server/jwks.py": "keys of a sign-in service",
    "server/page.py": "files of the package",
    "sql/worker.py": "/dev/null and /proc",
}


def opens_a_file(node: ast.AST) -> bool:
    """`open(…)` and `path.open(…)`, called; the others also where they are passed on as functions. Files of
    the package itself (`files("text2sql")…`) are none.
    """
    if isinstance(node, ast.Call):
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return name == "open" and bool(node.args)
    if isinstance(node, ast.ImportFrom):
        return any(name.name in READS | (COPIES if node.module == "shutil" else set()) for name in node.names)
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr in READS:
        return "files(" not in ast.unparse(node.value)
    return isinstance(node.value, ast.Name) and node.value.id == "shutil" and node.attr in COPIES


def opened_in(path: Path) -> list[int]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [getattr(node, "lineno", 0) for node in ast.walk(tree) if opens_a_file(node)]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "a file?#100%.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("PRAGMA application_id = 77; PRAGMA journal_mode = WAL; CREATE TABLE t (a);")
    return path


def from_another_process(path: Path, statement: str) -> None:
    """Run by a process that opens the file, changes it and closes it: as the last one, as far as it knows."""
    program = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute(sys.argv[2]); c.commit(); c.close()"
    )
    subprocess.run([sys.executable, "-c", program, str(path), statement], check=True)


def open_descriptors() -> int:
    """Their number; 0 where there is no /proc."""
    descriptors = Path("/proc/self/fd")
    return len(list(descriptors.iterdir())) if descriptors.exists() else 0


def test_no_module_opens_a_file_that_may_be_a_database() -> None:
    opened = {str(path.relative_to(SOURCES)): opened_in(path) for path in SOURCES.rglob("*.py")}
    for name, lines in opened.items():
        assert not lines or name.startswith(tuple(REASONS)), (
            f"{name}:{lines[0]} opens a file: see file_header.py"
        )
    for reason in REASONS:
        assert any(lines for name, lines in opened.items() if name.startswith(reason)), (
            f"{reason} opens nothing"
        )


def test_a_plain_open_drops_the_lock_and_first_bytes_does_not(database: Path) -> None:
    """The first half is why this module exists; where it does not hold any more, nothing is wrong."""
    looks: list[tuple[Callable[[], object], bool]] = [
        (lambda: first_bytes(database, 64), True),
        (database.read_bytes, os.name != "posix"),
    ]
    for look, is_kept in looks:
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("INSERT INTO t VALUES (1)")
            look()
            from_another_process(database, "INSERT INTO t VALUES (2)")
            assert database.with_name(database.name + "-wal").exists() is is_kept


@pytest.mark.skipif(os.name != "posix", reason="only POSIX drops locks when a file is closed")
def test_the_lock_of_a_duckdb_connection_is_kept_and_a_deleted_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    program = "import duckdb, sys; duckdb.connect(sys.argv[1])"
    connect = [sys.executable, "-c", program, str(path)]
    with closing(duckdb.connect(str(path))) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.execute("CHECKPOINT")
        before = open_descriptors()
        for _ in range(3):
            assert first_bytes(path, 64)[8:12] == b"DUCK"
            assert sqlite_application_id(path) is None
        assert b"lock" in subprocess.run(connect, capture_output=True, check=False).stderr
        path.unlink()
        (tmp_path / "other").write_text("hello")
        assert first_bytes(tmp_path / "other", 64) == b"hello"
        assert open_descriptors() == before


@pytest.mark.parametrize("suffix", ["db", "duckdb"])
def test_no_command_opens_a_database_past_its_engine(suffix: str, tmp_path: Path) -> None:
    """Python reports every file that it opens to audit hooks; engines open files themselves."""
    shop, memory = tmp_path / f"shop.{suffix}", tmp_path / "memory.db"
    with closing((duckdb if suffix == "duckdb" else sqlite3).connect(str(shop))) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.commit()
    program = Path(__file__).with_name("opened_files.py")
    environment = {**os.environ, "TEXT2SQL_MEMORY": str(memory), "TEXT2SQL_DATA_DIR": str(tmp_path)}
    command = [sys.executable, str(program), str(shop), str(memory)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    opened = run.stdout.splitlines()
    assert opened.pop() == "answered"
    # The header of a DuckDB file is read once, through a descriptor that stays open.
    assert opened == ([str(shop)] if suffix == "duckdb" else [])


def test_two_readers_in_one_process_see_what_another_process_writes(database: Path) -> None:
    """A source in WAL mode, opened a second time: the first reader used to stay at its old rows for good."""
    query = check("SELECT count(*) FROM t", dialect="sqlite", rows=10)
    assert isinstance(query, CheckedSql)
    with open_database(str(database)) as first:
        assert first.run(query).rows == ((0,),)
        with open_database(str(database)) as second:
            for count in range(1, 4):
                from_another_process(database, "INSERT INTO t VALUES (1)")
                assert (first.run(query).rows, second.run(query).rows) == (((count,),), ((count,),))


def test_looking_a_thousand_times_leaves_no_descriptor_open(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("SELECT * FROM t").fetchall()
        first_bytes(database, 64)
        before = open_descriptors()
        for _ in range(1_000):
            first_bytes(database, 64)
        assert open_descriptors() == before


def test_the_program_a_database_belongs_to_is_known_whatever_the_state_of_its_log(database: Path) -> None:
    assert sqlite_application_id(database) == 77
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t VALUES (1)")
        assert sqlite_application_id(database) == 77
        connection.execute("COMMIT")
        assert sqlite_application_id(database) == 77


def test_a_header_that_counts_more_pages_than_are_written_yet_is_no_damage(database: Path) -> None:
    """As another process sees it while a checkpoint is on its way, or after a kill in the middle of one."""
    with closing(sqlite3.connect(database)) as connection:
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 4_000,) for _ in range(50)])
        connection.commit()
    os.truncate(database, 3 * 4_096)
    assert sqlite_application_id(database) == 77
    assert first_bytes(database, 64) == SQLITE_SIGNATURE


@pytest.mark.parametrize(
    "contents", [b"", b"hello", b"\0" * 5_000, b"PAR1" * 100, b"a,b\n1,2\n", SQLITE_SIGNATURE]
)
def test_other_files_give_their_first_bytes(tmp_path: Path, contents: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(contents)
    assert first_bytes(path, 64) == contents[:64]
    assert list(tmp_path.iterdir()) == [path]


def test_an_unreadable_file_raises_the_systems_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        first_bytes(tmp_path / "none", 64)
    with pytest.raises(IsADirectoryError):
        sqlite_application_id(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert first_bytes(tmp_path / "pipe", 64) == b""
