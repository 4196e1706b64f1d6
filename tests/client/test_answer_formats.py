"""The forms of an answer: dictionaries, pandas, Arrow, rich text and HTML."""

import sys
from dataclasses import replace
from datetime import UTC, date, datetime

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from text2sql.answer_formats import COLUMNS, ROWS
from text2sql.types import Answer, Problem, Receipt, Row

CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.dates().map(str),
    st.datetimes().map(str),
)
ROWS_OF_TWO = st.lists(st.tuples(CELLS, CELLS), max_size=30)


def answer(*rows: Row, columns: tuple[str, ...] = ("a", "b"), question: str = "How many?") -> Answer:
    return Answer("answered", question, "There are two.", columns=columns, rows=rows, row_count=len(rows))


def printed(shown: Answer) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        console.print(shown)
    return capture.get()


def test_columns_of_one_name_are_all_kept() -> None:
    assert answer((1, 2), columns=("id", "id")).to_dicts() == [{"id": 1, "id_2": 2}]


def test_pandas_gets_the_types_of_the_values() -> None:
    frame = answer(("2025-01-31", 1), ("2025-02-28", None)).to_pandas()
    assert frame["a"].tolist() == [pd.Timestamp("2025-01-31"), pd.Timestamp("2025-02-28")]
    assert str(frame["b"].dtype) == "Int64"
    assert frame["b"].isna().tolist() == [False, True]


def test_arrow_gets_the_types_of_the_values() -> None:
    moment = "2025-01-31 10:00:00+02:00"
    table = answer(("2025-01-31", moment), (None, moment)).to_arrow()
    assert table.column("a").to_pylist() == [date(2025, 1, 31), None]
    assert table.column("b").to_pylist() == [datetime(2025, 1, 31, 8, tzinfo=UTC)] * 2


def test_a_column_of_several_types_is_text() -> None:
    mixed = answer((1, [1, 2]), ("x", {"k": None}), (None, None))
    assert mixed.to_arrow().column("a").to_pylist() == ["1", "x", None]
    assert mixed.to_pandas()["b"].tolist()[:2] == ["[1, 2]", '{"k": null}']


@given(ROWS_OF_TWO)
def test_every_result_has_every_form(rows: list[Row]) -> None:
    shown = answer(*rows)
    assert len(shown.to_dicts()) == len(shown.to_pandas()) == shown.to_arrow().num_rows == len(rows)
    assert shown._repr_html_().count("<tr>") == 1 + min(len(rows), ROWS)
    assert "\x1b" not in printed(shown)


@pytest.mark.parametrize(("method", "package"), [("to_pandas", "pandas"), ("to_arrow", "pyarrow")])
def test_a_missing_package_is_named(method: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=f"pip install {package}"):
        getattr(answer((1, 2)), method)()


def test_html_shows_values_as_text_and_not_as_html() -> None:
    evil = '<script>alert(1)</script>&"'
    shown = Answer(
        "answered", evil, evil, sql=evil, columns=(evil,), rows=((evil,),), error=Problem("x", evil, evil)
    )
    html = shown._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 5


def test_both_show_the_sentence_the_certainty_and_the_query() -> None:
    shown = replace(answer((1, 2)), sql="SELECT 1", receipt=Receipt(certainty="not_sure"))
    for text in (shown._repr_html_(), printed(shown)):
        for part in ("There are two.", "not sure", "SELECT 1"):
            assert part in text
    assert "不确定" in replace(shown, question="有多少？")._repr_html_()


def test_a_long_result_is_cut_and_says_so() -> None:
    wide = answer(*[tuple(range(30))] * 50, columns=tuple(f"c{n}" for n in range(30)))
    for text in (wide._repr_html_(), printed(wide)):
        assert f"{ROWS} of 50 rows" in text
        assert f"{COLUMNS} of 30 columns" in text
    assert wide._repr_html_().count("<td>") == ROWS * COLUMNS


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in printed(answer(("\x1b[31mred", "\x07")))


def test_an_answer_without_rows_shows_its_problem() -> None:
    failed = Answer("failed", "q", "", error=Problem("timeout", "It took too long.", "Ask for less."))
    for text in (failed._repr_html_(), printed(failed)):
        assert "It took too long." in text
        assert "Ask for less." in text
    assert failed.to_dicts() == []
    assert failed.to_pandas().empty
    assert failed.to_arrow().num_rows == 0
    assert isinstance(failed.to_arrow(), pa.Table)
