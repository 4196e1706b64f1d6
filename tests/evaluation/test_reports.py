"""Report files in JSON, Markdown and HTML with the same numbers."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evaluation.test_report import record
from text2sql.errors import UsageError
from text2sql.evaluation.export import check_report, run_object, write_report

EVIL = '<script>alert("1")</script>'


RECORDS = [record(at, "right", confidence=0.9) for at in range(3)] + [
    record(3, "wrong", "table", confidence=0.4, hardness="hard", among=True),
    record(4, "taken", "answered", foreign="zoo"),
]
BARE = [record(at, "right") for at in range(2)] + [record(2, "wrong", "value"), record(3, "error", "syntax")]


def report(tmp_path: Path, name: str) -> str:
    path = tmp_path / name
    write_report(path, "shop.json", RECORDS, BARE)
    return path.read_text(encoding="utf-8")


def test_the_json_has_every_share_with_its_value(tmp_path: Path) -> None:
    report_object = json.loads(report(tmp_path, "r.json"))
    assert report_object == json.loads(json.dumps(run_object("shop.json", RECORDS, BARE)))
    assert {name: report_object["right"][name] for name in ("count", "of", "value")} == {
        "count": 3,
        "of": 4,
        "value": 0.75,
    }
    assert report_object["by_difficulty"]["hard"]["value"] == 0.0
    assert report_object["choice"]["loss"]["count"] == 1
    assert (report_object["risk"]["half"], report_object["risk"]["overall"]) == (0.0, 0.25)
    assert report_object["declined"]["of"] == 1
    assert report_object["bare"]["right"]["value"] == 0.5
    assert report_object["comparison"] == {"questions": 4, "won": 1, "lost": 0, "p": 1.0}


def test_without_the_bare_model_there_is_nothing_to_compare() -> None:
    report_object = run_object("shop.json", RECORDS, [])
    assert (report_object["bare"], report_object["comparison"]) == (None, None)


def test_the_markdown_shows_both_runs_side_by_side(tmp_path: Path) -> None:
    text = report(tmp_path, "r.md")
    assert text.startswith("# Evaluation: shop.json\n\n|  | text2sql | bare model |\n|---|---:|---:|\n")
    assert re.search(r"^\| right \| 75\.0 % \(.*\) \| 50\.0 % \(.*\) \|$", text, re.MULTILINE)
    assert "Against the bare model on 4 questions: +1 −0, p = 1.0000 (McNemar)." in text
    assert re.search(r"^\| table \| 25\.0 % \(.*\) \|  \|$", text, re.MULTILINE)
    assert "| 50% | 0.0 % |" in text


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.fetched: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.fetched += [f"{name}={value}" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_the_page_is_complete_and_fetches_nothing(tmp_path: Path) -> None:
    tags = Tags()
    tags.feed(report(tmp_path, "r.html"))
    assert tags.open == []
    assert tags.fetched == []
    assert "script" not in tags.tags
    assert tags.tags.count("svg") == 3  # difficulty, failures, coverage and risk


def test_untrusted_text_is_escaped_in_the_page(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    evil = record(1, "wrong", EVIL, difficulty=EVIL)
    write_report(path, EVIL, [evil], [])
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 4  # title, heading, difficulty, why


def test_an_unknown_report_format_is_refused_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"usage\.report.*\.md, \.html, \.json"):
        check_report(tmp_path / "r.pdf")


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="report_file"):
        write_report(tmp_path / "absent" / "r.md", "shop.json", RECORDS, [])
