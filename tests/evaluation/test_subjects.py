"""The app and the bare model with the same questions and the same judge."""

import asyncio
from dataclasses import replace
from pathlib import Path

import duckdb

from agents.asking import EMBEDDED, make_shop
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import Record
from text2sql.evaluation.run import EvaluatedApp, evaluate
from text2sql.evaluation.subjects import AskApp, AskBare, settings_for
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.llm.scripted import Line
from text2sql.types import Candidate, Reply, Token, Usage

SETTINGS = settings_for(Settings(requests_per_minute=0))
GOLD = "SELECT name FROM customers WHERE level = 'gold'"


def replied(*texts: str) -> Reply:
    """A scripted reply; the first candidate has the highest probability."""
    tokens = [(Token(text, -0.1 * at),) for at, text in enumerate(texts, 1)]
    candidates = tuple(Candidate(text, "stop", line) for text, line in zip(texts, tokens, strict=True))
    return Reply("scripted", candidates, Usage(1, 100, 0, 10))


def run(path: Path, backend: ScriptedBackend, *questions: Question, bare: bool = False) -> list[Record]:
    model = AsyncChatModel([backend], SETTINGS)

    def opens(source: str) -> AskApp | AskBare:
        if bare:
            return AskBare(source, model, SETTINGS)
        return AskApp(AsyncText2SQL(source, settings=SETTINGS, model=model))

    return asyncio.run(evaluate(questions, lambda _: str(path), [EvaluatedApp(opens)]))[0]


def question(text: str, gold: str = GOLD, number: int = 1) -> Question:
    return Question(str(number), "shop", text, gold)


def test_evaluation_settings_use_no_memory_and_no_row_limit() -> None:
    settings = settings_for(Settings(memory="memory.db", lang="zh", row_limit=5, allow_writes=True))
    assert (settings.memory, settings.lang, settings.row_limit, settings.allow_writes) == (
        "none",
        "",
        100_000,
        False,
    )
    assert (settings.values_wait, settings.mode) == (settings.values_time, "hybrid")


def test_the_app_is_asked_through_its_public_api(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    replies: list[Line] = [
        replied("SELECT name FROM customers WHERE level = 'Gold'"),
        "SELECT name FROM customers",
    ]
    backend = ScriptedBackend(replies, profile=EMBEDDED)
    records = run(
        shop, backend, question("Names of the gold customers?"), question("Names of customers?", number=2)
    )
    assert [record.verdict for record in records] == ["right", "wrong"]
    assert [record.repairs for record in records] == [("value_case",), ()]
    assert (records[0].calls, records[0].attempts, records[0].model) == (1, 1, "scripted")
    assert records[0].signals["doubt"] == 0.1
    assert records[0].signals["repairs"] == 1.0
    assert records[0].confidence is not None
    assert len(backend.requests) == 2


def test_a_question_about_something_else_ends_without_a_query(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    backend = ScriptedBackend(last="SELECT name FROM customers", profile=EMBEDDED)
    question = Question("1@shop", "shop", "Which singer has the most albums?", "SELECT 1", foreign="zoo")
    (record,) = run(shop, backend, question)
    assert (record.status, record.verdict, record.calls, record.confidence) == (
        "no_data",
        "declined",
        0,
        None,
    )


def test_candidates_are_fixed_before_they_are_judged(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    wrong, near = (
        "SELECT name FROM customers WHERE level <> 'gold'",
        "SELECT name FROM customers WHERE level = 'GOLD'",
    )
    backend = ScriptedBackend([replied(wrong, near)], profile=EMBEDDED)
    (record,) = run(shop, backend, question("Names of the gold customers?"))
    assert (record.verdict, record.candidates, record.among) == ("wrong", 2, True)
    assert record.signals["disagreement"] == 0.5


def test_the_bare_model_gets_the_ddl_and_the_question_and_nothing_more(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    backend = ScriptedBackend([f"```sql\n{GOLD};\n```", "I cannot."], profile=EMBEDDED)
    records = run(shop, backend, question("Names?"), question("Why?", number=2), bare=True)
    assert [(record.verdict, record.status, record.calls) for record in records] == [
        ("right", "answered", 1),
        ("none", "failed", 1),
    ]
    assert records[0].confidence is None
    request = backend.requests[0]
    assert (request.candidates, request.temperature, request.grammar, request.logprobs) == (1, 0.0, "", False)
    assert [message.content for message in request.messages[1:]] == ["Names?"]
    system = request.messages[0].content
    assert system.startswith(
        "You write SQLite queries. Answer with one SQL query and nothing else.\n\nCREATE"
    )
    assert (
        "CREATE TABLE customers (\n  id INTEGER,\n  name TEXT NOT NULL,\n  city_id INTEGER NOT NULL,\n"
        "  level TEXT,\n  PRIMARY KEY (id),\n  FOREIGN KEY (city_id) REFERENCES cities(id)\n);" in system
    )


def test_the_bare_model_sees_no_values_where_none_may_be_shared(tmp_path: Path) -> None:
    """The DDL has no samples, but the type of an enumeration lists its values."""
    shop = tmp_path / "shop.duckdb"
    with duckdb.connect(str(shop)) as connection:
        connection.execute("CREATE TABLE orders (status ENUM('paidcat', 'opencat'))")
    for setting in ("none", "samples"):
        backend = ScriptedBackend(last="SELECT status FROM orders", profile=EMBEDDED)
        settings = replace(SETTINGS, share_values=setting)
        subject = AskBare(str(shop), AsyncChatModel([backend], settings), settings)

        async def ask(bare: AskBare) -> None:
            await bare.ask("Which status?")
            await bare.close()

        asyncio.run(ask(subject))
        assert ("paidcat" in str(backend.requests[0].messages)) is (setting == "samples")


def test_a_later_turn_sees_the_earlier_ones_of_its_conversation_and_no_others(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    backend = ScriptedBackend(last=GOLD, profile=EMBEDDED)
    first, second, alone = "Names of the gold customers?", "And of the silver ones?", "Names of the cities?"
    questions = [
        replace(question(text, number=at), thread=thread, today="2026-11-19")
        for at, (text, thread) in enumerate([(first, "a"), (second, "a"), (alone, "")], 1)
    ]
    records = run(shop, backend, *questions)
    assert [record.thread for record in records] == ["a", "a", ""]
    prompts = [str(request.messages) for request in backend.requests]
    [of_second] = [prompt for prompt in prompts if second in prompt and alone not in prompt]
    assert first in of_second
    assert all(first not in prompt for prompt in prompts if alone in prompt)


def test_a_question_is_asked_on_its_date(tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop.db")
    model = AsyncChatModel([ScriptedBackend(last=GOLD, profile=EMBEDDED)], SETTINGS)
    dates: list[str] = []

    class Dated(AsyncText2SQL):
        def apart(self, settings: Settings) -> AsyncText2SQL:
            dates.append(settings.today)
            return super().apart(settings)

    async def ask() -> None:
        subject = AskApp(Dated(str(shop), settings=replace(SETTINGS, today="2026-01-31"), model=model))
        for today in ("", "2026-01-31", "2026-11-19", "2026-11-19"):
            assert (await subject.ask("Names of the gold customers?", today=today)).answer.sql
        await subject.close()

    asyncio.run(ask())
    assert dates == ["2026-11-19"]
