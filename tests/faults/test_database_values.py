"""Faults of returned values (faults.md D18–D23, D25–D29, D31, D35).

D24 is about how front ends show a cell (CSV, SSE, Markdown) and is tested there.
"""

import json
import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import pytest

from faults.asking import admin, ask, mysql_admin, opened
from servers import Mariadb, Postgres, Server
from text2sql.errors import UnknownColumn
from text2sql.types import CheckedSql

pytestmark = pytest.mark.slow


@pytest.fixture(params=["postgres_server", "mariadb_server"])
def server(request: pytest.FixtureRequest) -> Server:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def test_d18_shapes_are_kept(postgres_server: Postgres) -> None:
    with opened(postgres_server.url) as database:

        def shape(sql: str) -> tuple[list[str], tuple[Any, ...]]:
            result = database.run(CheckedSql(sql, "postgres"))
            return [column.name for column in result.columns], result.rows

        assert shape("SELECT 1 AS a, 2 AS a") == (["a", "a"], ((1, 2),))
        assert shape("SELECT") == ([], ((),))
        assert shape("SELECT FROM generate_series(1, 3)") == ([], ((), (), ()))
        assert shape("SELECT 1 AS a, 'x' AS b WHERE false") == (["a", "b"], ())
        names, rows = shape("SELECT " + ", ".join(f"{i} AS c{i}" for i in range(1600)))
        assert (len(names), len(rows[0])) == (1600, 1600)


def test_d18_shapes_are_kept_by_mysql(mariadb_server: Mariadb) -> None:
    with opened(mariadb_server.url) as database:
        result = database.run(CheckedSql("SELECT 1 AS a, 2 AS a", "mysql"))
        assert [column.name for column in result.columns] == ["a", "a"]
        assert database.run(CheckedSql("SELECT 1 AS a FROM DUAL WHERE FALSE", "mysql")).columns[0].name == "a"
        wide = "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(4000))
        assert len(ask(database, wide)[0]) == 4000


def test_d19_dates_that_python_cannot_hold_are_text_and_spare_the_other_cells(
    postgres_server: Postgres,
) -> None:
    query = (
        "SELECT 'infinity'::date, '-infinity'::timestamptz, '0044-03-15 BC'::date, '10000-01-01'::timestamp,"
        " '24:00'::time, ARRAY['infinity'::date, '2024-02-29'], '2024-02-29'::date, 1"
    )
    with opened(postgres_server.url) as database:
        assert ask(database, query)[0] == (
            *("infinity", "-infinity", "0044-03-15 BC", "10000-01-01 00:00:00", "24:00:00"),
            *(["infinity", "2024-02-29"], "2024-02-29", 1),
        )


def test_d19_zero_dates_of_mysql_survive(mariadb_server: Mariadb) -> None:
    admin(mariadb_server.url, "CREATE OR REPLACE TABLE zeros (d date, t datetime, s timestamp NULL, h time)")
    with opened(mariadb_server.url) as database:
        _permissive(
            mariadb_server.url,
            "INSERT INTO zeros VALUES ('0000-00-00', '0000-00-00', 0, '-838:59:59'),"
            " ('2024-00-31', '2024-02-29 12:00:00.5', '2024-01-01 00:00:00', '12:30:00')",
        )
        rows = ask(database, "SELECT d, t, s, h FROM zeros")
    assert rows[0] == ("0000-00-00", "0000-00-00 00:00:00", "0000-00-00 00:00:00", "-838:59:59")
    assert rows[1][0] == "2024-00-31"
    assert rows[1][3] == "12:30:00"


def test_d20_d21_every_type_of_postgres_is_plain_json(postgres_server: Postgres) -> None:
    admin(postgres_server.url, "DROP TYPE IF EXISTS mood; CREATE TYPE mood AS ENUM ('sad', 'ok')")
    cells = {
        "'NaN'::numeric": "NaN",
        "'Infinity'::float8": "Infinity",
        "9007199254740993::bigint": "9007199254740993",
        "1.50::numeric(12,2)": 1.5,  # what a JSON number holds exactly is one
        "0.1234567890123456789::numeric": "0.1234567890123456789",
        "1.5::float4": 1.5,
        "true": True,
        "NULL": None,
        "'{\"a\": [1, null]}'::jsonb": {"a": [1, None]},
        "'[1]'::json": [1],
        "'192.168.0.1/24'::inet": "192.168.0.1/24",
        "'08:00:2b:01:02:03'::macaddr": "08:00:2b:01:02:03",
        "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "B'101'": "101",
        "int4range(1, 5)": "[1,5)",
        "ROW(1, 'a')": "(1,a)",
        "interval '1 year 2 days 3.5 s'": "P1Y2DT3.5S",
        "ARRAY[[1, 2], [3, NULL]]": [[1, 2], [3, None]],
        "ARRAY['a', NULL]::text[]": ["a", None],
        "'sad'::mood": "sad",
        "ARRAY['sad', 'ok']::mood[]": ["sad", "ok"],
        "point(1, 2)": "(1,2)",
        "to_tsvector('simple', 'a b')": "'a':1 'b':2",
        "'<a/>'::xml": "<a/>",
        "'12.50'::numeric::money::numeric": 12.5,
    }
    with opened(postgres_server.url) as database:
        (row,) = ask(database, "SELECT " + ", ".join(cells))
    assert dict(zip(cells, row, strict=True)) == cells
    json.dumps(row, allow_nan=False)


def test_d20_d21_every_type_of_mysql_is_plain_json(mariadb_server: Mariadb) -> None:
    admin(
        mariadb_server.url,
        "CREATE OR REPLACE TABLE zoo (b bit(3), s set('a','b'), e enum('x'), y year, u bigint unsigned,"
        " d decimal(40,20), f double, j json, bin varbinary(4), txt varchar(9), ts timestamp(3) NULL,"
        " t tinyint)",
    )
    admin(
        mariadb_server.url,
        "INSERT INTO zoo VALUES (b'101', 'a,b', 'x', 2024, 18446744073709551615,"
        " 1.00000000000000000001, 1e300, '{\"k\": 1}', x'00ff', '汉字', '2024-01-01 00:00:00.5', -1)",
    )
    with opened(mariadb_server.url) as database:
        (row,) = ask(database, "SELECT b, s, e, y, u, d, f, txt, t FROM zoo")
        (rest,) = ask(database, "SELECT j, bin, ts, ST_GeomFromText('POINT(1 2)') FROM zoo")
    exact = "1.00000000000000000001"
    assert row == (5, "a,b", "x", 2024, "18446744073709551615", exact, 1e300, "汉字", -1)
    json.dumps(rest, allow_nan=False)


def test_d22_duckdb_returns_times_with_their_zone(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    duckdb.connect(str(path)).close()
    with opened(str(path)) as database:
        assert ask(database, "SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00' IS NOT NULL, now()")[0][0] is True


def test_d23_text_that_is_not_utf8_spares_the_other_cells(postgres_server: Postgres, tmp_path: Path) -> None:
    admin(postgres_server.url, "DROP DATABASE IF EXISTS bytes")
    admin(
        postgres_server.url,
        "CREATE DATABASE bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0",
    )
    url = urlsplit(postgres_server.url)._replace(path="/bytes").geturl()
    admin(url, "CREATE TABLE t AS SELECT convert_from('\\xff41'::bytea, 'SQL_ASCII') AS a, 1 AS b")
    with opened(url) as database:
        assert ask(database, "SELECT a, b, ARRAY[a] FROM t") == (("\ufffdA", 1, ["\ufffdA"]),)
        assert database.catalog().table("t") is not None
    path = tmp_path / "bytes.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT CAST(x'ff41' AS TEXT) AS a, 1 AS b")
    connection.close()
    with opened(str(path)) as database:
        assert ask(database, "SELECT a, b FROM t") == (("\ufffdA", 1),)


def test_d25_d26_a_schema_that_changed_has_another_fingerprint(server: Server) -> None:
    admin(server.url, "DROP VIEW IF EXISTS moving_view")
    admin(server.url, "DROP TABLE IF EXISTS moving")
    admin(server.url, "CREATE TABLE moving (a int, b int)")
    admin(server.url, "CREATE VIEW moving_view AS SELECT a FROM moving")
    with opened(server.url) as database:
        first = database.catalog().fingerprint
        admin(server.url, "CREATE OR REPLACE VIEW moving_view AS SELECT b AS a FROM moving")
        second = database.catalog().fingerprint
        admin(server.url, "ALTER TABLE moving ADD COLUMN c int")
        third = database.catalog().fingerprint
        admin(server.url, "INSERT INTO moving VALUES (1, 2, 3)")
        assert len({first, second, third}) == 3
        assert database.catalog().fingerprint == third
        assert ask(database, "SELECT a, b FROM moving") == ((1, 2),)
        admin(server.url, "DROP VIEW moving_view")
        admin(server.url, "ALTER TABLE moving RENAME COLUMN b TO bb")
        with pytest.raises(UnknownColumn) as caught:
            ask(database, "SELECT b FROM moving")
        assert caught.value.identifiers == ("b",)


def test_d27_a_value_of_another_type_than_declared_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.execute("INSERT INTO t VALUES ('abc'), (1)")
    connection.close()
    with opened(str(path)) as database:
        assert ask(database, "SELECT a FROM t ORDER BY rowid") == (("abc",), (1,))


def test_d28_names_of_any_kind_are_found_and_sampled(server: Server) -> None:
    quote = '"' if server.url.startswith("postgres") else "`"
    names = ["order", "Mixed Case", 'quo"te', "back`tick", "per%cent", "客户.表", "brace{d}", "x" * 60]
    for name in names:
        quoted = quote + name.replace(quote, quote * 2) + quote
        admin(server.url, f"DROP TABLE IF EXISTS {quoted}")
        admin(server.url, f"CREATE TABLE {quoted} ({quoted} varchar(20))")
        admin(server.url, f"INSERT INTO {quoted} VALUES ('value')")
    with opened(server.url) as database:
        catalog = database.catalog()
        for name in names:
            table = catalog.table(name)
            assert table is not None, name
            assert (table.columns[0].name, table.columns[0].samples) == (name, ("value",))


def test_tables_whose_names_differ_only_in_case_are_two(mariadb_server: Mariadb) -> None:
    admin(mariadb_server.url, "CREATE OR REPLACE TABLE twin (a int)")
    admin(mariadb_server.url, "CREATE OR REPLACE TABLE TWIN (b int, c int)")
    with opened(mariadb_server.url) as database:
        catalog = database.catalog()
    shapes = {name: len(getattr(catalog.table(name), "columns", ())) for name in ("twin", "TWIN")}
    assert shapes == {"twin": 1, "TWIN": 2}


def test_d29_the_zone_is_utc_whatever_the_server_thinks(postgres_server: Postgres) -> None:
    admin(postgres_server.url, "ALTER DATABASE postgres SET timezone = 'Asia/Shanghai'")
    try:
        with opened(postgres_server.url) as database:
            row = ask(database, "SELECT TIMESTAMPTZ '2024-03-31 12:00:00+02', current_setting('TimeZone')")
    finally:
        admin(postgres_server.url, "ALTER DATABASE postgres RESET timezone")
    assert str(row[0][0]).startswith("2024-03-31T10:00:00") or str(row[0][0]).startswith("2024-03-31 10")
    assert row[0][1] == "UTC"


def test_d29_the_zone_is_utc_on_mysql_too(mariadb_server: Mariadb) -> None:
    with opened(mariadb_server.url) as database:
        assert ask(database, "SELECT @@time_zone") == (("+00:00",),)


def test_d31_nothing_of_a_request_is_left_for_the_next(server: Server) -> None:
    poison, look = {
        "postgres": (
            "SELECT set_config('search_path', 'nowhere', false), set_config('work_mem', '1MB', false),"
            " pg_advisory_lock(7)::text",
            "SELECT current_setting('search_path'), current_setting('work_mem'),"
            " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')",
        ),
        "mysql": ("SELECT @poison := 1, GET_LOCK('poison', 0)", "SELECT @poison, IS_USED_LOCK('poison')"),
    }["postgres" if server.url.startswith("postgres") else "mysql"]
    with opened(server.url, pool_size=1, pool_overflow=1) as database:
        clean = ask(database, look)
        ask(database, poison)
        assert ask(database, look) == clean


def test_d35_ten_thousand_tables_are_read_in_a_bounded_time(tmp_path: Path) -> None:
    path = tmp_path / "many.db"
    with sqlite3.connect(path) as connection:
        connection.execute("BEGIN")  # one write to the disk, not ten thousand
        for number in range(10_000):
            connection.execute(f"CREATE TABLE t{number} (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
    connection.close()
    with opened(str(path), time_limit=60.0) as database:
        began = time.monotonic()
        assert len(database.catalog().tables) == 10_000
        assert time.monotonic() - began < 20


def _permissive(url: str, statement: str) -> None:
    with mysql_admin(url) as run:
        run("SET SESSION sql_mode = 'ALLOW_INVALID_DATES'")
        run(statement)
