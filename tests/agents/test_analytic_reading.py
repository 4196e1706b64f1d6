"""Questions are read into analytic queries by rules; what the rules do not understand is left to a model."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.analytic.shop import CATALOG, shop_context
from text2sql.agents.analytic.reading import read_analytic, read_follow_up
from text2sql.agents.analytic.stored import from_plain, to_plain
from text2sql.sql import check, compile_query
from text2sql.types import AnalyticQuery, Calendar, CheckedSql

READINGS = Path(__file__).parent / "analytic" / "readings.jsonl"
TODAY = date(2026, 11, 19)
SHOP = shop_context()


def readings() -> Iterator[Any]:
    """Each question with its expected query, and the query that it follows."""
    previous: AnalyticQuery | None = None
    for line in READINGS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        expected = from_plain({"type": "AnalyticQuery", **case["query"]})
        yield pytest.param(
            case["question"], previous if case["follows"] else None, expected, id=case["question"]
        )
        previous = expected


@pytest.mark.parametrize(("question", "previous", "expected"), list(readings()))
def test_a_question_is_read_completely(
    question: str, previous: AnalyticQuery | None, expected: AnalyticQuery
) -> None:
    if previous is None:
        reading = read_analytic(question, SHOP, TODAY, Calendar())
    else:
        reading = read_follow_up(question, previous, SHOP, TODAY, Calendar())
    assert reading.query == expected
    assert reading.is_sure, reading


@pytest.mark.parametrize(("question", "previous", "expected"), list(readings()))
def test_what_is_read_compiles_to_a_query_that_the_guard_allows(
    question: str, previous: AnalyticQuery | None, expected: AnalyticQuery
) -> None:
    compiled = compile_query(expected, SHOP.model, None, TODAY, CATALOG)
    checked = check(compiled.sql, CATALOG.dialect, CATALOG, SHOP.schema_context.policy)
    assert isinstance(checked, CheckedSql), checked


@pytest.mark.parametrize(
    "question",
    [
        "why did sales fall in 2023?",
        "revenue forecast for next year",
        "average days from order to shipping",
        "delete all orders from 2025",
        "the most loyal customers of the best region",
        "为什么去年的销售额下降了？",
        "明年的销售额预测",
        "员工的工资是多少？",
        "products from Kitchen or cheaper than 40",
        "渠道的订单数",
    ],
)
def test_a_question_with_words_that_no_part_of_the_query_stands_for_is_not_sure(question: str) -> None:
    assert not read_analytic(question, SHOP, TODAY, Calendar()).is_sure


def test_a_misspelled_value_is_corrected_and_the_correction_is_known() -> None:
    reading = read_analytic("revenue from Germny in 2025", SHOP, TODAY, Calendar())
    assert reading.corrections == (("Germny", "Germany"),)


def test_a_pronoun_without_its_noun_is_not_read() -> None:
    assert not read_analytic("what did they buy most?", SHOP, TODAY, Calendar()).is_sure
    assert read_analytic("top 5 customers by revenue with their share", SHOP, TODAY, Calendar()).is_sure


def test_a_pronoun_of_a_follow_up_is_not_taken_for_the_previous_subject() -> None:
    first = read_analytic("top 1 customers by revenue", SHOP, TODAY, Calendar())
    assert not read_follow_up("what did they buy?", first.query, SHOP, TODAY, Calendar()).is_sure


WORDS = st.sampled_from(
    "revenue by month country in 2025 top 5 customers orders the share of average last year per category "
    "compared with never at least 3 price highest ? , and "
    "每 各 销售额 客户 订单 去年 占比 最高 的 前 5 个".split()
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    reading = read_analytic(text, SHOP, TODAY, Calendar())
    assert from_plain(json.loads(json.dumps(to_plain(reading.query)))) == reading.query
