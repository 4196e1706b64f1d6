"""A verified query runs exactly as the guard writes it; no fix and no model changes it."""

import asyncio
from itertools import islice
from pathlib import Path

import pytest

from agents.asking import app, change, make_shop, scripted
from gallery import GalleryValues, gallery
from sql_cases import CASES, headed
from text2sql.database import AsyncDatabase
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
    """For every other fix, the first case that passes the guard unfixed and that fixes would change."""
    queries = []
    for file in sorted((CASES / "fixes").glob("*.sql"))[::2]:
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
                await db.remember(question, sql)
                ran.clear()
                answer = await db.ask(question)
                outcomes.append((sql, list(ran), answer))
        return outcomes

    for sql, statements, answer in asyncio.run(scenario()):
        stored = guarded(sql)
        assert stored is not None
        expected = guarded(stored.shown, LIMIT)
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
                answer = await db.run_own(sql)
                outcomes.append((sql, list(ran), answer))
        return outcomes

    for sql, statements, answer in asyncio.run(scenario()):
        expected = guarded(sql, LIMIT)
        assert expected is not None
        assert expected.sql in statements  # beside those that read values
        assert answer.receipt.repairs == ()


def test_a_query_that_replaces_a_verified_one_is_not_called_verified(shop: Path) -> None:
    """Its table was dropped, so the model writes another query, which is not verified."""
    change(shop, "CREATE TABLE visits (id INTEGER PRIMARY KEY, customer_id INTEGER)")
    backend = scripted([], last="SELECT count(*) AS n FROM orders")

    async def scenario() -> Answer:
        async with app(shop, backend) as db:
            await db.remember("How many orders are there?", "SELECT count(*) FROM visits")
            change(shop, "DROP TABLE visits")
            return await db.ask("How many orders are there?")

    answer = asyncio.run(scenario())
    assert answer.rows == ((3,),)
    assert backend.requests
    assert "A person has verified this query for this question." not in answer.receipt.assumptions
