"""Suggested questions are read surely, compiled and allowed, and they edit the query that they follow."""

import asyncio
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.analytic.shop import CATALOG, shop_context
from agents.asking import app, scripted
from text2sql.agents.analytic.next_questions import next_questions
from text2sql.agents.analytic.reading import read_analytic, read_follow_up
from text2sql.agents.analytic.suggestions import example_questions
from text2sql.i18n import Language
from text2sql.question.reading import AnalyticReading
from text2sql.sql import check, compile_query
from text2sql.types import (
    Aggregation,
    AnalyticQuery,
    Answer,
    Calendar,
    CheckedSql,
    Comparison,
    Grouping,
    MeasureUse,
    Ranking,
    RelatedFilter,
    TimeFilter,
    ValueFilter,
)

TODAY = date(2026, 11, 19)
SHOP = shop_context()


def is_answerable(reading: AnalyticReading) -> bool:
    sql = compile_query(reading.query, SHOP.model, None, TODAY, CATALOG).sql
    checked = check(sql, CATALOG.dialect, CATALOG, SHOP.schema_context.policy)
    return reading.is_sure and isinstance(checked, CheckedSql)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            (
                "How did revenue change by month?",
                "What are the top 5 products by revenue?",
                "How many products are there for each category?",
                "Which customers have no orders?",
                "What share of revenue does each category have?",
                "What is the average price for each category?",
            ),
        ),
        (
            "zh",
            (
                "每月的销售额是多少？",
                "销售额最高的5个产品是哪些？",
                "每个类别有多少产品？",
                "哪些客户没有订单？",
                "每个类别的销售额占比是多少？",
                "每个类别的平均价格是多少？",
            ),
        ),
    ],
)
def test_examples_are_of_different_kinds_and_can_be_answered(
    language: Language, expected: tuple[str, ...]
) -> None:
    found = example_questions(SHOP, TODAY, Calendar(), language)
    assert found == expected
    assert all(is_answerable(read_analytic(text, SHOP, TODAY, Calendar())) for text in found)


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("revenue by month in 2025", "en", ("Compared with last year", "By category", "As a running total")),
        ("top 5 customers by revenue", "en", ("What share is each?", "By month", "By category")),
        ("revenue in 2025", "en", ("By month", "By category", "2025 compared with 2024")),
        (
            "Which customers have no orders?",
            "en",
            ("How many customers by city?", "Only Berlin", "How many customers by country?"),
        ),
        ("average price of products by category", "en", ("The number of products instead",)),
        ("2025年每月销售额", "zh", ("与去年相比", "按类别看", "累计")),
        ("今年各国家的销售额", "zh", ("占比是多少？", "按月看", "按类别看")),
        ("价格的中位数", "zh", ("按月看", "按类别看", "只看 Furniture")),
    ],
)
def test_the_next_questions_fit_the_shape_of_the_answer(
    question: str, language: Language, expected: tuple[str, ...]
) -> None:
    query = read_analytic(question, SHOP, TODAY, Calendar()).query
    assert next_questions(query, SHOP, TODAY, Calendar(), language) == expected


YEAR = ((date(2025, 1, 1), date(2026, 1, 1)),)
OPTIONAL_FILTERS = st.lists(
    st.sampled_from(
        (
            TimeFilter("orders.ordered_on", YEAR),
            TimeFilter("orders.ordered_on", part="month", part_values=(10,)),
            ValueFilter("products.category", "=", ("Garden",)),
            ValueFilter("orders.status", "!=", ("cancelled",)),
        )
    ),
    max_size=3,
    unique=True,
).map(tuple)
MEASURES = st.sampled_from(
    (
        Aggregation("sum", "revenue"),
        Aggregation("average", "products.price"),
        Aggregation("median", "products.price"),
        Aggregation("count", "orders"),
        Aggregation("sum", "order_items.quantity"),
    )
)
GROUPINGS = st.lists(
    st.sampled_from(
        (
            Grouping("products.category"),
            Grouping("customers.country"),
            Grouping(entity="customers"),
            Grouping("orders.ordered_on", bucket="month"),
            Grouping("orders.ordered_on", part="weekday"),
        )
    ),
    max_size=2,
    unique=True,
).map(tuple)
AGGREGATIONS = st.builds(
    AnalyticQuery,
    measures=st.builds(MeasureUse, MEASURES, share=st.booleans()).map(lambda use: (use,)),
    groupings=GROUPINGS,
    filters=OPTIONAL_FILTERS,
    comparison=st.sampled_from((None, None, Comparison("same_period_last_year"))),
    ranking=st.sampled_from((None, None, Ranking(3))),
)
LISTS = st.builds(
    AnalyticQuery,
    subject=st.sampled_from(("customers", "products", "orders")),
    filters=st.sampled_from(((), (RelatedFilter("order_items", at_most=0),))),
)


@settings(max_examples=60, deadline=None)
@given(AGGREGATIONS | LISTS, st.sampled_from(("en", "zh")))
def test_every_next_question_reads_back_surely_and_edits_the_query(
    query: AnalyticQuery, language: Language
) -> None:
    found = next_questions(query, SHOP, TODAY, Calendar(), language)
    edited = [read_follow_up(text, query, SHOP, TODAY, Calendar()) for text in found]
    assert len(set(found)) <= 3
    assert all(is_answerable(reading) and reading.query != query for reading in edited)
    assert len({repr(reading.query) for reading in edited}) == len(found)


@pytest.mark.parametrize("question", ["revenue by month in 2025", "2025年每月的销售额"])
def test_the_suggestions_of_an_answer_are_answered_in_its_thread_without_a_model(
    shop: Path, question: str
) -> None:
    async def scenario() -> list[Answer]:
        async with app(shop, scripted([]), analytic=True, today="2026-11-19") as db:
            first = await db.ask(question, thread="t")
            answers = [first]
            for number, suggestion in enumerate(first.suggestions):
                await db.ask(question, thread=f"t{number}")
                answers.append(await db.ask(suggestion, thread=f"t{number}"))
            return answers

    first, *followed = asyncio.run(scenario())
    assert len(followed) == 3
    assert [answer.status for answer in followed] == ["answered"] * 3
    assert {answer.sql for answer in followed}.isdisjoint({first.sql})
    assert {answer.receipt.usage.calls for answer in followed} == {0}


def test_an_answer_whose_question_rules_do_not_read_has_no_suggestions(shop: Path) -> None:
    async def scenario() -> Answer:
        async with app(shop, scripted(["SELECT name FROM customers"])) as db:
            return await db.ask("the loyal ones among our customers")

    answer = asyncio.run(scenario())
    assert answer.suggestions == ()
