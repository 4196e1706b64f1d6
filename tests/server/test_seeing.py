"""What can be seen from outside: health, readiness, numbers, spans, logs."""

import asyncio
import io
import json
import logging
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from server.serving import COUNT, Served, make_shop, scripted, served, settings_of
from text2sql.llm import AsyncChatModel
from text2sql.server import sources
from text2sql.server.building import build
from text2sql.server.logs import to_json_lines
from text2sql.server.tracing import open_provider

CANARY = "Which customers live in Canaryville?"


async def numbers(server: Served) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    text = (await server.client.get("/metrics")).text
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_metrics_count_questions_stages_tokens_errors_and_the_pool(shop: Path) -> None:
    lines = [COUNT, "SELECT shoe_size FROM customers", "SELECT name FROM customers"]

    async def told() -> Any:
        async with served(shop, scripted(lines)) as server:
            await server.answer()
            await server.answer()
            await server.answer("Which customers are there?")
            await server.answer("Drop the table orders")
            return await numbers(server)

    found = asyncio.run(told())

    def value(name: str, **labels: str) -> float | None:
        held: float | None = found.get((f"text2sql_{name}", frozenset(labels.items())))
        return held

    assert value("questions_total", status="answered") == 2
    assert value("questions_total", status="refused") == 1
    assert value("questions_written_total") == 2
    assert value("first_pass_total") == 1
    assert value("repaired_total") == 1
    assert value("errors_total", kind="column") == 1
    assert value("cache_total", outcome="hit") == 1
    assert value("cache_total", outcome="miss") == 3
    assert value("model_calls_total") == 3
    assert (value("model_tokens_total", type="prompt") or 0) > 100
    assert (value("model_tokens_total", type="completion") or 0) > 10
    assert value("stage_seconds_count", stage="generator") == 2
    assert value("question_seconds_count") == 3
    assert value("pool_connections", source="shop", state="busy") == 0
    assert (value("pool_connections", source="shop", state="open") or 0) >= 1
    assert value("queue", source="shop") == 0
    assert value("streams", state="running") == 0
    assert value("http_requests_total", method="POST", route="/api/v1/query/sync", status="200") == 4


def test_no_label_and_no_log_line_holds_a_users_text(shop: Path) -> None:
    told = io.StringIO()

    async def ask() -> str:
        async with served(shop, scripted([COUNT])) as server:
            answer = await server.answer(CANARY)
            thread, result = str(answer["thread_id"]), str(answer["result_id"])
            for path in (f"threads/{thread}", f"results/{result}", "query/Canaryville"):
                await server.client.get(f"/api/v1/{path}", headers={"X-Request-ID": "req-7"})
            return (await server.client.get("/metrics")).text

    with _logged_to(told):
        metrics = asyncio.run(ask())
    assert "Canaryville" not in metrics
    assert "Canaryville" not in told.getvalue()
    lines = [json.loads(line) for line in told.getvalue().splitlines()]
    ours = [line for line in lines if line.get("request_id") == "req-7"]
    assert [(line["message"], line["route"], line["status"]) for line in ours] == [
        ("request", "/api/v1/threads/{thread_id}", 200),
        ("request", "/api/v1/results/{result_id}", 200),
        ("request", "/api/v1/query/{stream_id}", 404),
    ]
    question = next(line for line in lines if line["message"] == "question")
    assert (question["status"], question["source"], question["calls"]) == ("answered", "shop", 1)
    assert question["request_id"]
    assert {"time", "level", "logger"} <= set(question)


class _logged_to:  # noqa: N801 used as a statement
    """JSON lines into a text, and the loggers as they were afterwards."""

    def __init__(self, stream: io.StringIO) -> None:
        self._stream = stream

    def __enter__(self) -> None:
        names = ("", "text2sql", "uvicorn", "uvicorn.access")
        self._before = [
            (logger, logger.handlers[:], logger.level, logger.propagate, logger.disabled)
            for logger in map(logging.getLogger, names)
        ]
        to_json_lines(self._stream)

    def __exit__(self, *_: object) -> None:
        for logger, handlers, level, propagate, disabled in self._before:
            logger.handlers[:] = handlers
            logger.setLevel(level)
            logger.propagate, logger.disabled = propagate, disabled


# -- traces --------------------------------------------------------------------------------------


def test_a_question_is_a_span_with_one_a_stage_and_no_text_in_it(shop: Path) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    async def ask() -> None:
        told = settings_of()
        model = AsyncChatModel([scripted([COUNT])], told)
        app = build({"shop": str(shop)}, told, model=model, provider=provider)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            body = {"question": CANARY}
            await client.post("/api/v1/query/sync", json=body, headers={"traceparent": parent})

    asyncio.run(ask())
    spans = {span.name: span for span in exporter.get_finished_spans()}
    question = spans["question"]
    stages = ["classifier", "schema", "generator", "validator", "executor", "interpreter"]
    assert set(spans) >= {*stages, "question"}
    for stage in stages:
        held = spans[stage].parent
        assert held is not None
        assert held.span_id == question.context.span_id
    assert format(question.context.trace_id, "032x") == "0af7651916cd43dd8448eb211c80319c"
    facts = dict(question.attributes or {})
    assert (facts["text2sql.status"], facts["source"]) == ("answered", "shop")
    assert "Canary" not in "".join(span.to_json() for span in spans.values())


def test_no_traces_are_sent_unless_a_collector_is_named(shop: Path) -> None:
    assert open_provider({}) is None
    provider = open_provider({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    assert provider is not None
    provider.shutdown()


# -- health --------------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_FRESH", 0.0)


def test_a_source_that_is_down_is_red_while_the_others_answer_and_comes_back(
    tmp_path: Path, impatient: None
) -> None:
    """A file that is gone for a while stands for a server that is down."""
    good, other = make_shop(tmp_path / "good.db"), make_shop(tmp_path / "other.db")
    contents = other.read_bytes()

    async def told() -> list[Any]:
        other.write_bytes(contents)
        async with served({"good": str(good), "other": str(other)}, scripted([COUNT, COUNT])) as server:
            seen = [(await server.client.get("/readyz")).json()]
            other.unlink()
            database = server.here.sources.named("other").app.database
            assert database is not None
            database.database._pool.drop_idle(float("inf"))
            red = await server.client.get("/readyz")
            seen += [red.status_code, red.json()["sources"]]
            seen.append((await server.answer())["status"])
            seen.append((await server.client.get("/healthz")).status_code)
            other.write_bytes(contents)
            seen.append((await server.client.get("/readyz")).json())
            return seen

    both = {"status": "ready", "sources": {"good": True, "other": True}}
    assert asyncio.run(told()) == [both, 503, {"good": True, "other": False}, "answered", 200, both]


def test_a_server_that_is_down_from_the_start_does_not_keep_ours_from_starting(
    shop: Path, impatient: None
) -> None:
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    async def told() -> list[Any]:
        places = {"shop": str(shop), "down": f"postgresql://u:canary@127.0.0.1:{port}/x"}
        async with served(places, scripted([COUNT]), connect_timeout=1.0) as server:
            ready = await server.client.get("/readyz")
            broken = await server.client.get("/api/v1/schema", params={"source": "down"})
            failed = await server.answer(source="down")
            assert "canary" not in ready.text + broken.text + json.dumps(failed)
            return [
                ready.json()["sources"],
                (broken.status_code, broken.json()["kind"], broken.headers["retry-after"]),
                (failed["status"], failed["error"]["kind"]),
                (await server.answer())["status"],
            ]

    assert asyncio.run(told()) == [
        {"shop": True, "down": False},
        (503, "connection", "5"),
        ("failed", "connection"),
        "answered",
    ]
