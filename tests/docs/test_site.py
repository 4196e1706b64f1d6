"""The documentation site builds in both languages, without a warning, and can be searched."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs_text import ROOT

MKDOCS = Path(sys.executable).with_name("mkdocs")
# The files that the site is made of.
SOURCES = ("mkdocs.yml", "docs", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")


def built(root: Path, into: Path) -> "subprocess.CompletedProcess[str]":
    # not --quiet: with it MkDocs does not count its warnings
    command = [str(MKDOCS), "build", "--strict", "--site-dir", str(into)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("site")
    done = built(ROOT, into)
    assert done.returncode == 0, done.stderr[-4_000:]
    return into


def texts(site: Path) -> Iterator[dict[str, str]]:
    yield from json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]


def test_every_page_exists_in_both_languages(site: Path) -> None:
    for page in (ROOT / "docs").glob("*.md"):
        name = page.name.removesuffix(".md").removesuffix(".zh")
        folder = "" if name == "index" else name
        assert (site / folder / "index.html").is_file(), page
        assert (site / "zh" / folder / "index.html").is_file(), page


def test_a_translated_page_is_chinese(site: Path) -> None:
    pages = ("index", *(page.name.removesuffix(".zh.md") for page in (ROOT / "docs").glob("*.zh.md")))
    for name in pages:
        folder = site / "zh" / ("" if name == "index" else name)
        page = (folder / "index.html").read_text(encoding="utf-8")
        assert '<html lang="zh"' in page
        assert re.search(r"<p>[^<]*[\u4e00-\u9fff]", page), name


def test_no_line_break_of_the_source_is_shown_as_a_blank_in_chinese_text(site: Path) -> None:
    for twin in (ROOT / "docs").glob("*.zh.md"):
        name = twin.name.removesuffix(".zh.md")
        page = (site / "zh" / ("" if name == "index" else name) / "index.html").read_text(encoding="utf-8")
        prose = re.sub(r"<(pre|script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
        assert re.findall(r"[\u4e00-\u9fff。，、；：]\n *[\u4e00-\u9fff].*", prose) == [], name


def test_the_chinese_navigation_has_the_titles_of_the_twins(site: Path) -> None:
    first_page = (site / "zh" / "index.html").read_text(encoding="utf-8")
    entries = {text.strip() for text in re.findall(r'<span class="md-ellipsis">([^<]+)', first_page)}
    twins = (ROOT / "docs").glob("*.zh.md")
    titles = {page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for page in twins}
    assert titles - entries == set()


def test_the_search_finds_both_languages_and_root_documents(site: Path) -> None:
    pages = {page["location"]: page["text"] for page in texts(site)}
    assert "wheel" in " ".join(
        text for location, text in pages.items() if location.startswith("contributing")
    )
    chinese = " ".join(text for location, text in pages.items() if location.startswith("zh/quickstart"))
    assert "模型\u200b" in chinese  # split into words, which the search separates by this space


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    outside = re.compile(r"""(?:\bsrc|<link[^>]* href)="?https?://""")
    assert [page for page in site.rglob("*.html") if outside.search(page.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("link", ["[lost](nowhere.md)", "[lost](cli.md#nowhere)"])
def test_a_broken_link_fails_the_build(link: str, tmp_path: Path) -> None:
    for name in SOURCES:
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile)(ROOT / name, tmp_path / name)
    with (tmp_path / "docs" / "page.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{link}\n")
    done = built(tmp_path, tmp_path / "site")
    assert done.returncode == 1
    assert "nowhere" in done.stderr
