"""Analytic questions through the whole graph: compiled, run, phrased, edited by follow-ups; no model call."""

import asyncio
from pathlib import Path

import pytest

from agents.asking import app, make_shop, scripted
from text2sql.types import Answer

QUESTIONS = {
    "revenue by month in 2025": [("2025-01", 21.0), ("2025-02", 34.5)],
    "2025年每月销售额": [("2025-01", 21.0), ("2025-02", 34.5)],
    "how many customers never placed an order?": [(1,)],
    "what percentage of orders are paid?": [(200 / 3,)],
    "median total of orders": [(10.5,)],
}
SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id), total REAL NOT NULL,
  ordered_on DATE NOT NULL, status TEXT NOT NULL);
INSERT INTO customers VALUES (1, 'Ann', 'Norway'), (2, '王芳', 'China'), (3, 'Bo', 'Norway');
INSERT INTO orders VALUES
  (1, 1, 10.5, '2025-01-03', 'paid'), (2, 1, 10.5, '2025-01-09', 'paid'), (3, 2, 34.5, '2025-02-09', 'open');
"""


def ask(folder: Path, *questions: str) -> list[Answer]:
    """The answers of one thread. The model has no reply: a call would fail."""

    async def scenario() -> list[Answer]:
        shop = make_shop(folder / "shop.db", SCRIPT)
        async with app(shop, scripted([]), analytic=True, today="2026-11-19") as db:
            return [await db.ask(question, thread="t") for question in questions]

    return asyncio.run(scenario())


@pytest.mark.parametrize(("question", "rows"), QUESTIONS.items())
def test_an_analytic_question_is_answered_without_a_model(
    question: str, rows: list[tuple[object, ...]], tmp_path: Path
) -> None:
    (answer,) = ask(tmp_path, question)
    assert answer.status == "answered", answer
    assert answer.receipt.usage.calls == 0
    shown = [tuple(value for value in row) for row in answer.rows]
    assert len(shown) == len(rows)
    for got, expected in zip(shown, rows, strict=True):
        assert got[: len(expected)] == pytest.approx(expected)


def test_a_compiled_answer_says_in_words_what_was_computed(tmp_path: Path) -> None:
    (answer,) = ask(tmp_path, "revenue by month in 2025")
    assert "month" in answer.receipt.taken_for
    assert "SUM(" not in answer.answer
    assert answer.receipt.certainty == "probably"


def test_follow_ups_edit_the_previous_query(tmp_path: Path) -> None:
    answers = ask(tmp_path, "revenue by country in 2025", "only the top 1", "and what share is each?")
    assert [answer.status for answer in answers] == ["answered"] * 3
    assert [row[0] for row in answers[1].rows] == ["China"]
    assert answers[2].rows[0] == pytest.approx(("China", 34.5, 100 * 34.5 / 55.5))


def test_a_message_that_only_makes_sense_as_an_edit_continues_the_conversation(tmp_path: Path) -> None:
    answers = ask(tmp_path, "revenue by country in 2025", "compared with last year")
    assert answers[1].status == "answered", answers[1]
    assert answers[1].receipt.usage.calls == 0
