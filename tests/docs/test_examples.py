"""The examples of the READMEs produce the documented output.

What needs no model is run and compared to the letter. A question to a model is not: its options are checked,
and the tests marked `model` ask it and compare the rows, since a model may word its query as it likes.
"""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from docs_text import blocks, read
from text2sql.cli import COMMANDS, CommandGroup

READMES = ("README.md", "README.zh-CN.md")
QUICK_STARTS = ("docs/quickstart.md", "docs/quickstart.zh.md")
ASKING = ("text2sql ask ", "text2sql chat ", "text2sql demo")
# Servers go on until they are stopped; their own tests start them.
STAYING = ("text2sql serve", "text2sql mcp")
# Commands that are run here; the others (make, pip) are what runs these tests.
RUN = ("text2sql ", "printf ", "echo ")
SALES = "city,total\n上海,10\n北京,20\n上海,5\n"

both = pytest.mark.parametrize("readme", READMES)


def examples(readme: str) -> list[tuple[str, str]]:
    """The (command, output) pairs in order: later commands may need files of earlier ones."""
    examples: list[tuple[str, str]] = []
    for block in blocks(read(readme), "console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                examples.append((line.removeprefix("$ "), ""))
            else:
                command, shown = examples.pop()
                examples.append((command, f"{shown}{line}\n"))
    return examples


def question_examples(readme: str) -> list[tuple[str, str]]:
    return [(command, shown) for command, shown in examples(readme) if command.startswith("text2sql ask ")]


def python_examples(readme: str, *, asking: bool) -> Iterator[str]:
    for code in blocks(read(readme), "python"):
        if (".ask(" in code) is asking:
            yield code


def environment(folder: Path) -> dict[str, str]:
    own_environment = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
    return {
        **own_environment,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{own_environment['PATH']}",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TEXT2SQL_DATA_DIR": str(folder / "data"),
    }


def ran(command: list[str], folder: Path, seconds: float = 60) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        command, cwd=folder, env=environment(folder), timeout=seconds, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


@both
def test_the_examples_show_what_happens(readme: str, tmp_path: Path) -> None:
    shown = [
        (command, output)
        for command, output in examples(readme)
        if command.startswith(RUN) and not command.startswith((*ASKING, *STAYING))
    ]
    assert len(shown) >= 8
    for command, output in shown:
        done = ran(["bash", "-c", command], tmp_path)
        assert done.stdout.decode() == output, command
        assert done.returncode in (0, 3), command


@pytest.mark.parametrize("page", [*READMES, *QUICK_STARTS])
def test_the_examples_that_are_not_run_name_commands_and_options_that_exist(page: str) -> None:
    commands = [command for command, _ in examples(page) if command.startswith((*ASKING, *STAYING))]
    assert {shlex.split(command)[1] for command in commands} >= {"ask", "serve"}
    for command in commands:
        _, name, *words = shlex.split(command)
        assert name in COMMANDS
        known = CommandGroup("en").get_command(click.Context(click.Command("x")), name)
        assert known is not None
        known.make_context(name, words)  # fails for an unknown option


@both
def test_the_python_example_prints_what_its_comment_says(readme: str, tmp_path: Path) -> None:
    (code,) = python_examples(readme, asking=False)
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    done = ran([sys.executable, "-X", "utf8", "-c", code], tmp_path)
    assert done.returncode == 0, done.stdout.decode()
    assert f"# {done.stdout.decode().strip()}" in code


@pytest.mark.model
@both
def test_the_embedded_model_gives_the_rows_of_the_readme(readme: str, tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    assert question_examples(readme)
    for command, shown in question_examples(readme):
        words = [*shlex.split(command), "--json"]
        done = ran(words, tmp_path, 300)
        answer = json.loads(done.stdout)
        assert (done.returncode, answer["status"]) == (0, "answered"), answer
        table = [line.strip("│ ").split("│") for line in shown.splitlines() if line.startswith("│")]
        rows = sorted([cell.strip() for cell in row] for row in table[1:])
        assert sorted([str(cell) for cell in row] for row in answer["rows"]) == rows, answer["sql"]


@pytest.mark.model
@both
def test_the_python_example_that_asks_prints_what_its_comment_says(readme: str, tmp_path: Path) -> None:
    (code,) = python_examples(readme, asking=True)
    (tmp_path / "sales.csv").write_text(SALES, encoding="utf-8")
    done = ran([sys.executable, "-X", "utf8", "-c", code], tmp_path, 300)
    assert done.returncode == 0, done.stdout.decode()
    assert f"# {done.stdout.decode().strip()}" in code
