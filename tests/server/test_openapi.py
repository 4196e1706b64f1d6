"""The OpenAPI document: complete, with valid examples, and no request causes an undocumented response."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from string import Formatter
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.internal.conjecture import utils
from hypothesis_jsonschema import _from_schema
from pydantic import BaseModel
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from server.serving import COUNT, app_of, make_shop, scripted, served
from text2sql.server import models
from text2sql.server.models import Body

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
OPERATIONS = {
    ("POST", "/api/v1/evaluations"),
    ("GET", "/api/v1/evaluations/{evaluation_id}"),
    ("DELETE", "/api/v1/evaluations/{evaluation_id}"),
    ("GET", "/api/v1/evaluations/{evaluation_id}/result"),
    ("GET", "/api/v1/models"),
    ("GET", "/api/v1/preferences"),
    ("PUT", "/api/v1/preferences"),
    ("GET", "/api/v1/query/{stream_id}"),
    ("GET", "/api/v1/refreshes/{refresh_id}"),
    ("DELETE", "/api/v1/refreshes/{refresh_id}"),
    ("POST", "/api/v1/reports"),
    ("GET", "/api/v1/reports/{report_id}"),
    ("DELETE", "/api/v1/reports/{report_id}"),
    ("GET", "/api/v1/reports/{report_id}/lock"),
    ("GET", "/api/v1/reports/{report_id}/result"),
    ("GET", "/api/v1/results/{result_id}"),
    ("GET", "/api/v1/results/{result_id}/chart"),
    ("GET", "/api/v1/results/{result_id}/chart.{form}"),
    ("GET", "/api/v1/results/{result_id}/export"),
    ("GET", "/api/v1/schema"),
    ("GET", "/api/v1/examples"),
    ("GET", "/api/v1/sources"),
    ("POST", "/api/v1/sources/{source}/refresh"),
    ("GET", "/api/v1/threads"),
    ("GET", "/api/v1/threads/{thread_id}"),
    ("DELETE", "/api/v1/query/{stream_id}"),
    ("DELETE", "/api/v1/threads/{thread_id}"),
    ("POST", "/api/v1/feedback"),
    ("POST", "/api/v1/query"),
    ("POST", "/api/v1/query/sync"),
    ("POST", "/api/v1/sql"),
    ("POST", "/api/v1/threads/{thread_id}/resume"),
    ("POST", "/api/v1/threads/{thread_id}/rollback"),
    ("GET", "/healthz"),
    ("GET", "/metrics"),
    ("GET", "/readyz"),
}


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    shop = make_shop(tmp_path_factory.mktemp("openapi") / "shop.db")

    async def scenario() -> dict[str, Any]:
        async with served(shop, scripted([])) as server:
            responses: dict[str, Any] = await server.get("/openapi.json")
            return responses

    return asyncio.run(scenario())


def test_the_openapi_document_lists_every_route_and_no_other(document: dict[str, Any]) -> None:
    named = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert named == OPERATIONS


def test_every_request_has_valid_examples() -> None:
    bodies = [var for var in vars(models).values() if isinstance(var, type) and issubclass(var, Body)]
    bodies.remove(Body)
    assert len(bodies) == 10
    for body in bodies:
        examples = _examples(body)
        assert examples, body
        for example in examples:
            body.model_validate(example)


def test_the_answer_has_a_valid_example() -> None:
    for example in _examples(models.AnswerObject):
        models.AnswerObject.model_validate(example)


def _examples(model: type[BaseModel]) -> list[Any]:
    return list(model.model_json_schema().get("examples", []))


def test_every_problem_is_documented_as_one(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for operation in methods.values():
            responses = operation["responses"]
            assert {"404", "422", "503"} <= set(responses), path
            assert "application/problem+json" in responses["422"]["content"]
    assert set(document["components"]["schemas"]["ProblemDetails"]["required"]) == {
        "type", "title", "status", "detail", "kind", "hint",
    }  # fmt: skip


# -- arbitrary requests ------------------------------------------------------------------


class _Many(utils.many):
    """hypothesis-jsonschema 0.23.1 asks for `more`, which hypothesis 6.170 took away."""

    def more(self) -> bool:
        if self._depth is None:
            self._drawing = iter(self.__enter__())
        if next(self._drawing, self) is None:
            return True
        self.__exit__(None)
        return False


@pytest.fixture(autouse=True)
def _older_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(utils.many, "more"):
        monkeypatch.setattr(_from_schema, "cu", SimpleNamespace(many=_Many))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a thread: schemathesis speaks HTTP, and waits for each answer."""
    shop = make_shop(tmp_path_factory.mktemp("fuzz") / "shop.db")
    app = app_of(shop, scripted([], last=COUNT), stream_keep=0.1, question_time=5.0)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(20)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        *((method, path, GenerationMode.POSITIVE) for method, path in sorted(OPERATIONS)),
        # A body can be wrong in many ways; an address is one that is there, or it is another test's.
        *((method, path, GenerationMode.NEGATIVE) for method, path in sorted(OPERATIONS) if method == "POST"),
    ],
)
def test_no_request_causes_a_500_or_an_undocumented_response(
    address: str, document: dict[str, Any], method: str, path: str, mode: GenerationMode
) -> None:
    operation = schemathesis.openapi.from_dict(document)[path][method]

    @settings(
        max_examples=10,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def send(case: schemathesis.Case) -> None:
        response = case.call(base_url=address)
        case.validate_response(response, checks=list(CHECKS))

    send()


def test_responses_match_the_openapi_document(address: str, document: dict[str, Any]) -> None:
    """Made-up ids find nothing: these are real."""
    with httpx.Client(base_url=address) as client:
        question = {"question": "How many customers are there?"}
        named = {"mode": "hybrid", "preset": "default"}  # other tests may have stored preferences
        answer = client.post("/api/v1/query/sync", json=question | named).json()
    known = {"result_id": answer["result_id"], "thread_id": answer["thread_id"], "form": "svg"}
    schema = schemathesis.openapi.from_dict(document)
    for method, path in sorted(OPERATIONS):
        if method == "GET" and ("{result_id}" in path or "{thread_id}" in path):
            case = schema[path][method].Case(path_parameters={name: known[name] for name in _blanks(path)})
            response = case.call(base_url=address)
            assert response.status_code == 200, (path, response.text)
            case.validate_response(response, checks=list(CHECKS))


def _blanks(path: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(path) if name]
