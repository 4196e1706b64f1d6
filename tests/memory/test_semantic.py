"""Verified questions are found by meaning where an embedding model is configured."""

import asyncio
from dataclasses import replace

import pytest

from memory.helpers import within
from text2sql.config import Settings
from text2sql.errors import ModelNotAllowed, UsageError
from text2sql.llm.embeddings import open_embedder
from text2sql.memory import Pair, open_memory
from text2sql.testing.endpoint import Endpoint, endpoint

TOPICS = (("revenue", "turnover", "sales", "营业额"), ("customer", "client", "客户"), ("employee", "staff"))
VERIFIED = (
    Pair("revenue of last year", "SELECT 1", source="s"),
    Pair("number of customers", "SELECT 2", source="s"),
    Pair("list the employees", "SELECT 3", source="s"),
)


def by_topic(text: str) -> list[float]:
    return [float(any(word in text.casefold() for word in words)) for words in TOPICS]


def settings_of(server: Endpoint, settings: Settings, model: str = "topics") -> Settings:
    return replace(
        settings, base_url=server.base_url, api_key="sk-secret", embedding_model=f"openai-compatible:{model}"
    )


async def nearest(settings: Settings, question: str) -> list[tuple[float, str]]:
    async with open_memory(settings, open_embedder(settings)) as memory:
        for pair in VERIFIED:
            await memory.remember(pair)
        return [(score, pair.question) for score, pair in await memory.recall("s", question)]


@pytest.mark.parametrize(
    ("question", "meant"),
    [("our turnover in 2024", 0), ("营业额是多少", 0), ("how many clients", 1), ("staff", 2)],
)
def test_a_question_without_a_common_word_is_found_by_its_meaning(
    settings: Settings, question: str, meant: int
) -> None:
    with endpoint() as server:
        server.embedding = by_topic
        ((score, pair),) = asyncio.run(nearest(settings_of(server, settings), question))
        assert (pair, score) == (VERIFIED[meant].question, 0.99)
        assert server.calls("topics")[0].headers["authorization"] == "Bearer sk-secret"
    assert asyncio.run(nearest(settings, question)) == []


def test_the_same_words_come_first_and_vectors_are_stored(settings: Settings) -> None:
    with endpoint() as server:
        server.embedding = by_topic
        chosen = settings_of(server, settings)

        asyncio.run(nearest(chosen, "sales"))
        calls = len(server.calls("topics"))
        (best, *_) = asyncio.run(nearest(chosen, "Revenue of last year?"))
        assert best == (1.0, "revenue of last year")
        sent = [call.body["input"] for call in server.calls("topics")[calls:]]
        assert sent[-1] == ["Revenue of last year?"]
        assert len(sent) == (2 if settings.memory == "none" else 1)


def test_a_failing_embedding_model_leaves_the_comparison_by_words(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with endpoint() as server:
        pairs = asyncio.run(nearest(settings_of(server, settings, "fault"), "revenue this year"))
    assert [question for _, question in pairs] == ["revenue of last year"]
    assert "compared by words" in caplog.text
    assert "sk-secret" not in caplog.text


def test_an_unknown_name_is_refused(settings: Settings) -> None:
    for name in ("topics", "local", "anthropic:x", "openai:"):
        with pytest.raises(UsageError):
            open_embedder(replace(settings, embedding_model=name))
    with pytest.raises(ModelNotAllowed):
        open_embedder(replace(settings, embedding_model="openai:text-embedding-3-small", model="local"))
    assert open_embedder(settings) is None
    assert within(settings, lambda memory: memory.recall("s", "anything")) == []
