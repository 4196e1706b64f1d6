"""Reports that outlive the process that makes them, in a file and on a PostgreSQL's queue."""

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from server.serving import COUNT, Served, due, make_shop, scripted, served, until
from text2sql.memory import owned_by
from text2sql.reports.cron import read_cron
from text2sql.reports.schedule import job_of
from text2sql.server.reports import _Journal
from text2sql.server.works import Works

# No two runs of it give the same: what was run twice would be seen.
DIFFERENT = "SELECT abs(random() % 1000000000) AS n"
QUESTIONS = [f"How many customers are there, counted {number} times?" for number in range(4)]
TEMPLATE = "\n\n".join(f"{{{{ {one} | value }}}}" for one in QUESTIONS)


async def ended(here: Served, report_id: str, seconds: float = 30.0) -> dict[str, Any]:
    async with asyncio.timeout(seconds):
        while True:
            told: dict[str, Any] = await here.get(f"/api/v1/reports/{report_id}")
            if told["status"] != "running":
                return told
            await asyncio.sleep(0.05)


async def kept(here: Served, report_id: str) -> set[str]:
    """The values that were found so far, as a report shows them."""
    works = (await here.here.ledger.memory()).works
    held = [json.loads(one) for one in (await works.parts(report_id, "question")).values()]
    return {f"{one['answer']['rows'][0][0]:,}" for one in held if one["answer"]}


def test_a_report_goes_on_in_another_process_and_runs_nothing_twice(
    memory: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = make_shop(tmp_path / "shop.db")

    async def stopped_half_way() -> tuple[str, set[str]]:
        keep, runs = _Journal.keep, 0

        async def two_only(journal: Any, step: Any, outcome: Any) -> None:
            nonlocal runs
            runs += step.stage == "run"
            if runs > 2:
                await asyncio.sleep(60)
            await keep(journal, step, outcome)

        with monkeypatch.context() as halting:
            halting.setattr(_Journal, "keep", two_only)
            async with served(shop, scripted([], last=DIFFERENT), memory=memory) as here:
                response = await here.client.post("/api/v1/reports", json={"template": TEMPLATE})
                name = response.json()["report_id"]
                async with asyncio.timeout(30):
                    while len(await kept(here, name)) < 2:
                        await asyncio.sleep(0.05)
                told = await here.get(f"/api/v1/reports/{name}")
                assert (told["status"], told["stage"], told["total"]) == ("running", "run", 4)
                return name, await kept(here, name)

    async def gone_on_with(name: str) -> tuple[dict[str, Any], str, int]:
        backend = scripted([], last=DIFFERENT)
        async with served(shop, backend, memory=memory) as here:
            told = await ended(here, name)
            result = await here.client.get(f"/api/v1/reports/{name}/result")
            return told, result.text, len(backend.requests)

    name, found = asyncio.run(stopped_half_way())
    assert len(found) == 2
    told, text, calls = asyncio.run(gone_on_with(name))
    assert (told["status"], told["record"]["filled"], told["record"]["resumed"]) == ("done", 4, 4)
    assert found < set(text.split("\n\n"))
    assert calls == 0  # the queries of the others had been written, too


def test_a_report_is_due_once_however_many_servers_say_so(memory: str, tmp_path: Path) -> None:
    shop, template = make_shop(tmp_path / "shop.db"), tmp_path / "weekly.md"
    template.write_text(TEMPLATE)
    job = job_of(template, str(tmp_path / "w-{date}.md"), every=read_cron("0 8 * * 1"))

    async def told() -> int:
        backend = scripted([], last=DIFFERENT)
        one, two = (served(shop, backend, memory=memory, schedule=[job]) for _ in range(2))
        async with one as here, two as there:
            both: list[Works] = [here.here.works, there.here.works]
            await asyncio.gather(
                *(due(each.here.reports, datetime(2026, 11, 16, 8)) for each in (here, there))
            )
            await until((tmp_path / "w-2026-11-16.md").exists, 30)
            await asyncio.gather(
                *(due(each.here.reports, datetime(2026, 11, 16, 8)) for each in (here, there))
            )
            await asyncio.sleep(0.3)
            await until(lambda: not any(each.held for each in both), 30)
            return len(backend.requests)

    assert asyncio.run(told()) == len(QUESTIONS)


def test_a_report_is_read_and_stopped_in_another_process(memory: str, tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")

    async def told() -> None:
        hanging = scripted([], last=DIFFERENT)

        async def forever(_: Any) -> Any:
            await asyncio.sleep(60)
            yield ""

        hanging.stream = forever  # type: ignore[method-assign,assignment]
        async with (
            served(shop, hanging, memory=memory) as here,
            served(shop, hanging, memory=memory, background=False) as there,
        ):
            response = await there.client.post("/api/v1/reports", json={"template": TEMPLATE})
            place = f"/api/v1/reports/{response.json()['report_id']}"
            maker = here if memory.startswith("postgresql") else there
            await until(lambda: bool(maker.here.works.held), 30)
            other = there if maker is here else here
            assert (await other.get(place))["status"] == "running"
            assert (await other.client.delete(place)).status_code == 204
            await maker.get(place, 404)
            await until(lambda: not maker.here.works.held, 30)

    asyncio.run(told())


def test_a_report_from_before_there_were_kinds_is_gone_on_with(memory: str, shop: Path) -> None:
    who: dict[str, Any] = {"user": "", "roles": [], "claims": {}, "sources": None, "key": ""}
    request = {"template": "Customers: {{ How many customers are there? }}", "date": "2026-11-16"}

    async def told() -> str:
        async with served(shop, scripted([COUNT]), memory=memory) as here:
            works, name = (await here.here.ledger.memory()).works, "0" * 32
            asked = {"request": request, "who": who, "language": "en"}
            await works.add(name, owned_by(""), json.dumps(asked))
            await here.here.works.begin(name, "report")
            assert (await ended(here, name))["status"] == "done"
            return (await here.client.get(f"/api/v1/reports/{name}/result")).text

    assert asyncio.run(told()) == "Customers: 3"


def test_a_report_that_ends_every_process_is_given_up(tmp_path: Path) -> None:
    memory = str(tmp_path / "memory.db")

    async def told() -> dict[str, Any]:
        async with served(make_shop(tmp_path / "shop.db"), scripted([]), memory=memory) as here:
            works = (await here.here.ledger.memory()).works
            asked = {"template": TEMPLATE}
            with pytest.MonkeyPatch.context() as nobody:
                nobody.setattr(here.here.works, "begin", lambda *_: asyncio.sleep(0))
                name = (await here.client.post("/api/v1/reports", json=asked)).json()["report_id"]
            for _ in range(10):
                async with works.held(name):
                    pass
            assert await here.here.works.do(name)
            found: dict[str, Any] = await here.get(f"/api/v1/reports/{name}")
            return found

    found = asyncio.run(told())
    assert (found["status"], found["problem"]["kind"]) == ("failed", "usage.report_given_up")
