"""Charts in the terminal: `ask --chart`, the sketch, `/chart` in a chat."""

import json
from pathlib import Path

import pytest

from cli.scripts import ScriptedCli, lines
from text2sql.charts import picture
from text2sql.cli import charting
from text2sql.cli.answer_view import answer_parts
from text2sql.cli.table import Space
from text2sql.types import Answer

TOTALS = "SELECT name, total FROM customers JOIN orders ON customers.id = customer_id ORDER BY customers.id"
NAMES = "SELECT name FROM customers ORDER BY id"


def test_json_has_the_complete_chart_specification(ctx: ScriptedCli, shop: str) -> None:
    output = json.loads(ctx.replies(TOTALS).run("ask", "total by customer?", "--db", shop, "--json").out)
    chart = output["chart"]
    assert chart["$schema"] == "https://vega.github.io/schema/vega-lite/v6.json"
    assert chart["data"]["values"] == [{"x": "Ann", "y": 10}, {"x": "Bo", "y": 200}]
    assert chart["title"]["text"] == ["total by customer?"]
    assert chart["usermeta"]["text2sql"]["kind"] == "bar"
    assert picture(chart, "svg").startswith(b"<svg")


def test_rows_without_a_number_have_no_chart(ctx: ScriptedCli, shop: str) -> None:
    output = json.loads(ctx.replies(NAMES).run("ask", "which customers?", "--db", shop, "--json").out)
    assert output["chart"] is None


@pytest.mark.parametrize(
    ("ending", "begins"), [("png", b"\x89PNG"), ("SVG", b"<svg"), ("json", b'{"$schema"')]
)
def test_the_chart_is_written_to_a_file(ctx: ScriptedCli, shop: str, ending: str, begins: bytes) -> None:
    target = ctx.folder / f"图 1.{ending}"
    ended = ctx.replies(TOTALS).run("ask", "total by customer?", "--db", shop, "--chart", str(target))
    assert (ended.code, f"The chart is in {target}" in ended.err) == (0, True)
    assert target.read_bytes().startswith(begins)
    assert [path.name for path in ctx.folder.glob(".*unfinished")] == []


def test_an_unsupported_chart_file_is_an_error_before_the_question_is_asked(
    ctx: ScriptedCli, shop: str
) -> None:
    ended = ctx.replies(TOTALS).run("ask", "total by customer?", "--db", shop, "--chart", "chart.gif")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.splitlines()[-2:] == [
        "Cannot write a chart to “chart.gif”: the file extension selects the format.",
        "Use one of these extensions: .png, .svg, .json.",
    ]
    assert ctx.backend.requests == []


def test_an_answer_without_a_chart_is_still_printed(ctx: ScriptedCli, shop: str) -> None:
    target = ctx.folder / "x.png"
    ended = ctx.replies(NAMES).run("ask", "which customers?", "--db", shop, "--chart", str(target))
    assert ended.code == 4
    assert "Ann" in ended.out
    assert "There is nothing in this result that a chart could show." in ended.err
    assert not target.exists()


def test_an_unwritable_chart_file_is_an_error(ctx: ScriptedCli, shop: str) -> None:
    ended = ctx.replies(TOTALS).run("ask", "total?", "--db", shop, "--chart", "/no/such/place/x.svg")
    assert ended.code == 2
    assert "/no/such/place/x.svg cannot be written" in ended.err


def test_a_pipe_gets_no_sketch_and_a_screen_gets_one_unless_it_is_not_wanted(
    ctx: ScriptedCli, shop: str
) -> None:
    assert "█" not in ctx.replies(TOTALS).run("ask", "total by customer?", "--db", shop).out
    chart = json.loads(ctx.replies(TOTALS).run("ask", "total by customer?", "--db", shop, "--json").out)[
        "chart"
    ]
    answer = Answer("answered", "q", "a", "", ("name", "total"), (("Ann", 10), ("Bo", 200)), chart=chart)

    def output(width: int | None, sketch: bool) -> str:
        return "".join(str(part) for part in answer_parts(answer, "en", Space(width), sketch=sketch))

    assert f"Bo  {'█' * 28} 200" in output(37, sketch=True)
    assert "█" not in output(None, sketch=True)
    assert "█" not in output(37, sketch=False)


def test_chinese_without_a_font_is_warned_about(
    ctx: ScriptedCli, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(charting, "ready", lambda _: False)
    target = str(ctx.folder / "x.png")
    ended = ctx.replies(TOTALS).run(
        "ask", "每位客户的总额？", "--db", shop, "--chart", target, "--lang", "zh", "--quiet"
    )
    assert ended.code == 0
    assert ended.err.startswith("没有找到含中文的字体")
    assert "TEXT2SQL_FONT_DIR" in ended.err


def test_a_chat_sketches_the_last_answer_as_any_kind_that_suits(
    ctx: ScriptedCli, shop: str, tmp_path: Path
) -> None:
    target = tmp_path / "pie.svg"
    commands = [
        "/chart",
        "total by customer?",
        "/chart",
        "/chart pie",
        "/chart heatmap",
        "/chart nonsense",
        f"/chart pie {target}",
        f"/chart {target}",
    ]
    ended = ctx.replies(TOTALS).run("chat", "--db", shop, stdin=lines(commands))
    assert ended.code == 0
    output = ended.out
    assert output.count("suits: bar, pie") == 2
    assert output.count(f"Bo  {'█' * 71} 200") == 2
    assert "“heatmap” does not fit this result." in output
    assert "“nonsense” does not fit this result." in output
    assert f"The chart is in {target}" in output
    assert target.read_bytes().startswith(b"<svg")
    assert f"{target} already exists" in output


def test_rows_of_a_users_statement_have_a_chart_too(ctx: ScriptedCli, shop: str) -> None:
    ended = ctx.run("chat", "--db", shop, stdin=lines([f"/sql {TOTALS}", "/chart"]))
    assert "suits: bar, pie" in ended.out
