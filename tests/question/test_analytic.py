"""The kinds of analysis that questions ask for, in both languages."""

import pytest

from text2sql.question import analytic_kinds
from text2sql.question.patterns import LANGUAGES, analytic_patterns, name_pattern
from text2sql.types import Catalog, Column, Table

SHOP = Catalog("sqlite", "", (Table("orders", (Column("total", "real"), Column("rate", "real"))),), "")


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How many orders are there?", []),
        ("有多少订单？", []),
        ("How did sales grow month over month?", ["growth"]),
        ("销售额同比增长多少？", ["growth"]),
        ("What percentage of orders was returned?", ["share"]),
        ("各类产品的占比是多少？", ["share"]),
        ("The median order", ["statistics"]),
        ("订单金额的中位数", ["statistics"]),
        ("Orders of the last 3 months", ["relative_time"]),
        ("上个月的订单", ["relative_time"]),
        ("The best product in each city", ["rank_in_group", "vague"]),
        ("Why are orders late?", ["interval", "reason"]),
    ],
)
def test_the_kinds_of_analysis_are_detected(question: str, kinds: list[str]) -> None:
    assert analytic_kinds(question, SHOP) == kinds


def test_a_word_that_a_column_is_called_by_does_not_count() -> None:
    assert analytic_kinds("What is the rate of order 3?", SHOP) == []
    assert analytic_kinds("What is the ratio of order 3?", SHOP) == ["share"]


def test_every_kind_has_patterns_in_both_languages() -> None:
    for kind, patterns in analytic_patterns().items():
        assert len(patterns) >= len(LANGUAGES), kind


@pytest.mark.parametrize("text", ["Names", "the name", "姓名", "名称"])
def test_a_word_for_name_is_found(text: str) -> None:
    assert name_pattern("name").search(text)
