"""Files that other programs read: each is validated with its published schema."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs_text import ROOT, read
from text2sql import __version__
from text2sql.config import Settings

TOOLS = Path(sys.executable).parent
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"


def checked(schema: str, *files: Path) -> None:
    command = [str(TOOLS / "check-jsonschema"), "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_issue_forms_are_valid() -> None:
    forms = [path for path in FORMS.glob("*.yml") if path.name != "config.yml"]
    assert len(forms) >= 3
    checked("vendor.github-issue-forms", *forms)
    checked("vendor.github-issue-config", FORMS / "config.yml")


def test_the_compose_file_is_valid() -> None:
    checked("vendor.compose-spec", ROOT / "compose.yaml")


def test_the_compose_file_names_settings_that_exist_and_this_version() -> None:
    text = read("compose.yaml")
    known = {f"TEXT2SQL_{name.upper()}" for name in Settings.__dataclass_fields__}
    assert set(re.findall(r"^ +(?:# )?(TEXT2SQL_\w+):", text, re.MULTILINE)) <= known
    assert f"text2sql-kit:{__version__}" in text


def test_the_pre_commit_config_is_valid() -> None:
    command = [str(TOOLS / "pre-commit"), "validate-config", str(ROOT / ".pre-commit-config.yaml")]
    assert subprocess.run(command, check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("name", ["ruff format --check", "ruff check", "lint-imports", "mypy"])
def test_pre_commit_runs_what_make_lint_runs(name: str) -> None:
    assert f".venv/bin/{name}" in read(".pre-commit-config.yaml").replace(" --force-exclude", "")
    assert f"$(BIN)/{name}" in read("Makefile")
