"""Servers that share a Redis: cached answers and rate limits, isolation of users, and outages."""

import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis as Client

from faults.conftest import or_missing
from server.people import TOKENS, bearer, token, with_key
from server.serving import ASK, COUNT, Served, scripted, served
from server.test_users import NAMES, POLICY, ask_as
from servers import Redis, redis
from text2sql.llm import ScriptedBackend
from text2sql.memory import redis as module
from text2sql.server import sources


@pytest.fixture(scope="module")
def server() -> Iterator[Redis]:
    with or_missing(), redis() as server:
        yield server


@pytest.fixture
def redis_url(server: Redis) -> str:
    """Empty."""
    with Client.from_url(server.url) as client:
        client.flushall()
    return server.url


@pytest.fixture(autouse=True)
def _calm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may be busy: only who tests the patience has little of it."""
    monkeypatch.setattr(module, "_PATIENCE", 10.0)
    monkeypatch.setattr(module, "_PAUSE", 0.1)
    monkeypatch.setattr(sources, "_FRESH", 0.0)


@asynccontextmanager
async def two_servers(
    shop: Path, first: ScriptedBackend, second: ScriptedBackend, **settings: Any
) -> AsyncIterator[tuple[Served, Served]]:
    """As on two machines, with one memory."""
    shared = {"memory": str(shop.with_name("m.db")), **settings}
    async with served(shop, first, **shared) as server, served(shop, second, **shared) as other_server:
        yield server, other_server


def cached_entries(url: str, kind: str = "answer") -> dict[bytes, Any]:
    with Client.from_url(url) as client:
        return {name: client.get(name) for name in client.keys(f"text2sql:1:{kind}:*")}


def put(url: str, value: Any) -> None:
    """In the place of the one answer there is."""
    (name,) = cached_entries(url)
    with Client.from_url(url) as client:
        client.delete(name)
        client.rpush(name, *value) if isinstance(value, list) else client.set(name, value)


# -- answers ---------------------------------------------------------------------------------------


def test_two_servers_share_an_answer_and_a_follow_up_uses_it(shop: Path, redis_url: str) -> None:
    first, second = scripted([NAMES, NAMES]), scripted(["SELECT level FROM customers"])

    async def scenario() -> None:
        async with two_servers(shop, first, second, cache=redis_url) as (server, other_server):
            answer = await server.answer("who are they?")
            again = await other_server.answer(" who  are they？")
            assert second.requests == []
            assert again["receipt"].pop("served").endswith("+00:00")
            assert answer["receipt"].pop("served") == ""
            assert again.pop("thread_id") != answer.pop("thread_id")
            assert again == answer
            thread = (await other_server.answer("who are they?"))["thread_id"]
            await other_server.answer("and by level?", thread_id=thread)
            turns = (await server.get(f"/api/v1/threads/{thread}"))["turns"]
            assert [turn["question"] for turn in turns] == ["who are they?", "and by level?"]
            # What one asks afresh, the other gives from then on.
            fresh = await server.answer("who are they?", fresh=True)
            assert (await other_server.answer("who are they?"))["result_id"] == fresh["result_id"]

    asyncio.run(scenario())


def test_a_deleted_thread_other_settings_and_another_database_are_not_shared(
    shop: Path, redis_url: str
) -> None:
    async def scenario() -> list[bool]:
        backend = scripted([], last=COUNT)
        async with two_servers(shop, backend, backend, cache=redis_url) as (server, other_server):
            first = await server.answer()
            await other_server.client.delete(f"/api/v1/threads/{first['thread_id']}")
            after = [await other_server.answer()]
            settings: dict[str, Any] = {"memory": str(shop.with_name("m.db")), "cache": redis_url}
            async with served(shop, backend, **settings, row_limit=10) as third:
                after.append(await third.answer())
            copy = shop.with_name("copy.db")  # the same schema, so the same key: its rows are another's
            copy.write_bytes(shop.read_bytes())
            async with served({"shop": str(copy)}, backend, **settings) as fourth:
                after.append(await fourth.answer())
            return [bool(answer["receipt"]["served"]) for answer in after]

    assert asyncio.run(scenario()) == [False, False, False]


@pytest.mark.fault("A06")
def test_users_with_different_policies_share_no_cached_answer(shop: Path, redis_url: str) -> None:
    settings = {**TOKENS, "policies": {"shop": POLICY}, "cache": redis_url}

    def north(user: str, level: str) -> dict[str, str]:
        return bearer(token(user, roles=["north"], level=level))

    async def scenario() -> None:
        async with two_servers(shop, scripted([], last=NAMES), scripted([], last=NAMES), **settings) as (
            server,
            other_server,
        ):
            gold = await ask_as(server, north("ann", "gold"), "who?")
            again = await ask_as(other_server, north("ann", "gold"), "who?")
            assert (again["rows"], bool(again["receipt"]["served"])) == (gold["rows"], True)
            # Another person of the same role and claims, the same person with other claims, and both.
            for user, level in (("bob", "gold"), ("ann", "silver"), ("bob", "silver")):
                seen = await ask_as(other_server, north(user, level), "who?")
                assert seen["receipt"]["served"] == ""
                assert (seen["rows"] == gold["rows"]) is (level == "gold")
            assert len(cached_entries(redis_url)) == 4

    asyncio.run(scenario())


@pytest.mark.fault("A06")
def test_a_forged_cache_entry_shows_no_data_of_other_users(shop: Path, redis_url: str) -> None:
    """An attacker with write access to Redis puts ann's threads into bob's cache entries."""
    settings = {**TOKENS, "policies": {"shop": POLICY}, "cache": redis_url}

    async def scenario() -> None:
        async with two_servers(shop, scripted([], last=NAMES), scripted([], last=NAMES), **settings) as (
            server,
            other_server,
        ):
            ann, bob = (
                bearer(token(user, roles=["north"], level=level))
                for user, level in (("ann", "gold"), ("bob", "silver"))
            )
            hers = await ask_as(server, ann, "who?")
            old = bearer(token("ann", roles=["north"], level="silver"))
            with Client.from_url(redis_url) as client:
                client.flushall()
            mine = await ask_as(server, bob, "who?")
            put(redis_url, json.dumps([hers["thread_id"], time.time()]))
            seen = await ask_as(other_server, bob, "who?")
            assert (seen["receipt"]["served"], seen["rows"]) == ("", mine["rows"])
            assert seen["rows"] != hers["rows"]
            # Her own, of when she could see other rows, or of another question.
            for who, question in ((old, "who?"), (ann, "who else?")):
                with Client.from_url(redis_url) as client:
                    client.flushall()
                await ask_as(server, who, question)
                put(redis_url, json.dumps([hers["thread_id"], time.time()]))
                seen = await ask_as(other_server, who, question)
                assert (seen["receipt"]["served"], seen["question"]) == ("", question)
            assert seen["rows"] == hers["rows"]

    asyncio.run(scenario())


POISON: list[Any] = [
    b"\xff\xfe",
    b"",
    b"null",
    b"{}",
    b"[1, 2]",
    b'["x", 1]',
    b"[" * 390,
    b"x" * 1_000_000,
    b"\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    f'["{"0" * 32}", NaN]'.encode(),
    f'["{"0" * 32}", 1e308]'.encode(),
    f'["{"0" * 32}", "1"]'.encode(),
    json.dumps(["0" * 32, time.time()]).encode(),
    json.dumps(["../" * 10, time.time()]).encode(),
    ["a list"],
]


def test_an_invalid_cache_entry_is_ignored_and_replaced(shop: Path, redis_url: str) -> None:
    async def scenario() -> None:
        async with two_servers(shop, scripted([], last=COUNT), scripted([], last=COUNT), cache=redis_url) as (
            server,
            other_server,
        ):
            await server.answer()
            for value in POISON:
                put(redis_url, value)
                after = [await other_server.answer(), await server.answer()]
                seen = [(answer["rows"], bool(answer["receipt"]["served"])) for answer in after]
                assert seen == [([[3]], False), ([[3]], True)], value

    asyncio.run(scenario())


def test_a_cache_entry_contains_no_user_data_and_expires(shop: Path, redis_url: str) -> None:
    async def scenario() -> None:
        settings = {"auth": "keys", "cache": redis_url, "cache_lifetime": 200.0}
        async with two_servers(shop, scripted([NAMES]), scripted([]), **settings) as (server, _):
            ann = await with_key(server, "ann")
            answer = await ask_as(server, ann, "which customer is called Alice?")
            ((name, value),) = cached_entries(redis_url).items()
            assert name.removeprefix(b"text2sql:1:answer:").isalnum()
            assert json.loads(value)[0] == answer["thread_id"]
            assert len(value) < 100
            with Client.from_url(redis_url) as client:
                assert 190 < client.ttl(name) <= 200
            everything = b"".join(
                [
                    *cached_entries(redis_url),
                    *cached_entries(redis_url).values(),
                    *cached_entries(redis_url, "pace"),
                ]
            )
            words = ["Alice", "ann", "SELECT", *(str(row[0]) for row in answer["rows"])]
            assert [word for word in words if word.encode() in everything] == []

    asyncio.run(scenario())


# -- counts ----------------------------------------------------------------------------------------


def test_requests_a_minute_are_counted_by_all_servers_together(shop: Path, redis_url: str) -> None:
    async def scenario() -> list[int]:
        settings = {"auth": "keys", "cache": redis_url, "user_requests_per_minute": 4}
        async with two_servers(shop, scripted([]), scripted([]), **settings) as (server, other_server):
            ann, bob = [await with_key(server, name) for name in ("ann", "bob")]
            walk = [(server, ann), (other_server, ann)] * 3 + [(other_server, bob)]
            return [(await at.client.get("/api/v1/threads", headers=who)).status_code for at, who in walk]

    assert asyncio.run(scenario()) == [200] * 4 + [429] * 2 + [200]


# -- faults ----------------------------------------------------------------------------------------


@pytest.mark.fault("G8")
def test_questions_are_answered_while_redis_is_down_and_readyz_reports_it(shop: Path) -> None:
    async def scenario(own: Redis) -> list[Any]:
        settings = {"auth": "keys", "cache": own.url, "user_requests_per_minute": 50}
        async with two_servers(shop, scripted([], last=COUNT), scripted([], last=COUNT), **settings) as (
            server,
            other_server,
        ):
            ann = await with_key(server, "ann")

            async def state() -> tuple[Any, ...]:
                ready = await other_server.client.get("/readyz")
                await ask_as(server, ann, ASK["question"])
                answer = await ask_as(other_server, ann, ASK["question"])
                return ready.status_code, ready.json(), answer["rows"], bool(answer["receipt"]["served"])

            seen = [await state()]
            await asyncio.to_thread(own.stop, signal.SIGKILL)
            seen.append(await state())
            await asyncio.to_thread(own.restart)
            async with asyncio.timeout(20):
                while not all([(await at.get("/readyz"))["cache"] for at in (server, other_server)]):
                    await asyncio.sleep(0.05)
            return [*seen, await state()]

    with or_missing(), redis() as own:
        well = {"status": "ready", "sources": {}, "cache": True}
        assert asyncio.run(scenario(own)) == [
            (200, well, [[3]], True),
            (200, {**well, "cache": False}, [[3]], False),
            (200, well, [[3]], True),
        ]


@pytest.mark.parametrize(
    "options", [{"maxmemory": "1"}, {"replicaof": "127.0.0.1 1"}], ids=["full", "read-only"]
)
@pytest.mark.fault("G8")
def test_a_full_or_read_only_redis_fails_no_question(shop: Path, options: dict[str, str]) -> None:
    async def scenario(url: str) -> list[Any]:
        async with served(shop, scripted([COUNT] * 2), cache=url) as server:
            ready = await server.client.get("/readyz")
            answers = [await server.answer(), await server.answer()]
            return [ready.status_code, ready.json()["cache"], *(answer["rows"] for answer in answers)]

    with or_missing(), redis(options) as own:
        assert asyncio.run(scenario(own.url)) == [200, False, [[3]], [[3]]]


def test_a_redis_that_hangs_does_not_cost_every_request(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(own: Redis) -> list[float]:
        async with served(shop, scripted([], last=COUNT), cache=own.url) as server:
            await server.answer()
            monkeypatch.setattr(module, "_PATIENCE", 0.5)
            monkeypatch.setattr(module, "_PAUSE", 60.0)
            os.kill(own.pid, signal.SIGSTOP)
            seconds = []
            for _ in range(4):
                began = time.monotonic()
                assert (await server.answer())["rows"] == [[3]]
                seconds.append(time.monotonic() - began)
            return seconds

    with or_missing(), redis() as own:
        first, *others = asyncio.run(scenario(own))
    assert first > 0.5
    assert min(others) < 0.4


def test_without_a_redis_readiness_does_not_speak_of_it(shop: Path) -> None:
    async def scenario() -> Any:
        async with served(shop, scripted([])) as server:
            return await server.get("/readyz")

    assert asyncio.run(scenario()) == {"status": "ready", "sources": {"shop": True}}
