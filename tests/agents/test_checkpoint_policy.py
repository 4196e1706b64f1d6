"""Which steps of a question are written to disk, and when."""

import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from agents.asking import app, scripted
from text2sql import AsyncText2SQL
from text2sql.agents import checkpoint_policy
from text2sql.memory import scoped
from text2sql.types import StageStarted

COUNT = "SELECT count(*) AS customers FROM customers"
INSERT = "INSERT INTO cities (name, country) VALUES ('Rome', 'Italy')"
QUESTION = "How many customers are there?"


async def on_disk(db: AsyncText2SQL) -> list[str]:
    """The last stage of each written step of the thread, oldest first."""
    saver = (await db.resources()).memory.checkpointer
    config: Any = {"configurable": {"thread_id": scoped("", "t")}}
    stages = [
        step.checkpoint["channel_values"].get("current_stage", "") async for step in saver.alist(config)
    ]
    return stages[::-1]


def test_a_question_is_written_as_it_begins_when_a_model_has_answered_and_as_it_ends(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_policy, "_SECONDS", 60.0)

    async def scenario() -> None:
        async with app(shop, scripted([COUNT, COUNT])) as db:
            await db.ask(QUESTION, thread="t")
            assert await on_disk(db) == ["", "generator", "interpreter"]
            await db.ask("and in all?", thread="t")
            again = ["interpreter", "generator", "interpreter"]
            assert await on_disk(db) == ["", "generator", "interpreter", *again]
            assert [turn["question"] for turn in await db.threads.history("t")] == [QUESTION, "and in all?"]

    asyncio.run(scenario())


def test_every_long_step_is_written(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_policy, "_SECONDS", 0.0)

    async def scenario() -> None:
        async with app(shop, scripted([COUNT])) as db:
            await db.ask(QUESTION, thread="t")
            stages = ["classifier", "schema", "generator", "validator", "executor", "interpreter"]
            assert await on_disk(db) == ["", "", *stages]

    asyncio.run(scenario())


def test_a_cancelled_question_leaves_its_last_step_to_resume_from(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_policy, "_SECONDS", 60.0)

    async def scenario() -> None:
        async with app(shop, scripted([COUNT])) as db:
            async with aclosing(db.stream(QUESTION, thread="t")) as events:
                async for event in events:
                    if isinstance(event, StageStarted) and event.stage == "executor":
                        break
            assert await on_disk(db) == ["", "generator", "validator"]
            answer = await db.threads.resume("t")  # the script has no second query
            assert (answer.status, answer.rows) == ("answered", ((3,),))

    asyncio.run(scenario())


def test_a_write_is_checkpointed_step_by_step(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint_policy, "_SECONDS", 60.0)

    async def scenario() -> None:
        async with app(shop, scripted([INSERT])) as db:
            await db.ask("Add the city Rome in Italy", thread="t", allow_writes=True)
            assert await on_disk(db) == ["", "generator", "validator"]
            await db.threads.confirm("t")
            assert (await on_disk(db))[3:] == ["confirmation", "executor", "interpreter"]

    asyncio.run(scenario())


def test_nothing_is_pending_after_a_run(shop: Path) -> None:
    async def scenario() -> None:
        async with app(shop, scripted([COUNT, COUNT])) as db:
            await db.ask(QUESTION, thread="t")
            await db.ask("and in all?", thread="t")
            await db.threads.roll_back("t")
            runner: Any = (await db.app_resources.runner())._checkpointer
            assert (runner._pending, runner._written) == ({}, {})

    asyncio.run(scenario())
