"""Jobs that survive their process: one holder at a time, saved parts, one outcome."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from memory.helpers import within
from text2sql.config import Settings
from text2sql.memory import JobLost, Memory, job_owner, jobs


def test_work_has_one_holder_and_what_was_kept_of_it_is_there_for_the_next(settings: Settings) -> None:
    async def run(memory: Memory) -> None:
        ours = memory.works
        assert [await ours.add("w", "ann", "what"), await ours.add("w", "ann", "again")] == [True, False]
        async with ours.held("w") as first, ours.held("w") as second:
            assert first is not None
            assert second is None
            await first.keep("question", "a", "1")
            await first.keep("question", "a", "2")
            await first.keep("file", "md", "x")
            await first.tell("half")
        assert (await ours.find("w", "ann")) == await ours.find("w")
        async with ours.held("w") as next_one:
            assert next_one is not None
            assert await ours.parts("w", "question") == {"a": "2"}
            assert await ours.part("w", "file", "md") == "x"
            await next_one.end("done", "all")
        found = await ours.find("w")
        assert found is not None
        assert (found.asked, found.state, found.told, found.tries) == ("what", "done", "all", 2)
        async with ours.held("w") as over:
            assert over is None

    within(settings, run)


def test_anothers_work_is_none(settings: Settings) -> None:
    async def run(memory: Memory) -> list[object]:
        await memory.works.add("w", "ann", "what")
        await memory.works.add("s", "/line", "a schedule's")
        return [
            await memory.works.find("w", "bob"),
            await memory.works.find("s", job_owner("")),
            await memory.works.find("x\0", "ann"),
            await memory.works.left("ann"),
            await memory.works.left("bob"),
            await memory.works.left(),
        ]

    assert within(settings, run) == [None, None, None, ["w"], [], ["w", "s"]]


def test_a_holder_that_was_thought_dead_can_neither_keep_nor_end_anything(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run(memory: Memory) -> None:
        await memory.works.add("w", "ann", "what")
        async with AsyncExitStack() as stack:
            with monkeypatch.context() as short:
                short.setattr(jobs, "HELD_SECONDS", -1.0)
                slow = await stack.enter_async_context(memory.works.held("w"))
            quick = await stack.enter_async_context(memory.works.held("w"))
            assert slow is not None
            assert quick is not None
            for attempt in (slow.keep("file", "md", "old"), slow.end("done", "old"), slow.tell("old")):
                with pytest.raises(JobLost):
                    await attempt
            await quick.keep("file", "md", "new")
            await quick.end("done", "new")
        found = await memory.works.find("w")
        assert found is not None
        assert (found.told, await memory.works.part("w", "file", "md")) == ("new", "new")

    within(settings, run)


def test_what_is_dropped_stops_whoever_is_at_it(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_RENEW_SECONDS", 0.01)

    async def run(memory: Memory) -> None:
        async def doing() -> None:
            async with memory.works.held("w"):
                await memory.works.drop("w")
                await asyncio.sleep(10)

        await memory.works.add("w", "ann", "what")
        with pytest.raises(JobLost):
            await doing()
        current = asyncio.current_task()
        assert current is not None
        assert not current.cancelling()

    within(settings, run)


def test_old_work_is_forgotten_and_only_the_last_are_kept(settings: Settings) -> None:
    async def run(memory: Memory) -> list[str]:
        for name in "abcd":
            await memory.works.add(name, "ann", "what")
            async with memory.works.held(name) as held:
                assert held is not None
                await held.keep("file", "md", name)
                if name != "b":
                    await held.end("done", "")
        await memory.works.trim("ann", 1)
        kept = [name for name in "abcd" if await memory.works.find(name)]
        assert [await memory.works.part(name, "file", "md") for name in "ad"] == [None, "d"]
        await memory.works.sweep(time.time())
        assert [name for name in "abcd" if await memory.works.find(name)] == []
        return kept

    assert within(settings, run) == ["b", "d"]  # what has not ended is no concern of trimming


def test_a_pace_is_counted_for_all_who_share_the_memory(shared: Settings) -> None:
    async def run(memory: Memory) -> list[bool]:
        return [await memory.paces.take("ann", 6) for _ in range(4)]

    assert within(shared, run) == [True] * 4
    assert within(shared, run) == [True, True, False, False]
    assert within(shared, lambda memory: memory.paces.take("bob", 6))


def test_a_pace_fills_up_again_by_itself_and_not_beyond_its_limit(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000_000.0]
    monkeypatch.setattr("text2sql.memory.rate_limit.time.time", lambda: clock[0])

    async def run(memory: Memory) -> list[list[bool]]:
        seen = []
        for later in (0.0, 10.0, 0.0, 600.0):
            clock[0] += later
            seen.append([await memory.paces.take("ann", 6) for _ in range(8)])
        return seen

    full, single = [True] * 6 + [False] * 2, [True] + [False] * 7
    assert within(settings, run) == [full, single, [False] * 8, full]
