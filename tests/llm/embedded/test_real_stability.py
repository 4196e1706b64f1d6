"""The real model: reproducible replies in any order, complete characters, and one call at a time."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from text2sql.config import Settings
from text2sql.llm.embedded import EmbeddedBackend, process
from text2sql.types import Alternative, Message, ModelRequest, Queued, Reply

pytestmark = [pytest.mark.slow, pytest.mark.model]

SYSTEM = Message(
    "system",
    "Write one SQLite query and nothing else.\n"
    "CREATE TABLE 学生 (学号 int primary key, 姓名 text, 籍贯 text, 年龄 int, 鼷鼠数 int);\n"
    "CREATE TABLE 选课 (学号 int references 学生(学号), 课程名 text, 成绩 real);",
)
QUESTIONS = ("有多少学生？", "有多少门课程？", "年龄最大的学生的姓名和籍贯", "鼷鼠数最多的学生")


def question(text: str) -> ModelRequest:
    return ModelRequest((SYSTEM, Message("user", text)), max_tokens=16, stop=(";",), logprobs=True)


async def reply(backend: EmbeddedBackend, request: ModelRequest) -> tuple[Reply, list[int]]:
    places: list[int] = []
    async for piece in backend.stream(request):
        if isinstance(piece, Reply):
            return piece, places
        if isinstance(piece, Queued):
            places.append(piece.ahead)
    raise AssertionError("a stream ends with a reply")


async def replies(settings: Settings, order: list[str], *, at_once: bool = False) -> dict[str, object]:
    """By question, the text and the exact log-probabilities."""
    backend = EmbeddedBackend(None, settings)
    try:
        if at_once:
            outcomes = await asyncio.gather(*(reply(backend, question(text)) for text in order))
        else:
            outcomes = [await reply(backend, question(text)) for text in order]
    finally:
        await backend.close()
    whole = [outcome.candidates[0] for outcome, _ in outcomes]
    assert not any("\ufffd" in candidate.text for candidate in whole)
    return {text: (candidate.text, candidate.tokens) for text, candidate in zip(order, whole, strict=True)}


def test_the_same_question_gets_the_same_reply_to_the_last_digit(real: Settings) -> None:
    first = asyncio.run(replies(real, list(QUESTIONS)))
    other = random.Random(1).sample(QUESTIONS, len(QUESTIONS))
    assert asyncio.run(replies(real, other, at_once=True)) == first
    for host in process.hosts(Path(real.cache_dir)):
        process.stop(host)
    assert asyncio.run(replies(real, list(reversed(QUESTIONS)))) == first


def test_going_on_from_a_token_that_ends_inside_a_character_breaks_none(real: Settings) -> None:
    async def go_on() -> list[str]:
        backend = EmbeddedBackend(None, real)
        try:
            async with backend._connected() as (client, _):
                response = await client.post("/tokenize", json={"content": " 鼷", "with_pieces": True})
            cut = response.json()
            first = cut["tokens"][0]
            assert isinstance(first["piece"], list)  # bytes that are no text
            forced = Alternative(first["id"], bytes(first["piece"]))
            request = replace(question("鼷鼠数最多的学生"), begun="SELECT", forced=forced)
            answer, _ = await reply(backend, request)
        finally:
            await backend.close()
        return [answer.text]

    (text,) = asyncio.run(go_on())
    assert text.startswith("SELECT ")
    assert "\ufffd" not in text
    assert not text[7].isascii()


def test_a_second_call_is_queued_and_then_answered(real: Settings) -> None:
    async def both() -> list[list[int]]:
        backends = [EmbeddedBackend(None, real), EmbeddedBackend(None, real)]
        try:
            outcomes = await asyncio.gather(*(reply(backend, question(QUESTIONS[0])) for backend in backends))
        finally:
            for backend in backends:
                await backend.close()
        assert outcomes[0][0].text == outcomes[1][0].text
        return sorted(places for _, places in outcomes)

    assert asyncio.run(both()) == [[0], [1, 0]]
