"""docs/terms.md and its Chinese twin name settings, options, methods and files that exist."""

import re

import pytest

from docs_text import ROOT, read
from text2sql import AsyncText2SQL
from text2sql.client.results import AsyncResults
from text2sql.client.threads import AsyncThreads
from text2sql.client.verified import AsyncVerified
from text2sql.config import Settings, variable

SOURCE = ROOT / "src" / "text2sql"
CLASSES = {
    "": AsyncText2SQL,
    "threads": AsyncThreads,
    "results": AsyncResults,
    "verified": AsyncVerified,
}
pages = pytest.mark.parametrize("page", ["docs/terms.md", "docs/terms.zh.md"])


def names(page: str) -> list[str]:
    return re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", read(page), flags=re.DOTALL | re.MULTILINE))


@pages
def test_the_settings_exist(page: str) -> None:
    settings = {variable(name) for name in Settings.__dataclass_fields__}
    named = {match[0] for name in names(page) if (match := re.match(r"TEXT2SQL_\w+", name))}
    assert named
    assert named - settings == set()


@pages
def test_the_options_exist(page: str) -> None:
    commands = read("docs/cli.md")  # has every option of the code, see test_documents
    named = {match[0] for name in names(page) if (match := re.match(r"--[a-z-]+", name))}
    assert named
    assert [option for option in sorted(named) if f"`{option}`" not in commands] == []


@pages
def test_the_files_exist(page: str) -> None:
    named = [name for name in names(page) if re.match(r"(agents|llm|database)/", name)]
    assert named
    assert [name for name in named if not any(SOURCE.glob(name.rstrip("/")))] == []


@pages
def test_the_methods_exist(page: str) -> None:
    """None of them under a former name, see `text2sql.client.moved`."""
    named = [match.groups() for name in names(page) if (match := re.match(r"db\.(?:(\w+)\.)?(\w+)", name))]
    assert named
    assert [method for part, method in named if method not in vars(CLASSES[part or ""])] == []
