"""Sample databases: a valid one, and the invalid values of --db."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.scripts import ScriptedCli

SCHEMA = """
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, 城市 TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customers, total NUMERIC(10,2));
    CREATE INDEX orders_by_customer ON orders (customer_id);
    CREATE VIEW 大单 AS SELECT * FROM orders WHERE total > 100;
    CREATE TABLE "it's ""odd"". 表; select" ("a.b" TEXT, "select" INT, "new\nline" TEXT, "esc\x1b[31m" TEXT);
    INSERT INTO customers VALUES (1, 'Ann', '上海'), (2, 'Bo', '北京');
    INSERT INTO orders VALUES (1, 1, 10), (2, 2, 200);
    ANALYZE;
"""


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("places")
    make(folder / "shop.db", SCHEMA)
    make(folder / "no_tables.db", "CREATE TABLE a (b); DROP TABLE a;")
    columns = ", ".join(f"c{at} TEXT" for at in range(5))
    make(
        folder / "many.db",
        "BEGIN;" + "".join(f"CREATE TABLE t{at} ({columns});" for at in range(5000)) + "COMMIT;",
    )
    (folder / "empty.db").touch()
    (folder / "text.db").write_text("this is not a database, whatever its name says")
    (folder / "directory.db").mkdir()
    (folder / "sales.csv").write_text("city,total\n上海,10\n北京,20\n", encoding="utf-8")
    return folder


@pytest.fixture
def shop(places: Path) -> str:
    return str(places / "shop.db")


def make(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedCli:
    return ScriptedCli(tmp_path, monkeypatch)
