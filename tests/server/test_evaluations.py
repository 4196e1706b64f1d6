"""Evaluations over HTTP: start, progress, result, resumption and permissions."""

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
from text2sql.evaluation.judge import LIMITS
from text2sql.server import jobs
from text2sql.types import CheckedSql, ModelProfile, QueryResult

HOSTED = ModelProfile(
    context=128_000, structured_output=True
)  # of which several questions are asked at a time
SET: list[dict[str, Any]] = [
    {"question": "How many customers are there?", "sql": COUNT},
    {"question": "How many customers are there, in rows?", "rows": 3, "difficulty": "easy"},
    {"question": "How many customers are there, and wrongly?", "rows": [{"n": 4}], "id": 9},
]


async def begin(server: Served, who: dict[str, str] | None = None, **fields: Any) -> str:
    body = {"questions": SET, **fields}
    response = await server.client.post("/api/v1/evaluations", json=body, headers=who)
    assert response.status_code == 202, response.text
    evaluation_id: str = response.json()["evaluation_id"]
    return f"/api/v1/evaluations/{evaluation_id}"


async def ended(server: Served, path: str, who: dict[str, str] | None = None) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            body: dict[str, Any] = (await server.client.get(path, headers=who)).json()
            if body["status"] != "running":
                return body
            await asyncio.sleep(0.02)


async def records(server: Served, path: str, who: dict[str, str] | None = None) -> dict[str, Any]:
    result = (await server.client.get(f"{path}/result", headers=who)).json()
    return {record["id"]: record for record in result["records"]}


def test_an_evaluation_is_started_polled_and_fetched(shop: Path) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([], last=COUNT)) as server:
            path = await begin(server, name="mine")
            state = await ended(server, path)
            assert (state["status"], state["done"], state["total"]) == ("done", 3, 3)
            assert (state["right"], state["judged"], state["accuracy"]) == (2, 3, 0.6667)
            assert state["formats"] == ["json", "md", "html"]
            assert state["summary"]["right"]["value"] == 0.6667
            result = await server.get(f"{path}/result")
            assert (result["questions_file"], result["right"]["count"]) == ("mine", 2)
            verdicts = {record["id"]: record["verdict"] for record in result["records"]}
            assert verdicts == {"1": "right", "2": "right", "9": "wrong"}
            text = await server.client.get(f"{path}/result", params={"format": "md"})
            assert text.text.startswith("# Evaluation: mine\n")
            page = await server.client.get(f"{path}/result", params={"format": "html"})
            assert "<h2>Not right: 1</h2>" in page.text
            assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
            metrics = set((await server.client.get("/metrics")).text.splitlines())
            assert (await server.client.delete(path)).status_code == 204
            await server.get(path, 404)
            await server.get(f"/api/v1/reports/{path.rpartition('/')[2]}", 404)
        assert {
            "text2sql_evaluations_total 1.0",
            'text2sql_evaluation_questions_total{verdict="right"} 2.0',
            'text2sql_evaluation_questions_total{verdict="wrong"} 1.0',
            'text2sql_stage_seconds_count{stage="evaluation"} 3.0',
            "text2sql_model_calls_total 3.0",
        } <= metrics

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("fields", "status"),
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
def test_an_invalid_question_set_is_rejected_immediately(
    fields: dict[str, Any], status: int, shop: Path
) -> None:
    async def scenario() -> None:
        async with served(shop, scripted([])) as server:
            response = await server.client.post("/api/v1/evaluations", json={"questions": SET, **fields})
            assert response.status_code == status, response.text

    asyncio.run(scenario())


def test_a_sample_of_a_set_is_the_same_for_the_same_seed(shop: Path) -> None:
    async def scenario() -> list[set[str]]:
        async with served(shop, scripted([], last=COUNT)) as server:
            chosen = []
            for seed in (0, 0, 1):
                path = await begin(server, limit=1, seed=seed)
                assert (await ended(server, path))["total"] == 1
                chosen.append(set(await records(server, path)))
            return chosen

    first, second, third = asyncio.run(scenario())
    assert first == second != third


def test_an_evaluation_is_resumed_by_another_process_and_asks_nothing_twice(memory: str, shop: Path) -> None:
    questions = [
        {"question": f"How many customers are there, counted {at} times?", "rows": [3]} for at in range(6)
    ]

    async def stop_half_way() -> tuple[str, list[str]]:
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
        async with served(shop, backend, memory=memory) as server:
            path = await begin(server, questions=questions)
            async with asyncio.timeout(30):
                while (state := await server.get(path))["done"] < 2:
                    await asyncio.sleep(0.02)
            assert (state["status"], state["total"], state["accuracy"]) == ("running", 6, 1.0)
            await server.get(f"{path}/result", 409)
            jobs = (await server.here.server_store.memory()).jobs
            parts = await jobs.parts(path.rpartition("/")[2], "question")
            return path, [json.loads(item)["question"] for item in parts.values()]

    async def resume(path: str) -> tuple[dict[str, Any], list[str]]:
        backend = scripted([], last=COUNT, can=HOSTED)
        async with served(shop, backend, memory=memory) as server:
            state = await ended(server, path)
            assert len(await records(server, path)) == 6
            return state, [request.messages[-1].content for request in backend.requests]

    path, before = asyncio.run(stop_half_way())
    state, after = asyncio.run(resume(path))
    assert (state["status"], state["done"], state["right"]) == ("done", 6, 6)
    assert (len(before), len(after)) == (2, 4)
    assert not any(item in prompt for item in before for prompt in after)


def test_a_temporarily_unavailable_database_does_not_end_an_evaluation(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_RETRY_SECONDS", 0.05)
    run, away = AsyncDatabase.run, ["once"]

    async def sometimes(database: AsyncDatabase, query: CheckedSql, limits: Any = None) -> QueryResult:
        if limits is LIMITS and away:
            raise ConnectionFailed(away.pop())
        return await run(database, query, limits)

    monkeypatch.setattr(AsyncDatabase, "run", sometimes)

    async def scenario() -> tuple[dict[str, Any], int]:
        backend = scripted([], last=COUNT)
        async with served(shop, backend) as server:
            state = await ended(server, await begin(server))
            return state, len(backend.requests)

    state, calls = asyncio.run(scenario())
    assert (state["status"], state["done"], state["right"], calls) == ("done", 3, 2, 4)


def test_a_stopped_evaluation_asks_nothing_more(memory: str, shop: Path) -> None:
    async def scenario() -> None:
        backend = scripted([], last=COUNT)

        async def forever(_: Any) -> Any:
            await asyncio.sleep(60)
            yield ""

        backend.stream = forever  # type: ignore[method-assign,assignment]
        async with served(shop, backend, memory=memory) as server:
            path = await begin(server)
            await until(lambda: bool(server.here.jobs.claimed), 30)
            assert (await server.client.delete(path)).status_code == 204
            await until(lambda: not server.here.jobs.claimed, 30)
            await server.get(path, 404)

    asyncio.run(scenario())


def test_a_write_in_a_reference_query_is_refused_and_audited(shop: Path, tmp_path: Path) -> None:
    wrong = "DELETE FROM customers"
    hidden = "WITH gone AS (DELETE FROM customers RETURNING *) SELECT count(*) FROM gone"
    questions = [
        {"question": f"How many customers, {at}?", "sql": sql} for at, sql in enumerate((wrong, hidden))
    ]

    async def scenario() -> tuple[dict[str, Any], list[tuple[str, str]]]:
        async with served(shop, scripted([], last=COUNT), **keyed(tmp_path)) as server:
            ann = await with_key(server, "ann")
            path = await begin(server, ann, questions=questions)
            state = await ended(server, path, ann)
            assert (state["status"], state["done"], state["judged"], state["accuracy"]) == (
                "done",
                2,
                0,
                None,
            )
            audit = await (await server.here.server_store.memory()).audit.read()
            items = [(item.sql, item.status) for item in audit if item.asked.startswith("expected: ")]
            return await records(server, path, ann), items

    records_by_id, items = asyncio.run(scenario())
    assert {item["verdict"] for item in records_by_id.values()} == {"unjudged"}
    assert all(item["failure"][0].startswith("guard:") for item in records_by_id.values())
    assert sorted(items) == [(wrong, "refused"), (hidden, "refused")]
    with closing(sqlite3.connect(shop)) as now:
        assert now.execute("SELECT count(*) FROM customers").fetchone() == (3,)


def test_reference_queries_run_under_the_policies_of_the_user(shop: Path, tmp_path: Path) -> None:
    questions = [
        {"question": "How many customers are there?", "rows": [1]},
        {"question": "How many customers are there, by SQL?", "sql": COUNT},
        {"question": "How many customers are there in all?", "sql": "SELECT 3"},
        {"question": "Which orders are there?", "sql": "SELECT count(*) FROM orders"},
    ]

    async def scenario() -> list[tuple[str, tuple[str, ...]]]:
        settings = keyed(tmp_path, policies={"shop": POLICY})
        async with served(shop, scripted([], last=COUNT), **settings) as server:
            ann = await with_key(server, "ann", "north", level="gold")
            path = await begin(server, ann, questions=questions)
            assert (await ended(server, path, ann))["status"] == "done"
            records_by_id = await records(server, path, ann)
            return [(records_by_id[at]["verdict"], tuple(records_by_id[at]["failure"])) for at in "1234"]

    first, second, third, fourth = asyncio.run(scenario())
    assert (first, second, third[0]) == (("right", ()), ("right", ()), "wrong")
    assert fourth == ("unjudged", ("guard:table",))


def test_an_evaluation_belongs_to_its_user_and_ends_with_the_users_key(shop: Path, tmp_path: Path) -> None:
    async def scenario() -> dict[str, Any]:
        backend = scripted([], last=COUNT)
        async with served(shop, backend, **keyed(tmp_path)) as server:
            ann, bob = [await with_key(server, name) for name in ("ann", "bob")]
            keys, says = (await server.here.server_store.memory()).keys, backend.stream

            async def revoking(request: Any) -> Any:
                await keys.revoke("ann")
                async for piece in says(request):
                    yield piece

            path = await begin(server, ann)
            for address in (path, f"{path}/result"):
                assert (await server.client.get(address, headers=bob)).status_code == 404
            assert (await server.client.delete(path, headers=bob)).status_code == 404
            assert (await ended(server, path, ann))["done"] == 3
            backend.stream = revoking  # type: ignore[method-assign]
            path = await begin(server, ann)
            await until(lambda: not server.here.jobs.claimed, 30)
            memory = await server.here.server_store.memory()
            async with asyncio.timeout(30):
                while (work := await memory.jobs.find(path.rpartition("/")[2])) and work.state == "running":
                    await asyncio.sleep(0.02)
            assert work is not None
            scenario: dict[str, Any] = json.loads(work.output)
            return scenario

    assert asyncio.run(scenario())["problem"]["kind"] == "usage.not_welcome"
