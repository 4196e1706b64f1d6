"""How structured output is requested from each provider, and what happens where an endpoint rejects it."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from llm.asking import QUESTION
from providers.fake import Fake
from text2sql.agents.generator import REPLY
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel, open_model
from text2sql.llm.providers import PROVIDERS
from text2sql.types import Reply

ANSWER = json.dumps({"sql": "SELECT 1", "problem": "none", "explanation": ""})
REQUEST = replace(QUESTION, schema=REPLY)
NOT_OPENAI = ("anthropic", "google_genai", "ollama")
# The field of each way, in the body of the request.
FIELDS: Mapping[str, Mapping[str, str]] = {
    "anthropic": {"json_schema": "output_config", "tool": "tools"},
    "google_genai": {"json_schema": "responseJsonSchema", "tool": "functionDeclarations"},
    "ollama": {"json_schema": "format"},
    "deepseek": {"json": "json_object", "tool": "tools"},
    "siliconflow": {"json": "json_object", "tool": "tools"},
}
FIELDS = {name: FIELDS.get(name, {"json_schema": "json_schema", "json": "json_object"}) for name in PROVIDERS}


def model_at(provider: Fake, name: str) -> AsyncChatModel:
    url = provider.url if name in NOT_OPENAI else f"{provider.url}/v1"
    return open_model(f"{name}:some-model", Settings(base_url=url, api_key="sk-test", requests_per_minute=0))


def ask(model: AsyncChatModel, times: int = 1) -> list[Reply]:
    async def run() -> list[Reply]:
        async with model:
            return [await model.ask(REQUEST) for _ in range(times)]

    return asyncio.run(run())


def fields_in(body: dict[str, Any], name: str) -> list[str]:
    return [way for way, field in FIELDS[name].items() if f'"{field}"' in json.dumps(body)]


@pytest.mark.parametrize("name", PROVIDERS)
def test_structured_output_is_requested_in_the_first_way_of_the_table(name: str, provider: Fake) -> None:
    provider.script = lambda _: ANSWER
    model = model_at(provider, name)
    (reply,) = ask(model)
    assert (reply.text, reply.usage.calls) == (ANSWER, 1)
    assert model.profile.structured_output
    (body,) = provider.bodies
    assert fields_in(body, name) == [PROVIDERS[name].structured[0]]
    # In JSON mode the endpoint does not know the schema: it is in the prompt, with the word that it demands.
    assert ("JSON Schema" in json.dumps(body)) == (PROVIDERS[name].structured[0] == "json")


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_rejected_kind_of_structured_output_is_replaced_by_the_next_one_for_good(
    name: str, provider: Fake
) -> None:
    first, *others = PROVIDERS[name].structured
    provider.script = lambda _: ANSWER
    provider.rejected = (FIELDS[name][first],)
    model = model_at(provider, name)
    before, after = ask(model, times=2)
    assert json.loads(before.text) == json.loads(after.text) == json.loads(ANSWER)
    assert (before.usage.calls, after.usage.calls) == (2, 1)
    expected = [others[0]] if others else []
    assert [fields_in(body, name) for body in provider.bodies] == [[first], expected, expected]
    assert model.profile.structured_output == bool(others)


@pytest.mark.parametrize("name", PROVIDERS)
def test_an_endpoint_without_any_structured_output_still_answers(name: str, provider: Fake) -> None:
    provider.script = lambda _: "SELECT 1"
    provider.rejected = tuple(FIELDS[name].values())
    model = model_at(provider, name)
    (reply,) = ask(model)
    assert (reply.text, reply.usage.calls) == ("SELECT 1", 1 + len(FIELDS[name]))
    assert not model.profile.structured_output
    assert fields_in(provider.bodies[-1], name) == []


@pytest.mark.parametrize("name", ["anthropic", "siliconflow"])
def test_a_model_that_refuses_a_forced_tool_may_choose_it(name: str, provider: Fake) -> None:
    provider.script = lambda _: ANSWER
    provider.rejected = (FIELDS[name][PROVIDERS[name].structured[0]], "tool_choice")
    (reply,) = ask(model_at(provider, name))
    assert (json.loads(reply.text), reply.usage.calls) == (json.loads(ANSWER), 3)
    assert fields_in(provider.bodies[-1], name) == ["tool"]
