"""The fixes of a large model's query: none where the query runs, mechanical ones where it does not."""

import asyncio
from pathlib import Path

import pytest

from agents.asking import HOSTED, app, make_shop, scripted
from text2sql.errors import UsageError
from text2sql.types import Answer

NEEDLESS = "SELECT o.total FROM orders o JOIN customers c ON o.customer_id = c.id"
WRONG_ALIAS = "SELECT o.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id"
MISSING_TABLE = "SELECT customers.name, country FROM customers"


def answered(path: Path, sql: str, question: str = "What are the totals?", **settings: str) -> Answer:
    async def scenario() -> Answer:
        async with app(make_shop(path / "shop.db"), scripted([sql], can=HOSTED), **settings) as db:
            return await db.ask(question)

    return asyncio.run(scenario())


def test_a_query_that_runs_is_left_alone(tmp_path: Path) -> None:
    answer = answered(tmp_path, NEEDLESS)
    assert (answer.status, answer.receipt.repairs) == ("answered", ())
    assert "JOIN customers" in answer.sql


@pytest.mark.parametrize(("sql", "fix"), [(WRONG_ALIAS, "rebind"), (MISSING_TABLE, "missing_join")])
def test_a_query_that_fails_gets_the_fixes_that_make_it_run(tmp_path: Path, sql: str, fix: str) -> None:
    answer = answered(tmp_path, sql)
    assert (answer.status, answer.receipt.repairs) == ("answered", (fix,))
    assert answer.receipt.usage.calls == 1
    assert answer.receipt.errors == ()


def test_a_query_that_no_fix_makes_run_goes_back_to_the_model_as_it_was(tmp_path: Path) -> None:
    failing = "SELECT orders.shoe_size FROM customers JOIN orders ON orders.customer_id = customers.id"

    async def scenario() -> Answer:
        replies = [failing, "SELECT total FROM orders"]
        async with app(make_shop(tmp_path / "shop.db"), scripted(replies, can=HOSTED)) as db:
            return await db.ask("What are the totals?")

    answer = asyncio.run(scenario())
    assert (answer.status, answer.receipt.attempts, answer.receipt.repairs) == ("answered", 2, ())
    assert [error.sql for error in answer.receipt.errors] == [failing]


def test_a_value_is_spelled_as_in_its_column(tmp_path: Path) -> None:
    answer = answered(tmp_path, "SELECT name FROM cities WHERE country = 'NORWAY'", "Cities in NORWAY?")
    assert (answer.rows, answer.receipt.repairs) == ((("Oslo",),), ("value_case",))


def test_the_setting_switches_fixes_off(tmp_path: Path) -> None:
    assert answered(tmp_path, WRONG_ALIAS, fixes="-rebind").receipt.repairs != ("rebind",)


def test_an_unknown_fix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"usage\.fixes"):
        answered(tmp_path, WRONG_ALIAS, fixes="rebnd")
