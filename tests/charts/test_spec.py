"""The Vega-Lite specification: its content, what it never contains, and that it renders."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from charts.results import months, result
from charts.shapes import SHAPES
from text2sql.charts import chart_of_kind, choose, fitting, spec, terminal_chart
from text2sql.charts.figure import label_of
from text2sql.charts.figure_builder import bins, build_figure
from text2sql.result_columns.temporal import moment
from text2sql.types import QueryResult, ResultColumn, Value

HOSTILE = [
    "datum.x",
    "{{7*7}}",
    "${alert(1)}",
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "https://evil.example/x.png",
    "data:text/html,<b>",
    "a.b[0]['c']\\",
    "'); window.open('//evil.example'); ('",
    "%Y ~s",
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe",
    "a\nb\tc",
]


def spec_of(query_result: QueryResult, question: str = "", kind: str = "") -> dict[str, Any]:
    chart = chart_of_kind(query_result, kind) if kind else choose(query_result, question)
    assert chart is not None
    return spec(chart, query_result, "en", question)


def keys(node: object) -> Iterator[tuple[str, object]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield key, value
            yield from keys(value)
    elif isinstance(node, list):
        for item in node:
            yield from keys(item)


def test_a_bar_chart_has_its_data_inside_in_the_order_of_the_result() -> None:
    specification = spec_of(result("city,orders", [["Oslo", 3], ["Lyon", 9]]), "Orders by city?")
    assert specification["data"] == {"values": [{"x": "Oslo", "y": 3.0}, {"x": "Lyon", "y": 9.0}]}
    assert specification["encoding"]["x"]["sort"] == ["Oslo", "Lyon"]
    assert specification["encoding"]["x"]["axis"]["title"] == "City"
    assert specification["title"]["text"] == ["Orders by city?"]
    assert specification["usermeta"]["text2sql"] == {
        "kind": "bar", "x": [0], "y": [1], "series": None, "kinds": ["bar", "pie"]
    }  # fmt: skip


def test_fields_have_fixed_names_whatever_the_column_names() -> None:
    specification = spec_of(result("a.b['c'] \"d\\,sum(x)", [["Oslo", 3], ["Lyon", 9]]))
    fields = {value for key, value in keys(specification["encoding"]) if key == "field"}
    assert fields == {"x", "y"}


def test_text_of_a_cell_stays_data() -> None:
    """Cells never become keys that fetch, link or compute; all expressions are constants."""
    rows: list[list[Value]] = [[text, at + 1] for at, text in enumerate(HOSTILE)]
    query_result = result("datum.x || alert(1),https://evil.example", rows)
    for chart in fitting(query_result):
        specification = spec(chart, query_result, "en", "'); alert('")
        assert not {"url", "href", "expr", "signal", "transform", "params"} & {
            key for key, _ in keys(specification)
        }
        for key, value in keys({name: part for name, part in specification.items() if name != "data"}):
            if key in ("labelExpr", "test", "format"):
                assert not any(text in str(value) for text in (*HOSTILE[1:], "evil", "alert"))


@pytest.mark.fault("D24")
def test_labels_are_one_line_without_control_or_bidirectional_characters() -> None:
    assert label_of("a\nb\tc", "en") == "a b c"
    assert label_of("\x1b[31mred", "en") == "[31mred"
    assert label_of("\u202egnp.exe", "en") == "gnp.exe"
    assert label_of("", "zh") == "（空白）"
    assert label_of(None, "zh") == "（空）"
    assert len(label_of("x" * 5_000, "en")) == 120


def test_times_are_local_so_that_no_browser_shifts_them_by_a_day() -> None:
    specification = spec_of(result("month,orders", [["2025-02", 2], ["2025-01", 1]]))
    assert [value["x"] for value in specification["data"]["values"]] == [
        "2025-01-01T00:00:00",
        "2025-02-01T00:00:00",
    ]
    assert specification["encoding"]["x"]["type"] == "temporal"
    assert specification["encoding"]["x"]["axis"]["format"] == "%Y-%m"


MOMENTS = [
    ("2024", "2024"),
    ("2024年", "2024"),
    ("2024-05", "2024-05"),
    ("2024年5月", "2024-05"),
    ("2024/5/3", "2024-05-03"),
    ("2024Q3", "2024-Q3"),
    ("2024年三季度", "2024-Q3"),
    ("2024-W05", "2024-W05"),
    ("2024-05-03T00:00:00", "2024-05-03"),
    ("2024-05-03 17:45:10", "2024-05-03 17:45:10"),
    ("2024-05-03T23:30:00+08:00", "2024-05-03 23:30:00"),
]


@pytest.mark.parametrize(("text", "label"), MOMENTS)
def test_times_are_parsed_in_the_forms_of_engines_and_people(text: str, label: str) -> None:
    parsed = moment(text)
    assert parsed is not None
    assert parsed.label == label
    assert moment(parsed.label) == parsed  # the label can be parsed again


def test_a_date_truncated_to_its_month_is_shown_as_a_month() -> None:
    rows: list[list[Value]] = [[f"2025-{month:02}-01", month] for month in range(1, 7)]
    assert spec_of(result("m,orders", rows))["encoding"]["x"]["axis"]["format"] == "%Y-%m"


def test_of_five_hundred_bars_the_largest_are_drawn_and_the_rest_is_summarized() -> None:
    query_result = result("city,orders", [[f"c{at}", at] for at in range(500)])
    specification = spec_of(query_result)
    assert len(specification["data"]["values"]) == 30
    assert specification["data"]["values"][0] == {"x": "c499", "y": 499.0}
    assert specification["title"]["subtitle"] == ["the 30 largest of 500; the other 470 add up to 110,215"]
    average = result("city,avg_price", [[f"c{at}", at] for at in range(500)])
    assert spec_of(average)["title"]["subtitle"] == ["the 30 largest of 500; 470 are not shown"]


def test_too_many_series_are_the_largest_and_the_others() -> None:
    rows: list[tuple[Value, ...]] = [(month, f"s{at}", at + 1) for month in months(3) for at in range(20)]
    values = spec_of(result("month,shop,orders", rows), kind="stacked")["data"]["values"]
    assert sum(value["y"] for value in values) == 3 * sum(range(21))
    assert {value["s"] for value in values} == {*(f"s{at}" for at in range(13, 20)), "others"}


def test_a_large_scatter_plot_is_sampled_evenly_with_a_note() -> None:
    specification = spec_of(result("a,b", [[at, at % 7] for at in range(12_000)]))
    assert len(specification["data"]["values"]) == 5_000
    assert specification["title"]["subtitle"] == ["5,000 of 12,000 points, evenly picked"]


def test_missing_values_cut_rows_and_omitted_measures_are_noted() -> None:
    rows: list[list[Value]] = [["a", None, 90_000], ["b", 3, 80_000]]
    notes = spec_of(result("city,orders,revenue", rows, truncated="rows"))["title"]["subtitle"]
    assert notes == [
        "values missing: 1",
        "drawn: Orders; not drawn: Revenue",
        "only the first 2 rows, the row limit",
    ]


def test_large_numbers_are_abbreviated_with_units() -> None:
    query_result = result("city,revenue", [["a", 5_000_000], ["b", 45_000_000]])
    chart = choose(query_result)
    assert chart is not None
    english = spec(chart, query_result, "en")["encoding"]["y"]["axis"]["labelExpr"]
    chinese = spec(chart, query_result, "zh")["encoding"]["y"]["axis"]["labelExpr"]
    assert "/ 1000000, ',~r') + 'M'" in english
    assert "/ 10000, ',~r') + '万'" in chinese


def test_shares_read_as_percentages() -> None:
    specification = spec_of(result("city,return_rate", [["a", 0.12], ["b", 0.3]]))
    assert specification["encoding"]["y"]["axis"]["format"] == ".0%"


def test_bars_are_horizontal_when_labels_are_long_or_many() -> None:
    long = spec_of(result("product,orders", [["a very long name of a product", 3], ["b", 2]]))
    many = spec_of(result("city,orders", [[f"c{at}", at] for at in range(25)]))
    few = spec_of(result("city,orders", [["a", 1], ["b", 2]]))
    assert [specification["encoding"]["y"]["type"] for specification in (long, many, few)] == [
        "nominal",
        "nominal",
        "quantitative",
    ]


def test_a_histogram_counts_every_number_once() -> None:
    numbers = [((at * 7919) % 1000) / 10 for at in range(1_000)]
    specification = spec_of(result("price", [[number] for number in numbers]))
    assert sum(value["y"] for value in specification["data"]["values"]) == 1_000
    assert specification["data"]["values"][0]["x"] == 0
    assert specification["data"]["values"][-1]["e"] == 100


@pytest.mark.parametrize(
    "numbers", [[0, 1e-300, 2e-300], [1e300, -1e300], [1e16, 1e16 + 2], [5, 5], [0.1, 0.3]]
)
def test_any_numbers_have_bins(numbers: list[float]) -> None:
    low, step, count = bins(numbers, whole=False)
    assert 1 <= count <= 42
    assert step > 0
    assert math.isfinite(low + step * count)
    assert low <= min(numbers)


def test_two_columns_of_one_name_are_two_series() -> None:
    query_result = result("month,n,n", [[month, 5, 6] for month in months(4)])
    assert build_figure(fitting(query_result)[0], query_result, "en").names == ["N", "N (2)"]


# -- whatever comes back -------------------------------------------------------------------------

CELLS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.sampled_from(
        [*HOSTILE, "NaN", "2024-01-31", "2024-02", "2024", "12.50", "0001-01-01", "9999-12-31 23:59:59"]
    ),
    st.lists(st.integers(), max_size=2),
)
KINDS_OF_CELLS = st.sampled_from(
    [
        st.one_of(st.none(), st.integers(-(10**18), 10**18)),
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        st.one_of(st.none(), st.text(max_size=12)),
        st.one_of(st.none(), st.dates().map(str)),
        st.integers(1, 12),
        st.integers(1990, 2030),
        st.sampled_from(["a", "b", None]),
        CELLS,
    ]
)
NAMES = st.sampled_from(
    ["n", "month", "year", "id", "city", "orders", "avg", "share", "累计", "月份", "星期", ""]
)


@st.composite
def results(draw: st.DrawFn) -> QueryResult:
    count = draw(st.integers(1, 5))
    rows = draw(st.integers(0, 25))
    columns = tuple(
        ResultColumn(draw(NAMES), draw(st.sampled_from(["", "INTEGER", "TEXT", "NUMERIC(10,2)", "DATE"])))
        for _ in range(count)
    )
    items = [draw(st.lists(draw(KINDS_OF_CELLS), min_size=rows, max_size=rows)) for _ in range(count)]
    return QueryResult(columns, tuple(zip(*items, strict=True)), draw(st.sampled_from(["", "rows"])))


@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(results(), st.text(max_size=40), st.integers(1, 200))
@pytest.mark.fault("D27")
def test_no_result_makes_the_chart_code_fail(query_result: QueryResult, question: str, width: int) -> None:
    for chart in fitting(query_result, question):
        for lang in ("en", "zh"):
            specification = spec(chart, query_result, lang, question)
            text = json.dumps(specification, allow_nan=False)
            assert json.loads(text)["usermeta"]["text2sql"]["kind"] == chart.kind
            drawn = terminal_chart(chart, query_result, width, lang)
            assert all(line.isprintable() for line in drawn.splitlines())


def test_the_gallery_has_twelve_shapes() -> None:
    assert len({shape.name for shape in SHAPES}) == 12


def test_every_shape_has_a_small_image_in_the_docs() -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = (docs / "charts.md").read_text(encoding="utf-8")
    for shape in SHAPES:
        for lang in ("en", "zh"):
            name = f"charts/{shape.name}.{lang}.png"
            assert f"]({name})" in text
            assert 1_000 < (docs / name).stat().st_size < 60_000
