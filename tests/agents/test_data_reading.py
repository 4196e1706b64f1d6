"""Profiles and values as they are read through the guard: budgets, policies, the store."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from text2sql import AsyncText2SQL, Policy, Settings
from text2sql.types import DatabaseProfile, InferredJoin

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, city TEXT, salary REAL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, ordered TEXT, status TEXT);
CREATE VIEW paid AS SELECT * FROM orders WHERE status = 'paid';
"""
ROWS = 3_000


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
        connection.executemany(
            "INSERT INTO customers VALUES (?, ?, ?)", [(n, f"city {n % 40}", 10.0 * n) for n in range(100)]
        )
        connection.executemany(
            "INSERT INTO orders VALUES (?, ?, ?, ?)",
            [
                (n, n % 100, f"{2020 + n // 1000}-01-{n % 28 + 1:02}", ("paid", "open")[n % 2])
                for n in range(ROWS)
            ],
        )
        connection.commit()
    return path


async def read(path: Path, settings: Settings, policy: Policy | None = None) -> DatabaseProfile:
    async with AsyncText2SQL(str(path), settings=settings, policy=policy) as db:
        return await db.profile()


def test_small_and_large_tables_views_and_joins_are_described(shop: Path) -> None:
    profile = asyncio.run(read(shop, Settings(memory="none")))
    assert {table.table: (table.rows, table.scanned) for table in profile.tables} == {
        "customers": (100, 100),
        "orders": (ROWS, ROWS),
        "paid": (None, 1_000),
    }
    ordered, status = profile.column("orders", "ordered"), profile.column("orders", "status")
    assert ordered is not None
    assert (ordered.kind, ordered.format) == ("date", "date:%Y-%m-%d")
    assert (ordered.smallest, ordered.largest) == ("2020-01-01", "2022-01-28")
    assert status is not None
    assert status.values == (("open", ROWS // 2), ("paid", ROWS // 2))
    assert profile.joins == (InferredJoin("orders", "customer_id", "customers", "id", 1.0),)
    assert profile.is_complete


def test_a_scan_ends_at_its_rows_and_still_knows_the_last_day(shop: Path) -> None:
    profile = asyncio.run(read(shop, Settings(memory="none", profile_rows=1_500)))
    orders = profile.table("orders")
    assert orders is not None
    assert (orders.rows, orders.scanned) == (ROWS, 1_500)
    ordered = orders.column("ordered")
    assert ordered is not None
    assert ordered.largest == "2022-01-28"


def test_a_policy_hides_columns_and_has_a_profile_of_its_own(shop: Path, tmp_path: Path) -> None:
    settings = Settings(memory=str(tmp_path / "memory.db"))
    everything = asyncio.run(read(shop, settings))
    part = asyncio.run(read(shop, settings, Policy({"customers": ("id", "city")})))
    assert [table.table for table in part.tables] == ["customers"]
    assert part.column("customers", "salary") is None
    assert everything.column("customers", "salary") is not None
    assert part.fingerprint != everything.fingerprint
    assert asyncio.run(read(shop, settings)) == everything


def test_a_stored_profile_is_used_at_once_and_an_old_one_is_read_again(shop: Path, tmp_path: Path) -> None:
    settings = Settings(memory=str(tmp_path / "memory.db"), catalog_age=1_000.0)

    async def profiles() -> tuple[DatabaseProfile | None, DatabaseProfile]:
        async with AsyncText2SQL(str(shop), settings=settings) as db:
            resources = await db.resources()
            cache = resources.catalog_cache
            context = await cache.schema_context()
            stored = await resources.memory.profile(cache.mark, context.catalog.fingerprint)
            assert stored is not None
            await resources.memory.save_profile(
                cache.mark, replace(stored, read_at="2000-01-01T00:00:00+00:00")
            )
            return context.profile, stored

    first, stored = asyncio.run(profiles())
    assert first == stored

    async def refreshed() -> tuple[str, str]:
        async with AsyncText2SQL(str(shop), settings=settings) as db:
            cache = (await db.resources()).catalog_cache
            before = (await cache.schema_context()).profile
            assert before is not None
            for _ in range(200):
                now = (await cache.schema_context()).profile
                if now is not None and now.read_at != before.read_at:
                    return before.read_at, now.read_at
                await asyncio.sleep(0.05)
            return before.read_at, ""

    before, after = asyncio.run(refreshed())
    assert before.startswith("2000") or before == after
    assert after > "2001"


def test_a_profile_without_time_is_incomplete_and_no_error(shop: Path) -> None:
    profile = asyncio.run(read(shop, Settings(memory="none", profile_time=1e-6, values_time=1e-6)))
    assert not profile.is_complete
    assert profile.joins == ()


def test_values_of_small_tables_come_from_their_sample(shop: Path) -> None:
    async def values() -> list[bool | None]:
        async with AsyncText2SQL(str(shop), settings=Settings(memory="none")) as db:
            known = (await (await db.resources()).catalog_cache.schema_context()).values
            return [
                known.contains("customers", "city", "city 7"),
                known.contains("customers", "city", "city 99"),
                known.contains("orders", "status", "open"),
                known.contains("orders", "status", "lost"),
            ]

    assert asyncio.run(values()) == [True, False, True, False]
