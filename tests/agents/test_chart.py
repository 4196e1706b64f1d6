"""The chart of an answer: checkpoints store the choice without rows; the answer has the whole chart."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from agents.asking import app, scripted
from text2sql.agents.answer_builder import chart_specification, choose_chart
from text2sql.types import Answer, QueryResult, ResultColumn

LEVELS = "SELECT name, total FROM customers JOIN orders ON customers.id = customer_id WHERE total < 20"
RESULT = QueryResult((ResultColumn("city", ""), ResultColumn("orders", "")), (("Lyon", 3), ("Oslo", 5)))


def ask(shop: Path, line: str, question: str, **settings: Any) -> Answer:
    async def scenario() -> Answer:
        async with app(shop, scripted([line]), values_wait=0, **settings) as db:
            return await db.ask(question, thread="t", mode="database_direct")

    return asyncio.run(scenario())


def test_an_answer_has_the_whole_specification_in_its_language(shop: Path) -> None:
    answer = ask(shop, LEVELS, "每位客户的订单金额？")
    assert answer.chart is not None
    assert answer.chart["data"] == {"values": [{"x": "Ann", "y": 10.5}, {"x": "王芳", "y": 7.25}]}
    assert answer.chart["title"]["text"] == ["每位客户的订单金额？"]  # type: ignore[index]


def test_names_alone_have_no_chart(shop: Path) -> None:
    assert ask(shop, "SELECT name FROM customers", "Who?").chart is None


def test_the_checkpoint_has_columns_but_no_cell_values(shop: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"
    answer = ask(shop, LEVELS, "Who paid how much?", memory=str(memory))
    assert "王芳" in str(answer.chart)
    with closing(sqlite3.connect(memory)) as database:
        checkpoints = [
            str(row).encode() + b"".join(cell for cell in row if isinstance(cell, bytes))
            for table in ("checkpoints", "writes")
            for row in database.execute(f"SELECT * FROM {table}")
        ]
    assert any(b"chart_result" in row for row in checkpoints)
    assert not any("王芳".encode() in row for row in checkpoints)


def test_after_a_restart_the_chart_has_its_rows_again(shop: Path, tmp_path: Path) -> None:
    memory = {"memory": str(tmp_path / "memory.db")}
    before = ask(shop, LEVELS, "Who paid how much?", **memory)

    async def ask_again() -> Answer:
        async with app(shop, scripted([]), **memory) as db:
            return await db.threads.resume("t")

    assert asyncio.run(ask_again()).chart == before.chart


def test_expired_rows_leave_no_empty_chart() -> None:
    choice = choose_chart(RESULT, "orders by city")
    assert choice == {"kind": "bar", "x": [0], "y": [1], "series": None}
    assert chart_specification(choice, RESULT, "en", "q") is not None
    assert chart_specification(choice, QueryResult((), ()), "en", "q") is None
    assert chart_specification(None, RESULT, "en", "q") is None
