"""Every page of docs/ has a Chinese twin with the same headings, code blocks and tables."""

import re
from itertools import groupby
from pathlib import Path

import pytest

from docs_text import ROOT, read

ENGLISH = sorted(page for page in (ROOT / "docs").glob("*.md") if not page.name.endswith(".zh.md"))
CHINESE = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def twin(page: Path) -> Path:
    return page.with_suffix(".zh.md")


translated = pytest.mark.parametrize("page", ENGLISH, ids=lambda page: page.name)


def both(page: Path) -> tuple[str, str]:
    return page.read_text(encoding="utf-8"), twin(page).read_text(encoding="utf-8")


def headings(text: str) -> list[str]:
    """The marks of the headings in order, such as `##`."""
    return re.findall(r"^(#+) ", BLOCK.sub("", text), re.MULTILINE)


def table_sizes(text: str) -> list[int]:
    """The number of lines of each table."""
    lines = BLOCK.sub("", text).splitlines()
    return [
        len(list(group)) for is_table, group in groupby(lines, lambda line: line.startswith("|")) if is_table
    ]


def test_every_page_has_a_chinese_twin_and_every_twin_its_page() -> None:
    assert {page.name for page in (ROOT / "docs").glob("*.zh.md")} == {twin(page).name for page in ENGLISH}


@translated
def test_twins_have_the_same_headings(page: Path) -> None:
    english, chinese = map(headings, both(page))
    assert chinese == english


@translated
def test_twins_have_tables_of_the_same_sizes(page: Path) -> None:
    english, chinese = map(table_sizes, both(page))
    assert chinese == english


@translated
def test_twins_have_the_same_code_blocks(page: Path) -> None:
    """Apart from lines with Chinese text (questions, comments and what is shown for them) and frames."""
    english, chinese = map(BLOCK.findall, both(page))
    assert [language for language, _ in chinese] == [language for language, _ in english]
    for (_, code), (_, translation) in zip(english, chinese, strict=True):
        known = {*code.splitlines(), *code.replace('"en"', '"zh"').splitlines()}
        assert [
            line
            for line in translation.splitlines()
            if line not in known and not CHINESE.search(line) and not set(line) <= set("╭─┬╮├┼┤╰┴╯")
        ] == []


@translated
def test_a_twin_links_to_twins(page: Path) -> None:
    links = re.findall(r"\]\(([a-z]+)\.md\b", both(page)[1])
    assert [name for name in links if twin(ROOT / "docs" / f"{name}.md").is_file()] == []


def test_the_navigation_shows_every_page() -> None:
    """One entry stands for both languages; the plugin puts the twin into the Chinese navigation."""
    navigation = re.findall(r"^ *- ([a-z-]+\.md)$", read("mkdocs.yml"), re.MULTILINE)
    assert {page.name for page in ENGLISH} <= set(navigation)
    assert len(navigation) == len(set(navigation))
