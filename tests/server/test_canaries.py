"""Planted secrets never appear in responses, logs, traces or the audit log."""

import asyncio
import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from server.people import ISSUER, TOKENS, bearer, token, with_key
from server.serving import COUNT, Served, scripted, served_app, settings_of
from terminal import run
from text2sql.llm import AsyncChatModel
from text2sql.server.app_factory import build
from text2sql.server.logs import to_json_lines

CANARY = "canary7f3d9"
SECRET = f"secret-{CANARY}-" + "0" * 64
DSN = f"postgresql://u:{CANARY}@127.0.0.1:1/none"
REDIS = f"redis://u:{CANARY}@127.0.0.1:1/0"


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """Captures the log of the server."""
    lines = io.StringIO()
    names = ("", "text2sql", "uvicorn")
    before = [(item, item.level, item.handlers[:]) for item in map(logging.getLogger, names)]
    to_json_lines(lines, logging.DEBUG)
    try:
        yield lines
    finally:
        for element, level, handlers in before:
            element.setLevel(level)
            element.handlers[:] = handlers
        logging.getLogger("uvicorn.access").disabled = False


async def _walk(server: Served, headers: dict[str, str]) -> list[str]:
    """Send valid and invalid requests to all routes; returns the responses."""
    sent = [
        ("POST", "/api/v1/query/sync", {"question": "how many customers?"}),
        ("POST", "/api/v1/query/sync", {"question": "how many?", "source": "down"}),
        ("POST", "/api/v1/query", {"question": "how many customers?", "fresh": True}),
        ("POST", "/api/v1/query/sync", {"nonsense": 1}),
        ("POST", "/api/v1/sql", {"sql": "SELECT nope FROM customers"}),
        ("GET", "/api/v1/schema?source=down", None),
        ("GET", "/api/v1/sources", None),
        ("GET", "/api/v1/models", None),
        ("GET", "/api/v1/preferences", None),
        ("GET", "/api/v1/threads", None),
        ("GET", "/api/v1/results/nope", None),
        ("GET", "/metrics", None),
        ("GET", "/readyz", None),
        ("GET", "/openapi.json", None),
        ("GET", "/", None),
    ]
    items = []
    for method, path, body in sent:
        response = await server.client.request(method, path, json=body, headers=headers)
        items.append(f"{response.status_code} {dict(response.headers)} {response.text}")
    return items


@pytest.mark.parametrize("auth", ["keys", "tokens"])
@pytest.mark.fault("G6")
def test_no_planted_secret_appears_in_any_output(shop: Path, tmp_path: Path, auth: str) -> None:
    spans, memory = InMemorySpanExporter(), tmp_path / "m.db"
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    values: dict[str, Any] = {**TOKENS, "token_secret": SECRET, "api_key": f"sk-{CANARY}", "auth": auth}

    async def scenario() -> tuple[list[str], list[str]]:
        patience = {"connect_timeout": 0.5, "pool_wait": 0.5}
        settings = settings_of(**values, **patience, audit="on", memory=str(memory), cache=REDIS)
        model = AsyncChatModel([scripted([], last=COUNT)], settings)
        app = build({"shop": str(shop), "down": DSN}, settings, model=model, provider=provider)
        async with served_app(app) as server:
            if auth == "keys":
                headers = await with_key(server, "ann", "operator")
                wrong = [bearer(f"t2s_{CANARY}_{CANARY}"), bearer(f"t2s_x_{CANARY}")]
            else:
                headers = bearer(token("ann", key=SECRET, roles=["operator"], note=CANARY))
                wrong = [bearer(token("ann", note=CANARY)), bearer(f"{CANARY}.{CANARY}.{CANARY}")]
            secrets = [headers["Authorization"].split("_" if auth == "keys" else " ", 2)[-1], CANARY]
            result = await _walk(server, headers)
            for item in wrong:
                result += await _walk(server, item)
            return result, secrets

    with logged() as lines:
        result, secrets = asyncio.run(scenario())
    traced = [span.to_json() for span in spans.get_finished_spans()]
    assert traced
    audit = run("serve", "audit", "--json", env={"TEXT2SQL_MEMORY": str(memory)}).out
    assert "how many customers?" in audit
    listed = run("serve", "keys", "list", "--json", env={"TEXT2SQL_MEMORY": str(memory)}).out
    everywhere = {
        "responses": "\n".join(result),
        "log": lines.getvalue(),
        "traces": "\n".join(traced),
        "audit": audit,
        "keys": listed,
    }
    assert '"cache":false' in everywhere["responses"]
    assert "the cache redis://127.0.0.1:1/0 is done without" in everywhere["log"]
    leaks = [(output, secret) for output, text in everywhere.items() for secret in secrets if secret in text]
    assert leaks == []
    assert ISSUER not in everywhere["responses"]
