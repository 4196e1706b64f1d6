"""The tables whose names questions about the demo database ask for."""

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
