"""`text2sql chat`: piped input, terminal keys, slash commands; errors do not end the chat."""

import csv
import io
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import characters, sampled_from
from hypothesis.strategies import text as texts
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cli.conftest import SCHEMA, make
from cli.scripts import ScriptedCli, lines
from text2sql.cli import chat_commands
from text2sql.cli.answer_view import screen
from text2sql.cli.chat import answer_line, run_conversation
from text2sql.cli.chat_commands import COMMANDS
from text2sql.cli.conversation import Conversation
from text2sql.cli.exporting import FORMATS, as_csv, as_json, target_of, write_rows
from text2sql.cli.prompt_input import Names, PipeInput, Terminal, history_of
from text2sql.cli.question_options import QuestionOptions
from text2sql.config import Settings
from text2sql.errors import DatabaseError, OtherDatabaseError, UsageError
from text2sql.i18n import cli_texts
from text2sql.serialization import csv_cell, escape_formula
from text2sql.types import Answer, Event, QueryResult, Receipt, ResultColumn, StageStarted

COUNT = "SELECT count(*) AS n FROM orders"
NAMES = "SELECT name FROM customers ORDER BY id"


def run_chat(ctx: ScriptedCli, shop: str, *words: str, options: tuple[str, ...] = ()) -> str:
    ended = ctx.run("chat", "--db", shop, *options, stdin=lines(words))
    assert ended.code == 0
    return ended.out


def test_questions_of_a_pipe_share_a_thread(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(
        ctx.replies(COUNT, f"{COUNT} WHERE total > 100"), shop, "how many orders?", "", "only above 100"
    )
    assert "There are 2 orders." in output
    assert "1 order matches." in output
    assert [message.content for message in ctx.backend.requests[1].messages[1:2]] == ["how many orders?"]


def test_the_schema_is_read_before_the_first_question(ctx: ScriptedCli, shop: str) -> None:
    run_chat(ctx.replies(COUNT), shop, "how many orders?")
    assert ctx.backend.warmed[0] == ctx.backend.requests[0].messages[:1]


def test_an_error_does_not_end_it(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(
        ctx.replies(), shop, "how many orders?", "drop the table orders", "/nope", "/page", "hello"
    )
    assert "the script is over" in output
    assert "only reading is allowed" in output
    assert "There is no command “/nope”" in output
    assert "There is no answer with rows yet." in output
    assert "I answer questions about this database" in output


def test_an_invalid_source_is_an_error_before_the_prompt(ctx: ScriptedCli) -> None:
    for words in (("chat",), ("chat", "--db", "nowhere.db"), ("chat", "--mode", "fly")):
        ended = ctx.replies().run(*words)
        assert (ended.code, ended.out) == (2, "")


def test_help_lists_every_command_in_both_languages(ctx: ScriptedCli, shop: str) -> None:
    english = run_chat(ctx.replies(), shop, "/help")
    chinese = run_chat(ctx.replies(), shop, "/help", options=("--lang", "zh"))
    for name in COMMANDS:
        assert f"  {name}" in english
        assert f"  {name}" in chinese
        assert [text.count(" | ") for text in cli_texts()[f"chat{name}"]] == [1, 1]
    assert "/export FILE.csv|.json" in english


def test_user_sql_passes_the_guard_and_the_last_query_is_shown(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(
        ctx.replies(COUNT), shop,
        "/sql", "how many orders?", "/sql",
        "/sql SELECT total FROM orders ORDER BY id", "/sql DELETE FROM orders",
    )  # fmt: skip
    assert output.count("SELECT COUNT(*) AS n FROM orders LIMIT 1000\n") == 2
    assert "│    10 │\n│   200 │" in output
    assert output.endswith("DELETE FROM orders [not_a_query]\n")


def test_the_schema_is_shown_completely_or_for_one_table(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(ctx.replies(), shop, "/schema customers", "/schema nope")
    assert "城市" in output
    assert "orders_by_customer" not in output
    assert "No table is called “nope”." in output
    assert "orders_by_customer" in run_chat(ctx.replies(), shop, "/schema")


def test_history_undo_and_new(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(
        ctx.replies(COUNT, NAMES), shop,
        "/undo", "how many orders?", "which customers?", "/history", "/undo", "/history", "/new", "/history",
    )  # fmt: skip
    assert "  1. how many orders?  [answered]\n" in output
    assert "  2. which customers?  [answered]\n" in output
    assert output.count("how many orders?  [answered]") == 2
    assert output.count("which customers?  [answered]") == 1
    assert "Forgotten. Questions left: 1." in output
    assert output.count("Nothing has been asked in this conversation yet.") == 2


def test_receipt_model_and_language(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(
        ctx.replies(COUNT),
        shop,
        "how many orders?",
        "/receipt",
        "/model",
        "/model gpt",
        "/lang",
        "/lang fr",
    )
    assert "path: classifier → schema" in output
    assert "The model is local." in output
    assert "“gpt” is not the name of a model." in output
    assert "现在消息和回答都使用中文。" in output
    assert "不支持语言“fr”。" in output


def test_the_language_of_answers_follows_the_command(ctx: ScriptedCli, shop: str) -> None:
    output = run_chat(
        ctx.replies(NAMES, NAMES), shop, "/lang zh", "which customers?", "/lang en", "which customers?"
    )
    assert "共有 2 位客户" in output
    assert "There are 2 customers" in output


def test_a_choice_is_answered_by_its_number(ctx: ScriptedCli, tmp_path: Path) -> None:
    make(tmp_path / "towns.db", "CREATE TABLE people (name TEXT, town TEXT); INSERT INTO people VALUES "
         "('Ann', 'Springfield'), ('Bo', 'Springdale'), ('Cy', 'Oslo');")  # fmt: skip
    ctx.env = {**ctx.env, "TEXT2SQL_VALUES_WAIT": "5"}
    query = "SELECT name FROM people WHERE town = '{}'"
    ctx.replies(query.format("Springfeld"), query.format("Springfield"))
    output = run_chat(ctx, str(tmp_path / "towns.db"), "people whose town is Springfeld", "1")
    assert "Ann" in output


# -- more rows, and files ------------------------------------------------------------------------


class LongResult:
    """A fake app with one long result, for paging."""

    def __init__(self, total: int | None = 45) -> None:
        self.total = total
        self.pages: list[tuple[int, int]] = []
        self.results = self

    def count(self, result_id: str, *, user: str = "") -> int:
        if self.total is None:
            raise OtherDatabaseError("too slow")
        return self.total

    def page(self, result_id: str, *, number: int, size: int, user: str = "") -> QueryResult:
        self.pages.append((number, size))
        return QueryResult((ResultColumn("n", ""),), ((number * 1000,),))

    def stream(self, question: str, run_options: object) -> Iterator[Event]:
        yield StageStarted("generator")
        raise KeyboardInterrupt


class AnsweringInput(PipeInput):
    def __init__(self, yes: bool, *words: str) -> None:
        super().__init__(words)
        self.yes = yes
        self.confirmations: list[str] = []

    def confirm(self, question: str) -> bool:
        self.confirmations.append(question)
        return self.yes


def conversation(
    answer: Answer | None = None, db: LongResult | None = None, yes: bool = False
) -> Conversation:
    options, prompt = QuestionOptions(settings=Settings()), AnsweringInput(yes)
    chat = Conversation(db or LongResult(), prompt, options, "en", screen(sys.stdout))  # type: ignore[arg-type]
    chat.set_last_answer(answer)
    return chat


def rows(count: int, *, truncated: bool = False, result_id: str = "r") -> Answer:
    return Answer(
        "answered", "q", "a", "SELECT n FROM t", ("n",),
        tuple((n,) for n in range(1, count + 1)), count, truncated, result_id=result_id,
    )  # fmt: skip


def test_pages_of_a_complete_result_need_no_query(capsys: pytest.CaptureFixture[str]) -> None:
    chat = conversation(rows(45))
    for wanted in ("/page", "/page next", "/page prev", "/page 1", "/page 4", "/page x", "/page 0"):
        answer_line(chat, wanted)
    output = capsys.readouterr().out
    assert [line for line in output.splitlines() if line.startswith("page")] == [
        "page 2 of 3, 45 rows in all",
        "page 3 of 3, 45 rows in all",
        "page 2 of 3, 45 rows in all",
        "page 1 of 3, 45 rows in all",
    ]
    assert "│ 41 │" in output
    for wanted in ("“4”", "“x”", "“0”"):
        assert f"There is no page {wanted}: there are 3." in output


def test_pages_of_a_truncated_result_are_queried(capsys: pytest.CaptureFixture[str]) -> None:
    db = LongResult(total=100)
    answer_line(conversation(rows(30, truncated=True), db), "/page 3")
    assert db.pages == [(3, 20)]
    assert "page 3 of 5, 100 rows in all" in capsys.readouterr().out
    unknown = LongResult(total=None)
    answer_line(conversation(rows(30, truncated=True), unknown), "/page 9")
    assert unknown.pages == [(9, 20)]
    assert capsys.readouterr().out.rstrip().endswith("page 9")


def test_an_export_has_all_rows_and_overwrites_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.csv"
    answer_line(conversation(rows(3, truncated=True)), f"/export {target}")
    assert target.read_bytes() == b"\xef\xbb\xbfn\r\n1\r\n2\r\n3\r\n"
    assert "cut off after 3 rows" in capsys.readouterr().out
    answer_line(conversation(rows(1)), f"/export {target}")
    assert "already exists and was not changed" in capsys.readouterr().out
    assert target.read_bytes().count(b"\n") == 4
    willing = conversation(rows(1), yes=True)
    answer_line(willing, f"/export {target}")
    assert target.read_bytes().count(b"\n") == 2
    answer_line(willing, f"/export {tmp_path / 'out.json'}")
    assert json.loads((tmp_path / "out.json").read_text()) == {"columns": ["n"], "rows": [[1]]}
    for name in ("out.xlsx", "", str(tmp_path / "no" / "such.csv")):
        answer_line(willing, f"/export {name}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.json"]
    output = capsys.readouterr().out
    assert output.count("the file extension selects the format") == 2
    assert "cannot be written" in output


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＠x", "\u3164=1"],
)
@pytest.mark.fault("D24")
def test_a_formula_is_a_text_in_a_spreadsheet(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.fault("D24")
@given(
    front=texts(characters(categories=["Cc", "Cf", "Cn", "Co", "Me", "Mn", "Zs", "Zl", "Zp"]), max_size=5),
    sign=sampled_from("=+-@＝＋－＠﹦﹢﹣﹫"),
    rest=texts(characters(exclude_categories=["Cs"]), max_size=10).filter(
        lambda rest: not rest[:1].isdigit()
    ),
)
def test_a_formula_behind_what_cannot_be_seen_is_a_text(front: str, sign: str, rest: str) -> None:
    """Formulas after white space, byte order marks and zero-width characters, in every export."""
    for cell in (escape_formula(front + sign + rest), csv_cell(front + sign + rest)):
        assert cell == f"'{front}{sign}{rest}"
    (shown,) = list(csv.reader(io.StringIO(as_csv(("a",), ((front + sign + rest,),)).decode("utf-8-sig"))))[1]
    assert shown.startswith("'")


@pytest.mark.parametrize("text", ["", "abc", "-12.50", "+3", "-1e5", "1=1", "12345678901234567890.123"])
def test_what_is_no_formula_stays_as_it_is(text: str) -> None:
    assert escape_formula(text) == text


def test_a_csv_keeps_every_kind_of_value() -> None:
    output = as_csv(("=a", "b"), (('x,"y"\nz', None), (True, -1.5), ([1, "é"], {"k": "文"})))
    assert list(csv.reader(output.decode("utf-8-sig").splitlines(keepends=True))) == [
        ["'=a", "b"],
        ['x,"y"\nz', ""],
        ["true", "-1.5"],
        ['[1, "é"]', '{"k": "文"}'],
    ]
    assert json.loads(as_json(("a", "a"), ((float("inf"), "\ud800"),))) == {
        "columns": ["a", "a"],
        "rows": [["inf", "?"]],
    }


def test_a_file_that_cannot_be_finished_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        write_rows(tmp_path / "missing" / "a.csv", ("a",), ())
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError):
        write_rows(tmp_path / "folder.csv", ("a",), ())
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]
    assert target_of(' "~/x.CSV" ', FORMATS, "usage.export_name").is_absolute()


# -- the person ----------------------------------------------------------------------------------


def test_ctrl_c_stops_a_question_and_the_chat_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    chat = conversation()
    chat.prompt = PipeInput(["a question", "/lang zh"])
    run_conversation(chat)
    output = capsys.readouterr().out
    assert "Stopped. The chat goes on." in output
    assert "中文" in output


def test_an_internal_error_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(chat_commands, "receipt_lines", broken)
    chat = conversation(Answer("answered", "q", "a", receipt=Receipt()))
    answer_line(chat, "/receipt")
    output = capsys.readouterr().out
    assert "ZeroDivisionError: by zero" in output
    assert "Traceback" not in output
    monkeypatch.setenv("TEXT2SQL_DEBUG", "1")
    answer_line(chat, "/receipt")
    assert "Traceback" in capsys.readouterr().out


@pytest.fixture
def keys() -> Iterator[tuple[Terminal, object]]:
    with create_pipe_input() as pipe:
        names = Names([*COMMANDS], lambda: ["customers", "城市"])
        yield Terminal(names, InMemoryHistory(), pipe, DummyOutput()), pipe


def test_keys_of_a_terminal(keys: tuple[Terminal, object]) -> None:
    terminal, pipe = keys
    send = pipe.send_text  # type: ignore[attr-defined]
    send("how many?\n")
    assert terminal.read_line() == "how many?"
    send("half a thou\x03whole\n")  # Ctrl-C discards the unfinished line
    assert terminal.read_line() == "whole"
    send("\x1b[A\x1b[A\n")  # arrow up, twice
    assert terminal.read_line() == "how many?"
    send("\x03")
    with pytest.raises(KeyboardInterrupt):
        terminal.read_line()
    send("\x04")
    with pytest.raises(EOFError):
        terminal.read_line()
    send("y\n")
    assert terminal.confirm("really?")
    for no in ("\n", "n\n", "\x03", "\x04"):
        send(no)
        assert not terminal.confirm("really?")


def test_ctrl_c_at_an_empty_prompt_hints_at_the_way_out(
    keys: tuple[Terminal, object], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal, pipe = keys
    pipe.send_text("\x03\x03/quit\n")  # type: ignore[attr-defined]
    chat = conversation()
    chat.prompt = terminal
    run_conversation(chat)
    assert capsys.readouterr().out == "/quit or Ctrl-D ends the chat.\n" * 2


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("/h", ["/help", "/history"]),
        ("/schema cu", ["customers"]),
        ("how many CU", ["customers"]),
        ("哪些 城", ["城市"]),
        ("how many ", []),
        ("", []),
    ],
)
def test_names_are_completed(text: str, offered: list[str]) -> None:
    loads: list[int] = []

    def names() -> list[str]:
        loads.append(1)
        return ["customers", "城市"]

    completer = Names([*COMMANDS], names)
    for _ in range(2):
        completions = completer.get_completions(Document(text), CompleteEvent())
        assert [completion.text for completion in completions] == offered
    assert len(loads) <= 1


def test_a_database_that_is_away_has_no_names_yet() -> None:
    def away() -> list[str]:
        raise DatabaseError("gone")

    assert list(Names([], away).get_completions(Document("cu"), CompleteEvent())) == []


def test_the_question_history_is_a_private_file(tmp_path: Path) -> None:
    history = history_of(Settings(data_dir=str(tmp_path / "data")))
    assert isinstance(history, FileHistory)
    history.store_string("how many orders?")
    file = tmp_path / "data" / "chat_history"
    assert "how many orders?" in file.read_text()
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (tmp_path / "file").write_text("")
    assert isinstance(history_of(Settings(data_dir=str(tmp_path / "file"))), InMemoryHistory)


def test_a_write_in_a_pipe_is_not_confirmed(ctx: ScriptedCli, tmp_path: Path) -> None:
    make(tmp_path / "own.db", SCHEMA)
    question = "set the total of order 1 to 0"
    output = run_chat(
        ctx.replies("UPDATE orders SET total = 0 WHERE id = 1", "SELECT total FROM orders WHERE id = 1"),
        str(tmp_path / "own.db"), question, "what is the total of order 1?", options=("--allow-writes",),
    )  # fmt: skip
    assert "The write was not confirmed. Nothing was changed." in output
    assert "10." in output
