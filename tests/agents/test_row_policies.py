"""Row policies beyond the query itself: values, choices, displayed SQL, and results stored by others."""

import asyncio
import json
from pathlib import Path

import pytest

from agents.asking import scripted
from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.llm import AsyncChatModel
from text2sql.sql import policy_for, read_policies
from text2sql.types import Policy

DOCUMENT = json.dumps(
    {
        "tables": {"customers": ["id", "name", "level"], "cities": ["id", "name"]},
        "rows": {"customers": "city_id = :city", "cities": "id = :city"},
    }
)
SILVER = "SELECT count(*) AS silver FROM customers WHERE level = 'silver'"


def policy(city: int) -> Policy:
    return policy_for(read_policies(DOCUMENT), [], {"city": city})


def app(shop: Path, lines: tuple[str, ...], city: int, memory: Path) -> AsyncText2SQL:
    settings = Settings(memory=str(memory), requests_per_minute=0)
    model = AsyncChatModel([scripted(lines)], settings)
    return AsyncText2SQL(str(shop), settings=settings, model=model, policy=policy(city))


def test_an_answer_covers_visible_rows_and_shows_the_query_without_the_policy(
    shop: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        async with app(shop, ("SELECT * FROM customers ORDER BY id",), 2, tmp_path / "m.db") as db:
            answer = await db.ask("List all customers", user="ann")
            assert answer.rows == ((1, "Ann", "gold"), (3, "Bo", None))
            assert "city_id" not in str(answer)
            assert "text2sql_base" not in str(answer)
            page = await db.results.page(answer.result_id, number=2, size=1, user="ann")
            assert page.rows == ((3, "Bo", None),)
            assert await db.results.count(answer.result_id, user="ann") == 2
            own = await db.run_sql(answer.sql, user="ann")
            assert own.rows == answer.rows

    asyncio.run(scenario())


def test_no_value_of_a_hidden_row_is_known_or_offered(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        lines = ("SELECT id FROM customers WHERE level = 'silvr'",)
        async with app(shop, lines, 2, tmp_path / "m.db") as db:
            known = await (await db.resources()).catalog_cache.schema_context()
            assert known.values.contains("customers", "level", "gold") is True
            assert known.values.contains("customers", "level", "silver") is False
            assert known.values.columns_with("上海") == []
            answer = await db.ask("Which customers are silvr?")
            assert "silver" not in str(answer)

    asyncio.run(scenario())


@pytest.mark.fault("A06")
def test_a_verified_question_of_somebody_else_is_neither_answered_nor_shown(
    shop: Path, tmp_path: Path
) -> None:
    async def scenario() -> None:
        memory = tmp_path / "m.db"
        async with app(shop, (), 1, memory) as db:
            await db.verified.add("How many silver customers are there?", SILVER, user="wang")
            own = await db.ask("How many silver customers are there?", user="wang")
            assert (own.rows, own.receipt.usage.calls) == (((1,),), 0)
        backend = scripted((SILVER,))
        settings = Settings(memory=str(memory), requests_per_minute=0)
        model = AsyncChatModel([backend], settings)
        async with AsyncText2SQL(str(shop), settings=settings, model=model, policy=policy(2)) as db:
            unverified = await db.ask("How many silver customers are there?", user="ann")
            assert (unverified.rows, unverified.receipt.usage.calls) == (((0,),), 1)
            assert len(backend.requests[0].messages) == 2

    asyncio.run(scenario())


def test_a_result_stored_under_other_claims_is_not_found(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> None:
        memory = tmp_path / "m.db"
        async with app(shop, ("SELECT name FROM customers",), 2, memory) as db:
            answer = await db.ask("List the customers", user="ann")
        async with app(shop, (), 1, memory) as db:
            for request in (
                db.results.get(answer.result_id, user="ann"),
                db.results.count(answer.result_id, user="ann"),
            ):
                with pytest.raises(UsageError):
                    await request

    asyncio.run(scenario())
