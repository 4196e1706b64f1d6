"""Observability: health, readiness, metrics, traces and logs."""

import asyncio
import io
import json
import logging
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from server.serving import COUNT, NUMBERS, SLOW, Served, make_shop, scripted, served, settings_of
from text2sql import __version__
from text2sql.llm import AsyncChatModel
from text2sql.server import sources, tracing
from text2sql.server.app_factory import build
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

    async def scenario() -> Any:
        async with served(shop, scripted(lines)) as server:
            await server.answer()
            await server.answer()
            await server.answer("Which customers are there?")
            await server.answer("Drop the table orders")
            return await numbers(server)

    metrics = asyncio.run(scenario())

    def value(name: str, **labels: str) -> float | None:
        result: float | None = metrics.get((f"text2sql_{name}", frozenset(labels.items())))
        return result

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


def test_metrics_count_requests_that_wait_for_a_connection(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "numbers.db", NUMBERS)

    async def scenario() -> list[tuple[float, float]]:
        settings: dict[str, Any] = {"pool_size": 1, "pool_overflow": 1, "cache_lifetime": 0.0}
        async with served(shop, scripted([], last=SLOW), **settings) as server:
            await server.here.sources.named(None).app.catalog()

            async def seen() -> tuple[float, float]:
                metrics = await numbers(server)
                busy = frozenset({("source", "shop"), ("state", "busy")})
                queue = metrics["text2sql_queue", frozenset({("source", "shop")})]
                return metrics["text2sql_pool_connections", busy], queue

            asking = [asyncio.create_task(server.answer()) for _ in range(4)]
            async with asyncio.timeout(60):
                while (during := await seen()) < (2, 2):
                    await asyncio.sleep(0.02)
            for item in asking:
                item.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
            return [during, await seen()]

    assert asyncio.run(scenario()) == [(2, 2), (0, 0)]


@pytest.mark.fault("G6")
def test_no_label_and_no_log_line_holds_a_users_text(shop: Path) -> None:
    output = io.StringIO()

    async def ask() -> str:
        async with served(shop, scripted([COUNT])) as server:
            answer = await server.answer(CANARY)
            thread, result = str(answer["thread_id"]), str(answer["result_id"])
            for path in (f"threads/{thread}", f"results/{result}", "query/Canaryville"):
                await server.client.get(f"/api/v1/{path}", headers={"X-Request-ID": "req-7"})
            return (await server.client.get("/metrics")).text

    with _logged_to(output):
        metrics = asyncio.run(ask())
    assert "Canaryville" not in metrics
    assert "Canaryville" not in output.getvalue()
    lines = [json.loads(line) for line in output.getvalue().splitlines()]
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
    """Redirects JSON logs to a stream, and restores the loggers afterwards."""

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


def test_a_question_is_a_span_with_child_spans_per_stage_and_no_text(shop: Path) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    async def ask() -> None:
        result = settings_of()
        model = AsyncChatModel([scripted([COUNT])], result)
        app = build({"shop": str(shop)}, result, model=model, provider=provider)
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
        output = spans[stage].parent
        assert output is not None
        assert output.span_id == question.context.span_id
    assert format(question.context.trace_id, "032x") == "0af7651916cd43dd8448eb211c80319c"
    facts = dict(question.attributes or {})
    assert (facts["text2sql.status"], facts["source"]) == ("answered", "shop")
    assert "Canary" not in "".join(span.to_json() for span in spans.values())


def test_no_traces_are_sent_unless_a_collector_is_configured() -> None:
    assert open_provider({}) is None


class Collector(ThreadingHTTPServer):
    """Stores what an exporter sends."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.taken: list[tuple[str, bytes]] = []


class Taking(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_spans_are_sent_to_a_configured_collector(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Collector() as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{collector.server_port}")

        async def ask() -> str:
            async with served(shop, scripted([COUNT])) as server:
                return str((await server.answer(CANARY))["status"])

        assert asyncio.run(ask()) == "answered"  # closing the server sends the remaining events
        collector.shutdown()
    assert {path for path, _ in collector.taken} == {"/v1/traces"}
    spans: dict[str, Any] = {}
    for _, body in collector.taken:
        assert b"Canary" not in body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            spans |= {span.name: span for scope in resource.scope_spans for span in scope.spans}
            facts = {
                attribute.key: attribute.value.string_value for attribute in resource.resource.attributes
            }
            assert (facts["service.name"], facts["service.version"]) == ("text2sql", __version__)
    assert {"question", "generator", "executor"} <= set(spans)
    assert spans["executor"].parent_span_id == spans["question"].span_id


@pytest.mark.fault("P14")
def test_an_unavailable_trace_collector_does_not_delay_requests(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P14. A closed port, and one that accepts connections but never responds."""
    monkeypatch.setattr(tracing, "_EXPORT_SECONDS", 0.3)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "10")  # it reconnects while questions are asked
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "16")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")

    async def ask() -> tuple[list[str], float]:
        async with served(shop, scripted([], last=COUNT), cache_lifetime=0.0) as server:
            await server.answer()
            began = time.monotonic()
            items = [(await server.answer())["status"] for _ in range(10)]
            return items, time.monotonic() - began

    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as free:
        ports = silent.getsockname()[1], free.getsockname()[1]
        free.close()
        alone, usual = asyncio.run(ask())
        for port in ports:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
            answered, seconds = asyncio.run(ask())
            assert answered == alone == ["answered"] * 10
            assert seconds < 3 * usual + 1.0


# -- health --------------------------------------------------------------------------------------


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_FRESH", 0.0)


@pytest.mark.fault("D03", "G8")
def test_an_unavailable_source_is_unready_while_others_answer_until_it_returns(
    tmp_path: Path, impatient: None
) -> None:
    """A temporarily missing file simulates a database server that is down."""
    good, other = make_shop(tmp_path / "good.db"), make_shop(tmp_path / "other.db")
    contents = other.read_bytes()

    async def scenario() -> list[Any]:
        other.write_bytes(contents)
        async with served({"good": str(good), "other": str(other)}, scripted([COUNT, COUNT])) as server:
            seen = [(await server.client.get("/readyz")).json()]
            other.unlink()
            database = server.here.sources.named("other").app.app_resources.database
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
    assert asyncio.run(scenario()) == [both, 503, {"good": True, "other": False}, "answered", 200, both]


@pytest.mark.fault("D03")
def test_the_server_starts_while_a_source_is_unavailable(shop: Path, impatient: None) -> None:
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    async def scenario() -> list[Any]:
        sources = {"shop": str(shop), "down": f"postgresql://u:canary@127.0.0.1:{port}/x"}
        async with served(sources, scripted([COUNT]), connect_timeout=1.0) as server:
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

    assert asyncio.run(scenario()) == [
        {"shop": True, "down": False},
        (503, "connection", "5"),
        ("failed", "connection"),
        "answered",
    ]


@pytest.mark.parametrize("memory", ["none", "FILE"])
def test_threads_of_other_sources_continue_while_a_source_is_down(
    shop: Path, tmp_path: Path, memory: str
) -> None:
    pytest.importorskip("psycopg")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    memory = memory.replace("FILE", str(tmp_path / "memory.db"))

    async def scenario() -> list[Any]:
        sources = {"down": f"postgresql://u@127.0.0.1:{port}/x", "shop": str(shop)}
        async with served(sources, scripted([], last=COUNT), connect_timeout=1.0, memory=memory) as server:
            first = await server.answer(source="shop")
            thread, result = first["thread_id"], first["result_id"]
            second = await server.answer("And how many are there now?", thread_id=thread)
            return [
                (second["status"], second["rows"]),
                [item["thread_id"] == thread for item in (await server.get("/api/v1/threads"))["threads"]],
                len((await server.get(f"/api/v1/threads/{thread}"))["turns"]),
                (await server.get(f"/api/v1/results/{result}"))["rows"],
                (await server.get("/api/v1/threads/nobodys", 404))["kind"],
                (await server.get("/api/v1/results/nobodys", 404))["kind"],
            ]

    assert asyncio.run(scenario()) == [("answered", [[3]]), [True], 2, [[3]], "usage.thread", "usage.result"]
