"""Charts as text for a terminal."""

import pytest
from rich.cells import cell_len

from charts.results import months, result
from charts.shapes import SHAPES, Shape
from text2sql.charts import chart_of_kind, fitting, terminal_chart
from text2sql.i18n import Language
from text2sql.types import QueryResult


def drawn(query_result: QueryResult, kind: str, width: int = 40, lang: Language = "en") -> list[str]:
    chart = chart_of_kind(query_result, kind)
    assert chart is not None
    return terminal_chart(chart, query_result, width, lang).splitlines()


def test_bars_grow_with_their_numbers_and_wide_letters_are_measured() -> None:
    assert drawn(result("城市,订单数", [["上海", 20], ["Oslo", 10], ["哈尔滨", 1]]), "bar", 30) == [
        f"上海   {'█' * 19} 20",
        "Oslo   █████████▌ 10",
        "哈尔滨 █ 1",
    ]


def test_negative_bars_extend_to_the_left() -> None:
    lines = drawn(result("city,change", [["a", 10], ["b", -10], ["c", 0], ["d", None]]), "bar", 30)
    assert lines == [
        f"a {' ' * 12}{'█' * 11} 10",
        f"b {'█' * 12} -10",
        f"c {' ' * 12} 0",
        f"d {' ' * 12} –",
        "values missing: 1",
    ]


def test_a_line_has_its_ends_and_its_gap() -> None:
    lines = drawn(
        result("month,orders", [[month, None if at == 3 else at] for at, month in enumerate(months(8))]),
        "line",
    )
    assert lines[0].startswith("7 ┤")
    assert lines[7].startswith("0 ┤")
    assert lines[8].split() == ["2020-01", "2020-08"]
    assert lines[9] == "values missing: 1"


def test_series_have_different_markers() -> None:
    query_result = result(
        "month,channel,orders", [(m, c, n) for m in months(6) for c, n in (("web", 9), ("店", 2))]
    )
    lines = drawn(query_result, "line")
    assert lines[-1] == "● web  ▲ 店"
    assert lines[0].count("●") == 6
    assert lines[7].count("▲") == 6


def test_a_single_value_is_a_line_of_text() -> None:
    assert drawn(result("city,orders", [["Oslo", 1234]]), "value") == ["Orders (Oslo): 1,234"]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_no_line_is_wider_than_the_screen(shape: Shape, width: int) -> None:
    for lang in ("en", "zh"):
        query_result = shape.result(lang)
        for chart in fitting(query_result):
            lines = terminal_chart(chart, query_result, width, lang).splitlines()
            assert max(map(cell_len, lines)) <= width
            assert len(lines) <= 30
