"""An analytic query in words, and what it says about its result."""

from datetime import date

from text2sql.answers import describe_query, describe_result, facts_of
from text2sql.types import (
    Aggregation,
    AnalyticQuery,
    Comparison,
    Grouping,
    Measure,
    MeasureUse,
    OutputColumn,
    QueryResult,
    Ranking,
    Ratio,
    RelatedFilter,
    ResultColumn,
    SemanticModel,
    Threshold,
    TimeFilter,
    ValueFilter,
)

MODEL = SemanticModel(
    "sqlite",
    measures=(
        Measure("Invoice.Total", "Invoice", "Total"),
        Measure("revenue", "payments", "amount"),
    ),
)
YEAR = TimeFilter("Invoice.InvoiceDate", ((date(2025, 1, 1), date(2026, 1, 1)),))
TOTAL = MeasureUse(Aggregation("sum", "Invoice.Total"))
MONTHS = AnalyticQuery(
    measures=(TOTAL,),
    groupings=(Grouping("Invoice.InvoiceDate", "month"),),
    filters=(YEAR,),
    comparison=Comparison("previous_period"),
)


def test_a_query_by_month_is_compared_with_the_month_before() -> None:
    assert describe_query(MONTHS, MODEL, "en") == (
        "sum of Invoice.Total, by month, 2025, compared with the month before"
    )
    assert describe_query(MONTHS, MODEL, "zh") == "Invoice.Total 的合计，按 月，2025年，与上月对比"


def test_a_metric_goes_by_its_name() -> None:
    query = AnalyticQuery(
        measures=(MeasureUse(Aggregation("sum", "revenue"), share=True),),
        groupings=(Grouping(entity="Customer"),),
        ranking=Ranking(5),
    )
    assert describe_query(query, MODEL, "en") == (
        "revenue with its share of the total, by Customer, the 5 highest"
    )
    assert describe_query(query, MODEL, "zh") == "revenue及其占总计的比例，按 Customer，最高的 5 个"


def test_filters_are_conditions_in_words() -> None:
    query = AnalyticQuery(
        subject="Customer",
        filters=(
            ValueFilter("Customer.Country", "=", ("Brazil", "Chile")),
            RelatedFilter("Invoice", at_least=2),
        ),
        limit=10,
    )
    assert describe_query(query, MODEL, "en") == (
        "list of Customer, Customer.Country = “Brazil” or “Chile”, with at least 2 Invoice, only the first 10"
    )
    assert describe_query(query, MODEL, "zh") == (
        "Customer 的列表，Customer.Country = “Brazil” 或 “Chile”，至少有 2 条 Invoice，只取前 10 个"
    )


def test_a_ratio_and_a_threshold() -> None:
    orders = Aggregation("count", "orders")
    query = AnalyticQuery(
        measures=(MeasureUse(Ratio(orders, Aggregation("count_distinct", "customers"))),),
        groupings=(Grouping("orders.city"),),
        thresholds=(Threshold(">=", 2),),
    )
    assert describe_query(query, MODEL, "en") == (
        "number of orders per number of different customers, by orders.city, "
        "only where number of orders per number of different customers ≥ 2"
    )


def test_the_facts_of_a_query_reach_the_sentence() -> None:
    columns = (
        OutputColumn("month", "group", "Invoice.InvoiceDate", bucket="month"),
        OutputColumn("revenue", "value", "revenue", "sum", unit="USD"),
    )
    result = QueryResult(
        (ResultColumn("month", "TEXT"), ResultColumn("revenue", "REAL")),
        (("2025-11", 1200.5), ("2025-12", 1500)),
    )
    text = describe_result(result, columns, MONTHS, "revenue by month", "en")
    assert text.sentence == (
        "Revenue rose by $299.50 (24.9%), from $1,200.50 in November 2025 to $1,500.00 in December 2025."
    )
    assert facts_of(MONTHS, columns).period == (date(2025, 1, 1), date(2026, 1, 1))
