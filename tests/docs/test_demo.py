"""`make demo` is the command that the documents show, and its shop is the same for everybody."""

import hashlib
from pathlib import Path

from docs_text import read, section
from text2sql.cli.demo import QUESTIONS
from text2sql.database.demo import build_demo


def test_make_demo_runs_the_command() -> None:
    recipe = read("Makefile").partition("\ndemo:")[2].splitlines()[1]
    assert recipe == "\t$(BIN)/text2sql demo"


def test_the_questions_of_the_demo_are_documented() -> None:
    told = section(read("docs/cli.md"), "text2sql demo")
    assert [one.question for one in QUESTIONS if one.question not in told] == []


def test_two_shops_are_the_same_bytes(tmp_path: Path) -> None:
    one, other = (
        hashlib.sha256(build_demo(tmp_path / name).read_bytes()).hexdigest() for name in ("a.db", "b.db")
    )
    assert one == other
