"""A verified query runs exactly as the guard writes it; no fix and no model changes it."""

import asyncio
from itertools import islice
from pathlib import Path

import pytest

from agents.asking import app, change, make_shop, scripted
from gallery import GalleryValues, gallery
from sql_cases import CASES, headed
from text2sql.database import AsyncDatabase
from text2sql.errors import QueryTimeout
from text2sql.schema import build, ddl
from text2sql.sql import check, fix_sql
from text2sql.types import Answer, CheckedSql, Limits, QueryResult

POLICY = build(gallery()).policy
LIMIT = 1_001  # one row above the setting, to know whether there are more


def guarded(sql: str, rows: int = 1_000) -> CheckedSql | None:
    query = check(sql, "sqlite", gallery(), POLICY, rows=rows)
    return query if isinstance(query, CheckedSql) else None


@pytest.fixture(scope="module")
def changeable() -> list[str]:
    """For each fix, the first case that passes the guard unfixed and that fixes would change."""
    queries = []
    for file in sorted((CASES / "fixes").glob("*.sql")):
        texts = (text for dialect, text in headed(file) if dialect == "sqlite" and guarded(text) is not None)
        queries += list(islice((text for text in texts if fixed(text) != text), 1))
    return queries


def fixed(sql: str) -> str:
    return fix_sql(sql, "sqlite", gallery(), GalleryValues()).sql


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that the database ran."""
    statements: list[str] = []
    run = AsyncDatabase.run

    async def recorded(self: AsyncDatabase, query: CheckedSql, limits: Limits | None = None) -> QueryResult:
        statements.append(query.sql)
        return await run(self, query, limits)

    monkeypatch.setattr(AsyncDatabase, "run", recorded)
    return statements


def test_a_verified_query_runs_as_the_guard_writes_it(
    tmp_path: Path, ran: list[str], changeable: list[str]
) -> None:
    museum = make_shop(tmp_path / "museum.db", ddl(gallery()))
    assert len(changeable) >= 10

    async def scenario() -> list[tuple[str, list[str], Answer]]:
        outcomes = []
        async with app(museum, scripted([])) as db:
            for number, sql in enumerate(changeable):
                question = f"How many paintings are in museum {number}?"
                await db.verified.add(question, sql)
                ran.clear()
                answer = await db.ask(question)
                outcomes.append((sql, list(ran), answer))
        return outcomes

    for sql, statements, answer in asyncio.run(scenario()):
        expected = guarded(sql, LIMIT)
        assert expected is not None
        assert answer.receipt.usage.calls == 0, sql
        if answer.receipt.errors:  # SQLite itself refuses a few; then nothing ran in its place
            assert expected.sql not in statements
            continue
        assert expected.sql in statements, sql
        assert answer.receipt.repairs == ()
        assert "A person has verified this query for this question." in answer.receipt.assumptions


def test_user_sql_runs_as_the_guard_writes_it(tmp_path: Path, ran: list[str], changeable: list[str]) -> None:
    museum = make_shop(tmp_path / "museum.db", ddl(gallery()))

    async def scenario() -> list[tuple[str, list[str], Answer]]:
        outcomes = []
        async with app(museum, scripted([])) as db:
            for sql in changeable:
                ran.clear()
                answer = await db.run_sql(sql)
                outcomes.append((sql, list(ran), answer))
        return outcomes

    for sql, statements, answer in asyncio.run(scenario()):
        expected = guarded(sql, LIMIT)
        assert expected is not None
        assert expected.sql in statements  # beside those that read values
        assert answer.receipt.repairs == ()


ORDERS = "select *\n from orders o -- all of them"


@pytest.mark.parametrize("shown", [False, True])
def test_a_verified_query_is_stored_as_written_and_has_no_limit_of_ours(shop: Path, shown: bool) -> None:
    """`shown`: the query of an answer is verified, which has the row limit of the settings."""

    async def scenario() -> tuple[Answer, list[str], list[str]]:
        async with app(shop, scripted([ORDERS], last=""), row_limit=2) as db:
            sql = (await db.ask("List all orders")).sql if shown else ORDERS
            await db.verified.add("List all orders", sql)
            memory, key = (await db.resources()).memory, (await db.resources()).catalog_cache.key
            stored = [pair.sql for _, pair in await memory.recall(key, "List all orders")]
            answer = await db.ask("List all orders")
            await db.verified.rate("List all orders", answer.sql, good=False)
            return answer, stored, [pair.sql for _, pair in await memory.recall(key, "List all orders")]

    answer, stored, remaining = asyncio.run(scenario())
    assert (answer.row_count, answer.truncated) == (2, True)
    assert stored == (["SELECT * FROM orders AS o"] if shown else [ORDERS])
    assert remaining == []


def test_a_limit_that_a_person_wrote_stays_in_a_verified_query(shop: Path) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted([]), row_limit=10) as db:
            await db.verified.add("Which order is the first?", "SELECT * FROM orders ORDER BY id LIMIT 1")
            return await db.ask("Which order is the first?")

    answer = asyncio.run(scenario())
    assert (answer.row_count, answer.truncated) == (1, False)


def test_a_list_that_is_too_slow_is_limited_and_then_not_fixed(
    shop: Path, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT id FROM customers WHERE name = 'ann'"  # a fix would write 'Ann'
    recorded = AsyncDatabase.run

    async def slow(self: AsyncDatabase, query: CheckedSql, limits: Limits | None = None) -> QueryResult:
        if "'ann'" in query.sql and f"LIMIT {LIMIT}" in query.sql:
            raise QueryTimeout("too slow")
        return await recorded(self, query, limits)

    monkeypatch.setattr(AsyncDatabase, "run", slow)
    backend = scripted([])

    async def scenario() -> Answer:
        async with app(shop, backend) as db:
            await db.verified.add("Which customers are called ann?", sql)
            return await db.ask("Which customers are called ann?")

    answer = asyncio.run(scenario())
    assert f"{sql} LIMIT 100" in ran
    assert answer.receipt.repairs == ()
    assert backend.requests == []


def test_a_query_that_replaces_a_verified_one_is_not_called_verified(shop: Path) -> None:
    """Its table was dropped, so the model writes another query, which is not verified."""
    change(shop, "CREATE TABLE visits (id INTEGER PRIMARY KEY, customer_id INTEGER)")
    backend = scripted([], last="SELECT count(*) AS n FROM orders")

    async def scenario() -> Answer:
        async with app(shop, backend) as db:
            await db.verified.add("How many orders are there?", "SELECT count(*) FROM visits")
            change(shop, "DROP TABLE visits")
            return await db.ask("How many orders are there?")

    answer = asyncio.run(scenario())
    assert answer.rows == ((3,),)
    assert backend.requests
    assert "A person has verified this query for this question." not in answer.receipt.assumptions
