"""Rendering of tables, receipts and the live line, with hostile text escaped."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from text2sql.cli.answer_view import (
    answer_parts,
    receipt_line,
    receipt_lines,
    rows_parts,
    screen,
    show,
    sql_text,
)
from text2sql.cli.progress import Progress, ProgressState, live_line, next_state, permanent_line, stage_label
from text2sql.cli.table import Space, cell, numeric, omission_notes, rows_table, visible_columns
from text2sql.i18n import cli_texts
from text2sql.serialization import plain
from text2sql.types import (
    Answer,
    AnswerToken,
    Checked,
    Choice,
    Classification,
    Event,
    Finished,
    Problem,
    Queued,
    Receipt,
    RowsFound,
    SqlToken,
    StageError,
    StageStarted,
    Usage,
    Value,
    ValueHit,
    Warned,
)

HOSTILE = "\x1b[31mred\x07\u202e[bold]x[/bold]\n:smile:"
HARMLESS = "\\x1b[31mred\\x07\\u202e[bold]x[/bold]\\n:smile:"


def drawn(*parts: object, width: int = 200) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, markup=False, emoji=False, highlight=False)
    show(console, parts)  # type: ignore[arg-type]
    return out.getvalue()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (False, "false"),
        (12, "12"),
        (12.5, "12.5"),
        (0.1 + 0.2, "0.3"),
        (1e300, "1e+300"),
        ("上海", "上海"),
        (["a", None], '["a", null]'),
        ({"键": 1}, '{"键": 1}'),
        (HOSTILE, HARMLESS),
    ],
)
def test_a_cell_is_one_harmless_line(value: Value, text: str) -> None:
    assert cell(value) == text


def test_a_column_of_numbers_is_detected_by_its_values() -> None:
    assert numeric([1, 2.5, None, "12345678901234567890.123"])
    assert not numeric([None, None])
    assert not numeric([1, "x"])
    assert not numeric([True])
    assert not numeric(["13800000000"])  # a telephone number is no amount


def test_numbers_are_right_aligned_and_wide_letters_take_two_cells() -> None:
    table = rows_table(("城市", "n"), (("上海", 5), ("Oslo", 1000)), Space())
    assert drawn(table).splitlines() == [
        "╭──────┬──────╮",
        "│ 城市 │    n │",
        "├──────┼──────┤",
        "│ 上海 │    5 │",
        "│ Oslo │ 1000 │",
        "╰──────┴──────╯",
    ]


def test_a_table_never_leaves_the_screen_and_says_what_it_left_out() -> None:
    columns = tuple(f"c{at}" for at in range(40))
    rows = (("文" * 500,) * 40,) * 30
    parts = rows_parts(columns, rows, True, "en", Space(80, 20))
    lines = drawn(*parts, width=80).splitlines()
    assert max(map(cell_len, lines)) <= 80
    assert len(lines) == 20 + 4 + 3
    assert lines[-3:] == [
        "… 30 more columns: --json has all",
        "… 10 more rows: /page in a chat, or --json",
        "… cut off after 30 rows, the row limit; the database has more",
    ]


def test_a_pipe_gets_everything() -> None:
    rows = (("x" * 300,),) * 50
    lines = drawn(*rows_parts(("a",), rows, False, "en", Space()), width=100_000).splitlines()
    assert len(lines) == 54
    assert "x" * 300 in lines[3]
    assert omission_notes(1, 50, False, Space(), "en") == []
    assert visible_columns(500, Space()) == 500


def test_hostile_text_is_neutralized_before_it_reaches_the_terminal() -> None:
    answer = Answer(
        "clarify",
        HOSTILE,
        HOSTILE,
        sql=f"SELECT 1 -- {HOSTILE}",
        columns=(HOSTILE,),
        rows=((HOSTILE,),),
        error=Problem("x", HOSTILE, HOSTILE),
        choices=(Choice(HOSTILE, HOSTILE),),
        receipt=Receipt(
            model=HOSTILE,
            tables=(HOSTILE,),
            values=(ValueHit(HOSTILE, HOSTILE, HOSTILE, HOSTILE),),
            errors=(StageError(HOSTILE, HOSTILE, HOSTILE),),
            path=(HOSTILE,),
            seconds={HOSTILE: 1.0},
        ),
    )
    for receipt in ("line", "whole", ""):
        output = drawn(*answer_parts(answer, "en", Space(), receipt=receipt), width=5_000)
        assert "[bold]x[/bold]" in output
        assert {letter for letter in output if not letter.isprintable()} == {"\n"}


def test_choices_are_numbered() -> None:
    answer = Answer("clarify", "q", "Which?", choices=(Choice("Paris", "…"), Choice("Parma", "…")))
    assert drawn(*answer_parts(answer, "en", Space(), receipt="")).splitlines() == [
        "Which?",
        "  1. Paris",
        "  2. Parma",
        "Answer with a number, or rephrase the question.",
    ]


def test_a_failure_says_what_happened_and_what_to_do() -> None:
    answer = Answer("failed", "q", "", error=Problem("timeout", "Too slow.", "Ask for less."))
    assert drawn(*answer_parts(answer, "en", Space(), receipt="")) == "Too slow.\nAsk for less.\n"


def test_a_query_is_coloured_for_a_screen_and_plain_for_a_pipe() -> None:
    painted = sql_text("SELECT a\nFROM b")
    assert painted.plain == "SELECT a\nFROM b"
    assert painted.spans
    out = io.StringIO()
    show(screen(out), [painted])
    assert out.getvalue() == "SELECT a\nFROM b\n"


RECEIPT = Receipt(
    sql="SELECT 1",
    dialect="sqlite",
    tables=("customers", "orders"),
    values=(ValueHit("shanghai", "上海", "customers", "city"),),
    assumptions=("last year is 2025",),
    checks=("guard", "ran"),
    repairs=("join",),
    classification=Classification("data", 0.9, "it names orders", "rules"),
    path=("classifier", "interpreter"),
    errors=(StageError("validator", "unknown_column", "no such column: x"),),
    attempts=2,
    confidence=0.75,
    model="local",
    usage=Usage(2, 1500, 1200, 61, 4.2),
    seconds={"classifier": 0.25, "generator": 4.0},
    statements=3,
)


def test_the_short_receipt_is_one_line() -> None:
    assert receipt_line(RECEIPT, "en") == (
        "local · calls 2, tokens 1,561 · 4.2 s · allowed ✓ ran ✓ · customers, orders · fixed: join"
    )
    assert receipt_line(Receipt(), "zh") == "0.0 秒"


def test_the_full_receipt_has_one_fact_per_line() -> None:
    assert receipt_lines(RECEIPT, "en") == [
        "model: local",
        "cost: calls 2, prompt tokens 1,500 (cached 1,200), written tokens 61, 4.2 s",
        "taken for: data, 90% by rules: it names orders",
        "mode / preset: hybrid / default",
        "dialect: sqlite",
        "tables: customers, orders",
        "values found: “shanghai” = customers.city '上海'",
        "assumed: last year is 2025",
        "checks passed: allowed, ran",
        "fixes: join",
        "path: classifier → interpreter",
        "seconds: classifier 0.25, generator 4.00",
        "queries written: 2",
        "statements sent: 3",
        "confidence: 75%",
        "errors on the way: validator: unknown_column: no such column: x",
    ]


def test_a_value_that_never_ends_does() -> None:
    endless: list[Value] = []
    endless.append(endless)
    assert "…" in str(plain(endless))


# -- the live line -------------------------------------------------------------------------------


def test_generated_text_accumulates_until_the_next_stage() -> None:
    going = ProgressState()
    for event in (StageStarted("generator"), SqlToken("SELECT "), SqlToken("1")):
        going = next_state(going, event)
    assert going == ProgressState("generator", "SELECT 1")
    assert next_state(going, StageStarted("validator")) == ProgressState("validator")
    assert next_state(ProgressState("interpreter"), AnswerToken("Two.")) == ProgressState(
        "interpreter", "Two."
    )
    assert next_state(going, Warned("x")) == going
    assert next_state(next_state(going, Queued(2)), Queued(0)) == going
    assert "前面还有 2 个" in live_line(next_state(going, Queued(2)), "zh", "|", 1.0, 80).plain


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT\n  1", "SELECT 1"),
        ('{"sql": "SELECT \\"a\\" FR', 'SELECT "a" FR'),
        ("\x1b[2Jx", "\\x1b[2Jx"),
    ],
)
def test_the_live_line_shows_the_query_as_it_grows(written: str, expected: str) -> None:
    output = live_line(ProgressState("generator", written), "en", "⠋", 3.4, 100)
    assert output.plain == f"⠋ writing the query 3 s  {expected}"


def test_the_live_line_is_one_line_however_long_the_query() -> None:
    for width in (20, 40, 80):
        output = live_line(ProgressState("generator", "SELECT 表 " * 500), "zh", "⠋", 100, width)
        assert cell_len(output.plain) < width
    output = live_line(ProgressState("generator", "SELECT a, " * 50 + "z FROM t"), "en", "⠋", 1, 60)
    assert output.plain.endswith("z FROM t")


def test_stages_have_labels_and_an_unknown_stage_is_shown_by_name() -> None:
    assert stage_label("executor", "zh") == "执行查询"
    assert stage_label("a\x1bstage", "en") == "a\\x1bstage"
    assert "stage.recovery" in cli_texts()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Warned("a\x1b[1m"), "! a\\x1b[1m"),
        (Checked("explain", False, "no such column"), "✗ explain: no such column"),
        (Checked("guard", False), "✗ guard"),
        (Checked("guard", True), ""),
        (RowsFound("SELECT 1", ("a",), ((1,),), False), "· rows: 1"),
        (StageStarted("schema"), ""),
        (Queued(2), "· waiting for the model, 2 ahead"),
        (Queued(0), ""),
    ],
)
def test_what_stays_is_what_went_wrong(event: Event, expected: str) -> None:
    assert permanent_line(event, "en") == expected


EVENTS: tuple[Event, ...] = (
    StageStarted("generator"),
    SqlToken("SELECT 1"),
    Checked("guard", False, "no"),
    RowsFound("SELECT 1", ("a",), ((1,),), False),
    Finished(Answer("answered", "q", "a")),
)


def _taken(console: Console, *, quiet: bool = False) -> None:
    with Progress(console, "en", quiet=quiet, clock=lambda: 0.0) as progress:
        for event in EVENTS:
            progress.show_event(event)


def test_without_a_terminal_the_stages_are_short_plain_lines() -> None:
    out = io.StringIO()
    _taken(screen(out))
    assert out.getvalue() == "· writing the query\n✗ guard: no\n· rows: 1\n"
    quiet = io.StringIO()
    _taken(screen(quiet), quiet=True)
    assert quiet.getvalue() == ""


def test_a_terminal_shows_one_transient_progress_line() -> None:
    out = io.StringIO()
    _taken(Console(file=out, force_terminal=True, width=80, markup=False, color_system=None))
    output = out.getvalue()
    assert "✗ guard: no" in output  # what went wrong stays
    assert "SELECT 1" in output
    assert "· rows" not in output
    assert output.rstrip().endswith("\x1b[2K")  # the live line is wiped


def test_a_terminal_of_few_letters_gets_a_plain_spinner() -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    _taken(Console(file=out, force_terminal=True, width=80, markup=False, color_system=None))
    out.seek(0)
    assert "| opening the database 0 s" in out.read()
