"""When not to answer: what the shop knows nothing about."""

import pytest

from text2sql.schema import Knowledge, about, build, is_foreign, uncovered
from text2sql.types import Catalogue, Column, Table

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
def test_a_question_about_the_shop_is_not_turned_away(known: Knowledge, question: str) -> None:
    assert not is_foreign(question, known)


@pytest.mark.parametrize("question", FOREIGN.strip().splitlines())
def test_a_question_about_something_else_is_noticed(known: Knowledge, question: str) -> None:
    assert is_foreign(question, known)


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
def test_the_words_that_nothing_answers_to_are_named(
    known: Knowledge, question: str, expected: list[str]
) -> None:
    assert uncovered(question, known) == expected


def test_a_share_is_told(known: Knowledge) -> None:
    assert about("customers by city", known) == 1.0
    assert about("?", known) == 1.0
    assert about("singers and albums", known) == 0.0
    assert 0 < about("weather in Paris", known) < 0.4


def test_a_word_that_nobody_knows_is_no_reason_to_refuse(known: Knowledge) -> None:
    assert not is_foreign("What about Frobnicator 3000?", known)


def test_a_character_left_over_does_not_speak_against_a_question(known: Knowledge) -> None:
    assert about("龘客户", known) == about("客户", known) == 1.0


def test_a_phrase_that_the_glossary_knows_speaks_against_a_question_like_a_word(known: Knowledge) -> None:
    assert is_foreign("Which music festival is in Shanghai?", known)


def test_a_schema_that_nobody_can_read_is_not_judged_by() -> None:
    cryptic = Table("KNA1", tuple(Column(name, "TEXT") for name in ("KUNNR", "LAND1", "ORT01", "PSTLZ")))
    german = Table(
        "kunden", tuple(Column(name, "TEXT") for name in ("nr", "vorname", "strasse", "plz", "ort"))
    )
    for table in (cryptic, german):
        knowledge = build(Catalogue("sqlite", "main", (table,), "f"))
        assert not is_foreign("How many customers live in each city?", knowledge)
        assert not is_foreign("每个城市有多少客户？", knowledge)


def test_a_chinese_question_is_given_more_credit(known: Knowledge) -> None:
    """Its words meet English names through a glossary, which misses some."""
    asked = ("Which customers have weather in the zorbel?", "哪些客户有天气和磨坊？")
    assert [about(one, known) for one in asked] == [0.4, 0.4]
    assert [is_foreign(one, known) for one in asked] == [True, False]
