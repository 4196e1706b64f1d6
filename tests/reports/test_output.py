"""Report files: chart images, PDF conversion, escaping of hostile cells."""

import os
import shutil
from pathlib import Path

import pytest

import servers
from agents.asking import make_shop
from reports.forty_questions import Model, reported, silent, template_of
from reports.test_docx import docx, opened
from text2sql.errors import UsageError
from text2sql.reports.pdf import convert

BY_MONTH = "SELECT ordered_on, total FROM orders ORDER BY ordered_on"
HOSTILE = "<script>alert(1)</script>|`x`"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    shop = make_shop(tmp_path / "shop.db")
    return make_shop(shop, f"INSERT INTO cities VALUES (4, '{HOSTILE}', 'x')")


@pytest.fixture
def model() -> Model:
    return Model({"order totals by day": BY_MONTH, "城市": "SELECT name FROM cities WHERE id = 4"})


def test_a_chart_is_a_file_beside_markdown_and_embedded_in_html(
    small: Path, tmp_path: Path, model: Model
) -> None:
    template = template_of(tmp_path, "{{ order totals by day | chart:line }}\n")
    _, text = reported(template, small, model.backend, "a b.md")
    assert text == b"![order totals by day](a%20b_files/1.png)\n"
    assert (tmp_path / "a b_files" / "1.png").read_bytes().startswith(b"\x89PNG")
    _, page = reported(template, small, silent(), "x.html")
    assert b'<img src="data:image/png;base64,' in page
    word = tmp_path / "word.docx"
    word.write_bytes(docx("{{ order totals ¦by day | chart }}"))
    _, content = reported(word, small, model.backend, "out.docx")
    assert opened(content)["word/media/text2sql1.png"].startswith(b"\x89PNG")


def test_a_chart_type_that_does_not_fit_is_marked(small: Path, tmp_path: Path, model: Model) -> None:
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
    _, content = reported(word, small, model.backend, "out.docx")
    assert b"&lt;script&gt;alert(1)&lt;/script&gt;|`x`</w:t>" in opened(content)["word/document.xml"]


@pytest.mark.slow
def test_a_browser_prints_a_page(small: Path, tmp_path: Path, model: Model) -> None:
    _program("chromium", "chromium")
    template = template_of(tmp_path, "# {{ 城市 }}\n\n{{ order totals by day | table }}")
    _, content = reported(template, small, model.backend, "out.pdf")
    assert content.startswith(b"%PDF-")
    assert b"/Type /Page\n" in content or b"/Type /Page " in content
    assert content.rstrip().endswith(b"%%EOF")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("soffice"), reason="NOT TESTED: no LibreOffice here, 263 MB")
def test_libreoffice_makes_a_template_that_is_filled_and_printed(
    small: Path, tmp_path: Path, model: Model
) -> None:
    word = tmp_path / "word.docx"
    word.write_bytes(
        convert(b"<html><body><h1>{{ order totals by day | table }}</h1></body></html>", "a.html", "docx")
    )
    _, filled = reported(word, small, model.backend, "filled.docx")
    assert opened(filled)["word/document.xml"].count(b"<w:tr>") >= 3
    _, content = reported(word, small, silent(), "out.pdf")
    assert content.startswith(b"%PDF-")
    _, content = reported(template_of(tmp_path, "# {{ 城市 }}"), small, model.backend, "out.docx")
    assert b"&lt;script&gt;alert(1)" in opened(content)["word/document.xml"]


def _program(name: str, package: str) -> None:
    """Installed on demand like the servers; if it is missing, a visible skip, and a failure in CI."""
    try:
        servers.installed(name, package, "bin")
    except servers.Unavailable as error:
        servers._say(f"*** NO {name.upper()}: {error}")
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


def test_the_error_of_a_failing_program_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    office = tmp_path / "soffice"
    office.write_text("#!/bin/sh\necho no such filter >&2\nexit 1\n")
    office.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UsageError) as caught:
        convert(b"x", "report.docx", "pdf")
    assert caught.value.facts["detail"] == "no such filter"
