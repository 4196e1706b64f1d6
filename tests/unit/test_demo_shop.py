"""The demo shop: reproducible, large enough for interesting questions, written completely or not at all."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from text2sql.database.demo import build_demo
from text2sql.errors import UsageError

DIGEST = "93798dfc1afa"  # of its dump; a change of the generator changes the answers to the demo's questions


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("shop") / "shop.db")


def rows_of(shop: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(shop)) as connection:
        return connection.execute(sql).fetchall()


def digest(shop: Path) -> str:
    with closing(sqlite3.connect(shop)) as connection:
        lines = [line for line in connection.iterdump() if "sqlite_stat" not in line]  # by version
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_the_shop_has_a_dozen_tables_and_a_hundred_thousand_rows(shop: Path) -> None:
    tables = rows_of(shop, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    counts = {name: rows_of(shop, f'SELECT count(*) FROM "{name}"')[0][0] for (name,) in tables}
    assert len(counts) == 14
    assert sum(int(str(count)) for count in counts.values()) > 100_000


def test_orders_cover_three_years(shop: Path) -> None:
    years = rows_of(shop, "SELECT strftime('%Y', ordered_on) FROM orders GROUP BY 1 ORDER BY 1")
    assert years == [("2023",), ("2024",), ("2025",)]


def test_every_foreign_key_holds(shop: Path) -> None:
    assert rows_of(shop, "PRAGMA foreign_key_check") == []


def test_a_payment_is_the_sum_of_its_order(shop: Path) -> None:
    wrong = rows_of(
        shop,
        "SELECT count(*) FROM payments p WHERE abs(amount - (SELECT sum(quantity * unit_price "
        "* (1 - discount)) FROM order_items i WHERE i.order_id = p.order_id)) > 0.01",
    )
    assert wrong == [(0,)]


def test_the_shop_is_the_same_every_time_and_everywhere(shop: Path) -> None:
    rows = rows_of(shop, "SELECT sum(amount), count(*) FROM payments WHERE method = 'alipay'")
    assert digest(shop)[:12] == DIGEST, rows


def test_an_unwritable_folder_is_reported_and_nothing_is_left(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("not a folder")
    with pytest.raises(UsageError) as caught:
        build_demo(taken / "shop.db")
    assert caught.value.message_key == "usage.demo"
    assert list(tmp_path.iterdir()) == [taken]
