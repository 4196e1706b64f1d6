"""The audit log: records are written before answers are sent, and cannot be changed."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing, suppress
from pathlib import Path
from typing import Any

import pytest

from server.people import with_key
from server.serving import COUNT, follow, scripted, served, settings_of
from terminal import run
from text2sql.errors import QueryTimeout, StoreFull, UsageError
from text2sql.memory import Record
from text2sql.memory.audit import Audit
from text2sql.server.audit import AuditLog, ServerStore, is_audited
from text2sql.types import Event, StageStarted


def recorded(memory_file: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(memory_file)) as memory:
        return memory.execute(
            "SELECT event, person, source, asked, ran, found, status FROM text2sql_audit ORDER BY at"
        ).fetchall()


def test_every_access_to_rows_is_audited(shop: Path, tmp_path: Path) -> None:
    memory_file = tmp_path / "m.db"

    async def scenario() -> list[str]:
        async with served(shop, scripted([COUNT]), auth="keys", memory=str(memory_file)) as server:
            client, headers = server.client, await with_key(server, "ann")
            body = {"question": "how many customers?"}
            first = (await client.post("/api/v1/query/sync", json=body, headers=headers)).json()
            await follow(client, client.stream("POST", "/api/v1/query", json=body, headers=headers))
            for own in ("SELECT id FROM orders", "DROP TABLE orders"):
                await client.post("/api/v1/sql", json={"sql": own}, headers=headers)
            for path in ("", "/export?format=csv", "/export?format=xlsx"):
                response = await client.get(f"/api/v1/results/{first['result_id']}{path}", headers=headers)
                assert response.status_code == 200
            thread = f"/api/v1/threads/{first['thread_id']}/resume"
            await client.post(thread, json={}, headers={**headers, "Accept": "application/json"})
            return [first["sql"], first["result_id"]]

    sql, result = asyncio.run(scenario())
    ann, plain = ("key:ann", "shop"), COUNT  # the query as the model wrote it
    question = "how many customers?"
    assert recorded(memory_file) == [
        ("begun", *ann, question, "", 0, ""),
        ("ran", *ann, question, sql, 1, ""),
        ("ended", *ann, question, sql, 1, "answered"),
        ("begun", *ann, question, "", 0, ""),  # from the cache: nothing ran, and the answer is recorded
        ("ended", *ann, question, sql, 1, "answered"),
        ("ended", *ann, "SELECT id FROM orders", "SELECT id FROM orders LIMIT 1001", 3, "answered"),
        ("ended", *ann, "DROP TABLE orders", "", 0, "refused"),
        ("read", *ann, f"page 1 of {result}", plain, 1, ""),
        ("read", *ann, f"csv of {result}", plain, 1, ""),
        ("read", *ann, f"xlsx of {result}", plain, 1, ""),
        ("begun", *ann, "resume", "", 0, ""),
        ("ended", *ann, "resume", sql, 1, "answered"),
    ]
    ended = run("serve", "audit", "--json", "--user", "key:ann", env={"TEXT2SQL_MEMORY": str(memory_file)})
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["event"] for line in lines] == [row[0] for row in recorded(memory_file)]
    assert all(line["request"] and line["at"] for line in lines)
    output = run("serve", "audit", "--limit", "1", env={"TEXT2SQL_MEMORY": str(memory_file)}).out
    assert output.count("\n") == 1
    assert "key:ann  shop  ended answered  1" in output


@pytest.mark.fault("A15")
def test_a_record_cannot_be_changed_or_deleted(shop: Path, tmp_path: Path) -> None:
    memory_file = tmp_path / "m.db"

    async def scenario() -> None:
        async with served(shop, scripted([COUNT]), audit="on", memory=str(memory_file)) as server:
            await server.answer()

    asyncio.run(scenario())
    before = recorded(memory_file)
    assert [row[0] for row in before] == ["begun", "ran", "ended"]
    with closing(sqlite3.connect(memory_file)) as memory:
        for statement in ("UPDATE text2sql_audit SET person = 'x'", "DELETE FROM text2sql_audit"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                memory.execute(statement)
    assert recorded(memory_file) == before


@pytest.mark.parametrize("event", ["begun", "ran", "ended", "read"])
@pytest.mark.fault("A15")
def test_an_answer_that_cannot_be_audited_is_not_sent(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: str
) -> None:
    write = Audit.write

    async def full(self: Audit, record: Record) -> None:
        if record.event == event:
            raise StoreFull("m.db", "database or disk is full")
        await write(self, record)

    async def scenario() -> tuple[int, str, list[str]]:
        async with served(
            shop, scripted([], last=COUNT), audit="on", memory=str(tmp_path / "m.db")
        ) as server:
            body = {"question": "how many customers?", "fresh": True}
            if event == "read":
                result = (await server.answer())["result_id"]
                monkeypatch.setattr(Audit, "write", full)
                response = await server.client.get(f"/api/v1/results/{result}")
                return response.status_code, response.text, []
            monkeypatch.setattr(Audit, "write", full)
            response = await server.client.post("/api/v1/query/sync", json=body)
            events = await follow(server.client, server.client.stream("POST", "/api/v1/query", json=body))
            return response.status_code, response.text, [event.name for event in events]

    status, text, events = asyncio.run(scenario())
    assert (status, '"rows"' in text) == (507, False)
    if event != "read":
        assert events[-1] == "problem"
        assert ("rows_found" in events) == (event == "ended")


def test_a_cancelled_question_is_audited_as_cancelled(tmp_path: Path) -> None:
    memory_file = tmp_path / "m.db"

    async def events(error: Exception | None) -> AsyncGenerator[Event, None]:
        yield StageStarted("classifier")
        if error:
            raise error
        yield StageStarted("schema")

    async def scenario() -> None:
        server_store = ServerStore(settings_of(memory=str(memory_file)))
        for error in (None, QueryTimeout("too slow")):
            watched = AuditLog(server_store, enabled=True).events(events(error), "ann", "shop", "t", "who?")
            with suppress(QueryTimeout):
                async with aclosing(watched):
                    async for event in watched:
                        if error is None and isinstance(event, StageStarted):
                            break
        await server_store.close()

    asyncio.run(scenario())
    assert [(row[0], row[-1]) for row in recorded(memory_file)] == [
        ("begun", ""),
        ("ended", "cancelled"),
        ("begun", ""),
        ("ended", "timeout"),
    ]


@pytest.mark.parametrize(
    ("audit", "asks", "memory", "on"),
    [
        ("auto", False, "m.db", False),
        ("auto", True, "m.db", True),
        ("auto", True, "none", False),
        ("on", False, "m.db", True),
        ("off", True, "m.db", False),
    ],
)
def test_the_audit_log_is_on_by_default_with_authentication(
    audit: str, asks: bool, memory: str, on: bool
) -> None:
    assert is_audited(settings_of(audit=audit, memory=memory), asks) is on


def test_a_log_that_would_not_last_is_refused() -> None:
    for invalid in ({"audit": "on", "memory": "none"}, {"audit": "yes"}):
        with pytest.raises(UsageError):
            is_audited(settings_of(**invalid), True)
