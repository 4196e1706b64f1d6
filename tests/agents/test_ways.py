"""Another way to put the question, in doubt or after a failure; what speaks against each decides."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, app, scripted
from text2sql.agents import executor
from text2sql.agents.state import Way
from text2sql.agents.ways import ways
from text2sql.errors import ModelUnavailable
from text2sql.llm import ScriptedBackend
from text2sql.types import Answer, Candidate, Reply, Token, Usage

GOES_ON = replace(EMBEDDED, continues=True)


def torn(text: str, at: str, other: str, gap: float = -0.2) -> Reply:
    """The text, and before `at` the model nearly wrote something else."""
    begin = text.index(at)
    tokens = (
        Token(text[:begin], -0.1),
        Token(at, -0.6, ((other, -0.6 + gap),)),
        Token(text[begin + len(at) :], -0.1),
    )
    return Reply("scripted", (Candidate(text, tokens=tokens),), Usage(calls=1))


def asked(shop: Path, question: str, lines: list[Any]) -> tuple[Answer, ScriptedBackend]:
    backend = scripted(lines, can=GOES_ON)

    async def ask() -> Answer:
        async with app(shop, backend, summary="never") as one:
            return await one.ask(question)

    return asyncio.run(ask()), backend


DOUBTFUL = torn("SELECT total FROM orders WHERE status = 'lost'", "total", "name")


def test_a_query_with_much_against_it_is_held_against_one_from_the_engines_own_words(shop: Path) -> None:
    other = "SELECT name FROM customers"
    answer, backend = asked(shop, "Names of the customers", [DOUBTFUL, other])
    first, second = backend.requests
    assert (first.begun, second.begun, first.messages[1]) == ("", "", second.messages[1])
    assert "references cities(id)" in first.messages[0].content
    assert "FOREIGN KEY (city_id) REFERENCES cities(id)" in second.messages[0].content
    assert "gold" not in second.messages[0].content
    assert sorted(str(row[0]) for row in answer.rows) == ["Ann", "Bo", "王芳"]
    assert answer.receipt.candidates == ("SELECT total FROM orders WHERE status = 'lost'", other)
    assert answer.receipt.usage.calls == 2
    assert answer.receipt.path.count("executor") == 2


def test_a_query_that_fits_its_question_is_not_held_against_anything(shop: Path) -> None:
    fits = torn("SELECT name FROM customers", "name", "id")
    answer, backend = asked(shop, "Names of the customers", [fits])
    assert (answer.status, len(backend.requests)) == ("answered", 1)


OTHER = "SELECT COUNT(*) FROM customers WHERE name = 'Bo'"
NOBODY = Reply("scripted", (Candidate("SELECT COUNT(*) FROM customers WHERE name = 'Bob'"),), Usage(calls=1))


def test_a_count_of_nothing_is_held_against_another_before_the_person_is_asked_back(shop: Path) -> None:
    answer, backend = asked(shop, "How many customers have a short name?", [NOBODY, OTHER])
    assert (answer.status, answer.rows, len(backend.requests)) == ("answered", ((1,),), 2)


def test_the_person_is_asked_back_where_another_comes_to_nothing_too(shop: Path) -> None:
    answer, backend = asked(shop, "How many customers are called Bob?", [NOBODY, NOBODY])
    assert (answer.status, len(backend.requests)) == ("clarify", 2)


def test_the_first_stays_where_the_other_way_is_no_better(shop: Path) -> None:
    worse = "SELECT total FROM orders JOIN cities ON orders.id = cities.id WHERE status = 'lost'"
    answer, _ = asked(shop, "Names of the customers", [DOUBTFUL, worse])
    assert answer.sql is not None
    assert answer.sql.startswith("SELECT total FROM orders WHERE")
    assert len(answer.receipt.candidates) == 2


def test_a_model_that_dies_on_the_other_way_costs_no_answer(shop: Path) -> None:
    answer, backend = asked(shop, "Names of the customers", [DOUBTFUL, ModelUnavailable("scripted", "gone")])
    assert (answer.status, answer.sql is not None) == ("answered", True)
    assert answer.receipt.usage.calls == 1
    assert len(backend.requests) >= 2


def test_what_cannot_run_is_tried_the_other_way_before_the_error_is_told(shop: Path) -> None:
    broken = torn("SELECT nome_x FROM customers", "nome_x", "name")
    answer, backend = asked(shop, "Names of the customers", [broken, "SELECT name FROM customers"])
    assert sorted(str(row[0]) for row in answer.rows) == ["Ann", "Bo", "王芳"]
    assert [one.begun for one in backend.requests] == ["", "SELECT name"]


def test_where_the_other_way_is_the_same_query_the_error_is_told(shop: Path) -> None:
    broken = torn("SELECT nome_x FROM customers", "nome_x", "name")
    lines = [broken, "SELECT nome_x FROM customers", "SELECT name FROM customers"]
    answer, backend = asked(shop, "Names of the customers", lines)
    assert answer.status == "answered"
    assert [one.begun for one in backend.requests] == ["", "SELECT name", ""]
    assert "nome_x" in backend.requests[2].messages[-1].content


def test_the_rows_of_the_first_are_not_fetched_twice(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    run = executor._run

    async def counted(query: Any, desk: Any) -> Any:
        ran.append(query.shown)
        return await run(query, desk)

    monkeypatch.setattr(executor, "_run", counted)
    asked(shop, "Names of the customers", [DOUBTFUL, "SELECT name FROM customers"])
    assert len(ran) == len(set(ran)) == 2


def test_a_schema_that_does_not_fit_in_those_words_is_not_cut(shop: Path) -> None:
    backend = scripted([DOUBTFUL, "SELECT name FROM customers"], can=GOES_ON)

    async def ask() -> Answer:
        async with app(shop, backend, summary="never", schema_tokens=90) as one:
            return await one.ask("Names of the customers")

    answer = asyncio.run(ask())
    assert (answer.status, len(backend.requests)) == ("answered", 1)


def test_a_model_that_costs_money_is_not_asked_twice_in_doubt(shop: Path) -> None:
    backend = scripted([DOUBTFUL, "SELECT name FROM customers"], can=EMBEDDED)

    async def ask() -> Answer:
        async with app(shop, backend, summary="never") as one:
            return await one.ask("Names of the customers")

    answer = asyncio.run(ask())
    assert (answer.receipt.usage.calls, len(backend.requests)) == (1, 1)


def split(*pieces: tuple[str, list[tuple[str, float]]]) -> Candidate:
    return Candidate("", tokens=tuple(Token(text, -0.1, tuple(others)) for text, others in pieces))


def test_ways_are_beginnings_and_the_likeliest_comes_first() -> None:
    found = ways(split(("SELECT", [("WITH", -3.1)]), (" a", [(" b", -0.4), (" c", -1.1)])))
    assert found == [Way(begun="SELECT b", gap=-0.3), Way(begun="SELECT c", gap=-1.0)]


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
def test_only_another_word_is_another_way(taken: str, other: str, matters: bool) -> None:
    assert bool(ways(split((taken, [(other, -0.2)])))) is matters
