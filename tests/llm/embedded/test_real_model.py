"""The real model in its process. Each answer takes seconds, so they are few and short."""

import asyncio
import os
import signal
import stat
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from llm.embedded.adapters import write_adapter
from llm.gbnf import Grammar
from text2sql.config import Settings
from text2sql.errors import ModelUnavailable, PromptTooLong
from text2sql.llm.backend import Preparing
from text2sql.llm.embedded import EmbeddedBackend, file, process
from text2sql.llm.grammar import sql_grammar
from text2sql.types import Message, ModelRequest, Queued, Reply

pytestmark = [pytest.mark.slow, pytest.mark.model]
T = TypeVar("T")

TABLES = {"singer": ("singer_id", "name", "country", "age"), "concert": ("concert_id", "year")}
SYSTEM = Message(
    "system",
    "Write one SQLite query and nothing else.\n"
    "CREATE TABLE singer (singer_id INT PRIMARY KEY, name TEXT, country TEXT, age INT);\n"
    "CREATE TABLE concert (concert_id INT PRIMARY KEY, year INT);\n"
    "-- canary-7c1e: a word that must never be found in a log\n" * 2,
)


def question(text: str, **options: object) -> ModelRequest:
    request = ModelRequest((SYSTEM, Message("user", text)), max_tokens=24)
    return replace(request, **options)  # type: ignore[arg-type]


def with_model(settings: Settings, work: Callable[[EmbeddedBackend], Awaitable[T]]) -> T:
    async def run() -> T:
        backend = EmbeddedBackend(None, settings)
        try:
            return await work(backend)
        finally:
            await backend.close()

    return asyncio.run(run())


async def reply(backend: EmbeddedBackend, request: ModelRequest) -> Reply:
    pieces = [piece async for piece in backend.stream(request)]
    last = pieces[-1]
    assert isinstance(last, Reply)
    assert "".join(piece for piece in pieces if isinstance(piece, str)) == last.text
    return last


def only_host(settings: Settings) -> process.Host:
    (host,) = process.hosts(Path(settings.cache_dir))
    return host


def end_hosts(settings: Settings) -> None:
    for host in process.hosts(Path(settings.cache_dir)):
        process.stop(host)


def test_the_second_question_finds_the_schema_evaluated_even_after_a_restart(real: Settings) -> None:
    async def two(backend: EmbeddedBackend) -> tuple[Reply, Reply]:
        first = await reply(backend, question("How many singers are there?"))
        return first, await reply(backend, question("How many concerts are there?"))

    first, second = with_model(real, two)
    assert "singer" in first.text
    assert first.candidates[0].finish == "stop"
    assert first.usage.calls == 1
    new = second.usage.prompt_tokens - second.usage.cached_tokens
    assert new <= 0.15 * first.usage.prompt_tokens
    process.stop(only_host(real))
    after = with_model(real, lambda backend: reply(backend, question("How many concerts are there?")))
    assert after.usage.prompt_tokens - after.usage.cached_tokens <= 0.15 * first.usage.prompt_tokens
    assert after.text == second.text


def test_a_damaged_cache_costs_time_and_nothing_else(real: Settings) -> None:
    """llama.cpp aborts on a truncated state file."""
    with_model(real, lambda backend: backend.warm((SYSTEM,)))
    process.stop(only_host(real))
    for state in Path(real.cache_dir).glob("prefix/*/*.bin"):  # other tests may have saved prefixes there
        os.truncate(state, state.stat().st_size // 2)
    answer = with_model(real, lambda backend: reply(backend, question("How many singers?")))
    assert answer.usage.cached_tokens == 0
    assert "singer" in answer.text


def test_an_adapter_changes_replies_but_not_the_base_model(real: Settings, tmp_path: Path) -> None:
    request = question("How many singers are there?")

    async def by_turns(backend: EmbeddedBackend) -> list[str]:
        requests = [replace(request, plain=without) for without in (False, True, False, True)]
        return [(await reply(backend, each)).text for each in requests]

    end_hosts(real)
    bare = replace(real, model_adapter=process.NO_ADAPTER)
    plain = with_model(bare, lambda backend: reply(backend, request))
    end_hosts(real)
    loud = replace(real, model_adapter=str(write_adapter(tmp_path / "loud.gguf", loudness=9.0)))
    noise, as_shipped, again, and_again = with_model(loud, by_turns)
    assert noise == again != plain.text
    assert as_shipped == and_again == plain.text
    end_hosts(real)
    after = with_model(loud, by_turns)  # what was read each way lies on disk each for itself
    assert after == [noise, plain.text, noise, plain.text]
    end_hosts(real)
    still = replace(real, model_adapter=str(write_adapter(tmp_path / "still.gguf", loudness=0.0)))
    assert with_model(still, lambda backend: reply(backend, request)).text == plain.text
    end_hosts(real)


def test_two_clients_share_one_process_that_only_their_user_can_reach(real: Settings) -> None:
    async def both(backend: EmbeddedBackend) -> tuple[Reply, int]:
        other = EmbeddedBackend(None, real)
        answer, counted = await asyncio.gather(
            reply(backend, question("Names?", max_tokens=4)), other.count_tokens("hello world")
        )
        await other.close()
        return answer, counted

    answer, counted = with_model(real, both)
    assert (answer.candidates[0].finish, counted) == ("length", 2)
    host = only_host(real)
    assert stat.S_IMODE(host.run.stat().st_mode) == 0o700
    assert stat.S_ISSOCK((host.run / "s.sock").stat().st_mode)
    assert os.getsid(host.pid) == host.pid  # no terminal takes it along
    assert "canary-7c1e" not in (host.run / "log").read_text()


def test_under_the_grammar_one_query_over_this_schema_is_written(real: Settings) -> None:
    grammar = sql_grammar("sqlite", TABLES)
    request = question("Tell me a joke about 法国 singers", grammar=grammar)
    answer = with_model(real, lambda backend: reply(backend, request))
    assert Grammar(grammar).begins(answer.text)
    assert answer.text.lower().startswith(("select ", "with "))


def test_two_candidates_with_their_tokens(real: Settings) -> None:
    request = question("Names of the singers?", candidates=2, logprobs=True, max_tokens=8)
    answer = with_model(real, lambda backend: reply(backend, request))
    assert len(answer.candidates) == 2
    for candidate in answer.candidates:
        assert "".join(token.text for token in candidate.tokens) == candidate.text
        assert all(token.logprob <= 0 for token in candidate.tokens)
    assert answer.usage.completion_tokens > len(answer.candidates[0].tokens)


def test_alternatives_are_reported_and_can_be_continued(real: Settings) -> None:
    async def torn(backend: EmbeddedBackend) -> tuple[Reply, Reply]:
        first = await reply(backend, question("Names of the singers?", logprobs=True, max_tokens=8))
        begun = "SELECT DISTINCT"
        return first, await reply(backend, question("Names of the singers?", begun=begun, max_tokens=8))

    first, second = with_model(real, torn)
    for token in first.candidates[0].tokens:
        assert token.text.encode() not in [other.data for other in token.others]
        assert all(other.logprob <= token.logprob for other in token.others)
    assert any(token.others for token in first.candidates[0].tokens)
    assert second.text.startswith("SELECT DISTINCT ")
    assert not second.text.removeprefix("SELECT DISTINCT").strip().upper().startswith("SELECT")


def test_closing_the_stream_stops_the_work(real: Settings) -> None:
    async def interrupted(backend: EmbeddedBackend) -> bool:
        stream: AsyncIterator[str | Queued | Preparing | Reply] = backend.stream(
            question("Count to 500 in words.", max_tokens=500)
        )
        async with aclosing(stream) as pieces:  # type: ignore[type-var]
            async for _ in pieces:
                break
        host = only_host(real)
        async with httpx.AsyncClient(transport=host.transport(), base_url=host.url) as raw:
            until = time.monotonic() + 10
            while any(slot["is_processing"] for slot in (await raw.get("/slots")).json()):
                if time.monotonic() > until:
                    return False
                await asyncio.sleep(0.1)
        return True

    assert with_model(real, interrupted)


def test_a_prompt_longer_than_the_context_is_an_error_with_numbers(real: Settings) -> None:
    request = ModelRequest((Message("user", "far " * 3000),), max_tokens=1)
    with pytest.raises(PromptTooLong) as caught:
        with_model(real, lambda backend: reply(backend, request))
    assert caught.value.facts["context"] == 2048


def test_killed_in_the_middle_of_an_answer_it_is_started_again(real: Settings) -> None:
    async def killed(backend: EmbeddedBackend, times: int) -> tuple[list[str], Reply | None]:
        pieces: list[str] = []
        async for piece in backend.stream(question("All columns of singer, by name?", max_tokens=20)):
            if isinstance(piece, Reply):
                return pieces, piece
            if not isinstance(piece, str):
                continue
            pieces.append(piece)
            if times:
                times -= 1
                os.kill(only_host(real).pid, signal.SIGKILL)
                await asyncio.sleep(0.2)
        return pieces, None

    pieces, answer = with_model(real, lambda backend: killed(backend, 1))
    assert answer is not None
    assert "".join(pieces) == answer.text
    with pytest.raises(ModelUnavailable):
        with_model(real, lambda backend: killed(backend, 2))


def test_the_process_ends_when_idle(real: Settings) -> None:
    for host in process.hosts(Path(real.cache_dir)):
        process.stop(host)
    brief = replace(real, model_idle=2.0)
    with_model(brief, lambda backend: backend.count_tokens("x"))
    host = only_host(brief)
    until = time.monotonic() + 20
    while process.hosts(Path(brief.cache_dir)) and time.monotonic() < until:
        time.sleep(0.1)
    assert process.hosts(Path(brief.cache_dir)) == []
    assert not (host.run / "s.sock").exists()


def test_without_unix_sockets_a_key_keeps_others_out(real: Settings) -> None:
    model = file.ready_file(None, real)
    plan = process.plan_for(model, ours=True, settings=replace(real, model_context=512))
    host = process.ensure(plan, loopback=True)
    try:
        assert host.url.startswith("http://127.0.0.1:")
        assert stat.S_IMODE((host.run / "host.json").stat().st_mode) == 0o600
        assert httpx.post(f"{host.url}/tokenize", json={"content": "x"}, trust_env=False).status_code == 401
        response = httpx.post(
            f"{host.url}/tokenize", json={"content": "x"}, headers=host.headers, trust_env=False
        )
        assert response.status_code == 200
    finally:
        process.stop(host)
    assert host not in process.hosts(Path(real.cache_dir))
