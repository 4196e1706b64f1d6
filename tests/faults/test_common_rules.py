"""The ten rules that apply to every fault (G1–G10), each tested from outside, through HTTP."""

import asyncio
import os
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.asking import make_shop, scripted
from server.serving import ASK, COUNT, NUMBERS, SLOW, events_of, listening, served, until
from server.test_streams import Hanging
from sql_cases import CASES, headed
from text2sql.errors import BadReply, ModelRefused, ModelTimeout, ModelUnavailable, RateLimited
from text2sql.sql import read_policy

ENDS = ("finished", "problem")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "shop.db")


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    return make_shop(tmp_path / "numbers.db", NUMBERS)


@pytest.mark.parametrize("at", ["model", "query"])
def test_g1_the_time_that_a_client_gives_ends_the_model_and_the_query(numbers: Path, at: str) -> None:
    async def run() -> tuple[float, dict[str, Any], int, int]:
        backend = Hanging() if at == "model" else scripted([], last=SLOW)
        async with served(numbers, backend, preset="hybrid") as server:
            database = (await server.here.sources.named(None).app.resources()).database
            await server.here.sources.named(None).app.catalog()
            began = time.monotonic()
            answer = await server.answer(seconds=0.5)
            return time.monotonic() - began, answer, database.busy, getattr(backend, "running", 0)

    seconds, answer, busy, calls = asyncio.run(run())
    assert seconds < 2.5
    assert (answer["status"], answer["error"]["kind"]) == ("failed", "timeout")
    assert (busy, calls) == (0, 0)


def test_g1_a_question_has_a_time_limit_by_default(numbers: Path) -> None:
    async def run() -> dict[str, Any]:
        async with served(numbers, scripted([], last=SLOW), preset="hybrid", question_time=0.5) as server:
            return await server.answer()

    answer = asyncio.run(run())
    assert answer["error"]["kind"] == "timeout"
    assert "TEXT2SQL_QUESTION_TIME" in answer["error"]["hint"]


@pytest.mark.parametrize(
    "line",
    [
        COUNT,
        "DROP TABLE customers",
        "SELECT nope FROM customers",
        "I will not.",
        ModelUnavailable("m", "gone"),
        ModelTimeout("m", "late"),
        RateLimited("m", "slow down", retry_after=60.0),
        BadReply("m", "empty"),
        ModelRefused("m", "no"),
        RuntimeError("a fault of ours"),
    ],
    ids=lambda line: type(line).__name__ if isinstance(line, Exception) else line[:8],
)
def test_g2_a_stream_has_one_end_whatever_happens(shop: Path, line: Any) -> None:
    async def run() -> str:
        async with served(shop, scripted([], last=line)) as server:
            return (await server.client.post("/api/v1/query", json=ASK)).text

    events = events_of(asyncio.run(run()))
    assert [event.name in ENDS for event in events] == [False] * (len(events) - 1) + [True]
    end = events[-1].data
    assert end["answer"]["status"] if events[-1].name == "finished" else end["kind"]


def test_g3_a_truncated_result_is_marked_in_every_front_end(numbers: Path) -> None:
    async def run() -> None:
        backend = scripted(["SELECT id FROM customers"])
        async with served(numbers, backend, row_limit=100, export_rows=200) as server:
            answer = await server.answer("list all customers")
            assert (answer["row_count"], answer["truncated"]) == (100, True)
            assert "100" in answer["answer"]
            path = f"/api/v1/results/{answer['result_id']}"
            exported = await server.client.get(f"{path}/export?format=csv")
            assert exported.headers["x-truncated"] == "rows"
            page = await server.get(path)
            assert (len(page["rows"]), page["total_count"], page["has_next"]) == (50, 3_000, True)

    asyncio.run(run())


def test_g5_g7_faults_of_every_kind_leave_nothing_and_the_loop_continues(shop: Path) -> None:
    """A mix of what goes wrong on a real port, while somebody asks ten times a second how it is."""
    lines = [
        COUNT,
        "DROP TABLE customers",
        "SELECT nope FROM customers",
        ModelRefused("m", "no"),
        "I will not.",
        COUNT,
        RuntimeError("a fault of ours"),
    ]

    async def run() -> tuple[Counter[int], list[float], tuple[int, int], tuple[int, int]]:
        lines_left = iter([*lines] * 10_000)
        backend = scripted([], last=lambda _: next(lines_left))
        async with listening(shop, backend, cache_lifetime=0.0) as server:
            codes, waits, over = Counter[int](), list[float](), False

            async def ask(number: int) -> None:
                path = "/api/v1/query/sync" if number % 2 else "/api/v1/query"
                if number % 10 == 9:  # goes away at once
                    with pytest.raises(httpx.TimeoutException):
                        await server.client.post(path, json=ASK, timeout=0.001)
                    return
                codes[(await server.client.post(path, json=ASK)).status_code] += 1

            async def look() -> None:
                async with httpx.AsyncClient(base_url=server.url, timeout=20) as other:
                    while not over:
                        began = time.monotonic()
                        assert (await other.get("/healthz")).status_code == 200
                        waits.append(time.monotonic() - began)
                        await asyncio.sleep(0.1)

            def idle() -> bool:
                return server.here.streams.running == server.here.admission.running == 0

            def left() -> tuple[int, int]:
                return len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd"))  # noqa: PTH208

            looking = asyncio.create_task(look())
            for first in range(0, 60, 10):
                await asyncio.gather(*(ask(number) for number in range(first, first + 10)))
                if first == 10:  # by now everything has been opened that stays open
                    await until(idle)
                    before = left()
            await until(idle)
            for _ in lines:  # one by one, so that each of them has its turn on the road with a status code
                await ask(1)
            await until(idle)
            over = True
            await looking
            return codes, waits, before, left()

    codes, waits, before, after = asyncio.run(run())
    assert set(codes) <= {200, 500}  # 500 is the fault of ours that was put there
    assert codes[200] > codes[500] > 0
    waits.sort()
    assert waits[len(waits) // 2] < 0.2  # the middle one: the machine has other work than ours
    assert after[0] <= before[0] + 1
    assert after[1] <= before[1] + 4  # a connection more or less that is kept, at both of its ends


def test_g10_every_refusal_is_an_answer_with_its_rule_and_nothing_runs(shop: Path) -> None:
    hostile = list(headed(CASES / "refused" / "sqlite.sql"))
    policy = read_policy((CASES.parent / "policy.json").read_text())

    async def run() -> list[tuple[int, str, str, int]]:
        messages = []
        async with served(shop, scripted([]), policy, body_limit=1_000_000) as server:
            for _, sql in hostile:
                response = await server.client.post("/api/v1/sql", json={"sql": sql})
                body = response.json()
                ran = body["receipt"]["statements"]
                messages.append((response.status_code, body["status"], body["error"]["kind"], ran))
        return messages

    assert asyncio.run(run()) == [(200, "refused", rule, 0) for rule, _ in hostile]
