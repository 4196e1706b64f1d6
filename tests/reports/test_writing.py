"""A report as files: charts beside Markdown and inside pages, PDF by a browser, hostile cells."""

import shutil
from pathlib import Path

import pytest

from agents.asking import make_shop
from reports.asking import Model, reported, silent, template_of
from reports.test_docx import docx, opened
from text2sql.errors import UsageError
from text2sql.reports.printing import printed

BY_MONTH = "SELECT ordered_on, total FROM orders ORDER BY ordered_on"
HOSTILE = "<script>alert(1)</script>|`x`"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    shop = make_shop(tmp_path / "shop.db")
    return make_shop(shop, f"INSERT INTO cities VALUES (4, '{HOSTILE}', 'x')")


@pytest.fixture
def model() -> Model:
    return Model({"order totals by day": BY_MONTH, "城市": "SELECT name FROM cities WHERE id = 4"})


def test_a_chart_stands_beside_markdown_and_inside_a_page(small: Path, tmp_path: Path, model: Model) -> None:
    template = template_of(tmp_path, "{{ order totals by day | chart:line }}\n")
    _, text = reported(template, small, model.backend, "a b.md")
    assert text == b"![order totals by day](a%20b_files/1.png)\n"
    assert (tmp_path / "a b_files" / "1.png").read_bytes().startswith(b"\x89PNG")
    _, page = reported(template, small, silent(), "x.html")
    assert b'<img src="data:image/png;base64,' in page
    word = tmp_path / "word.docx"
    word.write_bytes(docx("{{ order totals ¦by day | chart }}"))
    _, made = reported(word, small, model.backend, "out.docx")
    assert opened(made)["word/media/text2sql1.png"].startswith(b"\x89PNG")


def test_a_chart_that_does_not_suit_is_marked(small: Path, tmp_path: Path, model: Model) -> None:
    template = template_of(tmp_path, "{{ 城市 | chart:line }}")
    report, text = reported(template, small, model.backend)
    assert report.failed == 1
    assert text.decode().startswith("**⚠ 城市: “line”不适合这个结果。")


def test_a_hostile_cell_is_text_in_every_format(small: Path, tmp_path: Path, model: Model) -> None:
    _, text = reported(template_of(tmp_path, "{{ 城市 }}"), small, model.backend)
    assert text.decode() == "&lt;script&gt;alert(1)&lt;/script&gt;\\|\\`x\\`"
    page = template_of(tmp_path, "<p>{{ 城市 }}</p>{{ 城市 | table }}", "page.html")
    _, html = reported(page, small, model.backend, "out.html")
    assert html.count(b"&lt;script&gt;alert(1)&lt;/script&gt;|`x`") == 2
    assert b"<script" not in html
    word = tmp_path / "word.docx"
    word.write_bytes(docx("{{ 城¦市 }}"))
    _, made = reported(word, small, model.backend, "out.docx")
    assert b"&lt;script&gt;alert(1)&lt;/script&gt;|`x`</w:t>" in opened(made)["word/document.xml"]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("chromium"), reason="no browser here")
def test_a_browser_prints_a_page(small: Path, tmp_path: Path, model: Model) -> None:
    template = template_of(tmp_path, "# {{ 城市 }}")
    _, made = reported(template, small, model.backend, "out.pdf")
    assert made.startswith(b"%PDF-")


def test_a_program_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    office = tmp_path / "soffice"
    office.write_text("#!/bin/sh\necho no such filter >&2\nexit 1\n")
    office.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UsageError) as caught:
        printed(b"x", "report.docx", "pdf")
    assert caught.value.facts["detail"] == "no such filter"
