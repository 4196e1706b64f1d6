"""The chat model with scripted backends: retries, fallbacks, deadlines, usage and closing."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from llm.asking import QUESTION, settled
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
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.types import Candidate, Message, ModelProfile, ModelRequest, Reply, Usage


def chat(*backends: ScriptedBackend, **settings: float) -> AsyncChatModel:
    return AsyncChatModel(backends, Settings(**settings))  # type: ignore[arg-type]


def down() -> ModelUnavailable:
    return ModelUnavailable("scripted", "down", retry_after=0.0)


def test_a_question_gets_its_answer() -> None:
    backend = ScriptedBackend(["SELECT 1"])
    reply = settled(chat(backend).ask(QUESTION))
    assert reply.text == "SELECT 1"
    assert reply.model == "scripted"
    assert reply.usage == Usage(calls=1, prompt_tokens=26, completion_tokens=3)
    assert [sent.messages for sent in backend.requests] == [QUESTION.messages]


def test_a_stream_is_pieces_and_then_one_reply() -> None:
    async def collect() -> list[str | Reply]:
        return [item async for item in chat(ScriptedBackend(["SELECT count(*)"])).stream(QUESTION)]

    *pieces, reply = settled(collect())
    assert pieces == ["SELECT c", "ount(*)"]
    assert isinstance(reply, Reply)
    assert reply.text == "SELECT count(*)"


def test_what_a_model_cannot_do_is_left_out_of_the_request() -> None:
    plain = ScriptedBackend(["SELECT 1"], profile=ModelProfile(context=1000))
    request = replace(QUESTION, grammar="root ::= x", schema={"type": "object"}, candidates=4, logprobs=True)
    request = replace(request, begun="SELECT")
    reply = settled(chat(plain).ask(request))
    assert plain.requests == [replace(QUESTION, grammar="", schema=None, candidates=1, logprobs=False)]
    assert len(reply.candidates) == 1


def test_what_a_model_can_do_is_left_in() -> None:
    able = ScriptedBackend(["SELECT 1"])
    request = replace(QUESTION, grammar="root ::= x", schema={"type": "object"}, candidates=4, logprobs=True)
    assert len(settled(chat(able).ask(request)).candidates) == 4
    assert able.requests == [request]


def test_an_answer_is_never_longer_than_the_setting_allows() -> None:
    backend = ScriptedBackend(["SELECT 1"])
    settled(chat(backend, max_tokens=100).ask(replace(QUESTION, max_tokens=9000)))
    assert backend.requests[0].max_tokens == 100


def test_a_failure_that_may_pass_is_tried_twice_more_and_all_calls_are_counted() -> None:
    backend = ScriptedBackend([down(), down(), "SELECT 1"])
    reply = settled(chat(backend).ask(QUESTION))
    assert reply.text == "SELECT 1"
    assert reply.usage.calls == 3
    assert len(backend.requests) == 3


@pytest.mark.parametrize(
    ("error", "calls"),
    [
        (ModelUnavailable("m", "x", retry_after=0.0), 3),
        (RateLimited("m", "x", retry_after=0.0), 3),
        (ModelTimeout("m", "x", retry_after=0.0), 2),
        (BadReply("m", "x", retry_after=0.0), 2),
        (PromptTooLong("m", "x"), 1),
        (ModelRefused("m", "x"), 1),
        (ModelNotAllowed("m", "x"), 1),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_the_number_of_retries_depends_on_the_error(error: ModelError, calls: int) -> None:
    backend = ScriptedBackend(last=error)
    with pytest.raises(type(error)):
        settled(chat(backend).ask(QUESTION))
    assert len(backend.requests) == calls


def test_a_wait_beyond_the_deadline_is_not_started() -> None:
    backend = ScriptedBackend(last=RateLimited("scripted", "slow down", retry_after=30.0))
    began = time.monotonic()
    with pytest.raises(RateLimited) as caught:
        settled(chat(backend).ask(replace(QUESTION, seconds=2.0)))
    assert time.monotonic() - began < 0.5
    assert caught.value.retry_after == 30.0
    assert len(backend.requests) == 1


def test_the_next_model_answers_when_the_first_is_unavailable() -> None:
    first, second = ScriptedBackend(last=down()), ScriptedBackend(["SELECT 2"], name="spare")
    reply = settled(chat(first, second).ask(QUESTION))
    assert (reply.model, reply.text) == ("spare", "SELECT 2")
    assert reply.usage.calls == 4


def test_a_model_that_timed_out_is_not_waited_for_twice_when_there_is_another() -> None:
    first, second = ScriptedBackend(last=ModelTimeout("scripted", "x")), ScriptedBackend(["SELECT 2"])
    assert settled(chat(first, second).ask(QUESTION)).text == "SELECT 2"
    assert len(first.requests) == 1


@pytest.mark.parametrize(
    "error", [ModelRefused("m", "no"), PromptTooLong("m", "too long")], ids=["no", "long"]
)
@pytest.mark.fault("L19")
def test_a_refusal_is_not_shopped_around(error: ModelError) -> None:
    second = ScriptedBackend(["SELECT 2"])
    with pytest.raises(type(error)):
        settled(chat(ScriptedBackend([error]), second).ask(QUESTION))
    assert second.requests == []


class Slow(ScriptedBackend):
    """Yields a few words, then blocks; records whether it was cancelled."""

    def __init__(self, words: tuple[str, ...] = ("SELECT",)) -> None:
        super().__init__(name="slow")
        self._words = words
        self.stopped = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        try:
            for word in self._words:
                yield word
            await asyncio.sleep(3600)
        finally:
            self.stopped = True


def test_the_deadline_ends_everything_and_says_which_model() -> None:
    backend = Slow()
    began = time.monotonic()
    with pytest.raises(ModelTimeout) as caught:
        settled(chat(backend).ask(replace(QUESTION, seconds=0.3)))
    assert time.monotonic() - began < 1.0
    assert (caught.value.model, caught.value.detail) == ("slow", "no answer within 0.3 s")
    assert backend.stopped
    assert len(backend.requests) == 1


async def drain(items: AsyncIterator[str | Reply]) -> None:
    async for _ in items:
        pass


def test_the_clock_of_a_stream_never_hits_the_code_that_reads_it() -> None:
    async def read_slowly() -> str:
        async with aclosing(chat(Slow(("a", "b"))).stream(replace(QUESTION, seconds=0.2))) as items:
            await anext(items)
            await asyncio.sleep(0.4)  # past the deadline, in our own code
            with pytest.raises(ModelTimeout):
                await drain(items)
        return "unharmed"

    assert settled(read_slowly()) == "unharmed"


def test_leaving_a_stream_early_stops_the_work() -> None:
    backend = Slow()

    async def leave() -> None:
        async with aclosing(chat(backend).stream(QUESTION)) as items:
            assert await anext(items) == "SELECT"

    settled(leave())
    assert backend.stopped


def test_a_cancelled_question_stops_the_work() -> None:
    backend = Slow()

    async def cancel() -> None:
        task = asyncio.create_task(chat(backend).ask(QUESTION))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    settled(cancel())
    assert backend.stopped


class Breaks(ScriptedBackend):
    """The first call fails after a piece; the second one succeeds."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        yield "SELECT "
        if len(self.requests) == 1:
            raise down()
        yield Reply("scripted", (Candidate("SELECT 1"),), Usage(calls=1))


@pytest.mark.fault("G4")
def test_a_stream_is_not_restarted_after_its_first_piece() -> None:
    backend = Breaks()

    async def read() -> list[str | Reply]:
        pieces: list[str | Reply] = []
        with pytest.raises(ModelUnavailable):  # noqa: PT012 -- it comes while the stream is read
            async for item in chat(backend, ScriptedBackend(["other"])).stream(QUESTION):
                pieces.append(item)  # noqa: PERF401 -- what came before the error is the point
        return pieces

    assert settled(read()) == ["SELECT "]
    assert len(backend.requests) == 1


def test_a_whole_answer_discards_the_text_of_a_failed_attempt() -> None:
    backend = Breaks()
    assert settled(chat(backend).ask(QUESTION)).text == "SELECT 1"
    assert len(backend.requests) == 2


class Tired(ScriptedBackend):
    """Fails after a delay."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        time.sleep(0.3)
        yield ""
        raise ModelNotAllowed("tired", "no")


def test_a_fallback_after_the_deadline_is_a_time_out() -> None:
    spare = ScriptedBackend(["SELECT 1"])
    with pytest.raises(ModelTimeout, match=r"no answer within 0.2 s"):
        settled(chat(Tired(), spare).ask(replace(QUESTION, seconds=0.2)))
    assert spare.requests == []


class Mute(ScriptedBackend):
    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        for piece in "":
            yield piece


def test_a_backend_that_ends_without_a_reply_is_a_bad_reply() -> None:
    with pytest.raises(BadReply):
        settled(chat(Mute()).ask(QUESTION))


def test_an_unavailable_model_fails_at_once_after_five_failures() -> None:
    backend = ScriptedBackend(last=down())
    model = chat(backend)

    async def ask_often() -> float:
        for _ in range(3):
            with pytest.raises(ModelUnavailable):
                await model.ask(QUESTION)
        began = time.monotonic()
        with pytest.raises(ModelUnavailable, match="5 times in a row"):
            await model.ask(QUESTION)
        return time.monotonic() - began

    assert settled(ask_often()) < 0.05
    assert len(backend.requests) == 5


def test_warming_counting_and_closing_reach_the_backends() -> None:
    first, second = ScriptedBackend(), ScriptedBackend(name="spare")

    async def use() -> int:
        async with chat(first, second) as model:
            await model.warm((Message("system", "rules"),))
            assert model.name == "scripted"
            return await model.count_tokens("数据库 tables")

    assert settled(use()) == 8
    assert first.warmed == [(Message("system", "rules"),)]
    assert (first.closed, second.closed) == (True, True)


def test_a_script_may_think_and_runs_out_with_an_error() -> None:
    backend = ScriptedBackend([lambda request: f"-- {request.max_tokens}\nSELECT 1"])
    assert settled(chat(backend).ask(QUESTION)).text == "-- 512\nSELECT 1"
    with pytest.raises(ModelUnavailable, match="script is over"):
        settled(chat(backend).ask(replace(QUESTION, seconds=2.0)))
