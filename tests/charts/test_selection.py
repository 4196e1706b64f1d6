"""Which chart is chosen for which result."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from charts.results import months, result
from charts.shapes import SHAPES, Shape
from text2sql.charts import (
    Chart,
    chart_of_kind,
    choose,
    fitting,
    from_plain,
    kinds,
    may_omit_groups,
    to_plain,
)
from text2sql.i18n import Language
from text2sql.result_columns.columns import column_views
from text2sql.types import OutputColumn, QueryFacts, QueryResult, Value

CITIES = ["Lyon", "Porto", "Turin", "Oslo"]
PAIRS = [(city, channel, 5 + at) for at, city in enumerate(CITIES) for channel in ("web", "store")]
GRID = [(f"city {x}", f"shop {y}", x * y) for x in range(20) for y in range(15)]
# Neither name alone tells a person from another.
NAMES = [(f"f{at % 17}", f"l{at % 13}", at + 0.5) for at in range(20)]
MANY = [(month, f"shop {at}", at) for month in months(12) for at in range(40)]


CASES: list[tuple[str, QueryResult, str]] = [
    ("one number", result("n", [[42]]), "value"),
    ("one row of a few numbers", result("least,most,mean", [[1, 9, 4.5]]), "value"),
    ("the first of a ranking", result("city,orders", [["Lyon", 9]]), "value bar"),
    ("one text", result("name", [["Ann"]]), ""),
    ("one NULL", result("n", [[None]]), ""),
    ("a list of names", result("name", [["Ann"], ["Bo"], ["Cy"]]), ""),
    ("two lists of texts", result("name,city", [["Ann", "Lyon"], ["Bo", "Oslo"]]), ""),
    ("no rows", result("city,orders", []), ""),
    ("no columns", QueryResult((), ((), ())), ""),
    ("counts by category", result("city,orders", [[city, 5] for city in CITIES]), "bar pie"),
    ("averages are no parts", result("city,avg_price", [[city, 5.5] for city in CITIES]), "bar"),
    (
        "negatives are no parts",
        result("city,profit", [[city, 5 - 3 * at] for at, city in enumerate(CITIES)]),
        "bar",
    ),
    ("ten are too many for a pie", result("city,orders", [[f"c{at}", at] for at in range(10)]), "bar"),
    ("shares of all", result("city,x", [["a", 0.25], ["b", 0.75]]), "bar pie"),
    ("percentages of all", result("city,x", [["a", 25.1], ["b", 74.9]]), "bar pie"),
    ("a part is no whole", result("city,orders", [["a", 2], ["b", 3]], truncated="rows"), "bar"),
    (
        "shares of more than is shown",
        result("city,revenue,share", [["a", 49.62, 2.13], ["b", 47.62, 2.05]]),
        "bar",
    ),
    ("five hundred", result("city,orders", [[f"c{at}", at] for at in range(500)]), "bar histogram"),
    ("an id beside a name", result("id,name,total", [[1, "Ann", 9], [2, "Bo", 7]]), "bar pie"),
    ("an id alone", result("customer_id,total", [[1, 9], [2, 7]]), "bar pie"),
    ("yes and no", result("paid,orders", [[True, 9], [False, 7]]), "bar pie"),
    ("a NULL among the labels", result("city,orders", [["Lyon", 9], [None, 7]]), "bar pie"),
    ("months", result("month,orders", [[month, at] for at, month in enumerate(months(12))]), "line area bar"),
    ("dates", result("day,orders", [[f"2025-03-{at:02}", at] for at in range(1, 20)]), "line area bar"),
    ("years", result("year,orders", [[2020 + at, at] for at in range(5)]), "line area bar"),
    ("Chinese months", result("月份,订单数", [[f"2025年{at}月", at] for at in range(1, 9)]), "line area bar"),
    ("months as numbers", result("month,orders", [[at, at] for at in range(1, 13)]), "line area bar"),
    ("weekdays", result("weekday,orders", [[at, at] for at in range(7)]), "bar line area"),
    (
        "a running total",
        result("day,running_total", [[f"2025-03-{at:02}", at] for at in range(1, 9)]),
        "area line bar",
    ),
    (
        "losses by month",
        result("month,profit", [[month, at - 5] for at, month in enumerate(months(12))]),
        "line bar",
    ),
    (
        "two measures over time",
        result("month,orders,returns", [[month, 9 + at, 3] for at, month in enumerate(months(6))]),
        "line area bar grouped scatter",
    ),
    (
        "months and channels",
        result("month,channel,orders", [(m, c, 5) for m in months(12) for c in ("a", "b")]),
        "line stacked area grouped heatmap scatter",
    ),
    ("forty series", result("month,shop,orders", MANY), "stacked area heatmap scatter histogram"),
    ("two categories", result("city,channel,orders", PAIRS), "grouped stacked heatmap"),
    ("two categories of averages", result("city,channel,avg_price", PAIRS), "grouped heatmap"),
    ("many by many", result("city,shop,orders", GRID), "heatmap histogram"),
    ("first and last names", result("first,last,total", NAMES), "bar"),
    ("two numbers", result("price,sold", [[at * 1.5, 90 - at] for at in range(30)]), "scatter"),
    (
        "a label and two like numbers",
        result("city,sold,returned", [["a", 9, 3], ["b", 8, 2]]),
        "grouped bar pie",
    ),
    (
        "a label and unlike numbers",
        result("city,sold,revenue", [["a", 9, 90000], ["b", 8, 80000]]),
        "bar pie",
    ),
    ("twelve numbers without their months", result("SUM(Total)", [[37.62 + at] for at in range(12)]), ""),
    ("many numbers", result("price", [[at % 17 + 0.5] for at in range(200)]), "histogram"),
    ("few numbers", result("price", [[1.5], [2.5]]), ""),
    ("the same number again", result("price", [[5]] * 50), ""),
    (
        "raw rows",
        result("order_date,amount", [[f"2025-03-{at % 9 + 1:02}", at] for at in range(40)]),
        "scatter histogram",
    ),
    ("lists in cells", result("city,tags", [["a", [1]], ["b", [2]]]), ""),
    ("long texts", result("review,stars", [["x" * 900, 5], ["y" * 900, 4]]), ""),
    ("exact decimals arrive as text", result("city,revenue", [["a", "12.50"], ["b", "7.25"]]), "bar pie"),
    ("post codes are no numbers", result("city,zip", [["a", "01069"], ["b", "10115"]]), ""),
    (
        "a number of a typed column",
        result("city,n", [["a", "12345678901234567890"], ["b", "3"]], "TEXT,NUMERIC"),
        "bar pie",
    ),
    ("NaN is a missing number", result("city,orders", [["a", "NaN"], ["b", 3.5]]), "bar"),
]


@pytest.mark.parametrize(("about", "query_result", "expected"), CASES, ids=[case[0] for case in CASES])
def test_the_shape_of_a_result_decides(about: str, query_result: QueryResult, expected: str) -> None:
    assert " ".join(kinds(query_result)) == expected


CHART_BY_QUESTION = [
    ("share of orders by city", "pie"),
    ("各城市订单占比", "pie"),
    ("orders by city", "bar"),
    ("orders by city as a pie chart", "pie"),
    ("orders by city as a heat map", "bar"),  # it does not suit
]


@pytest.mark.parametrize(("question", "expected"), CHART_BY_QUESTION)
def test_the_question_may_name_a_kind_that_fits(question: str, expected: str) -> None:
    chart = choose(result("city,orders", [[city, 5] for city in CITIES]), question)
    assert chart is not None
    assert chart.kind == expected


def test_a_share_over_time_is_still_a_line() -> None:
    chart = choose(
        result("month,share", [[month, 0.1] for month in months(10)]), "share of web orders by month"
    )
    assert chart == Chart("line", (0,), (1,))


def test_positions_skip_ids_and_repeated_categories() -> None:
    query_result = result("id,name,city,total", [[1, "Ann", "Lyon", 9], [2, "Bo", "Lyon", 7]])
    assert choose(query_result) == Chart("bar", (1,), (3,))
    pairs = result("orders,city,channel", [(n, city, channel) for city, channel, n in PAIRS])
    assert choose(pairs) == Chart("grouped", (1,), (0,), 2)


def test_another_kind_can_be_requested_if_it_fits() -> None:
    query_result = result("city,orders", [[city, 5] for city in CITIES])
    assert chart_of_kind(query_result, "pie") == Chart("pie", (0,), (1,))
    assert chart_of_kind(query_result, "line") is None
    assert chart_of_kind(query_result, "no such kind") is None


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_gallery_has_the_same_charts_in_both_languages(shape: Shape, lang: Language) -> None:
    chart = choose(shape.result(lang), shape.questions[lang])
    assert chart is not None
    assert chart.kind == shape.kind


def test_a_chart_contains_no_cell_values_and_survives_json() -> None:
    for shape in SHAPES:
        for chart in fitting(shape.result("zh")):
            result = json.dumps(to_plain(chart))
            assert from_plain(json.loads(result)) == chart
            assert result.isascii()
            assert len(result) < 100


ROLES: list[tuple[str, Sequence[Value], str]] = [
    ("year", [2021, 2022], "time"),
    ("yr", ["2021", "2022"], "time"),
    ("orders", [2021, 2022], "measure"),
    ("age_years", [34, 51], "measure"),
    ("年份", [2021, 2022], "time"),
    ("quarter", ["2024-Q1", "2024-Q2"], "time"),
    ("季度", ["2024年第1季度", "2024年第二季度"], "time"),
    ("week", ["2024-W05", "2024-W06"], "time"),
    ("at", ["2024-05-01T10:30:00+08:00", "2024-05-01 11:00:00"], "time"),
    ("at", ["2024-05-01", "soon"], "category"),
    ("hour", [0, 13, 23], "step"),
    ("hour", [0, 13, 99], "measure"),
    ("order_id", [17, 18], "id"),
    ("订单编号", ["A1", "A2"], "id"),
    ("phone", ["0301234", "0305678"], "id"),
    ("size", ["1.0e400", "2.0"], "measure"),
    ("flag", [True, False], "category"),
    ("mixed", [1, "a"], "category"),
    ("mixed", [1, [2]], "other"),
    ("nothing", [None, None], "other"),
    ("bad_date", ["2024-13-45", "2024-00-00"], "category"),
]


@pytest.mark.parametrize(("name", "values", "role"), ROLES)
def test_a_column_is_judged_by_values_then_type_then_name(
    name: str, values: Sequence[Value], role: str
) -> None:
    (column,) = column_views(result(name, [[value] for value in values]))
    assert column.role == role


@pytest.mark.parametrize(
    ("sql", "partial"),
    [
        ("SELECT city, COUNT(*) FROM orders GROUP BY city", False),
        ("SELECT city, COUNT(*) FROM orders WHERE note = 'LIMIT 5' GROUP BY city -- top", False),
        ('SELECT "limit", SUM(n) FROM budgets GROUP BY "limit"', False),
        ("SELECT city, COUNT(*) FROM orders GROUP BY city ORDER BY 2 DESC LIMIT 5", True),
        ("SELECT TOP 5 city, n FROM t", True),
        ("SELECT city, n FROM t ORDER BY n FETCH FIRST 5 ROWS ONLY", True),
        ("SELECT city, COUNT(*) FROM orders GROUP BY city HAVING COUNT(*) > 9", True),
        ("SELECT * FROM (SELECT city, n, RANK() OVER (ORDER BY n) AS r FROM t) WHERE r <= 3", True),
        ("SELECT city, n FROM t QUALIFY row_number() OVER (ORDER BY n) < 4", True),
    ],
)
def test_partial_results_are_never_a_pie(sql: str, partial: bool) -> None:
    assert may_omit_groups(sql) is partial
    query_result = replace(result("city,orders", [[city, 5] for city in CITIES]), partial=partial)
    assert ("pie" in kinds(query_result, "share of orders by city as a pie chart")) is not partial


def test_the_names_of_persons_are_one_label() -> None:
    rows: list[list[Value]] = [
        ["Helena", "Holý", 49.62],
        ["Luis", "Rojas", 46.62],
        ["Luis", "Gonçalves", 39.62],
    ]
    chart = choose(result("FirstName,LastName,revenue", rows))
    assert chart is not None
    assert (chart.kind, chart.x, chart.y) == ("bar", (0, 1), (2,))


def test_an_average_is_no_part_of_a_whole_whatever_it_is_called() -> None:
    rows: list[list[Value]] = [["Oslo", 3], ["Bergen", 5]]
    plain = result("city,orders", rows)
    column = OutputColumn("orders", "value", "t.orders", "average")
    averages = replace(plain, facts=QueryFacts((OutputColumn("city", "group"), column)))
    assert "pie" in kinds(plain)
    assert "pie" not in kinds(averages)
