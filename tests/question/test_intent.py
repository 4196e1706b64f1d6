"""What questions about the demo database refer to: the tables they mention, and those they ask names of."""

import pytest

from text2sql.agents.question_reading import read_intent
from text2sql.schema import SchemaContext


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("List the names of the customers who ordered tea", ("customers",)),
        ("What are the product names?", ("products",)),
        ("Which suppliers deliver tea? Give their names.", ("suppliers",)),
        ("给出没有下过订单的客户的姓名", ("customers",)),
        ("住在上海的客户叫什么名字？", ("customers",)),
        ("Give the names of everyone who works at a store", ()),
        ("Which customers ordered tea?", ("customers",)),
        ("In which store does Ann work?", ("stores",)),
        ("哪些客户下过订单？", ("customers",)),
        ("Which customers ordered tea? Give their ids.", ()),
        ("哪些客户下过订单？给出编号。", ()),
        ("How many customers are there?", ()),
    ],
)
def test_the_tables_whose_names_are_requested_are_detected(
    known: SchemaContext, question: str, named: tuple[str, ...]
) -> None:
    assert read_intent(question, known).named == named


def test_the_tables_that_a_question_mentions_are_detected(known: SchemaContext) -> None:
    assert {"orders", "customers"} <= read_intent("How many orders does every customer have?", known).things
    assert {"orders", "customers"} <= read_intent("每个客户有多少订单？", known).things
    assert "orders" not in read_intent("How many customers live in Berlin?", known).things


def test_a_value_counts_as_a_word_of_its_table(known: SchemaContext) -> None:
    touched = read_intent("How many gold ones are there?", known).touched
    assert "gold" in touched["customers"]


@pytest.mark.parametrize(
    ("question", "understood"),
    [
        ("How many customers are there?", True),
        ("有多少客户？", True),
        ("How many hovercrafts do customers own?", False),
    ],
)
def test_a_question_is_understood_if_every_word_is_in_the_schema(
    known: SchemaContext, question: str, understood: bool
) -> None:
    assert read_intent(question, known).understood == understood
