"""`make demo` runs the documented command, and the demo shop is always the same."""

import hashlib
from pathlib import Path

from docs_text import read, section
from text2sql.cli.demo import QUESTIONS
from text2sql.database.demo import build_demo


def test_make_demo_runs_the_command() -> None:
    recipe = read("Makefile").partition("\ndemo:")[2].splitlines()[1]
    assert recipe == "\t$(BIN)/text2sql demo"


def test_the_questions_of_the_demo_are_documented() -> None:
    text = section(read("docs/cli.md"), "text2sql demo")
    assert [question.question for question in QUESTIONS if question.question not in text] == []


def test_the_demo_database_is_deterministic(tmp_path: Path) -> None:
    first, second = (
        hashlib.sha256(build_demo(tmp_path / name).read_bytes()).hexdigest() for name in ("a.db", "b.db")
    )
    assert first == second
