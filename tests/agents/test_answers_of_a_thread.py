"""Reopening a thread: every answer comes with its sentence, chart and rows while they are stored."""

import asyncio
from pathlib import Path

from agents.asking import app, scripted
from text2sql.agents.answer_builder import pending_answer
from text2sql.types import Answer

LEVELS = "SELECT level, count(*) AS customers FROM customers GROUP BY level ORDER BY level"


def test_every_answer_comes_back_after_a_restart(shop: Path, tmp_path: Path) -> None:
    memory = str(tmp_path / "memory.db")

    async def scenario() -> tuple[list[Answer], list[Answer]]:
        backend = scripted([], last=LEVELS)
        async with app(shop, backend, memory=memory) as db:
            first = [await db.ask(f"How many customers of level {n}?", thread="t") for n in range(13)]
        async with app(shop, backend, memory=memory) as db:
            return first, list(await db.threads.answers("t", rows=100))

    first, restored = asyncio.run(scenario())
    assert len(restored) == 13, "also those that no follow-up is shown any more"
    assert first[0].chart is not None
    for before, after in zip(first, restored, strict=True):
        assert before == after


def test_an_answer_is_cut_to_the_requested_rows_and_marked_as_truncated(shop: Path) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted(["SELECT name FROM customers"])) as db:
            await db.ask("Which customers are there?", thread="t")
            return (await db.threads.answers("t", rows=2))[0]

    answer = asyncio.run(scenario())
    assert (len(answer.rows), answer.row_count, answer.truncated) == (2, 3, True)


def test_an_answer_whose_rows_have_expired_has_no_result_id(shop: Path) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted([LEVELS]), result_lifetime=0.05) as db:
            await db.ask("How many customers of each level?", thread="t")
            await asyncio.sleep(0.1)
            return (await db.threads.answers("t", rows=100))[0]

    answer = asyncio.run(scenario())
    assert (answer.status, answer.rows, answer.chart, answer.result_id) == ("answered", (), None, "")
    assert answer.columns == ("level", "customers")


def test_a_long_thread_is_rolled_back_by_exactly_one_turn(shop: Path) -> None:
    async def scenario() -> tuple[int, list[str], list[str]]:
        async with app(shop, scripted([], last=LEVELS)) as db:
            for n in range(13):
                await db.ask(f"How many customers of level {n}?", thread="t")
            remaining = await db.threads.roll_back("t")
            after = [answer.question for answer in await db.threads.answers("t", rows=1)]
            await db.ask("How many customers of level 99?", thread="t")
            return remaining, after, [answer.question for answer in await db.threads.answers("t", rows=1)]

    remaining, after, then = asyncio.run(scenario())
    questions = [f"How many customers of level {n}?" for n in range(12)]
    assert (remaining, after) == (12, questions)
    assert then == [*questions, "How many customers of level 99?"]


def test_a_pending_write_is_the_last_answer_and_is_rolled_back_alone(shop: Path) -> None:
    async def scenario() -> tuple[list[str], int, list[str]]:
        change = "UPDATE customers SET level = 'gold' WHERE id = 1"
        async with app(shop, scripted([LEVELS, change]), allow_writes=True) as db:
            await db.ask("How many customers of each level?", thread="t")
            await db.ask("Set the level of customer 1 to gold", thread="t")
            before = [str(answer.status) for answer in await db.threads.answers("t", rows=1)]
            remaining = await db.threads.roll_back("t")
            return before, remaining, [answer.status for answer in await db.threads.answers("t", rows=1)]

    before, remaining, after = asyncio.run(scenario())
    assert before == ["answered", "confirm"]
    assert (remaining, after) == (1, ["answered"])


def test_a_write_that_waits_since_version_0_1_is_still_an_answer() -> None:
    delete = "DELETE FROM cities WHERE id = 1"
    answer = pending_answer({"sql": delete, "table": "cities", "kind": "delete", "rows": 1})
    assert (answer.status, answer.sql, answer.row_count) == ("confirm", delete, 1)
