"""Threads: history, rolling back, isolation; and results by reference."""

import asyncio
import re
from pathlib import Path

import pytest

from agents.asking import app, scripted
from text2sql.errors import UsageError
from text2sql.types import Answer, ModelRequest

COUNT = "SELECT count(*) AS customers FROM customers"


def test_a_thread_has_a_history_and_can_be_rolled_back(shop: Path) -> None:
    async def scenario() -> tuple[list[str], int, list[str], int]:
        lines = [COUNT, "SELECT count(*) FROM orders", "SELECT count(*) FROM cities"]
        async with app(shop, scripted(lines)) as db:
            for question in ("How many customers?", "How many orders?", "How many cities?"):
                await db.ask(question, thread="t")
            before = [turn["question"] for turn in await db.threads.history("t")]
            remaining = await db.threads.roll_back("t", turns=2)
            after = [turn["question"] for turn in await db.threads.history("t")]
            return before, remaining, after, await db.threads.roll_back("t", turns=5)

    before, remaining, after, nothing = asyncio.run(scenario())
    assert before == ["How many customers?", "How many orders?", "How many cities?"]
    assert (remaining, after, nothing) == (1, ["How many customers?"], 0)


def test_a_follow_up_after_rolling_back_refers_to_the_remaining_turns(shop: Path) -> None:
    backend = scripted(
        [COUNT, "SELECT count(*) FROM orders", "SELECT level, count(*) FROM customers GROUP BY 1"]
    )

    async def scenario() -> None:
        async with app(shop, backend) as db:
            await db.ask("How many customers?", thread="t")
            await db.ask("How many orders?", thread="t")
            await db.threads.roll_back("t")
            await db.ask("and by level?", thread="t")

    asyncio.run(scenario())
    assert [message.content for message in backend.requests[2].messages][1] == "How many customers?"


def test_a_checkpoint_holds_no_rows(shop: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.db"

    async def scenario() -> Answer:
        async with app(
            shop, scripted(["SELECT name FROM customers"]), memory=str(memory), values_wait=0
        ) as db:
            return await db.ask("Who?", thread="t", mode="database_direct")

    answer = asyncio.run(scenario())
    assert ("王芳",) in answer.rows
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(memory)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        leaking = {
            table
            for table in tables
            for row in database.execute(f"SELECT * FROM {table}")
            if "王芳".encode() in b"".join(v if isinstance(v, bytes) else str(v).encode() for v in row)
        }
    assert not {table for table in leaking if table in ("checkpoints", "writes")}, leaking


def test_a_result_can_be_paged_in_a_stable_order_and_counted(shop: Path) -> None:
    async def scenario() -> tuple[list[object], int]:
        async with app(shop, scripted(["SELECT name FROM customers"])) as db:
            answer = await db.ask("Which customers are there?")
            pages = [await db.results.page(answer.result_id, number=n, size=2) for n in (1, 2)]
            return [row for page in pages for row in page.rows], await db.results.count(answer.result_id)

    rows, count = asyncio.run(scenario())
    assert (sorted(rows), count) == ([("Ann",), ("Bo",), ("王芳",)], 3)  # type: ignore[type-var]


def test_a_result_of_another_user_is_not_there(shop: Path) -> None:
    async def scenario() -> None:
        async with app(shop, scripted([COUNT])) as db:
            answer = await db.ask("How many customers?", user="ann")
            await db.results.page(answer.result_id, number=1, size=5, user="bo")

    with pytest.raises(UsageError):
        asyncio.run(scenario())


def _echo(request: ModelRequest) -> str:
    """Repeats the number in the question, so that a mixed-up answer is noticed."""
    number = re.findall(r"order (\d+)", request.messages[-1].content)[-1]
    return f"SELECT {number} AS asked, '{number}' AS said"


@pytest.mark.slow
def test_a_hundred_threads_of_two_users_at_once_never_cross(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> list[tuple[str, str, Answer, Answer]]:
        backend = scripted([], last=_echo)
        async with app(shop, backend, memory=str(tmp_path / "memory.db")) as db:

            async def ask_as(user: str, number: int) -> tuple[str, str, Answer, Answer]:
                thread = f"t{number % 50}"
                first = await db.ask(f"What is order {number}{user}?", user=user, thread=thread)
                second = await db.ask(f"and those of order {number}{user}?", user=user, thread=thread)
                return user, thread, first, second

            return await asyncio.gather(*(ask_as(user, n) for user in ("1", "2") for n in range(50)))

    for user, thread, first, second in asyncio.run(scenario()):
        number = f"{thread[1:]}{user}"
        for answer in (first, second):
            assert (answer.status, answer.rows, answer.thread_id) == (
                "answered",
                ((int(number), number),),
                thread,
            )


def test_a_source_is_the_same_by_its_relative_and_its_absolute_path(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Verified queries and threads are shared between both paths."""
    monkeypatch.chdir(shop.parent)
    memory = str(tmp_path / "memory.db")

    async def scenario() -> tuple[set[str | None], int]:
        keys, known = set(), 0
        for path in (Path(shop.name), shop):
            async with app(path, scripted([COUNT]), memory=memory) as db:
                await db.ask("How many customers are there?", thread="t")
                await db.verified.add("How many customers are there?", COUNT)
                keys.add(await db.threads.source("t"))
                resources = await db.resources()
                known = len(
                    await resources.memory.recall(
                        resources.catalog_cache.key, "How many customers are there?"
                    )
                )
        return keys, known

    keys, known = asyncio.run(scenario())
    assert keys == {f"sqlite:{shop.resolve()}"}
    assert known == 1
