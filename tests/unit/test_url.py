"""Parsing of sources: which are accepted, which are rejected, and that no password is ever shown."""

import sqlite3
from pathlib import Path

import duckdb
import pytest

from text2sql.config import Settings
from text2sql.database import open_database
from text2sql.database.dialects import BY_NAME, FACTS, load_engine
from text2sql.database.source import Source
from text2sql.database.url import read_source, redacted, source_key
from text2sql.errors import MissingDriver, UsageError
from text2sql.i18n import explain
from text2sql.types import CheckedSql


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    duckdb.connect(str(tmp_path / "shop.duckdb")).close()
    (tmp_path / "empty.sqlite").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "some.csv").write_text("a,b\n1,x\n")
    (tmp_path / "some.txt").write_text("hello")
    (tmp_path / "fake.db").write_text("this is not a database, it only looks like one from afar")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("text", "dialect", "name"),
    [
        ("shop.db", "sqlite", "shop.db"),
        ("  shop.db ", "sqlite", "shop.db"),
        ("sqlite:///shop.db", "sqlite", "shop.db"),
        ("SQLITE:///shop.db", "sqlite", "shop.db"),
        ("empty.sqlite", "sqlite", "empty.sqlite"),
        ("shop.duckdb", "duckdb", "shop.duckdb"),
        ("duckdb:///shop.duckdb", "duckdb", "shop.duckdb"),
        ("some.csv", "duckdb", "some.csv"),
        (".", "duckdb", "."),
        ("duckdb:///.", "duckdb", "."),
    ],
)
def test_the_type_of_a_file_is_detected(files: Path, text: str, dialect: str, name: str) -> None:
    assert read_source(text) == Source(dialect=dialect, path=(files / name).resolve())


def test_options_of_a_data_file_follow_its_path_and_are_part_of_its_key(files: Path) -> None:
    assert read_source("some.csv?dates=dmy&header=1").options == {"dates": "dmy", "header": "1"}
    assert read_source("duckdb:///some.csv?dates=dmy").options == {"dates": "dmy"}
    assert source_key("some.csv?dates=dmy") == f"{source_key('some.csv')}?dates=dmy"
    (files / "is this a.csv?x=1").write_text("hello")
    with pytest.raises(UsageError):  # a file with this name, which is no data file
        read_source("is this a.csv?x=1")


def test_an_absolute_url_has_four_slashes(files: Path) -> None:
    assert read_source(f"sqlite:///{files}/shop.db").path == (files / "shop.db").resolve()


def test_the_type_of_a_file_depends_on_its_bytes_not_its_name(files: Path) -> None:
    (files / "shop.duckdb").rename(files / "misnamed.db")
    assert read_source("misnamed.db").dialect == "duckdb"


@pytest.mark.parametrize(
    ("scheme", "dialect", "port"),
    [
        ("postgresql", "postgres", 5432),
        ("postgres", "postgres", 5432),
        ("postgresql+psycopg", "postgres", 5432),
        ("mysql", "mysql", 3306),
        ("mysql+pymysql", "mysql", 3306),
        ("mariadb", "mysql", 3306),
    ],
)
def test_a_server_url_is_parsed(scheme: str, dialect: str, port: int) -> None:
    source = read_source(f"{scheme}://us%40er:p%3A%2F%40%25ss@db.example/my%20shop?sslmode=require&x=")
    assert source == Source(
        dialect=dialect,
        host="db.example",
        port=port,
        user="us@er",
        password="p:/@%ss",
        database="my shop",
        options={"sslmode": "require", "x": ""},
    )
    assert read_source(f"{scheme}://h:7777/d").port == 7777
    assert read_source(f"{scheme}://u:p@[::1]:7777/d").host == "::1"
    assert "p:/@%ss" not in repr(source) + source.name


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "usage.db_missing"),
        ("nope.db", "usage.db_file_missing"),
        ("no\0pe.db", "usage.db_file_missing"),
        ("empty", "usage.db_directory"),
        ("sqlite:///.", "usage.db_directory"),
        ("some.txt", "usage.db_not_a_database"),
        ("fake.db", "usage.db_not_a_database"),
        ("mongodb://h/d", "usage.db_scheme"),
        ("postgresql://u:secret@h:port/d", "usage.db_url"),
        ("postgresql://u:secret@/", "usage.db_url"),
        ("postgresql://u:secret@[::1/d", "usage.db_url"),
        ("sqlite://", "usage.db_file_url"),
        ("sqlite:///:memory:", "usage.db_file_url"),
        ("sqlite://shop.db", "usage.db_file_url"),
        ("sqlite:///shop.duckdb", "usage.db_other_kind"),
    ],
)
@pytest.mark.fault("A12")
def test_errors_of_addresses_are_explained_in_both_languages(files: Path, text: str, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_source(text)
    assert caught.value.message_key == key
    for message in (explain(caught.value, "en"), explain(caught.value, "zh"), str(caught.value)):
        assert "secret" not in message
    assert explain(caught.value, "en").count("\n") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:secret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:se@cr:et@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:sec/ret@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u@h/d", "postgresql://u@h/d"),
        ("mysql://h/d?password=secret&x=1", "mysql://h/d?password=***&x=1"),
        ("shop.db", "shop.db"),
        ("sqlite:///a/b.db", "sqlite:///a/b.db"),
    ],
)
@pytest.mark.fault("G6")
def test_a_password_is_never_shown(text: str, shown: str) -> None:
    assert redacted(text) == shown


def test_a_csv_file_is_copied_and_the_copy_removed(files: Path) -> None:
    (files / "so[1]*.csv").write_text("a\n7\n")
    (files / "so1x.csv").write_text("a\n8\n")
    with open_database("so[1]*.csv") as db:
        assert db.run(CheckedSql('SELECT a FROM "so[1]*"', "duckdb")).rows == ((7,),)
        copies = [*Path(db._engine.engine._scratch).iterdir()]  # type: ignore[attr-defined]
        assert {copy.name for copy in copies} == {"copy.duckdb", "notes.json"}
    assert not copies[0].parent.exists()
    assert sorted(path.name for path in files.iterdir() if "so" in path.name) == [
        "so1x.csv",
        "so[1]*.csv",
        "some.csv",
        "some.txt",
    ]


@pytest.mark.parametrize("suffix", ["parquet", "json", "tsv", "jsonl"])
def test_other_data_files_open_too(files: Path, suffix: str) -> None:
    form = {"parquet": "PARQUET", "json": "JSON, ARRAY true", "jsonl": "JSON", "tsv": "CSV, DELIMITER '\t'"}
    duckdb.sql(f"COPY (SELECT 7 AS a, 'x' AS b) TO '{files}/made.{suffix}' (FORMAT {form[suffix]})")
    with open_database(f"made.{suffix}") as db:
        assert db.run(CheckedSql("SELECT a, b FROM made", "duckdb")).rows == ((7, "x"),)


def test_a_broken_data_file_is_explained(files: Path) -> None:
    (files / "broken.parquet").write_text("nope")
    with open_database("broken.parquet") as db, pytest.raises(UsageError) as caught:
        db.catalog()
    assert caught.value.message_key == "usage.db_unreadable"


def test_a_missing_driver_names_its_extra() -> None:
    from dataclasses import replace

    facts = replace(BY_NAME["postgres"], engine="no_such_driver:Engine")
    with pytest.raises(MissingDriver) as caught:
        load_engine(facts, Source("postgres"), Settings())
    assert 'pip install "text2sql-kit[postgres]"' in explain(caught.value, "en")


def test_schemes_and_extensions_of_databases_are_unique() -> None:
    schemes = [scheme for facts in FACTS for scheme in facts.schemes]
    endings = [suffix for facts in FACTS for suffix in (*facts.suffixes, *facts.converted)]
    assert len(schemes) == len(set(schemes))
    assert len(endings) == len(set(endings))


def test_all_spellings_of_a_file_path_have_the_same_key(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "link.db").symlink_to("shop.db")
    (files / "folder").mkdir()
    (files / "linked").symlink_to(files)
    monkeypatch.setenv("HOME", str(files))
    texts = ["shop.db", "./shop.db", "folder/../shop.db", str(files / "shop.db"), "~/shop.db", "link.db"]
    texts += ["linked/shop.db", "sqlite:///shop.db", "sqlite:///./shop.db", f"sqlite:///{files / 'shop.db'}"]
    texts += ["SQLITE3:///shop.db", f" {files}/shop.db "]
    assert {source_key(text) for text in texts} == {f"sqlite:{(files / 'shop.db').resolve()}"}
    assert source_key("shop.duckdb") == f"duckdb:{(files / 'shop.duckdb').resolve()}"


def test_the_key_of_a_server_contains_no_password() -> None:
    assert source_key("postgresql://ann:secret@host/shop") == "postgres:postgresql://ann:***@host/shop"
