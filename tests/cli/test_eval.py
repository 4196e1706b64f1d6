"""`text2sql eval`: metrics and report files of a question set."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from cli.scripts import LIKE_EMBEDDED
from terminal import SCRIPT, Ended, run
from text2sql.cli import evaluate
from text2sql.config import Settings
from text2sql.errors import ModelNotAllowed
from text2sql.evaluation.run import PARALLEL, concurrency
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.llm.scripted import EVERYTHING, ScriptedReply
from text2sql.testing.endpoint import endpoint
from text2sql.types import ModelRequest

SHOP = "CREATE TABLE orders (id INT, city TEXT); INSERT INTO orders VALUES (1, 'Oslo'), (2, '上海'), (3, '');"
ZOO = "CREATE TABLE animals (name TEXT, weight REAL); INSERT INTO animals VALUES ('Leo', 190.5);"
REPLIES = {
    "How many orders are there?": "SELECT count(*) FROM orders",
    "Cities of the orders?": "SELECT id FROM orders",
    "有多少动物？": "SELECT count(*) FROM animals",
}
SET = [
    {"id": 1, "db_id": "shop", "question": "How many orders are there?", "gold_sql": "SELECT 3"},
    {"id": 2, "db_id": "shop", "question": "Cities of the orders?", "gold_sql": "SELECT city FROM orders",
     "difficulty": "hard"},
    {"id": 3, "db_id": "zoo", "question": "有多少动物？", "gold_sql": "SELECT count(name) FROM animals"},
]  # fmt: skip


def answered(request: ModelRequest) -> ScriptedReply:
    return REPLIES.get(request.messages[-1].content.partition("\n")[0], "SELECT 1")


class Eval:
    """`text2sql eval` with a scripted model that knows three answers."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.backend = ScriptedBackend(last=answered, profile=LIKE_EMBEDDED)
        monkeypatch.setattr(evaluate, "open_model", self._opened)
        for name, script in (("shop", SHOP), ("zoo", ZOO)):
            place = folder / "dbs" / name
            place.mkdir(parents=True)
            with closing(sqlite3.connect(place / f"{name}.sqlite")) as connection:
                connection.executescript(script)
        self.set = folder / "questions.json"
        self.set.write_text(json.dumps(SET), encoding="utf-8")

    def replies(self, line: ScriptedReply | Callable[[ModelRequest], ScriptedReply]) -> None:
        self.backend = ScriptedBackend(last=line, profile=LIKE_EMBEDDED)

    def run(self, *words: str) -> Ended:
        return run(
            "eval", *words, env={"TEXT2SQL_CACHE_DIR": str(self.folder / "cache"), "TEXT2SQL_DEBUG": "1"}
        )

    def ask(self, *words: str) -> Ended:
        return self.run(str(self.set), "--databases", str(self.folder / "dbs"), *words)

    def _opened(self, name: str | None, settings: Settings) -> AsyncChatModel:
        return AsyncChatModel([self.backend], settings)


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Eval:
    return Eval(tmp_path, monkeypatch)


def test_a_question_set_is_asked_and_summarized_as_a_table(ctx: Eval) -> None:
    ended = ctx.ask()
    assert ended.code == 0
    output = ended.out.splitlines()
    assert output[0] == "questions                          3"
    assert output[1].startswith("right                              66.7 %  (")
    assert output[1].endswith(")  2/3")
    assert "  easy  100.0 %  (100.0–100.0)  2/2" in output
    assert "  hard  0.0 %  (0.0–0.0)  0/1" in output
    assert "failures, by class" in output
    assert "1/3 right 100.0%  1: right" in ended.err.splitlines()
    assert "3/3 right 66.7%  3: right" in ended.err.splitlines()


def test_the_summary_table_is_available_in_chinese(ctx: Eval) -> None:
    ended = ctx.ask("--lang", "zh")
    assert "各难度的正确率" in ended.out
    assert "正确率 66.7%" in ended.err


def test_the_summary_is_one_json_object(ctx: Eval) -> None:
    output = json.loads(ctx.ask("--json").out)
    assert (output["questions"], output["right"]["count"], output["executable"]["value"]) == (3, 2, 1.0)
    assert output["risk"]["overall"] == 0.3333


def test_each_question_has_a_line_and_is_not_asked_twice(ctx: Eval) -> None:
    out = ctx.folder / "run.jsonl"
    ctx.ask("--out", str(out))
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(line["id"], line["db_id"], line["verdict"]) for line in lines] == [
        ("1", "shop", "right"),
        ("2", "shop", "wrong"),
        ("3", "zoo", "right"),
    ]
    request_count = len(ctx.backend.requests)
    again = ctx.ask("--out", str(out))
    assert len(ctx.backend.requests) == request_count == 3
    assert "already has 3 lines" in again.err
    assert "66.7 %" in again.out


def test_a_sample_is_the_same_for_the_same_seed(ctx: Eval) -> None:
    first, second = ctx.folder / "a.jsonl", ctx.folder / "b.jsonl"
    for out in (first, second):
        ctx.ask("--limit", "2", "--seed", "5", "--out", str(out))
    ids = [[json.loads(line)["id"] for line in out.read_text().splitlines()] for out in (first, second)]
    assert ids[0] == ids[1]
    assert len(ids[0]) == 2


def test_the_bare_model_is_asked_in_the_same_run(ctx: Eval) -> None:
    out = ctx.folder / "run.jsonl"
    ended = ctx.ask("--bare", "--out", str(out))
    assert "Against the bare model, on 3 questions: 0 won, 0 lost, p = 1.0000 (McNemar)." in ended.out
    assert len((ctx.folder / "run.bare.jsonl").read_text().splitlines()) == 3
    assert len(ctx.backend.requests) == 6
    assert "6/6" in ended.err


def test_foreign_questions_are_mixed_in_and_counted_apart(ctx: Eval) -> None:
    output = json.loads(ctx.ask("--foreign", "1", "--json").out)
    assert (output["questions"], output["declined"]["of"]) == (3, 2)  # `SELECT 3` runs anywhere


def test_a_question_set_about_one_database(ctx: Eval) -> None:
    own = ctx.folder / "own.yaml"
    own.write_text("- question: How many orders are there?\n  rows: 3\n", encoding="utf-8")
    ended = ctx.run("--db", str(ctx.folder / "dbs" / "shop" / "shop.sqlite"), str(own), "--json")
    assert json.loads(ended.out)["right"]["count"] == 1


def test_other_engines_are_judged_in_their_own_dialect(ctx: Eval) -> None:
    (ctx.folder / "sales.csv").write_text("city,total\n上海,10\n北京,20\n", encoding="utf-8")
    own = ctx.folder / "own.json"
    gold = "SELECT city, total::DOUBLE FROM sales QUALIFY row_number() OVER (ORDER BY total) = 1"
    own.write_text(json.dumps([{"question": "Which city has the least?", "sql": gold}]), encoding="utf-8")
    ctx.replies("SELECT total, city FROM sales ORDER BY total LIMIT 1")
    output = json.loads(ctx.run("--db", str(ctx.folder / "sales.csv"), str(own), "--json").out)
    assert (output["right"]["count"], output["unjudged"]) == (1, 0)


@pytest.mark.parametrize("name", ["r.md", "r.html", "r.json"])
def test_a_report_is_written(ctx: Eval, name: str) -> None:
    ctx.ask("--report", str(ctx.folder / name))
    assert "shop" not in (ctx.folder / name).name
    assert "questions.json" in (ctx.folder / name).read_text(encoding="utf-8")


def test_two_runs_are_compared(ctx: Eval) -> None:
    first, second = str(ctx.folder / "a.jsonl"), str(ctx.folder / "b.jsonl")
    ctx.ask("--out", first)
    ctx.replies("SELECT 1")
    ctx.ask("--out", second)
    assert json.loads(ctx.run("compare", first, second, "--json").out) == {
        "first": {"count": 2, "of": 3, "low": 0.0, "high": 1.0, "value": 2 / 3},
        "second": {"count": 1, "of": 3, "low": 0.0, "high": 1.0, "value": 1 / 3},
        "questions": 3, "won": 0, "lost": 1, "p": 1.0,
    }  # fmt: skip
    ended = ctx.run("compare", first, second)
    assert ended.out.splitlines()[0].startswith("a.jsonl  66.7 %")
    assert "The second against the first, on 3 questions: 0 won, 1 lost, p = 1.0000" in ended.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("{folder}/absent.json", "--databases", "{folder}/dbs"), "absent.json cannot be read: No such file"),
        (("{folder}/questions.json",), "needs the databases of its questions"),
        (("{folder}/questions.json", "--databases", "{folder}", "--db", "x.db"), "needs the databases"),
        (("{folder}/questions.json", "--databases", "{folder}"), "There is no file"),
        (("{folder}/questions.json", "more.json", "--db", "x.db"), "takes one question set"),
        (
            ("{folder}/questions.json", "--db", "x.db", "--report", "r.pdf"),
            "ends with one of .md, .html, .json",
        ),
        (("{folder}/empty.json", "--db", "x.db"), "is empty"),
        (("compare", "{folder}/empty.jsonl", "{folder}/empty.jsonl"), "no question in common"),
        (("compare", "{folder}/absent.jsonl", "{folder}/b.jsonl"), "cannot be read"),
        (("compare", "{folder}/a.jsonl"), "takes one question set"),
    ],
)
def test_invalid_input_is_an_error_before_any_question_is_asked(
    ctx: Eval, words: tuple[str, ...], expected: str
) -> None:
    (ctx.folder / "empty.json").write_text("[]")
    (ctx.folder / "empty.jsonl").write_text("")
    ended = ctx.run(*(word.format(folder=ctx.folder) for word in words))
    assert (ended.code, ended.out) == (2, "")
    assert expected in ended.err
    assert ctx.backend.requests == []


def test_without_a_model_the_run_stops_and_says_how_to_go_on(ctx: Eval) -> None:
    out = ctx.folder / "run.jsonl"
    ctx.ask("--limit", "1", "--seed", "1", "--out", str(out))
    ctx.replies(ModelNotAllowed("openai:x", "no key"))
    ended = ctx.ask("--out", str(out))
    assert (ended.code, ended.out) == (4, "")
    assert "every further question would fail in the same way" in ended.err
    assert "1 lines are saved in" in ended.err
    assert len(out.read_text().splitlines()) == 1


def test_only_a_hosted_model_is_asked_several_questions_at_a_time() -> None:
    one_call_at_a_time = replace(LIKE_EMBEDDED, concurrent=False)
    embedded = AsyncChatModel([ScriptedBackend(profile=one_call_at_a_time)], Settings())
    hosted = AsyncChatModel([ScriptedBackend(profile=EVERYTHING)], Settings())
    wanted = (None, 1, 9)
    assert [concurrency(text, embedded) for text in wanted] == [1, 1, 1]
    assert [concurrency(text, hosted) for text in wanted] == [PARALLEL, 1, 9]


@pytest.mark.slow
def test_ctrl_c_leaves_complete_lines_and_says_how_to_resume(ctx: Eval) -> None:
    out = ctx.folder / "run.jsonl"
    ctx.ask("--limit", "1", "--seed", "1", "--out", str(out))
    before = out.read_bytes()
    with endpoint() as silent:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
        environment = {**inherited, "TEXT2SQL_BASE_URL": silent.base_url, "TEXT2SQL_LANG": "en"}
        words = [
            str(SCRIPT),
            "eval",
            str(ctx.set),
            "--databases",
            str(ctx.folder / "dbs"),
            "--out",
            str(out),
        ]
        words += ["--model", "openai-compatible:fault:hang"]
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as child:
            until = time.monotonic() + 60
            while not silent.calls("fault:hang"):
                assert time.monotonic() < until
                time.sleep(0.05)
            child.send_signal(signal.SIGINT)
            stdout, stderr = child.communicate(timeout=60)
    assert (child.returncode, stdout) == (130, b"")
    assert stderr.decode().splitlines()[-2:] == [
        f"1 lines are saved in {out}; the same command resumes the run.",
        "Interrupted.",
    ]
    assert out.read_bytes() == before


@pytest.mark.slow
def test_a_duckdb_file_is_evaluated_by_the_real_program(tmp_path: Path) -> None:
    """The app and the reference open the same DuckDB file in one process, which once failed."""
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER); INSERT INTO orders VALUES (1), (2)")
    questions, out = tmp_path / "questions.json", tmp_path / "run.jsonl"
    gold = "SELECT count(id) FROM orders"
    questions.write_text(json.dumps([{"question": "How many orders are there?", "gold_sql": gold}]))
    with endpoint() as model:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
        words = [str(SCRIPT), "eval", str(questions), "--db", "shop.duckdb", "--out", str(out)]
        words += ["--model", "openai-compatible:answers", "--bare", "--json"]
        ended = subprocess.run(
            words,
            env={**inherited, "TEXT2SQL_BASE_URL": model.base_url, "TEXT2SQL_DATA_DIR": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
            check=False,
        )
    assert ended.returncode == 0, ended.stderr.decode()
    record = json.loads(out.read_text().splitlines()[0])
    assert (record["verdict"], record["status"]) == ("right", "answered"), record
