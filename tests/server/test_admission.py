"""Concurrency limits, the bounded queue, fairness between users, and rejections."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from server.people import TOKENS, bearer, token
from server.serving import COUNT, Served, events_of, scripted, served, settings_of, until
from text2sql.errors import UsageError
from text2sql.server.admission import Admission, UserRateLimit


def admission_with(**values: Any) -> Admission:
    return Admission(settings_of(**values))


class SlotHolders:
    """Holds slots until they are released; `order` lists users in the order of admission."""

    def __init__(self, gate: Admission) -> None:
        self.gate = gate
        self.order: list[str] = []
        self.refused: list[str] = []
        self._ends: list[asyncio.Event] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def begin(self, user: str, source: str = "shop", seconds: float | None = None) -> None:
        self.tasks.append(asyncio.create_task(self._hold_slot(user, source, seconds)))
        await asyncio.sleep(0)

    async def _hold_slot(self, user: str, source: str, seconds: float | None) -> None:
        try:
            async with self.gate.slot(user, source, seconds):
                self.order.append(user)
                end = asyncio.Event()
                self._ends.append(end)
                await end.wait()
        except UsageError as error:
            self.refused.append(error.message_key)

    async def end_first(self) -> None:
        self._ends.pop(0).set()
        for _ in range(4):
            await asyncio.sleep(0)

    async def end_all(self) -> None:
        while self._ends:
            await self.end_first()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        assert (self.gate.running, self.gate.waiting) == (0, 0)
        assert (self.gate._users, self.gate._sources, self.gate._queues) == ({}, {}, {})


def working(work: Any, **values: Any) -> None:
    async def scenario() -> None:
        holders = SlotHolders(admission_with(**values))
        await work(holders)
        await holders.end_all()

    asyncio.run(scenario())


def test_users_take_turns_however_much_one_of_them_asks() -> None:
    async def work(holders: SlotHolders) -> None:
        for user in [*["noisy"] * 6, "ann", "bob"]:
            await holders.begin(user)
        for _ in range(7):
            await holders.end_first()
        assert holders.order == ["noisy", "noisy", "ann", "bob", "noisy", "noisy", "noisy", "noisy"]

    working(work, work_limit=1)


def test_limits_of_a_user_and_of_a_source_do_not_block_others() -> None:
    async def work(holders: SlotHolders) -> None:
        for user, source in (("ann", "a"), ("ann", "a"), ("ann", "b"), ("bob", "a"), ("bob", "b")):
            await holders.begin(user, source)
        # ann may do two things and a may do two things: ann's third waits, bob's a waits, his b does not.
        assert holders.order == ["ann", "ann", "bob"]
        assert (holders.gate.running, holders.gate.waiting) == (3, 2)
        await holders.end_first()
        assert holders.order == ["ann", "ann", "bob", "ann", "bob"]

    working(work, user_work_limit=2, source_work_limit=2)


def test_anonymous_users_have_no_limit_per_user() -> None:
    async def work(holders: SlotHolders) -> None:
        for _ in range(10):
            await holders.begin("")
        assert holders.order == [""] * 10

    working(work, user_work_limit=1, user_queue_limit=1)


@pytest.mark.fault("C04")
def test_a_full_queue_rejects_with_the_limit_that_was_exceeded() -> None:
    async def work(holders: SlotHolders) -> None:
        for user in ("ann", "ann", "ann", "ann", "bob", "eve"):
            await holders.begin(user)
        assert (holders.refused, holders.gate.waiting) == (["usage.too_many", "usage.busy"], 3)

    working(work, work_limit=1, queue_limit=3, user_queue_limit=2)


@pytest.mark.parametrize(("most", "own"), [(0.05, None), (60.0, 0.05)])
def test_waiting_ends_after_the_timeout_or_the_clients_deadline(most: float, own: float | None) -> None:
    async def work(holders: SlotHolders) -> None:
        await holders.begin("ann")
        await holders.begin("bob", seconds=own)
        async with asyncio.timeout(30):
            await holders.tasks[1]
        assert holders.refused == ["usage.busy"]

    working(work, work_limit=1, queue_wait=most)


def test_a_cancelled_waiter_is_removed_from_the_queue() -> None:
    async def work(holders: SlotHolders) -> None:
        for user in ("ann", "bob", "eve", "joe"):
            await holders.begin(user)
        holders.tasks[1].cancel()  # waits
        holders.tasks[0].cancel()  # works
        await asyncio.sleep(0)
        holders.tasks[2].cancel()  # was let in at this very moment
        for _ in range(6):
            await asyncio.sleep(0)
        assert (holders.order, holders.gate.running) == (["ann", "joe"], 1) or holders.order == [
            "ann",
            "eve",
            "joe",
        ]

    working(work, work_limit=1)


def test_the_rate_limit_is_enforced_and_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("text2sql.server.admission.time.monotonic", lambda: now[0])
    pace = UserRateLimit(60)
    assert [pace.take_local("ann") for _ in range(60)] == [0.0] * 60
    assert pace.take_local("ann") == pytest.approx(1.0)
    assert pace.take_local("bob") == 0.0
    now[0] += 0.5
    assert pace.take_local("ann") == pytest.approx(0.5)
    now[0] += 0.6
    assert pace.take_local("ann") == 0.0
    assert asyncio.run(UserRateLimit(0).take("ann")) == asyncio.run(pace.take("")) == 0.0


# -- the server -----------------------------------------------------------------------------------


class BlockingModel:
    """A model that answers once released; `calls` are the questions that reached it."""

    def __init__(self, free: bool = False) -> None:
        self.backend = scripted([], last=COUNT)
        self.calls: list[str] = []
        self.go = asyncio.Event()
        if free:
            self.go.set()
        stream = self.backend.stream

        async def blocking_stream(request: Any) -> Any:
            self.calls.append(request.messages[-1].content)
            await self.go.wait()
            async for piece in stream(request):
                yield piece

        self.backend.stream = blocking_stream  # type: ignore[method-assign]


@asynccontextmanager
async def serving(
    shop: Path, free: bool = False, **values: Any
) -> AsyncIterator[tuple[Served, BlockingModel]]:
    model = BlockingModel(free)
    patient = {
        "queue_wait": 600.0,
        "cache_lifetime": 0.0,
    }  # the machine may be busy, the test is not about that
    async with served(shop, model.backend, **{**patient, **values}) as server:
        yield server, model


async def question(server: Served, number: int, who: dict[str, str] | None = None, **more: Any) -> Any:
    body = {"question": f"how many customers are there? {number}", **more}
    return await server.client.post("/api/v1/query/sync", json=body, headers=who)


def state(server: Served) -> tuple[int, int]:
    return server.here.admission.running, server.here.admission.waiting


def test_a_full_server_is_503_with_retry_after(shop: Path) -> None:
    async def scenario() -> None:
        async with serving(shop, work_limit=1, queue_limit=1) as (server, model):
            running = [asyncio.create_task(question(server, n)) for n in range(2)]
            await until(lambda: state(server) == (1, 1), 30)
            body = {"question": "and me?"}
            for path in ("/api/v1/query/sync", "/api/v1/query"):
                result = await server.client.post(path, json=body)
                assert (result.status_code, result.json()["kind"]) == (503, "usage.busy")
                assert int(result.headers["retry-after"]) == result.json()["retry_after"] == 2
            numbers = (await server.client.get("/metrics")).text
            assert 'text2sql_work{state="running"} 1.0' in numbers
            assert 'text2sql_work{state="waiting"} 1.0' in numbers
            model.go.set()
            assert {(await item).status_code for item in running} == {200}

    asyncio.run(scenario())


@pytest.mark.fault("G1")
def test_the_time_that_a_client_gives_includes_the_waiting(shop: Path) -> None:
    async def scenario() -> tuple[float, Any, Any]:
        async with serving(shop, work_limit=1) as (server, model):
            first = asyncio.create_task(question(server, 0))
            await until(lambda: state(server) == (1, 0), 30)
            began = time.monotonic()
            result = await question(server, 1, seconds=0.1)
            waited = time.monotonic() - began
            streamed = await server.client.post("/api/v1/query", json={"question": "x", "seconds": 0.05})
            model.go.set()
            await first
            return waited, result, events_of(streamed.text)

    waited, result, events = asyncio.run(scenario())
    assert (result.status_code, result.json()["kind"]) == (503, "usage.busy")
    assert waited >= 0.1
    assert [events[-1].name, events[-1].data["kind"]] == ["problem", "usage.busy"]


@pytest.mark.fault("C05")
def test_the_limit_of_a_user_is_429_with_retry_after(shop: Path) -> None:
    async def scenario() -> None:
        values: dict[str, Any] = {"user_work_limit": 1, "user_queue_limit": 1, **TOKENS}
        async with serving(shop, **values) as (server, model):
            ann, bob = bearer(token("ann")), bearer(token("bob"))
            running = [asyncio.create_task(question(server, n, ann)) for n in range(2)]
            await until(lambda: state(server) == (1, 1), 30)
            third = await question(server, 3, ann)
            assert (third.status_code, third.json()["kind"]) == (429, "usage.too_many")
            assert third.headers["retry-after"] == "2"
            running.append(asyncio.create_task(question(server, 4, bob)))
            await until(lambda: state(server) == (2, 1), 30)
            model.go.set()
            assert [(await item).status_code for item in running] == [200] * 3

    asyncio.run(scenario())


def test_too_many_requests_a_minute_are_429_before_the_body_is_read(shop: Path) -> None:
    async def scenario() -> list[Any]:
        async with served(shop, scripted([]), user_requests_per_minute=2, **TOKENS) as server:
            ann = bearer(token("ann"))
            responses = [await server.client.get("/api/v1/models", headers=ann) for _ in range(3)]
            assert (await server.client.get("/api/v1/models", headers=bearer(token("bob")))).is_success
            return responses

    first, second, third = asyncio.run(scenario())
    assert (first.status_code, second.status_code, third.status_code) == (200, 200, 429)
    assert third.json()["kind"] == "usage.too_fast"
    assert 1 <= int(third.headers["retry-after"]) <= 30


def test_a_stopping_server_rejects_new_questions_with_retry_after(shop: Path) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([COUNT])) as server:
            server.here.admission.closed = True
            for path in ("/api/v1/query", "/api/v1/query/sync"):
                result = await server.client.post(path, json={"question": "x"})
                assert (result.status_code, result.json()["kind"]) == (503, "usage.stopping")
                assert result.headers["retry-after"]
            assert (await server.client.get("/readyz")).status_code == 503

    asyncio.run(scenario())


@pytest.mark.fault("C05")
def test_one_noisy_user_does_not_hold_up_five_quiet_ones(shop: Path) -> None:
    """Measured in requests of the noisy user instead of seconds, which would depend on the machine."""

    async def scenario() -> tuple[list[int], Counter[int]]:
        values: dict[str, Any] = {"work_limit": 3, "user_work_limit": 2, "user_queue_limit": 10, **TOKENS}
        async with serving(shop, free=True, user_requests_per_minute=0, **values) as (server, _):
            noisy, codes, between = bearer(token("noisy")), Counter[int](), list[int]()

            async def flood(number: int) -> None:
                while True:
                    result = await question(server, number, noisy)
                    codes[result.status_code] += 1
                    await asyncio.sleep(0.05 if result.status_code == 429 else 0)

            async def quiet(number: int) -> None:
                before = codes[200]
                result = await question(server, 1_000 + number, bearer(token(f"quiet{number}")))
                assert result.status_code == 200, result.text
                between.append(codes[200] - before)

            flooding = [asyncio.create_task(flood(n)) for n in range(20)]
            await until(lambda: codes[429] > 5, 60)
            await asyncio.gather(*(quiet(n) for n in range(5)))
            for item in flooding:
                item.cancel()
            await asyncio.gather(*flooding, return_exceptions=True)
            return between, codes

    between, codes = asyncio.run(scenario())
    assert set(codes) <= {200, 429}
    # Ten of the noisy one's wait all the time; turns let a few of them in before the last of the quiet ones.
    assert max(between) <= 10, between


@pytest.mark.fault("C04")
def test_a_crowd_gets_nothing_but_answers_and_come_again(shop: Path) -> None:
    async def scenario() -> Counter[int]:
        async with serving(shop, free=True, work_limit=5, queue_limit=10) as (server, _):
            codes = await asyncio.gather(*(question(server, n) for n in range(60)))
            await until(lambda: state(server) == (0, 0))
            return Counter(code.status_code for code in codes)

    codes = asyncio.run(scenario())
    assert codes[200] >= 15
    assert set(codes) <= {200, 503}
