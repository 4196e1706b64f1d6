"""Facts of a sentence: words, and numbers in any format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from text2sql.evaluation.facts import missing_facts


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("1234.5", "The total is $1,234.50."),
        ("1234.5", "总额为 1,234.50 元。"),
        ("1234567", "Revenue was 1.23 million."),
        ("1234567", "销售额约 123.5 万元"),
        ("12.3%", "That is 12.34 % of all."),
        ("12.3%", "占百分之12.3。"),
        ("-27.0%", "Sales fell by 26.95%."),
        ("42", "共有42位客户"),
        ("Zoë", "The first is ZOË."),
        ("2026-11-18", "The last order was on 2026-11-18."),
        ("北区", "其中北区最多"),
    ],
)
def test_a_sentence_states_a_fact_in_any_format(fact: str, sentence: str) -> None:
    assert missing_facts([(fact,)], sentence) == ()


@pytest.mark.parametrize(
    ("fact", "sentence"),
    [
        ("1234.5", "The total is 1,244.50."),
        ("1234.5", "The total is 1."),
        ("12.3%", "The total is 12.3."),
        ("12.3%", "That is 13 %."),
        ("42", "There are 420."),
        ("42", "There are 42.4."),
        ("2026-11-18", "The last order was on 2026-11-19."),
    ],
)
def test_another_number_or_date_is_not_that_fact(fact: str, sentence: str) -> None:
    assert missing_facts([(fact,)], sentence) == (fact,)


def test_one_of_several_words_is_enough_and_all_facts_are_needed() -> None:
    facts = [("March", "3月"), ("12",), ("paid",)]
    assert missing_facts(facts, "3月有 12 个订单") == ("paid",)


@given(st.decimals(min_value=0, max_value=10**9, places=2))
def test_a_number_is_found_with_and_without_separators(value: object) -> None:
    assert missing_facts([(f"{value}",)], f"The sum is {value:,.2f} EUR.") == ()
