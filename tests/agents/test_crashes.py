"""A process that is killed during a question: the thread resumes where it was, and a confirmed write happens
at most once.
"""

import asyncio
import signal
from multiprocessing import get_context
from pathlib import Path

import pytest

from agents.asking import app, rows_of, scripted
from agents.killed_process import die
from text2sql.memory import scoped
from text2sql.types import Answer

STAGES = ("classifier", "schema", "generator", "validator", "executor", "interpreter")
COUNT = "SELECT count(*) AS customers FROM customers"
INSERT = "INSERT INTO cities (name, country) VALUES ('Rome', 'Italy')"  # a second run would show

forked = get_context("forkserver")
forked.set_forkserver_preload(["text2sql.agents", "text2sql.memory.sqlite"])


def killed(*facts: object) -> None:
    process = forked.Process(target=die, args=facts)
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.fault("P03", "G9")
def test_a_thread_that_was_killed_at_a_stage_resumes_and_answers(
    shop: Path, tmp_path: Path, stage: str
) -> None:
    memory = str(tmp_path / "memory.db")
    killed(shop, memory, stage, "How many customers are there?", [COUNT], False)

    async def resumed() -> Answer:
        async with app(shop, scripted([COUNT]), memory=memory) as db:
            return await db.threads.resume("t")

    answer = asyncio.run(resumed())
    assert (answer.status, answer.rows) == ("answered", ((3,),))
    assert answer.receipt.path == STAGES, "no stage is in the path twice"


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["confirmation", "executor", "interpreter"])
@pytest.mark.fault("P03")
def test_a_confirmed_write_that_was_killed_happens_once(shop: Path, tmp_path: Path, stage: str) -> None:
    memory = str(tmp_path / "memory.db")
    killed(shop, memory, stage, "Add the city Rome in Italy", [INSERT], True)

    async def resumed() -> Answer:
        async with app(shop, scripted([]), memory=memory) as db:
            return await db.threads.confirm("t") if stage == "confirmation" else await db.threads.resume("t")

    answers = [asyncio.run(resumed()) for _ in range(2)]
    (cities,) = rows_of(shop, "SELECT count(*) FROM cities")[0]
    if stage == "executor" and answers[0].status == "failed":
        # killed between the claim and its settlement: its outcome is unknown, and it is not run again
        assert answers[0].error is not None
        assert answers[0].error.kind == "write_unknown"
        assert cities in (3, 4)
    else:
        assert [answer.status for answer in answers] == ["answered", "answered"]
        assert cities == 4


def test_a_write_that_may_have_happened_is_not_run_again(shop: Path, tmp_path: Path) -> None:
    """Killed between the claim and the commit: the outcome is unknown, and the answer says so."""
    memory = str(tmp_path / "memory.db")

    async def scenario() -> Answer:
        async with app(shop, scripted([INSERT]), memory=memory) as db:
            await db.ask("Add the city Rome in Italy", thread="t", allow_writes=True)
            memory_held = (await db.resources()).memory
            saved = await memory_held.checkpointer.aget({"configurable": {"thread_id": scoped("", "t")}})
            assert saved is not None
            await memory_held.claim(saved["channel_values"]["pending_write"]["key"])
            return await db.threads.confirm("t")

    answer = asyncio.run(scenario())
    assert (answer.status, answer.error.kind if answer.error else "") == ("failed", "write_unknown")
    assert rows_of(shop, "SELECT count(*) FROM cities") == [(3,)]
