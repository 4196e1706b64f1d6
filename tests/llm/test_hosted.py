"""A hosted model through LangChain, with the scripted endpoint: requests and replies."""

import asyncio
import os
from contextlib import aclosing
from dataclasses import replace

import pytest

from llm.asking import KEY, QUESTION, eventually, hosted, model_name, settings_for, settled
from text2sql.errors import ModelNotAllowed, PromptTooLong, RateLimited
from text2sql.llm import AsyncChatModel, ChatModel, open_model
from text2sql.llm.hosted import DEFAULT_CONTEXT
from text2sql.testing.endpoint import Endpoint
from text2sql.testing.wire import TEXT
from text2sql.types import ModelProfile, ModelRequest, Reply, Token

SLOW = {"model_timeout": 60.0, "first_token_timeout": 30.0}  # a first call imports packages
SCHEMA = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}


async def ask_once(model: AsyncChatModel, request: ModelRequest = QUESTION) -> Reply:
    async with model:
        return await model.ask(request)


def test_a_hosted_model_answers_and_its_cost_is_counted(server: Endpoint) -> None:
    reply = settled(ask_once(hosted(server, name := model_name("plain"))))
    assert (reply.text, reply.candidates[0].finish) == (TEXT, "stop")
    assert reply.model == f"openai-compatible:{name}"
    assert reply.usage.calls == 1
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (12, 8)
    assert reply.usage.completion_tokens == 6
    assert reply.usage.seconds > 0


def test_the_http_request_contains_the_parameters_and_nothing_else(server: Endpoint) -> None:
    request = replace(QUESTION, max_tokens=99, stop=("###",), temperature=0.5)
    settled(ask_once(hosted(server, name := model_name("plain")), request))
    (call,) = server.calls(name)
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": name,
        "messages": [{"role": message.role, "content": message.content} for message in QUESTION.messages],
        "max_tokens": 99,
        "stop": ["###"],
        "temperature": 0.5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.fault("L23")
def test_a_tool_that_was_offered_can_be_called(server: Endpoint) -> None:
    request = replace(QUESTION, tools={"schema": "picks the tables"})
    reply = settled(ask_once(hosted(server, name := model_name("fault:tool=schema")), request))
    assert (reply.candidates[0].called, reply.text) == ("schema", "")
    body = server.calls(name)[0].body
    assert body["tool_choice"] == "required"
    assert [tool["function"]["name"] for tool in body["tools"]] == ["schema"]


def test_openai_gets_the_token_limit_in_its_own_parameter(server: Endpoint) -> None:
    model = open_model(f"openai:{(name := model_name('plain'))}", settings_for(server))
    settled(ask_once(model, replace(QUESTION, max_tokens=99)))
    assert server.calls(name)[0].body["max_completion_tokens"] == 99


def test_azure_is_called_by_deployment_and_version(server: Endpoint) -> None:
    settings = settings_for(
        server, base_url=server.base_url.removesuffix("/v1"), deployment="mine", api_version="2024-10-21"
    )
    settled(ask_once(open_model(f"azure_openai:{(name := model_name('plain'))}", settings)))
    (call,) = server.calls(name)
    assert call.path == "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert call.headers["api-key"] == KEY


def test_structured_output_is_requested_with_its_schema(server: Endpoint) -> None:
    settled(ask_once(hosted(server, name := model_name("plain")), replace(QUESTION, schema=SCHEMA)))
    expected = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}
    assert server.calls(name)[0].body["response_format"] == expected


def test_an_endpoint_without_structured_output_is_remembered(server: Endpoint) -> None:
    model = hosted(server, name := model_name("fault:unsupported=response_format"))

    async def twice() -> ModelProfile:
        async with model:
            for _ in range(2):
                assert (await model.ask(replace(QUESTION, schema=SCHEMA))).text == TEXT
            return model.profile

    assert settled(twice()).structured_output is False
    formats = [call.body.get("response_format", {}).get("type") for call in server.calls(name)]
    assert formats == ["json_schema", "json_object", None, None]


def test_json_mode_describes_the_schema_in_the_system_message(server: Endpoint) -> None:
    model = open_model(f"siliconflow:{(name := model_name('plain'))}", settings_for(server, **SLOW))
    settled(ask_once(model, replace(QUESTION, schema=SCHEMA)))
    (call,) = server.calls(name)
    assert call.body["response_format"] == {"type": "json_object"}
    system, user = call.body["messages"]
    assert system["content"].startswith(f"{QUESTION.messages[0].content}\n\nAnswer with one JSON object")
    assert '"required": ["sql"]' in system["content"]
    assert user["content"] == QUESTION.messages[1].content


@pytest.mark.parametrize("candidates", [1, 3])
def test_a_model_without_chat_completions_is_called_through_the_responses_api(
    server: Endpoint, candidates: int
) -> None:
    model = open_model(f"openai:{(name := model_name('fault:responses_only'))}", settings_for(server, **SLOW))
    request = replace(QUESTION, schema=SCHEMA, max_tokens=99, logprobs=True, candidates=candidates)

    async def twice() -> list[Reply]:
        async with model:
            return [await model.ask(request), await model.ask(request)]

    first, second = settled(twice())
    assert (first.text, first.usage.calls, second.text, second.usage.calls) == (TEXT, 2, TEXT, 1)
    assert (second.usage.prompt_tokens, second.usage.cached_tokens) == (12, 8)
    assert second.usage.completion_tokens == 6
    _, call, _ = server.calls(name)
    assert call.body["text"]["format"]["type"] == "json_schema"
    assert call.body["max_output_tokens"] == 99
    assert not {"n", "stop", "logprobs", "response_format"} & call.body.keys()
    assert (model.profile.candidates, model.profile.logprobs) == (False, False)


def test_an_answer_of_the_responses_api_that_is_cut_off_says_so(server: Endpoint) -> None:
    model = open_model(f"openai:{model_name('fault:responses_only=length')}", settings_for(server, **SLOW))
    assert settled(ask_once(model)).candidates[0].finish == "length"


def test_a_model_that_reasons_gets_more_tokens_on_the_retry(server: Endpoint) -> None:
    reply = settled(ask_once(hosted(server, name := model_name("fault:reasons=600"), **SLOW)))
    assert reply.text == TEXT
    limits = [call.body["max_tokens"] for call in server.calls(name)]
    assert limits[0] < 600 < 8_000 < limits[1]


@pytest.mark.parametrize("parameter", ["temperature", "stream_options", "logprobs"])
def test_a_parameter_the_endpoint_does_not_know_is_left_out(server: Endpoint, parameter: str) -> None:
    model = hosted(server, name := model_name(f"fault:unsupported={parameter}"))
    reply = settled(ask_once(model, replace(QUESTION, logprobs=True)))
    assert reply.text == TEXT
    assert reply.usage.calls == 2
    assert [parameter in call.body for call in server.calls(name)] == [True, False]


def test_several_candidates_come_from_one_call(server: Endpoint) -> None:
    reply = settled(ask_once(hosted(server, name := model_name("plain")), replace(QUESTION, candidates=3)))
    assert [candidate.text for candidate in reply.candidates] == [TEXT] * 3
    assert [(call.body["n"], call.streams) for call in server.calls(name)] == [(3, False)]
    assert (reply.usage.calls, reply.usage.prompt_tokens) == (1, 12)


@pytest.mark.parametrize("candidates", [1, 2])
def test_log_probabilities_come_with_their_tokens(server: Endpoint, candidates: int) -> None:
    request = replace(QUESTION, logprobs=True, candidates=candidates)
    reply = settled(ask_once(hosted(server, model_name("plain")), request))
    for candidate in reply.candidates:
        assert "".join(token.text for token in candidate.tokens) == TEXT
        assert candidate.tokens[0] == Token("SELE", -0.5)


def test_pieces_arrive_as_they_are_sent(server: Endpoint) -> None:
    async def collect() -> list[str | Reply]:
        async with hosted(server, model_name("plain")) as model:
            return [item async for item in model.stream(QUESTION)]

    *pieces, reply = settled(collect())
    assert pieces == ["SELE", "CT c", "ount", "(*) ", "FROM", " ord", "ers"]
    assert isinstance(reply, Reply)


def test_leaving_a_stream_early_closes_the_connection(server: Endpoint) -> None:
    async def leave() -> bool:
        async with hosted(server, model_name("fault:trickle=0.01")) as model:
            async with aclosing(model.stream(QUESTION)) as items:
                await anext(items)
            return await asyncio.to_thread(eventually, lambda: server.open_connections == 0)

    assert settled(leave())


def test_the_synchronous_model_works_with_an_endpoint(server: Endpoint) -> None:
    with ChatModel(hosted(server, model_name("plain"))) as model:
        assert model.ask(QUESTION).text == TEXT
        *pieces, _ = model.stream(QUESTION)
        assert "".join(str(piece) for piece in pieces) == TEXT


def test_a_model_in_another_loop_is_another_model(server: Endpoint) -> None:
    """Connections belong to a loop: what is opened and closed in one does not disturb the next."""
    for _ in range(2):
        assert settled(ask_once(hosted(server, model_name("plain")))).text == TEXT


def test_counts_that_come_with_every_piece_are_not_added_up(server: Endpoint) -> None:
    usage = settled(ask_once(hosted(server, model_name("fault:usage_often")))).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (12, 7)


def test_a_missing_key_is_an_error_before_anything_is_sent(server: Endpoint) -> None:
    model = open_model("openai:gpt-x", settings_for(server, api_key=""))
    with pytest.raises(ModelNotAllowed, match="set TEXT2SQL_API_KEY / OPENAI_API_KEY"):
        settled(ask_once(model))


def test_a_self_hosted_server_needs_no_key(server: Endpoint) -> None:
    assert settled(ask_once(hosted(server, model_name("plain"), api_key=""))).text == TEXT


def test_the_providers_own_variable_is_used_when_no_key_is_set(server: Endpoint) -> None:
    os.environ["OPENAI_API_KEY"] = "sk-own"
    model = open_model(f"openai:{(name := model_name('plain'))}", settings_for(server, api_key=""))
    settled(ask_once(model))
    assert server.calls(name)[0].headers["authorization"] == "Bearer sk-own"


def test_the_profile_is_known_before_the_first_request(server: Endpoint) -> None:
    able = hosted(server, "plain").profile
    assert able == ModelProfile(
        DEFAULT_CONTEXT,
        location="local",
        structured_output=True,
        candidates=True,
        logprobs=True,
        tool_calls=True,
    )
    plain = open_model("siliconflow:x", settings_for(server)).profile
    assert plain == ModelProfile(context=DEFAULT_CONTEXT, structured_output=True, tool_calls=True)


def test_the_temperature_of_the_settings_holds_where_a_request_has_none(server: Endpoint) -> None:
    settled(ask_once(hosted(server, name := model_name("plain"), temperature=0.7)))
    assert server.calls(name)[0].body["temperature"] == 0.7


def test_the_rate_limit_is_enforced_before_the_call(server: Endpoint) -> None:
    """Two per minute: the second request would wait a minute, so it fails at once and is never sent."""
    model = hosted(server, name := model_name("plain"), requests_per_minute=2)

    async def twice() -> str:
        async with model:
            await model.ask(QUESTION)
            try:
                await model.ask(replace(QUESTION, seconds=1.0))
            except RateLimited as error:
                return str(error)
            return ""

    assert "its turn comes in 60 s, after the deadline" in settled(twice())
    assert len(server.calls(name)) == 1


def test_a_prompt_that_is_too_long_is_the_callers_to_shorten(server: Endpoint) -> None:
    with pytest.raises(PromptTooLong) as caught:
        settled(ask_once(hosted(server, name := model_name("fault:context"))))
    assert caught.value.retry == "rewrite"
    assert len(server.calls(name)) == 1
