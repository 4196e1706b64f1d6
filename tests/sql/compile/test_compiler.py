"""What cannot be compiled and why, names, limits, and the guard with a policy."""

from dataclasses import replace
from datetime import date

import pytest

from sql.compile import notation, star
from sql.compile.test_cases import CASES, TODAY, compiled
from text2sql.errors import AmbiguousPath, CannotCompile
from text2sql.i18n import explain
from text2sql.sql import check, compile_query
from text2sql.sql.compile.buckets import period_name
from text2sql.sql.compile.paths import JoinGraph
from text2sql.types import (
    AnalyticQuery,
    CheckedSql,
    Dimension,
    Entity,
    Grouping,
    Measure,
    Policy,
    Relation,
    SemanticModel,
)

MODEL = star.model("sqlite")


def compile_text(given: dict[str, object], model: SemanticModel = MODEL) -> str:
    return compile_query(notation.query(given), model, None, TODAY, star.catalog("sqlite")).sql


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"measures": ["sum orders.nothing"]}, "unknown_dimension"),
        ({"measures": ["count nothing"]}, "unknown_table"),
        ({"measures": ["count orders"], "groups": ["orders.nothing"]}, "unknown_dimension"),
        ({"measures": ["count orders"], "groups": ["budgets.amount"]}, "no_path"),
        ({"measures": ["count orders"], "order": ["customers.city"]}, "unknown_column"),
        ({"measures": ["count orders"], "rank": {"most": 1, "measure": 3}}, "measure_index"),
        ({"measures": ["p110 orders.total"]}, "percentile"),
        ({"measures": [{"value": "average orders.total", "share": True}]}, "share"),
        ({"measures": [{"value": "sum orders.total", "running": True}]}, "no_bucket"),
        ({"measures": ["count orders"], "compare": "previous_period"}, "no_period"),
        ({"measures": ["sum budgets.amount"], "groups": ["budgets.year by month"]}, "bucket"),
        ({"measures": ["count orders"], "filters": [{"dim": "orders.status"}]}, "empty_filter"),
        ({"measures": ["average basket"], "filters": [{"average": "basket"}]}, "not_a_number_per_row"),
        ({}, "nothing"),
    ],
)
def test_what_cannot_be_compiled_says_why(given: dict[str, object], reason: str) -> None:
    with pytest.raises(CannotCompile) as raised:
        compile_text(given)
    assert raised.value.reason == reason
    for language in ("en", "zh"):
        assert explain(raised.value, language).strip() != raised.value.message_key


def test_two_equally_short_paths_are_named() -> None:
    with pytest.raises(AmbiguousPath) as raised:
        compile_text({"measures": ["count shipments"], "groups": ["places.name"]})
    assert sorted(raised.value.paths) == [("destination",), ("origin",)]


def test_a_chain_to_many_is_better_than_a_detour_over_a_shared_row() -> None:
    references = ("inventory film", "inventory store", "store staff", "rental inventory", "payment rental",
                  "payment staff")  # fmt: skip
    relations = tuple(
        Relation(table, (f"{to}_id",), to, ("id",)) for table, to in (each.split() for each in references)
    )
    path = JoinGraph(SemanticModel("sqlite", relations=relations)).path("film", "payment")
    assert [step.end for step in path] == ["inventory", "rental", "payment"]


@pytest.mark.parametrize(
    "expression",
    ["(SELECT MAX(total) FROM orders)", "total; DROP TABLE orders", "load_extension('x')", "*",
     "total FROM orders --", "total, status", "SUM(total)", "total WHERE 1 = 1", "SUM(total) OVER ()"],
)  # fmt: skip
def test_an_expression_of_a_measure_is_no_way_around_the_guard(expression: str) -> None:
    model = replace(MODEL, measures=(Measure("bad", "orders", expression),))
    with pytest.raises(CannotCompile) as raised:
        compile_text({"measures": ["sum bad"]}, model)
    assert raised.value.reason == "expression"


def test_names_are_quoted_and_aliases_are_unique() -> None:
    model = SemanticModel(
        "postgres",
        (Entity("Order Items", ("Id",), ("group",)),),
        (Dimension("d", "Order Items", "group"), Dimension("Order Items.Größe", "Order Items", "Größe")),
        (
            Measure("sum", "Order Items", '"Unit Price" * 2'),
            Measure("订单 额", "Order Items", '"Unit Price"'),
        ),
    )
    query = replace(
        notation.query({"measures": ["sum sum", "sum 订单 额", "max sum"]}),
        groupings=(Grouping("d"), Grouping("Order Items.Größe")),
    )
    result = compile_query(query, model, None, TODAY)
    assert isinstance(check(result.sql, "postgres"), CheckedSql)
    assert [column.name for column in result.columns] == ["d", "größe", "sum", "订单_额", "largest_sum"]
    assert 'FROM "Order Items" AS oi' in result.sql


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "clickhouse"])
def test_every_case_passes_the_guard_under_a_policy(dialect: str) -> None:
    tables = {table.name: tuple(name for name, _ in table.columns) for table in star.TABLES}
    schema = star.catalog(dialect)
    policy = Policy(tables, {dialect: schema.default_schema}, exact=True)
    for case in CASES:
        sql = compiled(case.values[0], dialect).sql  # type: ignore[arg-type]
        assert isinstance(check(sql, dialect, schema, policy), CheckedSql), sql


def test_a_year_of_days_compared_with_the_days_before_is_not_too_long_for_the_guard() -> None:
    days = {"time": "orders.ordered_at", "from": "2024-11-05", "to": "2025-07-22"}
    query: AnalyticQuery = notation.query({
        "measures": ["count orders"], "groups": ["orders.ordered_at by day"], "filters": [days],
        "compare": "previous_period",
    })  # fmt: skip
    catalog = star.catalog("sqlite")
    result = compile_query(query, MODEL, star.profile("sqlite"), date(2025, 7, 21), catalog)
    assert "2025-03-17" in result.sql
    assert isinstance(check(result.sql, "sqlite", catalog), CheckedSql)


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        (date(2025, 1, 1), date(2026, 1, 1), "2025"),
        (date(2025, 7, 1), date(2026, 1, 1), "2025-H2"),
        (date(2025, 7, 1), date(2025, 10, 1), "2025-Q3"),
        (date(2024, 2, 1), date(2024, 3, 1), "2024-02"),
        (date(2024, 2, 29), date(2024, 3, 1), "2024-02-29"),
        (date(2025, 7, 1), date(2025, 7, 22), "2025-07-01 to 2025-07-21"),
    ],
)
def test_a_period_has_the_name_of_a_whole_bucket_or_its_days(start: date, end: date, name: str) -> None:
    assert period_name(start, end) == name
