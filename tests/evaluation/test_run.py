"""A run over a set: what is judged, what is kept, what is not asked twice."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from text2sql.errors import ModelUnavailable, UsageError
from text2sql.evaluation.questions import Question
from text2sql.evaluation.run import Record, evaluate, read_records
from text2sql.types import Answer, Problem, Receipt, Usage


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    folder = tmp_path / "databases" / "shop"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "shop.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'x');"
        )
    return tmp_path / "databases"


def question(number: int, gold: str, text: str = "") -> Question:
    return Question(str(number), "shop", text or f"question {number}", gold)


class Scripted:
    """Answers with the query that a question is mapped to."""

    def __init__(self, answers: dict[str, Answer | str]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def __call__(self, text: str, db: str) -> Answer:
        assert Path(db).is_file()
        self.asked.append(text)
        answer = self.answers[text]
        if isinstance(answer, Answer):
            return answer
        if answer == "down":
            raise ModelUnavailable("local", "gone")
        return Answer("answered", text, "", sql=answer, receipt=Receipt(usage=Usage(1, 100, 90, 12)))


def verdicts(records: list[Record]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(one.id, one.verdict, one.failure) for one in records]


def test_an_answer_is_judged_by_what_its_query_returns(databases: Path) -> None:
    gold = "SELECT a FROM t WHERE b = 'x'"
    ask = Scripted(
        {
            "question 1": "SELECT a FROM t WHERE a <> 2",
            "question 2": "SELECT a, b FROM t WHERE b = 'x'",
            "question 3": "SELECT c FROM t",
            "question 4": Answer("refused", "", "", error=Problem("table", "")),
            "question 5": "down",
            "question 6": "SELECT 1",
            "question 7": "SELECT a FROM t ORDER BY a",
            "question 8": "DELETE FROM t",
        }
    )
    golds = [gold, gold, gold, gold, gold, "SELECT absent FROM t", "SELECT a FROM t ORDER BY a DESC", gold]
    questions = [question(at, one) for at, one in enumerate(golds, 1)]
    records = asyncio.run(evaluate(questions, databases, ask))
    assert verdicts(records) == [
        ("1", "right", ()),
        ("2", "wrong", ("column_count", "output_column")),
        ("3", "error", ("unknown_column",)),
        ("4", "none", ("table",)),
        ("5", "none", ("model.unavailable",)),
        ("6", "unjudged", ("unknown_column",)),
        ("7", "wrong", ("ordering",)),
        ("8", "error", ("guard:not_a_query",)),
    ]
    assert (records[0].calls, records[0].prompt_tokens, records[0].completion_tokens) == (1, 100, 12)
    assert records[0].hardness == "easy"


def test_a_stopped_run_goes_on_where_it_ended(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    ask = Scripted({f"question {at}": "SELECT a FROM t" for at in range(3)})
    questions = [question(at, "SELECT a FROM t") for at in range(3)]
    asyncio.run(evaluate(questions[:2], databases, ask, out))
    with out.open("a") as opened:
        opened.write('{"id": "2", "db_i')  # killed in the middle of a line
    records = asyncio.run(evaluate(questions, databases, ask, out))
    assert ask.asked == ["question 0", "question 1", "question 2"]
    assert [one.verdict for one in records] == ["right"] * 3
    assert list(read_records(out).values()) == records


def test_a_line_has_what_other_programs_rely_on(databases: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    asyncio.run(
        evaluate([question(1, "SELECT 1", "几个？")], databases, Scripted({"几个？": "SELECT 1"}), out)
    )
    line = json.loads(out.read_text(encoding="utf-8"))
    assert {
        "id", "db_id", "question", "sql", "status", "verdict", "seconds", "calls", "prompt_tokens",
        "completion_tokens",
    } <= line.keys()  # fmt: skip
    assert (line["question"], line["status"], line["verdict"]) == ("几个？", "answered", "right")
    assert "几个？" in out.read_text(encoding="utf-8")


def test_evidence_is_asked_with_its_question(databases: Path) -> None:
    ask = Scripted({"how many\n(a is the number)": "SELECT 1"})
    asked = Question("1", "shop", "how many", "SELECT 1", "a is the number")
    assert asyncio.run(evaluate([asked], databases, ask))[0].verdict == "right"


def test_a_file_that_holds_something_else_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\nno records\n")
    with pytest.raises(UsageError, match="line 1"):
        read_records(path)


def test_a_missing_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="db_file_missing"):
        asyncio.run(evaluate([question(1, "SELECT 1")], tmp_path, Scripted({})))
