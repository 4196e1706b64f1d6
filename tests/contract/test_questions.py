"""End-to-end questions on every engine: catalog, values, fixes, guard, EXPLAIN, rows, and a confirmed write.
The model is scripted.
"""

import asyncio
from pathlib import Path

import pytest

from agents.asking import scripted
from contract.engine_databases import EngineDatabase
from text2sql import AsyncText2SQL
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel
from text2sql.types import Answer

COUNT = "SELECT count(*) AS customers FROM customers"


def app(engine_db: EngineDatabase, lines: list[str]) -> AsyncText2SQL:
    settings = Settings(memory="none", requests_per_minute=0, values_wait=20.0)  # an emulator is slow
    return AsyncText2SQL(engine_db.url, settings=settings, model=AsyncChatModel([scripted(lines)], settings))


def ask(engine_db: EngineDatabase, question: str, *lines: str) -> Answer:
    async def run() -> Answer:
        async with app(engine_db, list(lines)) as db:
            return await db.ask(question)

    return asyncio.run(run())


def test_a_question_is_answered(engine_db: EngineDatabase) -> None:
    answer = ask(engine_db, "How many customers are there?", COUNT)
    assert (answer.status, answer.rows[0][0]) == (
        "answered",
        engine_db.admin("SELECT count(*) FROM customers")[0][0],
    )
    assert answer.receipt.checks == ("guard", "explain", "ran")
    assert answer.receipt.dialect == engine_db.dialect


def test_a_value_is_respelled_as_the_column_has_it(engine_db: EngineDatabase) -> None:
    (city,) = engine_db.admin("SELECT city FROM customers WHERE city IS NOT NULL ORDER BY id LIMIT 1")[0]
    written = f"SELECT name FROM customers WHERE city = '{city.upper()}  '"
    answer = ask(engine_db, f"Which customers live in {city}?", written)
    assert answer.status == "answered"
    assert answer.row_count >= 1
    assert any(hit.value == city for hit in answer.receipt.values)


def test_a_column_of_the_wrong_table_is_bound_to_the_right_one(engine_db: EngineDatabase) -> None:
    wrong = "SELECT T1.amount FROM customers AS T1 JOIN orders AS T2 ON T1.id = T2.customer_id"
    answer = ask(engine_db, "What are the amounts of the orders of customers?", wrong)
    assert (answer.status, answer.receipt.usage.calls) == ("answered", 1)
    assert answer.row_count == engine_db.admin("SELECT count(*) FROM orders")[0][0]


def test_an_error_of_the_engine_is_repaired_by_one_more_call(engine_db: EngineDatabase) -> None:
    answer = ask(engine_db, "How many customers are there?", "SELECT sum(nothing_such) FROM customers", COUNT)
    assert (answer.status, answer.receipt.attempts) == ("answered", 2)


@pytest.mark.fault("L26")
def test_an_injection_in_a_cell_and_in_a_comment_changes_nothing(engine_db: EngineDatabase) -> None:
    before = engine_db.admin("SELECT count(*) FROM orders")
    for hostile in ("DELETE FROM orders", "DROP TABLE orders", "SELECT 1; DELETE FROM orders"):
        answer = ask(engine_db, "What do the notes of the orders say?", *[hostile] * 4)
        assert answer.status in ("refused", "failed")
    assert engine_db.admin("SELECT count(*) FROM orders") == before


def test_a_confirmed_write_happens_once(shelf: EngineDatabase) -> None:
    insert = "INSERT INTO shelves (id, label) VALUES (9, 'z')"

    async def run() -> list[str]:
        async with app(shelf, [insert]) as db:
            first = await db.ask("Add the shelf z", thread="t", allow_writes=True)
            return [
                first.status,
                (await db.threads.confirm("t")).status,
                (await db.threads.confirm("t")).status,
            ]

    assert asyncio.run(run()) == ["confirm", "answered", "answered"]
    assert shelf.admin("SELECT count(*) FROM shelves") == [(3,)]


def test_a_csv_file_is_queried_like_a_database(tmp_path: Path) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("city,total\n上海,10\n北京,20\n上海,5\n", encoding="utf-8")
    settings = Settings(memory="none")

    async def run() -> Answer:
        model = AsyncChatModel(
            [scripted(["SELECT sum(total) AS total FROM sales WHERE city = '上海'"])], settings
        )
        async with AsyncText2SQL(str(path), settings=settings, model=model) as db:
            return await db.ask("上海的总额是多少？")

    answer = asyncio.run(run())
    assert (answer.status, [str(value) for value in answer.rows[0]]) == ("answered", ["15"])
