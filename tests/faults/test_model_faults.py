"""Faults of a model's endpoint (`faults.md`, section 1), played by the scripted endpoint to the real client.

Each ends within its deadline in a typed error or a correct answer, leaves no task behind, and shows neither
key nor prompt in either language. Not of this room: shrinking the prompt of L11 (`agents/`, told by
`PromptTooLong`), L14 and L15 (reading structured output, `agents/`; that no tool is ever called is here), L24
(loops, the agents' budget), L25 (one statement out of prose, `sql/reply.py`), L26 (the guard; that prompts
fence what a database says is in `tests/llm/test_prompts.py`), L29 (embeddings, `schema/`).
"""

import asyncio
import logging
import os
import socket
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from faults.asking import memory_mb
from llm.asking import KEY, PROMPT, QUESTION, eventually, hosted, isolated, model_name, settled
from text2sql.config import Settings
from text2sql.errors import (
    BadReply,
    ModelError,
    ModelNotAllowed,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    PromptTooLong,
    RateLimited,
)
from text2sql.i18n import Language, explain
from text2sql.llm import AsyncChatModel, open_model
from text2sql.testing.endpoint import Endpoint, endpoint
from text2sql.testing.wire import TEXT
from text2sql.types import ModelRequest, Reply

LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.fixture(autouse=True)
def _isolated() -> Iterator[None]:
    with isolated():
        yield


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    import langchain_openai  # noqa: F401 -- four seconds that are no test's

    with endpoint() as server:
        yield server


@dataclass(frozen=True)
class End:
    """How a question ended: one of the two, and after how long."""

    seconds: float
    reply: Reply | None = None
    error: ModelError | None = None


def ended(model: AsyncChatModel, request: ModelRequest = QUESTION) -> End:
    """Ask, measured without the seconds that importing the packages takes."""

    async def ask() -> End:
        async with model:
            await model.warm(())
            began = time.monotonic()
            try:
                reply = await model.ask(request)
            except ModelError as error:
                keep_quiet(error)
                return End(time.monotonic() - began, error=error)
            return End(time.monotonic() - began, reply=reply)

    return settled(ask())


def keep_quiet(error: ModelError) -> None:
    """Nothing that can be shown of an error holds the key or the prompt; both languages have a sentence."""
    shown = [str(error), repr(error), repr(error.__dict__), "".join(traceback.format_exception(error))]
    for lang in LANGUAGES:
        shown.append(explain(error, lang))
        assert error.model in shown[-1]
        assert len(shown[-1].splitlines()) == 2
    assert [text for text in shown if KEY in text or PROMPT in text] == []


def test_l01_no_server_listens(server: Endpoint) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    end = ended(hosted(server, model_name("plain"), base_url=address))
    assert isinstance(end.error, ModelUnavailable)
    assert end.seconds < 2


def test_l01_a_dead_endpoint_fails_in_milliseconds_once_that_is_known(server: Endpoint) -> None:
    model = hosted(server, name := model_name("fault:status=503"))
    spent = [ended(hosted(server, name)) for _ in range(3)]
    assert [isinstance(outcome.error, ModelUnavailable) for outcome in spent] == [True] * 3
    last = ended(model)
    assert last.seconds < 0.05
    assert last.error is not None
    assert "5 times in a row" in last.error.detail
    assert len(server.calls(name)) == 5


def test_l01_another_model_takes_over(server: Endpoint) -> None:
    spare = f"openai-compatible:{model_name('plain')}"
    end = ended(hosted(server, model_name("fault:status=503"), fallback=spare))
    assert end.reply is not None
    assert (end.reply.model, end.reply.text) == (spare, TEXT)


def test_l02_no_such_name(server: Endpoint) -> None:
    end = ended(hosted(server, model_name("plain"), base_url="http://nope.invalid/v1"))
    assert isinstance(end.error, ModelUnavailable)
    assert end.seconds < 2


@pytest.mark.parametrize("candidates", [1, 2])
@pytest.mark.parametrize(
    ("fault", "message"),
    [("hang", "for 0.5 s"), ("stall=3", "for 0.5 s"), ("drip=0.02", "for 0.5 s")],
    ids=["l03-hang", "l04-stall", "l05-drip"],
)
def test_l03_l04_l05_silence_is_noticed(server: Endpoint, fault: str, message: str, candidates: int) -> None:
    model = hosted(server, name := model_name(f"fault:{fault}"))
    end = ended(model, replace(QUESTION, candidates=candidates))
    assert isinstance(end.error, ModelTimeout)
    assert message in end.error.detail
    assert end.seconds < 2
    assert len(server.calls(name)) == 2
    assert eventually(lambda: server.open_connections == 0)


def test_l03_the_three_clocks_are_separate(server: Endpoint) -> None:
    """Late by more than a pause may be, but in time for a first token."""
    patient = {"first_token_timeout": 2.0, "idle_timeout": 0.1}
    end = ended(hosted(server, model_name("fault:slow=0.5"), **patient))
    assert end.reply is not None
    assert end.reply.text == TEXT


def test_l04_a_stalled_stream_is_asked_again_and_its_pieces_are_dropped(server: Endpoint) -> None:
    end = ended(hosted(server, name := model_name("fault:stall_once=3")))
    assert end.reply is not None
    assert (end.reply.text, end.reply.usage.calls) == (TEXT, 2)
    assert len(server.calls(name)) == 2


def test_l05_tokens_that_never_end_do_not_move_the_deadline(server: Endpoint) -> None:
    end = ended(hosted(server, name := model_name("fault:trickle=0.05")), replace(QUESTION, seconds=1.0))
    assert isinstance(end.error, ModelTimeout)
    assert end.error.detail == "no answer within 1 s"
    assert 0.9 < end.seconds < 1.5
    assert len(server.calls(name)) == 1


@pytest.mark.parametrize("fault", ["limited_once=1", "limited_date=2", "limited_once", "limited_once=soon"])
def test_l06_l07_a_rate_limit_is_waited_out_if_it_fits(server: Endpoint, fault: str) -> None:
    end = ended(hosted(server, name := model_name(f"fault:{fault}")))
    assert end.reply is not None
    assert end.reply.text == TEXT
    assert len(server.calls(name)) == 2
    assert fault != "limited_once=1" or end.seconds >= 1.0


def test_l06_a_rate_limit_beyond_the_deadline_fails_at_once_and_applies_to_all_callers(
    server: Endpoint,
) -> None:
    end = ended(hosted(server, name := model_name("fault:limited=30")))
    assert isinstance(end.error, RateLimited)
    assert end.error.retry_after == 30.0
    assert end.seconds < 0.5
    again = ended(hosted(server, name))
    assert isinstance(again.error, RateLimited)
    assert "after the deadline" in again.error.detail
    assert len(server.calls(name)) == 1


@pytest.mark.parametrize(
    ("fault", "calls"), [("once=500", 2), ("once=502", 2), ("twice=503", 3), ("twice=529", 3)]
)
def test_l08_a_passing_failure_is_not_seen(server: Endpoint, fault: str, calls: int) -> None:
    end = ended(hosted(server, name := model_name(f"fault:{fault}")))
    assert end.reply is not None
    assert (end.reply.text, end.reply.usage.calls) == (TEXT, calls)
    assert len(server.calls(name)) == calls


def test_l09_a_lasting_failure_ends_after_three_calls(server: Endpoint) -> None:
    end = ended(hosted(server, name := model_name("fault:status=500")))
    assert isinstance(end.error, ModelUnavailable)
    assert len(server.calls(name)) == 3


@pytest.mark.parametrize(
    "fault", ["status=401", "status=403", "status=404", "quota", "echo_key=401", "echo_key=403", "redirect"]
)
def test_l10_a_call_that_is_not_allowed_is_not_retried(server: Endpoint, fault: str) -> None:
    end = ended(hosted(server, name := model_name(f"fault:{fault}")))
    assert isinstance(end.error, ModelNotAllowed)
    assert len(server.calls(name)) == 1


def test_l11_a_prompt_too_long_is_for_the_caller_to_shorten(server: Endpoint) -> None:
    end = ended(hosted(server, model_name("fault:context")))
    assert isinstance(end.error, PromptTooLong)


@pytest.mark.parametrize("candidates", [1, 2])
@pytest.mark.parametrize(
    "fault", ["empty_body", "empty_choices", "null_content", "broken_json", "body=<html>busy</html>"]
)
def test_l12_l13_no_answer_is_never_an_empty_answer(server: Endpoint, fault: str, candidates: int) -> None:
    end = ended(
        hosted(server, name := model_name(f"fault:{fault}")), replace(QUESTION, candidates=candidates)
    )
    assert isinstance(end.error, BadReply)
    assert len(end.error.detail) <= 300
    assert len(server.calls(name)) == 2


@pytest.mark.parametrize("candidates", [1, 2])
def test_l15_l23_an_unknown_tool_is_never_called(server: Endpoint, candidates: int) -> None:
    end = ended(hosted(server, model_name("fault:tool")), replace(QUESTION, candidates=candidates))
    assert isinstance(end.error, BadReply)


@pytest.mark.parametrize(
    ("fault", "kind", "calls"),
    [("cut=3", BadReply, 2), ("reset=3", ModelUnavailable, 3), ("stream_error=3", ModelUnavailable, 3)],
    ids=["l16-cut", "l17-reset", "error-inside"],
)
def test_l16_l17_a_broken_stream_is_no_answer(
    server: Endpoint, fault: str, kind: type[ModelError], calls: int
) -> None:
    end = ended(hosted(server, name := model_name(f"fault:{fault}")))
    assert isinstance(end.error, kind)
    assert len(server.calls(name)) == calls


@pytest.mark.parametrize("fault", ["cut=3", "reset=3"])
def test_l16_l17_a_stream_that_breaks_raises_and_repeats_no_piece(server: Endpoint, fault: str) -> None:
    async def read() -> list[str | Reply]:
        got: list[str | Reply] = []
        async with hosted(server, name) as model:
            with pytest.raises((BadReply, ModelUnavailable)):  # noqa: PT012 -- it comes while the stream is read
                async for item in model.stream(QUESTION):
                    got.append(item)  # noqa: PERF401 -- what came before the error is the point
        return got

    name = model_name(f"fault:{fault}")
    assert settled(read()) == ["SELE", "CT c", "ount"]
    assert len(server.calls(name)) == 1


@pytest.mark.parametrize("candidates", [1, 2])
def test_l18_a_cut_answer_is_marked(server: Endpoint, candidates: int) -> None:
    end = ended(hosted(server, model_name("fault:length")), replace(QUESTION, candidates=candidates))
    assert end.reply is not None
    assert {candidate.finish for candidate in end.reply.candidates} == {"length"}


@pytest.mark.parametrize("candidates", [1, 2])
@pytest.mark.parametrize("fault", ["content_filter", "refusal"])
def test_l19_a_refusal_is_reported_and_not_retried(server: Endpoint, fault: str, candidates: int) -> None:
    end = ended(
        hosted(server, name := model_name(f"fault:{fault}")), replace(QUESTION, candidates=candidates)
    )
    assert isinstance(end.error, ModelRefused)
    assert len(server.calls(name)) == 1


@pytest.mark.parametrize("fault", ["megabyte=50", "endless", "huge_line=10", "gzip"])
def test_l20_l21_an_answer_and_its_memory_are_limited(server: Endpoint, fault: str) -> None:
    before = memory_mb()
    end = ended(hosted(server, model_name(f"fault:{fault}")))
    assert isinstance(end.error, BadReply)
    assert end.seconds < 2
    assert eventually(lambda: server.open_connections == 0)
    assert memory_mb() - before < 30


@pytest.mark.parametrize(
    ("fault", "text"),
    [("bad_utf8", "SELECT \ufffd1"), ("split_utf8", "SELECT '😀'"), ("surrogates", "😀\ufffd!")],
)
def test_l22_text_is_always_text(server: Endpoint, fault: str, text: str) -> None:
    end = ended(hosted(server, model_name(f"fault:{fault}")))
    assert end.reply is not None
    assert end.reply.text == text
    assert end.reply.text.encode()


def test_l27_an_expired_key_is_read_again_once_for_all_calls(server: Endpoint) -> None:
    name = model_name("fault:expired=sk-fresh-key")

    async def ask_at_once() -> list[str]:
        async with hosted(server, name, model_timeout=10.0) as model:
            await model.warm(())
            os.environ["TEXT2SQL_API_KEY"] = "sk-fresh-key"
            replies = await asyncio.gather(*(model.ask(QUESTION) for _ in range(5)))
            return [item.text for item in replies]

    assert settled(ask_at_once()) == [TEXT] * 5
    assert sum("sk-fresh-key" in call.headers["authorization"] for call in server.calls(name)) == 5


def test_l27_a_key_that_stays_expired_is_an_error_after_one_call(server: Endpoint) -> None:
    end = ended(hosted(server, name := model_name("fault:expired=sk-other")))
    assert isinstance(end.error, ModelNotAllowed)
    assert len(server.calls(name)) == 1


@pytest.mark.parametrize("candidates", [1, 2])
@pytest.mark.parametrize("fault", ["usage_null", "usage_absurd"])
def test_l28_counts_that_are_none_count_as_nothing(server: Endpoint, fault: str, candidates: int) -> None:
    end = ended(hosted(server, model_name(f"fault:{fault}")), replace(QUESTION, candidates=candidates))
    assert end.reply is not None
    usage = end.reply.usage
    assert (end.reply.text, usage.calls) == (TEXT, 1)
    assert (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) == (0, 0, 0)


@pytest.mark.parametrize("provider", ["openai", "openai-compatible"])
def test_l30_no_proxy_and_no_gateway_sees_a_question(
    server: Endpoint, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy stands in every variable. It is the endpoint itself, so it would count what reaches it."""
    proxy = server.base_url.removesuffix("/v1")
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "OPENAI_PROXY"):
        monkeypatch.setenv(name, proxy)
    monkeypatch.setenv("LANGSMITH_GATEWAY", "true")
    model = f"{provider}:{(name := model_name('plain'))}"
    away = Settings(base_url="http://nope.invalid/v1", api_key=KEY, requests_per_minute=0, model_timeout=5.0)
    end = ended(open_model(model, away))
    assert isinstance(end.error, ModelUnavailable)
    assert server.calls(name) == []


@pytest.mark.parametrize(
    "fault", ["plain", "fault:echo_key", "fault:status=500", "fault:reset=2", "fault:broken_json"]
)
def test_g6_no_log_at_any_level_holds_the_key(
    server: Endpoint, fault: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    model = hosted(server, model_name(fault))
    with caplog.at_level(logging.DEBUG):
        ended(model)
    messages = [
        record.getMessage() + str(record.__dict__) + (record.exc_text or "") for record in caplog.records
    ]
    assert messages, "nothing was logged, so nothing was tested"
    assert [line for line in messages if KEY in line] == []
    assert KEY not in "".join(capfd.readouterr())
    assert KEY not in repr(model.settings) + repr(model.backends)


def ours(record: Any) -> bool:
    return str(record.name).startswith("text2sql")


@pytest.mark.parametrize("fault", ["plain", "fault:echo_key", "fault:status=500"])
def test_g6_our_own_log_holds_no_prompt(
    server: Endpoint, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        ended(hosted(server, model_name(fault)))
    assert [record for record in filter(ours, caplog.records) if PROMPT in record.getMessage()] == []


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.mark.slow
def test_g5_two_hundred_faults_leave_nothing_behind(server: Endpoint) -> None:
    faults = "cut=3 broken_json status=401 refusal tool length endless huge_line=2 say=x gzip".split()

    async def call(fault: str, rounds: int) -> None:
        async with hosted(server, model_name(f"fault:{fault}")) as model:
            for _ in range(rounds):
                try:
                    await model.ask(QUESTION)
                except ModelError as error:
                    keep_quiet(error)

    async def many(rounds: int) -> None:
        await asyncio.gather(*(call(fault, rounds) for fault in faults))

    settled(many(2))
    files, memory = open_files(), memory_mb()
    settled(many(20))
    assert open_files() <= files + 1
    assert memory_mb() - memory < 40
