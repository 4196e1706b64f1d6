"""A model that writes no query says why, and the answer keeps its words; a failed answer shows its query."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, HOSTED, app, scripted
from text2sql.config import Settings
from text2sql.llm import ScriptedBackend
from text2sql.llm.prompts import render
from text2sql.text_normalization import has_chinese
from text2sql.types import Answer, ModelProfile

PLAIN = ModelProfile(context=32_000)  # large, without structured output
COUNT = "SELECT count(*) AS n FROM customers"
BROKEN = "SELECT missing_column FROM customers"
DECLINE = render("decline", Settings()).strip()


def ask(shop: Path, question: str, *lines: Any, can: ModelProfile = PLAIN, **options: Any) -> Answer:
    return asyncio.run(_ask(shop, scripted(lines, can=can), question, **options))


async def _ask(shop: Path, backend: ScriptedBackend, question: str, **options: Any) -> Answer:
    async with app(shop, backend) as db:
        return await db.ask(question, **options)


@pytest.mark.parametrize(
    ("question", "line", "status", "kind"),
    [
        ("How many orders of customers were refunded?", "-- missing: {}", "no_data", "missing_database_info"),
        ("客户的订单有多少退款？", "-- missing：{}", "no_data", "missing_database_info"),
        ("Which customers are the best?", "-- ambiguous: {}", "clarify", "ambiguous_question"),
        ("最好的客户是哪些？", "```sql\n-- ambiguous: {}\n```", "clarify", "ambiguous_question"),
    ],
)
def test_a_line_of_a_model_without_structured_output_declines_in_its_own_words(
    shop: Path, question: str, line: str, status: str, kind: str
) -> None:
    words = "Best by orders or by total? Select one." if question.isascii() else "按订单数还是按金额？"
    answer = ask(shop, question, line.format(words), mode="database_direct")
    assert (answer.status, answer.receipt.usage.calls, answer.sql) == (status, 1, "")
    assert answer.error is not None
    assert answer.error.kind == kind
    assert words in answer.answer


@pytest.mark.parametrize(
    ("can", "has_rule"),
    [(PLAIN, True), (HOSTED, False), (EMBEDDED, False)],
    ids=["plain", "hosted", "embedded"],
)
def test_only_a_large_model_without_structured_output_is_told_of_the_line(
    shop: Path, can: ModelProfile, has_rule: bool
) -> None:
    backend = scripted([COUNT], can=can)
    asyncio.run(_ask(shop, backend, "How many customers are there?"))
    assert (DECLINE in backend.requests[0].messages[0].content) == has_rule


def test_a_model_may_decline_when_its_query_has_failed(shop: Path) -> None:
    reply = {"sql": "", "problem": "missing_database_info", "explanation": "There are no refunds."}
    broken = {"sql": BROKEN, "problem": "none", "explanation": ""}
    answer = ask(shop, "Which customers were refunded?", json.dumps(broken), json.dumps(reply), can=HOSTED)
    assert (answer.status, answer.sql, answer.receipt.sql) == ("no_data", "", BROKEN)
    assert "no refunds" in answer.answer


def test_an_explanation_instead_of_a_query_stays_the_reason(shop: Path) -> None:
    answer = ask(shop, "Which customers are there?", *["I think the customers should be asked."] * 9)
    assert answer.error is not None
    assert (answer.status, answer.error.kind) == ("failed", "llm_explanation")
    assert answer.answer == "I think the customers should be asked."


def test_what_a_model_assumed_beside_its_query_is_told(shop: Path) -> None:
    reply = {"sql": COUNT, "problem": "ambiguous_question", "explanation": "Counted all levels."}
    answer = ask(shop, "How many customers are there?", json.dumps(reply), can=HOSTED)
    assert (answer.status, answer.receipt.assumptions) == ("answered", ("Counted all levels.",))


@pytest.mark.parametrize(
    ("lines", "status"), [([BROKEN] * 9, "failed"), (["DROP TABLE customers"] * 9, "refused")]
)
def test_an_answer_without_rows_shows_the_query_that_was_tried_last(
    shop: Path, lines: list[str], status: str
) -> None:
    answer = ask(shop, "Which customers are there?", *lines)
    assert (answer.status, answer.sql) == (status, lines[0])
    assert answer.receipt.sql == lines[0]


def test_a_query_that_failed_is_no_example_for_a_follow_up(shop: Path) -> None:
    backend = scripted([BROKEN, BROKEN, COUNT], can=PLAIN)

    async def scenario() -> Answer:
        async with app(shop, backend) as db:
            await db.ask("Which customers are there?", thread="t")
            return await db.ask("and how many?", thread="t")

    assert asyncio.run(scenario()).status == "answered"
    assert not any(BROKEN in message.content for message in backend.requests[-1].messages)


@pytest.mark.parametrize("question", ["", "   ", "😀😀😀", "?!?! ...", "？！", "\u200b\u202e", "\x00\x07"])
def test_a_message_without_words_is_no_question_and_asks_no_model(shop: Path, question: str) -> None:
    answer = ask(shop, question)
    assert (answer.status, answer.receipt.usage.calls, answer.rows) == ("failed", 0, ())
    assert answer.answer.startswith("There is no question.")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How many customers called 王芳 are there?", "en"),
        ("list the orders of 王芳", "en"),
        ("customers 一共多少", "zh"),
        ("Ann 的订单有多少 please", "zh"),
        ("王芳", "zh"),
    ],
)
def test_an_answer_is_in_the_language_of_the_sentence_not_of_its_names(
    shop: Path, question: str, language: str
) -> None:
    answer = ask(shop, question, COUNT, can=EMBEDDED, mode="database_direct")
    assert has_chinese(answer.answer.replace("王芳", "")) == (language == "zh")


@pytest.mark.parametrize(
    ("plain", "as_chart"),
    [
        ("customers per city", "draw a pie chart of customers per city"),
        ("customers per city", "export customers per city to Excel"),
        ("每个城市的客户", "每个城市的客户，导出到Excel"),
    ],
)
def test_words_for_the_form_of_an_answer_cost_no_certainty(shop: Path, plain: str, as_chart: str) -> None:
    first, second = (ask(shop, question, COUNT, can=EMBEDDED) for question in (plain, as_chart))
    assert first.receipt.confidence == second.receipt.confidence
