"""Alternative queries after a doubtful result or a failure, and the choice between them."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, app, scripted
from text2sql.agents import executor
from text2sql.agents.alternative_candidates import token_alternatives
from text2sql.agents.state import TokenAlternative
from text2sql.errors import ModelUnavailable
from text2sql.llm import ScriptedBackend
from text2sql.types import Alternative, Answer, Candidate, Reply, Token, Usage

CONTINUING = replace(EMBEDDED, continues=True)
NAME = Alternative(7, b"name")


def with_alternative(text: str, at: str, other: str, gap: float = -0.2) -> Reply:
    """The text; before `at` the model had a close alternative."""
    begin = text.index(at)
    tokens = (
        Token(text[:begin], -0.1),
        Token(at, -0.6, (Alternative(7, other.encode(), -0.6 + gap),)),
        Token(text[begin + len(at) :], -0.1),
    )
    return Reply("scripted", (Candidate(text, tokens=tokens),), Usage(calls=1))


def ask_with(shop: Path, question: str, lines: list[Any]) -> tuple[Answer, ScriptedBackend]:
    backend = scripted(lines, can=CONTINUING)

    async def ask() -> Answer:
        async with app(shop, backend) as db:
            return await db.ask(question)

    return asyncio.run(ask()), backend


DOUBTFUL = with_alternative("SELECT total FROM orders WHERE status = 'lost'", "total", "name")


def test_a_doubtful_query_is_compared_with_one_from_the_ddl(shop: Path) -> None:
    other = "SELECT name FROM customers"
    answer, backend = ask_with(shop, "Names of the customers", [DOUBTFUL, other])
    first, second = backend.requests
    assert (first.forced, second.forced, first.messages[1]) == (None, None, second.messages[1])
    assert "references cities(id)" in first.messages[0].content
    assert "FOREIGN KEY (city_id) REFERENCES cities(id)" in second.messages[0].content
    assert "gold" not in second.messages[0].content
    assert sorted(str(row[0]) for row in answer.rows) == ["Ann", "Bo", "王芳"]
    assert answer.receipt.candidates == ("SELECT total FROM orders WHERE status = 'lost'", other)
    assert answer.receipt.usage.calls == 2
    assert answer.receipt.path.count("executor") == 2


def test_a_query_that_fits_its_question_gets_no_alternative(shop: Path) -> None:
    fits = with_alternative("SELECT name FROM customers", "name", "id")
    answer, backend = ask_with(shop, "Names of the customers", [fits])
    assert (answer.status, len(backend.requests)) == ("answered", 1)


OTHER = "SELECT COUNT(*) FROM customers WHERE name = 'Bo'"
EMPTY_COUNT = Reply(
    "scripted", (Candidate("SELECT COUNT(*) FROM customers WHERE name = 'Bob'"),), Usage(calls=1)
)


def test_an_empty_count_gets_an_alternative_before_the_user_is_asked(shop: Path) -> None:
    answer, backend = ask_with(shop, "How many customers have a short name?", [EMPTY_COUNT, OTHER])
    assert (answer.status, answer.rows, len(backend.requests)) == ("answered", ((1,),), 2)


def test_the_user_is_asked_if_the_alternative_is_empty_too(shop: Path) -> None:
    answer, backend = ask_with(shop, "How many customers are called Bob?", [EMPTY_COUNT, EMPTY_COUNT])
    assert (answer.status, len(backend.requests)) == ("clarify", 2)


def test_the_first_query_is_kept_if_the_alternative_is_no_better(shop: Path) -> None:
    worse = "SELECT total FROM orders JOIN cities ON orders.id = cities.id WHERE status = 'lost'"
    answer, _ = ask_with(shop, "Names of the customers", [DOUBTFUL, worse])
    assert answer.sql is not None
    assert answer.sql.startswith("SELECT total FROM orders WHERE")
    assert len(answer.receipt.candidates) == 2


def test_a_model_failure_during_the_alternative_keeps_the_answer(shop: Path) -> None:
    answer, backend = ask_with(
        shop, "Names of the customers", [DOUBTFUL, ModelUnavailable("scripted", "gone")]
    )
    assert (answer.status, answer.sql is not None) == ("answered", True)
    assert answer.receipt.usage.calls == 1
    assert len(backend.requests) >= 2


def test_a_failed_query_gets_an_alternative_before_the_model_gets_the_error(shop: Path) -> None:
    broken = with_alternative("SELECT nome_x FROM customers", "nome_x", "name")
    answer, backend = ask_with(shop, "Names of the customers", [broken, "SELECT name FROM customers"])
    assert sorted(str(row[0]) for row in answer.rows) == ["Ann", "Bo", "王芳"]
    assert [(request.begun, request.forced) for request in backend.requests] == [
        ("", None),
        ("SELECT ", NAME),
    ]


def test_an_identical_alternative_leads_to_a_retry_with_the_error(shop: Path) -> None:
    broken = with_alternative("SELECT nome_x FROM customers", "nome_x", "name")
    lines = [broken, "SELECT nome_x FROM customers", "SELECT name FROM customers"]
    answer, backend = ask_with(shop, "Names of the customers", lines)
    assert answer.status == "answered"
    assert [request.forced for request in backend.requests] == [None, NAME, None]
    assert "nome_x" in backend.requests[2].messages[-1].content


def test_the_rows_of_the_first_query_are_not_fetched_twice(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    run = executor._run

    async def counted(query: Any, ctx: Any) -> Any:
        ran.append(query.shown)
        return await run(query, ctx)

    monkeypatch.setattr(executor, "_run", counted)
    ask_with(shop, "Names of the customers", [DOUBTFUL, "SELECT name FROM customers"])
    assert len(ran) == len(set(ran)) == 2


def test_a_ddl_schema_that_does_not_fit_is_not_cut(shop: Path) -> None:
    backend = scripted([DOUBTFUL, "SELECT name FROM customers"], can=CONTINUING)

    async def ask() -> Answer:
        async with app(shop, backend, schema_tokens=90) as db:
            return await db.ask("Names of the customers")

    answer = asyncio.run(ask())
    assert (answer.status, len(backend.requests)) == ("answered", 1)


def test_a_large_model_is_not_asked_twice_in_doubt(shop: Path) -> None:
    backend = scripted([DOUBTFUL, "SELECT name FROM customers"], can=replace(EMBEDDED, size="large"))

    async def ask() -> Answer:
        async with app(shop, backend) as db:
            return await db.ask("Names of the customers")

    answer = asyncio.run(ask())
    assert (answer.receipt.usage.calls, len(backend.requests)) == (1, 1)


def split(*pieces: tuple[str, list[tuple[str, float]]]) -> Candidate:
    tokens = [
        Token(text, -0.1, tuple(Alternative(len(word), word.encode(), logprob) for word, logprob in others))
        for text, others in pieces
    ]
    return Candidate("", tokens=tuple(tokens))


def test_alternatives_are_prefixes_with_the_likeliest_first() -> None:
    alternatives = token_alternatives(
        split(("SELECT", [("WITH", -3.1)]), (" a", [(" b", -0.4), (" c", -1.1)]))
    )
    assert alternatives == [
        TokenAlternative(begun="SELECT", token=2, data=b" b".hex(), gap=-0.3),
        TokenAlternative(begun="SELECT", token=2, data=b" c".hex(), gap=-1.0),
    ]


@pytest.mark.parametrize(
    ("taken", "other", "matters"),
    [
        (" Name", " name", False),
        (' "name', " name", False),
        (" customer", " cust", False),
        (" JOIN", " INNER", False),
        (" AS", " INNER", False),
        (" name", " DISTINCT", True),
        (" >", " >=", False),
        (" >", " <", True),
        (")", ",", False),
        (" JOIN", " WHERE", True),
        ("1", "2", True),
        (" name", "", False),
    ],
)
def test_only_a_different_word_is_an_alternative(taken: str, other: str, matters: bool) -> None:
    assert bool(token_alternatives(split((taken, [(other, -0.2)])))) is matters


@pytest.mark.parametrize(
    ("taken", "data", "matters"),
    [
        ("姓名", " 籍".encode()[:-1], True),
        (" 姓名", " 姓".encode()[:-1], False),
        (' "姓名', " 姓名".encode()[:-2], False),
        (" COUNT", "数".encode()[:1], True),
    ],
)
def test_half_a_character_is_another_word_unless_the_word_begins_with_it(
    taken: str, data: bytes, matters: bool
) -> None:
    torn_there = Candidate("", tokens=(Token(taken, -0.1, (Alternative(3, data, -0.2),)),))
    expected = [TokenAlternative(begun="", token=3, data=data.hex(), gap=-0.1)] if matters else []
    assert token_alternatives(torn_there) == expected
