"""The memory in PostgreSQL: failures, reported without the password."""

import asyncio
import socket
import sys
import time
from urllib.parse import urlsplit

import psycopg
import pytest

from memory.helpers import within
from text2sql.config import Settings
from text2sql.errors import MissingDriver, StoreNewer, StoreUnavailable
from text2sql.i18n import explain
from text2sql.memory import Memory
from text2sql.memory.location import Server


def test_an_address_is_shown_without_its_account() -> None:
    assert (
        Server("postgresql://ann:s%40cret@db.example:5432/memory").shown
        == "postgresql://db.example:5432/memory"
    )


def test_a_wrong_password_is_tried_once_and_never_shown(postgres_url: str) -> None:
    parts = urlsplit(postgres_url)
    wrong = parts._replace(netloc=f"postgres:hunter2@{parts.hostname}:{parts.port}").geturl()
    start = time.monotonic()
    with pytest.raises(StoreUnavailable) as caught:
        within(Settings(memory=wrong), lambda memory: memory.threads("ann"))
    assert time.monotonic() - start < 10
    texts = explain(caught.value, "en") + repr(caught.value) + repr(Settings(memory=wrong))
    assert "hunter2" not in texts
    assert f"{parts.hostname}:{parts.port}" in texts


def test_a_server_that_is_not_there_is_a_typed_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"postgresql://ann:secret@127.0.0.1:{taken.getsockname()[1]}/memory"
        with pytest.raises(StoreUnavailable) as caught:
            within(Settings(memory=url, connect_timeout=2.0), lambda memory: memory.threads("ann"))
    assert caught.value.retry == "again"


def test_tables_of_a_newer_version_are_refused(postgres_url: str) -> None:
    settings = Settings(memory=postgres_url)
    within(settings, lambda memory: memory.claim("k"))
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("INSERT INTO text2sql_version VALUES (99)")
    with pytest.raises(StoreNewer) as caught:
        within(settings, lambda memory: memory.claimed("k"))
    assert "99" in explain(caught.value, "zh")


def test_a_server_that_was_restarted_costs_no_question(postgres_url: str) -> None:
    async def work(memory: Memory) -> None:
        await memory.claim("k")
        with psycopg.connect(postgres_url, autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        await asyncio.sleep(0.05)
        assert not await memory.claim("k")
        assert await memory.threads("ann") == []

    within(Settings(memory=postgres_url), work)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "text2sql.memory.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg_pool", None)
    with pytest.raises(MissingDriver) as caught:
        within(Settings(memory="postgresql://ann@127.0.0.1/memory"), lambda memory: memory.threads("ann"))
    assert caught.value.facts == {"database": "PostgreSQL", "extra": "postgres"}
