"""Questions that the demo database has no data about."""

import pytest

from text2sql.schema import (
    SchemaContext,
    build,
    coverage,
    evidence,
    is_out_of_scope,
    names_nothing,
    uncovered_words,
)
from text2sql.types import Catalog, Column, Table

OWN = """
How many customers are in Shanghai?
Which clients spent the most last year?
top 5 staff by salary
average delivery time per carrier
What share of orders was paid by alipay?
who are the gold level members living in Berlin
Which products have never been returned?
monthly revenue in 2024 compared with the year before
What is the best-selling category?
Who reviewed the green tea?
List everything
上海的客户有多少？
每个城市的销售额是多少？
2024年每月营业额的同比增长
退货原因分布
哪些供应商的评分最高
平均客单价是多少
各渠道订单数量占比
绿茶卖了多少
库存低于10的商品
哪家门店的员工最多
列出所有女性会员的邮箱
华东地区去年的利润
复购率最高的客户
张伟买过哪些产品？
"""
FOREIGN = """
What is the weather in Paris?
Which singer has the most albums?
How many movies were directed by Ang Lee?
How many flights leave from Beijing?
Which patients were treated by a nurse?
What is the average grade of students in biology?
哪个歌手的专辑最多？
巴黎的天气怎么样？
学生的平均成绩
哪支球队赢得的比赛最多？
医院有多少病人？
"""


@pytest.mark.parametrize("question", OWN.strip().splitlines())
def test_a_question_about_the_demo_database_is_not_rejected(known: SchemaContext, question: str) -> None:
    assert not is_out_of_scope(question, known)


@pytest.mark.parametrize("question", FOREIGN.strip().splitlines())
def test_a_question_about_another_subject_is_detected(known: SchemaContext, question: str) -> None:
    assert is_out_of_scope(question, known)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which singer has the most albums?", ["singer", "albums"]),
        ("What is the weather in Paris?", ["weather"]),
        ("巴黎的天气怎么样？", ["天气"]),
        ("average salary of employees hired since 2020 by store", []),
        ("每个门店2024年的平均订单金额", []),
        ("total price of the frobnicator", ["frobnicator"]),
        ("龘客户的订单", []),  # one character that a cut leaves over is no word
        ("龘龘客户的订单", ["龘龘"]),
        ("Which music festival has the most customers?", ["music", "festival"]),
    ],
)
def test_the_uncovered_words_are_listed(known: SchemaContext, question: str, expected: list[str]) -> None:
    assert uncovered_words(question, known) == expected


def test_the_covered_share_is_computed(known: SchemaContext) -> None:
    assert coverage("customers by city", known) == 1.0
    assert coverage("?", known) == 1.0
    assert coverage("singers and albums", known) == 0.0
    assert coverage("weather in Paris", known) == 0.5


def test_an_unknown_word_is_no_reason_to_reject_a_question(known: SchemaContext) -> None:
    assert not is_out_of_scope("What about Frobnicator 3000?", known)


def test_a_character_left_over_does_not_speak_against_a_question(known: SchemaContext) -> None:
    assert coverage("龘客户", known) == coverage("客户", known) == 1.0


def test_a_phrase_that_the_glossary_knows_speaks_against_a_question_like_a_word(known: SchemaContext) -> None:
    assert is_out_of_scope("Which music festival is in Shanghai?", known)


def schema(**tables: str) -> SchemaContext:
    return build(
        Catalog(
            "sqlite",
            "main",
            tuple(
                Table(name, tuple(Column(column, "TEXT") for column in columns.split()))
                for name, columns in tables.items()
            ),
            "f",
        )
    )


def test_an_unreadable_schema_rejects_no_question() -> None:
    for schema_context in (
        schema(KNA1="KUNNR LAND1 ORT01 PSTLZ"),
        schema(kunden="nr vorname strasse plz ort"),
    ):
        assert not is_out_of_scope("How many customers live in each city?", schema_context)
        assert not is_out_of_scope("每个城市有多少客户？", schema_context)


@pytest.mark.parametrize("question", ["Which drivers have no route?", "哪些司机没有路线？"])
def test_a_name_that_may_abbreviate_a_word_does_not_speak_against_it(question: str) -> None:
    assert not is_out_of_scope(question, schema(rte="rte_id name city", drv="drv_id name salary"))
    assert is_out_of_scope(question, schema(orders="id total city", products="id name price"))


@pytest.mark.parametrize(
    ("question", "least", "most"),
    [
        ("Which customers are there?", 2.0, 2.5),
        ("客户有哪些？", 2.0, 2.5),
        ("What is in Berlin?", 0.5, 1.0),
        ("What is the weather like?", 0.0, 0.4),
        ("hello", 0.0, 0.4),
    ],
)
def test_the_names_of_a_schema_in_a_question_are_weighed(
    known: SchemaContext, question: str, least: float, most: float
) -> None:
    assert least <= evidence(question, known) <= most
    assert names_nothing(question, known) == (least == 0)


def test_a_long_question_is_not_rejected_for_the_words_that_match_nothing(known: SchemaContext) -> None:
    """A question may tell a story: what counts is what it names."""
    question = (
        "If every patient and pilot of the hospital were a customer, how many more customers would we have?"
    )
    assert not is_out_of_scope(question, known)
