"""`text2sql schema`: text and JSON output, and invalid values of --db."""

import json
import os
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.cells import cell_len

from terminal import run, run_script


def test_text_output_shows_columns_keys_indexes_and_samples(shop: str) -> None:
    ended = run("schema", "--db", shop, "--table", "customers", "--table", "orders")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "customers  table, ~2 rows\n"
        "  id    INTEGER  key\n"
        "  name  TEXT     not null  'Ann', 'Bo'\n"
        "  城市  TEXT               '上海', '北京'\n"
        "\n"
        "orders  table, ~2 rows\n"
        "  id           INTEGER        key\n"
        "  customer_id  INT            → customers(id)\n"
        "  total        NUMERIC(10,2)\n"
        "  index orders_by_customer (customer_id)\n"
    )


def test_wide_letters_do_not_break_the_columns(shop: str) -> None:
    page = run("schema", "--db", shop, "--table", "customers").out.splitlines()[1:]
    assert {
        cell_len(line.partition(kind)[0])
        for line, kind in zip(page, ("INTEGER", "TEXT", "TEXT"), strict=True)
    } == {8}


def test_a_name_cannot_steer_the_terminal(shop: str) -> None:
    page = run("schema", "--db", shop, "--table", "it's*").out
    assert "\x1b" not in page
    assert "esc\\x1b[31m" in page
    assert "new\\nline" in page


def test_the_words_of_the_page_follow_the_language(shop: str) -> None:
    page = run("schema", "--db", shop, "--lang", "zh").out
    assert "大单  视图" in page
    assert "约 2 行" in page
    assert "主键" in page


def test_json_is_the_complete_catalog_in_a_stable_format(shop: str) -> None:
    ended = run("schema", "--db", shop, "--json")
    assert (ended.code, ended.err) == (0, "")
    schema = json.loads(ended.out)
    assert list(schema) == ["dialect", "default_schema", "fingerprint", "tables"]
    assert (schema["dialect"], schema["default_schema"], len(schema["fingerprint"])) == ("sqlite", "main", 64)
    tables = {table["name"]: table for table in schema["tables"]}
    assert set(tables) == {"customers", "orders", "大单", 'it\'s "odd". 表; select'}
    assert tables["orders"] == {
        "schema": "",
        "name": "orders",
        "kind": "table",
        "comment": "",
        "rows": 2,
        "columns": [
            {"name": "id", "type": "INTEGER", "nullable": True, "comment": "", "samples": []},
            {"name": "customer_id", "type": "INT", "nullable": True, "comment": "", "samples": []},
            {"name": "total", "type": "NUMERIC(10,2)", "nullable": True, "comment": "", "samples": []},
        ],
        "primary_key": ["id"],
        "foreign_keys": [
            {"columns": ["customer_id"], "schema": "", "table": "customers", "referred": ["id"]}
        ],
        "indexes": [{"name": "orders_by_customer", "columns": ["customer_id"], "unique": False}],
    }


def test_a_table_is_selected_by_name_or_pattern_ignoring_case(shop: str) -> None:
    def names(*words: str) -> list[str]:
        return [
            table["name"] for table in json.loads(run("schema", "--db", shop, "--json", *words).out)["tables"]
        ]

    assert names("--table", "ORDERS") == ["orders"]
    assert names("--table", "*s") == ["customers", "orders"]
    assert names("--table", "大单", "--table", "orders") == ["orders", "大单"]


def test_an_unknown_table_is_bad_input_with_the_nearest_names(shop: str) -> None:
    ended = run("schema", "--db", shop, "--table", "order")
    assert ended.code == 2
    assert "No table is called “order”." in ended.err
    assert "orders" in ended.err
    assert "没有名为“order”的表" in run("schema", "--db", shop, "--table", "order", "--lang", "zh").err


@pytest.mark.parametrize("name", ["no_tables.db", "empty.db"])
def test_an_empty_database_says_so_and_is_no_error(places: Path, name: str) -> None:
    assert run("schema", "--db", str(places / name)) == (0, "", "The database has no tables.\n")
    assert run("schema", "--db", str(places / name), "--lang", "zh").err == "数据库中没有表。\n"
    assert json.loads(run("schema", "--db", str(places / name), "--json").out)["tables"] == []


def test_five_thousand_tables_are_a_line_each(places: Path) -> None:
    ended = run("schema", "--db", str(places / "many.db"))
    assert ended.code == 0
    assert len(ended.out.splitlines()) == 5000
    assert "5000 tables" in ended.err
    ended = run("schema", "--db", str(places / "many.db"), "--table", "t4999")
    assert (ended.code, len(ended.out.splitlines())) == (0, 6)
    schema = json.loads(run("schema", "--db", str(places / "many.db"), "--json").out)
    assert len(schema["tables"]) == 5000


def test_a_data_file_is_a_database_of_one_table(places: Path) -> None:
    page = run("schema", "--db", str(places / "sales.csv")).out
    assert page.startswith("sales  table")
    assert "'上海'" in page


def test_the_database_may_be_named_by_the_environment(shop: str) -> None:
    assert run("schema", env={"TEXT2SQL_DB": shop}).code == 0


# -- everything wrong that --db is given ---------------------------------------------------------


@pytest.mark.parametrize("command", ["schema", "check"])
@pytest.mark.parametrize(
    ("source", "code", "english", "chinese"),
    [
        ("missing.db", 2, "There is no file", "不存在"),
        ("directory.db", 2, "is a directory", "是目录"),
        ("text.db", 2, "neither a database nor a data file", "既不是数据库"),
        ("oracel://u:secret@h/x", 2, "not a supported type of database", "无法打开"),
        ("postgresql://u:secret@[::1/x", 2, "is not valid", "无法解析地址"),
        ("sqlite://shop.db", 2, "names no SQLite file", "没有指明"),
        ("postgresql://u:secret@127.0.0.1:1/x", 4, "cannot be reached", "无法连接数据库"),
        ("mysql://u:secret@127.0.0.1:1/x", 4, "cannot be reached", "无法连接数据库"),
        ("postgresql://u:secret@no-such-host.invalid/x", 4, "cannot be reached", "无法连接数据库"),
    ],
)
def test_an_invalid_source_is_reported_in_two_lines(
    places: Path, command: str, source: str, code: int, english: str, chinese: str
) -> None:
    named = source if "://" in source else str(places / source)
    statement = ["SELECT 1"] if command == "check" else []
    for lang, expected in (("en", english), ("zh", chinese)):
        ended = run(command, *statement, "--db", named, "--lang", lang)
        assert (ended.code, ended.out) == (code, "")
        assert expected in ended.err
        assert "secret" not in ended.err
        assert len(ended.err.splitlines()) == 2


def test_a_locked_database_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "locked.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("CREATE TABLE t (a)")
        writer.execute("BEGIN EXCLUSIVE")
        for lang, expected in (("en", "holds a lock"), ("zh", "被其他会话锁定")):
            ended = run("schema", "--db", str(path), "--lang", lang)
            assert (ended.code, ended.out) == (4, "")
            assert expected in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "secret.db"
    path.touch(mode=0o000)
    assert run("schema", "--db", str(path)).code == 2


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that accepts connections and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        connections: list[socket.socket] = []
        threading.Thread(target=_accept, args=(server, connections), daemon=True).start()
        yield server.getsockname()[1]
        for connection in connections:
            connection.close()


def _accept(server: socket.socket, connections: list[socket.socket]) -> None:
    try:
        while True:
            connections.append(server.accept()[0])
    except OSError:
        return


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_does_not_respond_is_abandoned(silent_port: int, scheme: str) -> None:
    ended = run(
        "schema", "--db", f"{scheme}://u:p@127.0.0.1:{silent_port}/x", env={"TEXT2SQL_CONNECT_TIMEOUT": "2"}
    )
    assert (ended.code, ended.out) == (4, "")
    assert len(ended.err.splitlines()) == 2


@pytest.mark.parametrize("source", ["missing.db", "text.db", "postgresql://u:secret@127.0.0.1:1/x"])
def test_the_console_script_never_shows_a_trace(places: Path, source: str) -> None:
    ended = run_script("schema", "--db", source if "://" in source else str(places / source))
    assert ended.code in (2, 4)
    assert "Traceback" not in ended.err


# -- the profile ---------------------------------------------------------------------------------


def test_the_profile_shows_kinds_values_and_ranges_in_both_languages(shop: str) -> None:
    ended = run("schema", "--profile", "--db", shop, "--table", "customers", "--table", "orders")
    assert (ended.code, ended.err) == (0, "")
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["customers", "2", "rows"] in lines
    assert ["城市", "category", "2", "values", "上海,", "北京", "unique"] in lines
    page = run("schema", "--profile", "--db", shop, "--table", "orders", "--lang", "zh").out
    assert "2 行" in page
    assert "金额" in page


def test_the_profile_is_part_of_the_json_object(shop: str) -> None:
    schema = json.loads(run("schema", "--profile", "--json", "--db", shop, "--table", "orders").out)
    assert list(schema) == ["dialect", "default_schema", "fingerprint", "tables", "profile"]
    assert [table["table"] for table in schema["profile"]["tables"]] == ["orders"]
    columns = {column["name"]: column for column in schema["profile"]["tables"][0]["columns"]}
    assert list(columns) == ["id", "customer_id", "total"]
    assert list(columns["total"]) == [
        "name", "kind", "distinct", "nulls", "smallest", "largest", "values", "format", "unit", "is_unique",
        "is_padded", "is_personal",
    ]  # fmt: skip
