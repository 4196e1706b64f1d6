"""Reports over HTTP: start, progress, result, reuse of the lock, and scheduled reports."""

import asyncio
from base64 import b64encode
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from reports.test_docx import docx, opened
from server.serving import COUNT, Served, due, make_shop, scripted, served, until
from text2sql.reports.cron import read_cron
from text2sql.reports.schedule import job_of

TEMPLATE = "Customers: {{ How many customers are there? }}"


async def make_report(server: Served, **fields: Any) -> dict[str, Any]:
    response = await server.client.post("/api/v1/reports", json={"template": TEMPLATE, **fields})
    assert response.status_code == 202, response.text
    body: dict[str, Any] = response.json()
    for _ in range(3_000):
        if body["status"] != "running":
            return body
        await asyncio.sleep(0.02)
        body = await server.get(f"/api/v1/reports/{body['report_id']}")
    raise AssertionError("it did not end")


def test_a_report_is_started_polled_and_fetched(tmp_path: Path) -> None:
    async def run() -> None:
        backend = scripted([COUNT])
        async with served(make_shop(tmp_path / "shop.db"), backend) as server:
            result = await make_report(server)
            assert (result["status"], result["formats"], result["problem"]) == ("done", ["md", "html"], None)
            assert result["record"]["origins"] == {"model": 1}
            path = f"/api/v1/reports/{result['report_id']}"
            response = await server.client.get(f"{path}/result")
            assert response.text == "Customers: 3"
            page = await server.client.get(f"{path}/result", params={"format": "html"})
            assert "<p>Customers: 3</p>" in page.text
            assert page.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
            assert page.headers["content-disposition"].startswith("attachment")
            lock = (await server.client.get(f"{path}/lock")).text
            again = await make_report(server, lock=lock, locked=True)
            assert again["record"]["origins"] == {"lock": 1}
            assert len(backend.requests) == 1
            assert (await server.client.delete(path)).status_code == 204
            await server.get(path, 404)

    asyncio.run(run())


def test_the_figures_of_a_report_are_in_the_metrics(tmp_path: Path) -> None:
    """Every figure that seed 004 asks for: first pass, repairs, kinds of errors, times, connections."""
    two = "{{ How many customers are there? }} and {{ the names of the customers }}"
    lines = [COUNT, "SELECT nothing FROM customers", "SELECT name FROM customers"]

    async def run() -> str:
        async with served(make_shop(tmp_path / "shop.db"), scripted(lines)) as server:
            assert (await make_report(server, template=two))["record"]["failed"] == 0
            return (await server.client.get("/metrics")).text

    result = set(asyncio.run(run()).splitlines())
    assert {
        "text2sql_reports_total 1.0",
        'text2sql_report_placeholders_total{outcome="filled"} 2.0',
        'text2sql_report_placeholders_total{outcome="failed"} 0.0',
        "text2sql_report_questions_total 2.0",
        "text2sql_report_first_pass_total 1.0",
        'text2sql_report_repairs_total{outcome="filled"} 1.0',
        'text2sql_errors_total{kind="column"} 1.0',
        'text2sql_stage_seconds_count{stage="report_draft"} 2.0',
        'text2sql_stage_seconds_count{stage="report_repair"} 1.0',
        "text2sql_model_calls_total 3.0",
    } <= result
    assert any(line.startswith("text2sql_connections_total{source=") for line in result)


def test_a_word_template_is_sent_as_base64_and_returned_as_bytes(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(make_shop(tmp_path / "shop.db"), scripted([COUNT])) as server:
            sent = b64encode(docx("{{ How many ¦customers are there? }}")).decode()
            result = await make_report(server, template=sent, format="docx")
            response = await server.client.get(f"/api/v1/reports/{result['report_id']}/result")
            assert b">3</w:t>" in opened(response.content)["word/document.xml"]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"template": "nothing"}, 422),
        ({"template": "{{ a"}, 422),
        ({"template": "<p title='{{ a }}'>", "format": "html"}, 422),
        ({"template": "!", "format": "docx"}, 422),
        ({"parameters": {"a b": "c"}}, 422),
        ({"lock": "["}, 422),
        ({"date": "someday"}, 422),
        ({"source": "nobody"}, 404),
        ({"format": "pdf"}, 422),
    ],
)
def test_an_invalid_report_request_is_rejected_immediately(
    fields: dict[str, Any], status: int, tmp_path: Path
) -> None:
    async def run() -> None:
        async with served(make_shop(tmp_path / "shop.db"), scripted([])) as server:
            response = await server.client.post("/api/v1/reports", json={"template": TEMPLATE, **fields})
            assert response.status_code == status, response.text

    asyncio.run(run())


def test_a_missing_parameter_ends_the_report_with_a_problem(tmp_path: Path) -> None:
    async def run() -> None:
        async with served(make_shop(tmp_path / "shop.db"), scripted([])) as server:
            result = await make_report(server, template="{{ orders in :month }}")
            assert (result["status"], result["problem"]["kind"]) == ("failed", "usage.report_missing")
            await server.get(f"/api/v1/reports/{result['report_id']}/result", 409)

    asyncio.run(run())


def test_a_due_report_is_written_by_the_server(tmp_path: Path) -> None:
    shop, template = make_shop(tmp_path / "shop.db"), tmp_path / "weekly.md"
    template.write_text(TEMPLATE)

    async def run() -> None:
        job = job_of(template, str(tmp_path / "w-{date}.md"), every=read_cron("0 8 * * 1"))
        backend = scripted([COUNT])
        async with served(shop, backend, schedule=[job]) as server:
            reports, path = server.here.reports, tmp_path / "w-2026-11-16.md"
            for _ in range(3):  # as three processes would
                await due(reports, datetime(2026, 11, 16, 8))
            await until(path.exists)
            assert path.read_text() == "Customers: 3"
            assert len(backend.requests) == 1
            template.unlink()
            await due(reports, datetime(2026, 11, 23, 8))  # reported, not raised
            await until(lambda: not reports.jobs.claimed)

    asyncio.run(run())
