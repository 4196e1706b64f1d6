"""CONTRIBUTING.md names files that exist, every package of its picture, and every folder of tests."""

import re
import tomllib
from pathlib import Path

import pytest

from docs_text import ROOT, blocks, cells, read, section

TEXT = read("CONTRIBUTING.md")
SOURCE = ROOT / "src" / "text2sql"
PATHS = sorted(set(re.findall(r"`((?:src|tests|docs|benchmarks|scripts)/[^`\s]*)", TEXT)))
COMMANDS = sorted(set(re.findall(r"python ((?:tests|benchmarks|scripts)/\S+?\.py)", TEXT)))


def is_there(root: Path, path: str) -> bool:
    """Whether a path exists; `<name>` stands for any name."""
    return any(root.glob(re.sub(r"<\w+>", "*", path.rstrip("/"))))


@pytest.mark.parametrize("path", [*PATHS, *COMMANDS])
def test_every_path_exists(path: str) -> None:
    assert is_there(ROOT, path)


def test_the_files_of_a_question_exist() -> None:
    _, *rows = cells(section(TEXT, "Architecture"))
    files = [file for row in rows for file in re.findall(r"`([^`]+)`", row[1])]
    assert files
    assert [file for file in files if not is_there(SOURCE, file)] == []


def test_the_modules_of_the_client_exist() -> None:
    (sentence,) = re.findall(r"It goes into (.*) of `src/text2sql/client/`", TEXT)
    assert [name for name in re.findall(r"`(.*?)`", sentence) if not is_there(SOURCE / "client", name)] == []


def test_the_picture_shows_the_layers_of_the_import_linter() -> None:
    contracts = tomllib.loads(read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    (picture,) = re.findall(r"^```\n(cli\n.*?)^```$", section(TEXT, "Architecture"), re.DOTALL | re.MULTILINE)
    drawn = [set(re.split(r" {4,}", line)[0].split()) for line in picture.splitlines()]
    assert drawn == [set(re.findall(r"\w+", layer)) for layer in layers]


def test_every_folder_of_tests_is_described() -> None:
    _, *rows = cells(section(TEXT, "Tests"))
    described = {name for row in rows for name in re.findall(r"`(tests/\w+)`", row[0])}
    assert described == {
        f"tests/{path.name}"
        for path in (ROOT / "tests").iterdir()
        if path.is_dir() and path.name != "__pycache__"
    }


def test_the_example_of_a_guard_case_is_a_case() -> None:
    (example,) = blocks(TEXT, "sql")
    rule, statement = example.splitlines()
    cases = read("tests/sql/cases/refused/postgres.sql").partition(f"{rule}\n")[2].partition("\n--")[0]
    assert statement in cases.splitlines()
