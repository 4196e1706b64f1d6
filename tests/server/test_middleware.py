"""Request checks before any route (host, path, method, body), and headers of every response."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.serving import COUNT, Served, listening, scripted, served
from text2sql.errors import UsageError
from text2sql.server import middleware
from text2sql.server.cors import CorsOrigins
from text2sql.server.problems import preferred_language

ASK = json.dumps({"question": "How many customers are there?"})
JSON = {"Content-Type": "application/json"}


def send(shop: Path, method: str, path: str, **request: Any) -> httpx.Response:
    async def scenario() -> httpx.Response:
        async with served(shop, scripted([COUNT])) as server:
            return await server.client.request(method, path, **request)

    return asyncio.run(scenario())


@pytest.mark.parametrize(
    ("content", "headers", "status", "kind"),
    [
        (ASK, {"Content-Type": "text/plain"}, 415, "http.415"),
        (ASK, {"Content-Type": "application/x-www-form-urlencoded"}, 415, "http.415"),
        (ASK, {}, 415, "http.415"),
        ("x" * 70_000, JSON, 413, "usage.request_large"),
        ("[" * 60_000, JSON, 400, "http.400"),
        ('{"question": ', JSON, 400, "usage.request_json"),
        (b'{"question": "\xff\xfe"}', JSON, 400, "http.400"),
        ("", JSON, 422, "usage.request"),
        ("null", JSON, 422, "usage.request"),
        ("[]", JSON, 422, "usage.request"),
        ('"x"', JSON, 422, "usage.request"),
        ('{"question": NaN}', JSON, 422, "usage.request"),
        ('{"question": "\\ud800"}', JSON, 422, "usage.request"),
    ],
)
@pytest.mark.fault("C07")
def test_a_body_that_is_not_a_small_json_object_is_refused(
    shop: Path, content: str | bytes, headers: dict[str, str], status: int, kind: str
) -> None:
    response = send(shop, "POST", "/api/v1/query/sync", content=content, headers=headers)
    assert (response.status_code, response.json()["kind"]) == (status, kind)
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.fault("C07")
def test_a_body_without_a_length_is_counted_as_it_comes(shop: Path) -> None:
    async def scenario() -> int:
        async def endless() -> Any:
            for _ in range(1_000):
                yield b"x" * 1_000

        async with listening(shop, scripted([COUNT])) as server:
            response = await server.client.post("/api/v1/query/sync", content=endless(), headers=JSON)
            return response.status_code

    assert asyncio.run(scenario()) == 413


@pytest.mark.fault("C08")
def test_a_body_that_never_ends_is_not_waited_for(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "_BODY_TIMEOUT", 0.1)

    async def scenario() -> bytes:
        async with listening(shop, scripted([COUNT])) as server:
            host, port = server.url.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            head = f"POST /api/v1/query HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: 100\r\n\r\n{{".encode())
            line = await asyncio.wait_for(reader.readline(), 3.0)
            writer.close()
            return line

    assert asyncio.run(scenario()).startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("127.0.0.1:8000", 200),
        ("localhost:8000", 200),
        ("LOCALHOST", 200),
        ("[::1]:8000", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("localhost.evil.example:8000", 421),
        ("[::1].evil.example", 200),  # no browser sends it, and its address is this machine's
        ("", 421),
    ],
)
def test_only_host_names_of_this_machine_are_accepted(shop: Path, host: str, status: int) -> None:
    assert send(shop, "GET", "/healthz", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/query/sync/", 404),
        ("DELETE", "/api/v1/query", 405),
        ("PUT", "/api/v1/sql", 415),
        ("OPTIONS", "/api/v1/query", 405),
        ("TRACE", "/api/v1/query", 405),
        ("HEAD", "/healthz", 405),
        ("BREW", "/healthz", 405),
        ("GET", "/api/v1/../../etc/passwd", 404),
        ("GET", "/static/..%2f..%2fbuilding.py", 404),
        ("GET", "/api/v1/threads/%2e%2e%2f%2e%2e", 404),
        ("GET", "/docs", 404),
        ("GET", "/redoc", 404),
    ],
)
@pytest.mark.fault("C11")
def test_unknown_paths_and_methods_are_404_and_405(shop: Path, method: str, path: str, status: int) -> None:
    response = send(shop, method, path)
    assert response.status_code == status
    if status == 405:
        assert response.headers["allow"]


@pytest.mark.fault("A13")
def test_an_unknown_origin_gets_no_cors_headers(shop: Path) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for method in ("OPTIONS", "GET"):
        response = send(shop, method, "/api/v1/threads", headers=headers)
        assert [name for name in response.headers if name.startswith("access-control")] == []


def test_every_response_carries_safe_headers_and_its_id(shop: Path) -> None:
    for path in ("/healthz", "/nope", "/api/v1/results/nope"):
        response = send(shop, "GET", path, headers={"X-Request-ID": "abc-1.2"})
        for name, value in middleware.SAFE_HEADERS.items():
            assert response.headers[name] == value
        assert response.headers["x-request-id"] == "abc-1.2"
    for bad in ("a b", "x" * 65, "<script>"):
        request_id = send(shop, "GET", "/healthz", headers={"X-Request-ID": bad}).headers["x-request-id"]
        assert request_id != bad


PROBLEMS = [
    (
        "GET",
        "/api/v1/results/nope",
        None,
        "There is no such result, or it has expired.",
        "没有该结果，或已过期。",
    ),
    ("GET", "/nope", None, "This resource does not exist.", "请求的资源不存在。"),
    (
        "POST",
        "/api/v1/query/sync",
        {"question": ""},
        "The request is not valid: body.question (string_too_short)",
        "请求不符合要求：body.question (string_too_short)",
    ),
    (
        "POST",
        "/api/v1/query/sync",
        {"question": "x", "source": "nope"},
        "There is no source “nope”.",
        "没有数据源“nope”。",
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "english", "chinese"), PROBLEMS)
def test_problems_are_in_the_clients_language(
    shop: Path, method: str, path: str, body: Any, english: str, chinese: str
) -> None:
    for language, expected in (("en-GB,en;q=0.8", english), ("zh-CN,zh;q=0.9,en;q=0.1", chinese)):
        response = send(shop, method, path, json=body, headers={"Accept-Language": language})
        problem = response.json()
        assert problem["detail"] == expected
        assert problem["status"] == response.status_code
        assert problem["type"].startswith("urn:text2sql:problem:")
        assert problem["title"]
        assert problem["hint"]
        assert problem["request_id"] == response.headers["x-request-id"]


@pytest.mark.parametrize(
    ("accept", "default", "expected"),
    [
        ("", "", "en"),
        ("", "zh", "zh"),
        ("zh", "", "zh"),
        ("zh-TW", "en", "zh"),
        ("fr, zh;q=0.5, en;q=0.4", "", "zh"),
        ("en;q=0.1, zh;q=0.9", "", "zh"),
        ("zh;q=0, en;q=0.1", "", "en"),
        ("fr", "zh", "zh"),
        (";;;,=,q=x,zh;q=nonsense", "", "en"),
    ],
)
def test_the_preferred_supported_language_is_used(accept: str, default: str, expected: str) -> None:
    assert preferred_language(accept, default) == expected


def test_an_internal_error_is_a_problem_without_a_stack_trace(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: Any, *, user: str = "") -> list[Any]:
        raise ValueError("secret canary")

    async def scenario() -> tuple[httpx.Response, str]:
        async with served(shop, scripted([])) as server:
            monkeypatch.setattr("text2sql.client.threads.AsyncThreads.list", broken)
            response = await server.client.get("/api/v1/threads", headers={"Accept-Language": "en"})
            return response, await _metrics(server)

    response, metrics = asyncio.run(scenario())
    problem = response.json()
    assert (response.status_code, problem["kind"]) == (500, "http.500")
    assert problem["request_id"] in problem["hint"]
    assert "canary" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    assert 'text2sql_http_requests_total{method="GET",route="/api/v1/threads",status="500"} 1.0' in metrics


async def _metrics(server: Served) -> str:
    return (await server.client.get("/metrics")).text


@pytest.mark.fault("A13")
def test_only_configured_origins_get_cors_headers(shop: Path) -> None:
    async def scenario() -> list[httpx.Response]:
        settings: dict[str, Any] = {"cors_origins": "https://intranet.example, http://localhost:3000/"}
        async with served(shop, scripted([COUNT]), **settings) as server:
            responses = []
            for origin in ("https://intranet.example", "http://localhost:3000", "https://evil.example"):
                headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
                responses.append(await server.client.options("/api/v1/query", headers=headers))
                responses.append(await server.client.get("/api/v1/threads", headers={"Origin": origin}))
            return responses

    first, second, third, fourth, fifth, sixth = asyncio.run(scenario())
    assert (first.status_code, third.status_code, fifth.status_code) == (204, 204, 405)
    assert first.headers["access-control-allow-origin"] == "https://intranet.example"
    assert fourth.headers["access-control-allow-origin"] == "http://localhost:3000"
    assert "Authorization" in first.headers["access-control-allow-headers"]
    assert second.headers["cross-origin-resource-policy"] == "cross-origin"
    for response in (first, second, third, fourth):
        assert "access-control-allow-credentials" not in response.headers
        assert response.headers["vary"] == "Origin"
    for response in (fifth, sixth):
        assert "access-control-allow-origin" not in response.headers
        assert response.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("origin", ["*", "https://*.example", "intranet.example", "ftp://x", "https://a/b"])
def test_an_invalid_origin_setting_is_rejected(origin: str) -> None:
    with pytest.raises(UsageError):
        CorsOrigins(origin)


def test_other_host_names_are_accepted_if_configured_or_with_sign_in(shop: Path, tmp_path: Path) -> None:
    async def scenario(host: str, **settings: Any) -> int:
        async with served(shop, scripted([]), **settings) as server:
            return (await server.client.get("/healthz", headers={"Host": host})).status_code

    keyed = {"auth": "keys", "memory": str(tmp_path / "m.db")}
    assert asyncio.run(scenario("shop.example:8000", hosts="Shop.example, other.example")) == 200
    assert asyncio.run(scenario("evil.example", hosts="shop.example", **keyed)) == 421
    assert asyncio.run(scenario("any.example", **keyed)) == 200
