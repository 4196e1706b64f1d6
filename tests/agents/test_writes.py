"""Writes: refused by default; confirmed by a person, run once; schema changes never."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.asking import app, rows_of, scripted
from text2sql.agents import RunOptions, build
from text2sql.errors import UsageError
from text2sql.types import Answer

UPDATE = "UPDATE orders SET status = 'paid' WHERE status = 'open'"


def test_a_write_waits_with_its_statement_and_its_row_count(shop: Path) -> None:
    async def scenario() -> tuple[Answer, list[object], Answer, Answer, list[object]]:
        async with app(shop, scripted([UPDATE])) as db:
            first = await db.ask("Set all open orders to paid", thread="t", allow_writes=True)
            before = rows_of(shop, "SELECT status FROM orders WHERE id = 3")
            second = await db.threads.confirm("t")
            third = await db.threads.confirm("t")
        return first, before, second, third, rows_of(shop, "SELECT status FROM orders")

    first, before, second, third, after = asyncio.run(scenario())
    assert (first.status, first.row_count) == ("confirm", 1)
    assert first.receipt.path[-2:] == ("validator", "confirmation"), "the interpreter has not run yet"
    assert first.sql.startswith("UPDATE")
    assert before == [("open",)], "nothing is changed before the confirmation"
    assert second.status == third.status == "answered"
    assert "1" in second.answer
    assert after == [("paid",)] * 3


def test_a_confirmed_write_runs_once_even_after_a_restart(shop: Path, tmp_path: Path) -> None:
    """An INSERT shows a second run; the second process resumes from the same file."""
    insert = "INSERT INTO cities (id, name, country) VALUES (9, 'Rome', 'Italy')"
    memory = str(tmp_path / "memory.db")

    async def first() -> Answer:
        async with app(shop, scripted([insert]), memory=memory) as db:
            return await db.ask("Add the city Rome in Italy", thread="t", allow_writes=True)

    async def confirm_again() -> Answer:
        async with app(shop, scripted([]), memory=memory) as db:
            return await db.threads.confirm("t")

    assert asyncio.run(first()).status == "confirm"
    assert [asyncio.run(confirm_again()).status for _ in range(2)] == ["answered", "answered"]
    assert rows_of(shop, "SELECT count(*) FROM cities") == [(4,)]


def test_a_declined_write_changes_nothing(shop: Path) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted([UPDATE])) as db:
            await db.ask("Set all open orders to paid", thread="t", allow_writes=True)
            return await db.threads.confirm("t", yes=False)

    assert asyncio.run(scenario()).status == "refused"
    assert rows_of(shop, "SELECT count(*) FROM orders WHERE status = 'open'") == [(1,)]


@pytest.mark.parametrize("sql", ["DROP TABLE orders", "ALTER TABLE orders ADD x INT", "DELETE FROM orders"])
def test_a_schema_is_never_changed_and_a_write_needs_a_condition(shop: Path, sql: str) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted([sql] * 5)) as db:
            return await db.ask("Drop the table orders", allow_writes=True)

    assert asyncio.run(scenario()).status in ("refused", "failed")
    assert rows_of(shop, "SELECT count(*) FROM orders") == [(3,)]


def test_confirming_without_a_pending_write_is_bad_usage(shop: Path) -> None:
    async def scenario() -> None:
        async with app(shop, scripted(["SELECT count(*) FROM orders"])) as db:
            await db.ask("How many orders are there?", thread="t")
            await db.threads.confirm("t")

    with pytest.raises(UsageError):
        asyncio.run(scenario())


def test_a_new_question_replaces_a_pending_write(shop: Path) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted([UPDATE, "SELECT count(*) FROM orders"])) as db:
            await db.ask("Set all open orders to paid", thread="t", allow_writes=True)
            return await db.ask("How many orders are there?", thread="t", allow_writes=True)

    assert asyncio.run(scenario()).rows == ((3,),)
    assert rows_of(shop, "SELECT count(*) FROM orders WHERE status = 'open'") == [(1,)]


def test_a_caller_of_langgraphs_server_cannot_permit_writes(shop: Path) -> None:
    async def scenario() -> str:
        async with app(shop, scripted([UPDATE])) as db:
            graph = build(replace(await db.resources(), owns_threads=False))
            graph_input: Any = {"messages": [{"role": "user", "content": "Set all open orders to paid"}]}
            return str((await graph.ainvoke(graph_input, context=RunOptions(allow_writes=True)))["status"])

    assert asyncio.run(scenario()) == "refused"
