"""Evaluations over HTTP: begun, watched, fetched; gone on with elsewhere; with what their person may see."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from server.people import with_key
from server.serving import COUNT, Served, scripted, served, until
from server.test_users import POLICY, keyed
from text2sql.database import AsyncDatabase
from text2sql.errors import ConnectionFailed
from text2sql.evaluation.marking import LIMITS
from text2sql.server import works
from text2sql.types import Capabilities, CheckedSql, QueryResult

HOSTED = Capabilities(context=128_000, schema=True)  # of which several questions are asked at a time
SET: list[dict[str, Any]] = [
    {"question": "How many customers are there?", "sql": COUNT},
    {"question": "How many customers are there, in rows?", "rows": 3, "difficulty": "easy"},
    {"question": "How many customers are there, and wrongly?", "rows": [{"n": 4}], "id": 9},
]


async def begun(here: Served, who: dict[str, str] | None = None, **asked: Any) -> str:
    body = {"questions": SET, **asked}
    response = await here.client.post("/api/v1/evaluations", json=body, headers=who)
    assert response.status_code == 202, response.text
    place: str = response.json()["evaluation_id"]
    return f"/api/v1/evaluations/{place}"


async def ended(here: Served, place: str, who: dict[str, str] | None = None) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            told: dict[str, Any] = (await here.client.get(place, headers=who)).json()
            if told["status"] != "running":
                return told
            await asyncio.sleep(0.02)


async def records(here: Served, place: str, who: dict[str, str] | None = None) -> dict[str, Any]:
    result = (await here.client.get(f"{place}/result", headers=who)).json()
    return {one["id"]: one for one in result["records"]}


def test_an_evaluation_is_begun_watched_and_fetched(shop: Path) -> None:
    async def told() -> None:
        async with served(shop, scripted([], last=COUNT)) as here:
            place = await begun(here, name="mine")
            state = await ended(here, place)
            assert (state["status"], state["done"], state["total"]) == ("done", 3, 3)
            assert (state["right"], state["judged"], state["accuracy"]) == (2, 3, 0.6667)
            assert state["formats"] == ["json", "md", "html"]
            assert state["summary"]["right"]["value"] == 0.6667
            whole = await here.get(f"{place}/result")
            assert (whole["questions_file"], whole["right"]["count"]) == ("mine", 2)
            verdicts = {one["id"]: one["verdict"] for one in whole["records"]}
            assert verdicts == {"1": "right", "2": "right", "9": "wrong"}
            text = await here.client.get(f"{place}/result", params={"format": "md"})
            assert text.text.startswith("# Evaluation: mine\n")
            page = await here.client.get(f"{place}/result", params={"format": "html"})
            assert "<h2>Not right: 1</h2>" in page.text
            assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
            metrics = set((await here.client.get("/metrics")).text.splitlines())
            assert (await here.client.delete(place)).status_code == 204
            await here.get(place, 404)
            await here.get(f"/api/v1/reports/{place.rpartition('/')[2]}", 404)
        assert {
            "text2sql_evaluations_total 1.0",
            'text2sql_evaluation_questions_total{verdict="right"} 2.0',
            'text2sql_evaluation_questions_total{verdict="wrong"} 1.0',
            'text2sql_stage_seconds_count{stage="evaluation"} 3.0',
            "text2sql_model_calls_total 3.0",
        } <= metrics

    asyncio.run(told())


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"questions": []}, 422),
        ({"questions": [{"question": "neither SQL nor rows"}]}, 422),
        ({"questions": [{"question": "a", "rows": [1], "id": "x"}] * 2}, 422),
        ({"questions": [{"question": "a", "rows": [1], "unknown": 1}]}, 422),
        ({"source": "nobody"}, 404),
        ({"model": "openai:another"}, 422),
        ({"limit": 0}, 422),
    ],
)
def test_what_is_wrong_with_a_set_is_told_at_once(asked: dict[str, Any], status: int, shop: Path) -> None:
    async def told() -> None:
        async with served(shop, scripted([])) as here:
            response = await here.client.post("/api/v1/evaluations", json={"questions": SET, **asked})
            assert response.status_code == status, response.text

    asyncio.run(told())


def test_a_sample_of_a_set_is_the_same_for_the_same_seed(shop: Path) -> None:
    async def told() -> list[set[str]]:
        async with served(shop, scripted([], last=COUNT)) as here:
            chosen = []
            for seed in (0, 0, 1):
                place = await begun(here, limit=1, seed=seed)
                assert (await ended(here, place))["total"] == 1
                chosen.append(set(await records(here, place)))
            return chosen

    one, again, another = asyncio.run(told())
    assert one == again != another


def test_an_evaluation_goes_on_in_another_process_and_asks_nothing_twice(memory: str, shop: Path) -> None:
    questions = [
        {"question": f"How many customers are there, counted {at} times?", "rows": [3]} for at in range(6)
    ]

    async def stopped_half_way() -> tuple[str, list[str]]:
        backend = scripted([], last=COUNT, can=HOSTED)
        says, calls = backend.stream, 0

        async def two_only(request: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > 2:
                await asyncio.sleep(60)
            async for piece in says(request):
                yield piece

        backend.stream = two_only  # type: ignore[method-assign]
        async with served(shop, backend, memory=memory) as here:
            place = await begun(here, questions=questions)
            async with asyncio.timeout(30):
                while (state := await here.get(place))["done"] < 2:
                    await asyncio.sleep(0.02)
            assert (state["status"], state["total"], state["accuracy"]) == ("running", 6, 1.0)
            await here.get(f"{place}/result", 409)
            works = (await here.here.ledger.memory()).works
            kept = await works.parts(place.rpartition("/")[2], "question")
            return place, [json.loads(one)["question"] for one in kept.values()]

    async def gone_on_with(place: str) -> tuple[dict[str, Any], list[str]]:
        backend = scripted([], last=COUNT, can=HOSTED)
        async with served(shop, backend, memory=memory) as here:
            state = await ended(here, place)
            assert len(await records(here, place)) == 6
            return state, [request.messages[-1].content for request in backend.requests]

    place, before = asyncio.run(stopped_half_way())
    state, after = asyncio.run(gone_on_with(place))
    assert (state["status"], state["done"], state["right"]) == ("done", 6, 6)
    assert (len(before), len(after)) == (2, 4)
    assert not any(one in said for one in before for said in after)


def test_a_database_that_is_away_for_a_moment_does_not_end_an_evaluation(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(works, "_AGAIN", 0.05)
    run, away = AsyncDatabase.run, ["once"]

    async def sometimes(database: AsyncDatabase, query: CheckedSql, limits: Any = None) -> QueryResult:
        if limits is LIMITS and away:
            raise ConnectionFailed(away.pop())
        return await run(database, query, limits)

    monkeypatch.setattr(AsyncDatabase, "run", sometimes)

    async def told() -> tuple[dict[str, Any], int]:
        backend = scripted([], last=COUNT)
        async with served(shop, backend) as here:
            state = await ended(here, await begun(here))
            return state, len(backend.requests)

    state, calls = asyncio.run(told())
    assert (state["status"], state["done"], state["right"], calls) == ("done", 3, 2, 4)


def test_a_stopped_evaluation_asks_nothing_more(memory: str, shop: Path) -> None:
    async def told() -> None:
        backend = scripted([], last=COUNT)

        async def forever(_: Any) -> Any:
            await asyncio.sleep(60)
            yield ""

        backend.stream = forever  # type: ignore[method-assign,assignment]
        async with served(shop, backend, memory=memory) as here:
            place = await begun(here)
            await until(lambda: bool(here.here.works.held), 30)
            assert (await here.client.delete(place)).status_code == 204
            await until(lambda: not here.here.works.held, 30)
            await here.get(place, 404)

    asyncio.run(told())


def test_a_write_in_an_expected_query_is_refused_and_on_record(shop: Path, tmp_path: Path) -> None:
    wrong = "DELETE FROM customers"
    hidden = "WITH gone AS (DELETE FROM customers RETURNING *) SELECT count(*) FROM gone"
    questions = [
        {"question": f"How many customers, {at}?", "sql": sql} for at, sql in enumerate((wrong, hidden))
    ]

    async def told() -> tuple[dict[str, Any], list[tuple[str, str]]]:
        async with served(shop, scripted([], last=COUNT), **keyed(tmp_path)) as here:
            ann = await with_key(here, "ann")
            place = await begun(here, ann, questions=questions)
            state = await ended(here, place, ann)
            assert (state["status"], state["done"], state["judged"], state["accuracy"]) == (
                "done",
                2,
                0,
                None,
            )
            audit = await (await here.here.ledger.memory()).audit.read()
            said = [(one.sql, one.status) for one in audit if one.asked.startswith("expected: ")]
            return await records(here, place, ann), said

    found, said = asyncio.run(told())
    assert {one["verdict"] for one in found.values()} == {"unjudged"}
    assert all(one["failure"][0].startswith("guard:") for one in found.values())
    assert sorted(said) == [(wrong, "refused"), (hidden, "refused")]
    with closing(sqlite3.connect(shop)) as now:
        assert now.execute("SELECT count(*) FROM customers").fetchone() == (3,)


def test_expected_queries_see_the_rows_and_columns_of_their_person(shop: Path, tmp_path: Path) -> None:
    questions = [
        {"question": "How many customers are there?", "rows": [1]},
        {"question": "How many customers are there, by SQL?", "sql": COUNT},
        {"question": "How many customers are there in all?", "sql": "SELECT 3"},
        {"question": "Which orders are there?", "sql": "SELECT count(*) FROM orders"},
    ]

    async def told() -> list[tuple[str, tuple[str, ...]]]:
        given = keyed(tmp_path, policies={"shop": POLICY})
        async with served(shop, scripted([], last=COUNT), **given) as here:
            ann = await with_key(here, "ann", "north", level="gold")
            place = await begun(here, ann, questions=questions)
            assert (await ended(here, place, ann))["status"] == "done"
            found = await records(here, place, ann)
            return [(found[at]["verdict"], tuple(found[at]["failure"])) for at in "1234"]

    first, second, third, fourth = asyncio.run(told())
    assert (first, second, third[0]) == (("right", ()), ("right", ()), "wrong")
    assert fourth == ("unjudged", ("guard:table",))


def test_an_evaluation_is_its_persons_and_ends_with_their_key(shop: Path, tmp_path: Path) -> None:
    async def told() -> dict[str, Any]:
        backend = scripted([], last=COUNT)
        async with served(shop, backend, **keyed(tmp_path)) as here:
            ann, bob = [await with_key(here, name) for name in ("ann", "bob")]
            keys, says = (await here.here.ledger.memory()).keys, backend.stream

            async def revoking(request: Any) -> Any:
                await keys.revoke("ann")
                async for piece in says(request):
                    yield piece

            place = await begun(here, ann)
            for path in (place, f"{place}/result"):
                assert (await here.client.get(path, headers=bob)).status_code == 404
            assert (await here.client.delete(place, headers=bob)).status_code == 404
            assert (await ended(here, place, ann))["done"] == 3
            backend.stream = revoking  # type: ignore[method-assign]
            place = await begun(here, ann)
            await until(lambda: not here.here.works.held, 30)
            memory = await here.here.ledger.memory()
            async with asyncio.timeout(30):
                while (work := await memory.works.find(place.rpartition("/")[2])) and work.state == "running":
                    await asyncio.sleep(0.02)
            assert work is not None
            told: dict[str, Any] = json.loads(work.told)
            return told

    assert asyncio.run(told())["problem"]["kind"] == "usage.not_welcome"
