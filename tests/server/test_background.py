"""Report jobs that survive the process that runs them, in SQLite and on a PostgreSQL queue."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from server.serving import COUNT, Served, due, make_shop, scripted, served, until
from text2sql.memory import job_owner
from text2sql.reports.cron import read_cron
from text2sql.reports.schedule import job_of
from text2sql.server.jobs import JobRunner
from text2sql.server.reports import _Journal

# Each run returns another result, so a repeated run would be noticed.
DIFFERENT = "SELECT abs(random() % 1000000000) AS n"
QUESTIONS = [f"How many customers are there, counted {number} times?" for number in range(4)]
TEMPLATE = "\n\n".join(f"{{{{ {question} | value }}}}" for question in QUESTIONS)


async def ended(server: Served, report_id: str, seconds: float = 30.0) -> dict[str, Any]:
    async with asyncio.timeout(seconds):
        while True:
            result: dict[str, Any] = await server.get(f"/api/v1/reports/{report_id}")
            if result["status"] != "running":
                return result
            await asyncio.sleep(0.05)


async def stored_questions(server: Served, report_id: str) -> set[str]:
    """The values stored so far, as a report shows them."""
    works = (await server.here.server_store.memory()).jobs
    body = [json.loads(part) for part in (await works.parts(report_id, "question")).values()]
    return {f"{item['answer']['rows'][0][0]:,}" for item in body if item["answer"]}


def test_a_report_is_resumed_by_another_process_and_runs_nothing_twice(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_shop(tmp_path / "shop.db")

    async def stop_half_way() -> tuple[str, set[str]]:
        save, runs = _Journal.save, 0

        async def two_only(journal: Any, step: Any, outcome: Any) -> None:
            nonlocal runs
            runs += step.stage == "run"
            if runs > 2:
                await asyncio.sleep(60)
            await save(journal, step, outcome)

        with monkeypatch.context() as halting:
            halting.setattr(_Journal, "save", two_only)
            async with served(shop, scripted([], last=DIFFERENT), memory=memory) as server:
                response = await server.client.post("/api/v1/reports", json={"template": TEMPLATE})
                name = response.json()["report_id"]
                async with asyncio.timeout(30):
                    while len(await stored_questions(server, name)) < 2:
                        await asyncio.sleep(0.05)
                output = await server.get(f"/api/v1/reports/{name}")
                assert (output["status"], output["stage"], output["total"]) == ("running", "run", 4)
                return name, await stored_questions(server, name)

    async def resume(name: str) -> tuple[dict[str, Any], str, int]:
        backend = scripted([], last=DIFFERENT)
        async with served(shop, backend, memory=memory) as server:
            output = await ended(server, name)
            result = await server.client.get(f"/api/v1/reports/{name}/result")
            return output, result.text, len(backend.requests)

    name, stored = asyncio.run(stop_half_way())
    assert len(stored) == 2
    output, text, calls = asyncio.run(resume(name))
    assert (output["status"], output["record"]["filled"], output["record"]["resumed"]) == ("done", 4, 4)
    assert stored < set(text.split("\n\n"))
    assert calls == 0  # the queries of the others had been written, too


def test_a_scheduled_report_runs_once_with_several_servers(memory: str, tmp_path: Path) -> None:
    shop, template = make_shop(tmp_path / "shop.db"), tmp_path / "weekly.md"
    template.write_text(TEMPLATE)
    job = job_of(template, str(tmp_path / "w-{date}.md"), every=read_cron("0 8 * * 1"))

    async def scenario() -> int:
        backend = scripted([], last=DIFFERENT)
        first, second = (served(shop, backend, memory=memory, schedule=[job]) for _ in range(2))
        async with first as server, second as other_server:
            both: list[JobRunner] = [server.here.jobs, other_server.here.jobs]
            await asyncio.gather(
                *(due(each.here.reports, datetime(2026, 11, 16, 8)) for each in (server, other_server))
            )
            await until((tmp_path / "w-2026-11-16.md").exists, 30)
            await asyncio.gather(
                *(due(each.here.reports, datetime(2026, 11, 16, 8)) for each in (server, other_server))
            )
            await asyncio.sleep(0.3)
            await until(lambda: not any(each.claimed for each in both), 30)
            return len(backend.requests)

    assert asyncio.run(scenario()) == len(QUESTIONS)


def test_a_report_is_read_and_stopped_in_another_process(memory: str, tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")

    async def scenario() -> None:
        hanging = scripted([], last=DIFFERENT)

        async def forever(_: Any) -> Any:
            await asyncio.sleep(60)
            yield ""

        hanging.stream = forever  # type: ignore[method-assign,assignment]
        async with (
            served(shop, hanging, memory=memory) as server,
            served(shop, hanging, memory=memory, background=False) as other_server,
        ):
            response = await other_server.client.post("/api/v1/reports", json={"template": TEMPLATE})
            path = f"/api/v1/reports/{response.json()['report_id']}"
            worker = server if memory.startswith("postgresql") else other_server
            await until(lambda: bool(worker.here.jobs.claimed), 30)
            other = other_server if worker is server else server
            assert (await other.get(path))["status"] == "running"
            assert (await other.client.delete(path)).status_code == 204
            await worker.get(path, 404)
            await until(lambda: not worker.here.jobs.claimed, 30)

    asyncio.run(scenario())


def test_a_report_stored_before_job_types_existed_is_resumed(memory: str, shop: Path) -> None:
    who: dict[str, Any] = {"user": "", "roles": [], "claims": {}, "sources": None, "key": ""}
    request = {"template": "Customers: {{ How many customers are there? }}", "date": "2026-11-16"}

    async def scenario() -> str:
        async with served(shop, scripted([COUNT]), memory=memory) as server:
            works, name = (await server.here.server_store.memory()).jobs, "0" * 32
            body = {"request": request, "who": who, "language": "en"}
            await works.add(name, job_owner(""), json.dumps(body))
            await server.here.jobs.enqueue(name, "report")
            assert (await ended(server, name))["status"] == "done"
            return (await server.client.get(f"/api/v1/reports/{name}/result")).text

    assert asyncio.run(scenario()) == "Customers: 3"


def test_a_report_that_crashes_its_processes_is_given_up(tmp_path: Path) -> None:
    memory = str(tmp_path / "memory.db")

    async def scenario() -> dict[str, Any]:
        async with served(make_shop(tmp_path / "shop.db"), scripted([]), memory=memory) as server:
            works = (await server.here.server_store.memory()).jobs
            body = {"template": TEMPLATE}
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(server.here.jobs, "enqueue", lambda *_: asyncio.sleep(0))
                name = (await server.client.post("/api/v1/reports", json=body)).json()["report_id"]
            for _ in range(10):
                async with works.claim(name):
                    pass
            assert await server.here.jobs.run(name)
            stored: dict[str, Any] = await server.get(f"/api/v1/reports/{name}")
            return stored

    stored = asyncio.run(scenario())
    assert (stored["status"], stored["problem"]["kind"]) == ("failed", "usage.report_given_up")
