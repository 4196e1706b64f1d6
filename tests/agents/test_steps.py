"""Which steps of a question are on disk, and when: what a crash may cost, and what a question costs."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from agents.asking import app, scripted
from text2sql import AsyncText2SQL
from text2sql.agents import steps
from text2sql.memory import scoped
from text2sql.types import StageStarted

COUNT = "SELECT count(*) AS customers FROM customers"
INSERT = "INSERT INTO cities (name, country) VALUES ('Rome', 'Italy')"
QUESTION = "How many customers are there?"


async def on_disk(db: AsyncText2SQL) -> list[str]:
    """The stage that each written step of the thread had ended, oldest first."""
    saver = (await db.rooms()).memory.checkpointer
    config: Any = {"configurable": {"thread_id": scoped("", "t")}}
    found = [one.checkpoint["channel_values"].get("current_stage", "") async for one in saver.alist(config)]
    return found[::-1]


def test_a_question_is_written_as_it_begins_when_a_model_has_answered_and_as_it_ends(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "_SECONDS", 60.0)

    async def work() -> None:
        async with app(shop, scripted([COUNT, COUNT])) as db:
            await db.ask(QUESTION, thread="t")
            assert await on_disk(db) == ["", "generator", "interpreter"]
            await db.ask("and in all?", thread="t")
            again = ["interpreter", "generator", "interpreter"]
            assert await on_disk(db) == ["", "generator", "interpreter", *again]
            assert [turn["question"] for turn in await db.history("t")] == [QUESTION, "and in all?"]

    asyncio.run(work())


def test_every_step_is_written_that_took_long(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_SECONDS", 0.0)

    async def work() -> None:
        async with app(shop, scripted([COUNT])) as db:
            await db.ask(QUESTION, thread="t")
            stages = ["classifier", "schema", "generator", "validator", "executor", "interpreter"]
            assert await on_disk(db) == ["", "", *stages]

    asyncio.run(work())


def test_a_cancelled_question_leaves_its_last_step_to_go_on_from(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "_SECONDS", 60.0)

    async def work() -> None:
        async with app(shop, scripted([COUNT])) as db:
            async with aclosing(db.stream(QUESTION, thread="t")) as events:
                async for event in events:
                    if isinstance(event, StageStarted) and event.stage == "executor":
                        break
            assert await on_disk(db) == ["", "generator", "validator"]
            answer = await db.resume("t")  # the script has no second query
            assert (answer.status, answer.rows) == ("answered", ((3,),))

    asyncio.run(work())


def test_a_write_is_written_down_step_by_step(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_SECONDS", 60.0)

    async def work() -> None:
        async with app(shop, scripted([INSERT])) as db:
            await db.ask("Add the city Rome in Italy", thread="t", allow_writes=True)
            assert await on_disk(db) == ["", "generator", "validator"]
            await db.confirm("t")
            assert (await on_disk(db))[3:] == ["confirmation", "executor", "interpreter"]

    asyncio.run(work())


def test_nothing_is_held_when_a_run_is_over(shop: Path) -> None:
    async def work() -> None:
        async with app(shop, scripted([COUNT, COUNT])) as db:
            await db.ask(QUESTION, thread="t")
            await db.ask("and in all?", thread="t")
            await db.roll_back("t")
            held: Any = (await db._house.runs())._steps
            assert (held._held, held._written) == ({}, {})

    asyncio.run(work())
