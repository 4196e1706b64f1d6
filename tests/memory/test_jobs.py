"""Jobs that survive their process: one holder at a time, saved parts, one outcome."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from memory.helpers import within
from text2sql.config import Settings
from text2sql.memory import JobLost, Memory, job_owner, jobs


def test_a_job_has_one_holder_and_the_next_one_finds_its_saved_parts(settings: Settings) -> None:
    async def run(memory: Memory) -> None:
        ours = memory.jobs
        assert [await ours.add("w", "ann", "what"), await ours.add("w", "ann", "again")] == [True, False]
        async with ours.claim("w") as first, ours.claim("w") as second:
            assert first is not None
            assert second is None
            await first.save_part("question", "a", "1")
            await first.save_part("question", "a", "2")
            await first.save_part("file", "md", "x")
            await first.report("half")
        assert (await ours.find("w", "ann")) == await ours.find("w")
        async with ours.claim("w") as next_claim:
            assert next_claim is not None
            assert await ours.parts("w", "question") == {"a": "2"}
            assert await ours.part("w", "file", "md") == "x"
            await next_claim.end("done", "all")
        job = await ours.find("w")
        assert job is not None
        assert (job.payload, job.state, job.output, job.tries) == ("what", "done", "all", 2)
        async with ours.claim("w") as over:
            assert over is None

    within(settings, run)


def test_another_owners_job_is_none(settings: Settings) -> None:
    async def run(memory: Memory) -> list[object]:
        await memory.jobs.add("w", "ann", "what")
        await memory.jobs.add("s", "/line", "a schedule's")
        return [
            await memory.jobs.find("w", "bob"),
            await memory.jobs.find("s", job_owner("")),
            await memory.jobs.find("x\0", "ann"),
            await memory.jobs.unfinished("ann"),
            await memory.jobs.unfinished("bob"),
            await memory.jobs.unfinished(),
        ]

    assert within(settings, run) == [None, None, None, ["w"], [], ["w", "s"]]


def test_a_holder_that_lost_its_claim_can_neither_save_nor_end_anything(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(memory: Memory) -> None:
        await memory.jobs.add("w", "ann", "what")
        async with AsyncExitStack() as stack:
            with monkeypatch.context() as short:
                short.setattr(jobs, "CLAIM_SECONDS", -1.0)
                slow = await stack.enter_async_context(memory.jobs.claim("w"))
            quick = await stack.enter_async_context(memory.jobs.claim("w"))
            assert slow is not None
            assert quick is not None
            for attempt in (slow.save_part("file", "md", "old"), slow.end("done", "old"), slow.report("old")):
                with pytest.raises(JobLost):
                    await attempt
            await quick.save_part("file", "md", "new")
            await quick.end("done", "new")
        job = await memory.jobs.find("w")
        assert job is not None
        assert (job.output, await memory.jobs.part("w", "file", "md")) == ("new", "new")

    within(settings, run)


def test_deleting_a_job_stops_its_holder(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_RENEW_SECONDS", 0.01)

    async def run(memory: Memory) -> None:
        async def doing() -> None:
            async with memory.jobs.claim("w"):
                await memory.jobs.delete("w")
                await asyncio.sleep(10)

        await memory.jobs.add("w", "ann", "what")
        with pytest.raises(JobLost):
            await doing()
        current = asyncio.current_task()
        assert current is not None
        assert not current.cancelling()

    within(settings, run)


def test_old_jobs_are_deleted_and_only_the_last_are_kept(settings: Settings) -> None:
    async def run(memory: Memory) -> list[str]:
        for name in "abcd":
            await memory.jobs.add(name, "ann", "what")
            async with memory.jobs.claim(name) as claimed:
                assert claimed is not None
                await claimed.save_part("file", "md", name)
                if name != "b":
                    await claimed.end("done", "")
        await memory.jobs.trim("ann", 1)
        remaining = [name for name in "abcd" if await memory.jobs.find(name)]
        assert [await memory.jobs.part(name, "file", "md") for name in "ad"] == [None, "d"]
        await memory.jobs.sweep(time.time())
        assert [name for name in "abcd" if await memory.jobs.find(name)] == []
        return remaining

    assert within(settings, run) == ["b", "d"]  # what has not ended is no concern of trimming


def test_a_pace_is_counted_for_all_who_share_the_memory(shared: Settings) -> None:
    async def run(memory: Memory) -> list[bool]:
        return [await memory.rate_limits.take("ann", 6) for _ in range(4)]

    assert within(shared, run) == [True] * 4
    assert within(shared, run) == [True, True, False, False]
    assert within(shared, lambda memory: memory.rate_limits.take("bob", 6))


def test_a_pace_fills_up_again_by_itself_and_not_beyond_its_limit(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000_000.0]
    monkeypatch.setattr("text2sql.memory.rate_limit.time.time", lambda: clock[0])

    async def run(memory: Memory) -> list[list[bool]]:
        seen = []
        for later in (0.0, 10.0, 0.0, 600.0):
            clock[0] += later
            seen.append([await memory.rate_limits.take("ann", 6) for _ in range(8)])
        return seen

    full, single = [True] * 6 + [False] * 2, [True] + [False] * 7
    assert within(settings, run) == [full, single, [False] * 8, full]
