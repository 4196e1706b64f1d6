"""`text2sql report`: what it prints, what it writes, how it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.asking import HOSTED, app, make_shop
from terminal import Ended, run
from text2sql import AsyncText2SQL
from text2sql.cli import report
from text2sql.llm import ScriptedBackend
from text2sql.types import ModelRequest

SQL = {
    "How many customers": "SELECT count(*) AS customers FROM customers",
    "各城市的客户数": "SELECT c.name, count(*) n FROM customers JOIN cities c ON c.id = city_id GROUP BY 1",
    "orders in 2025-02": "SELECT count(*) FROM orders WHERE ordered_on BETWEEN '2025-02-01' AND '2025-02-28'",
}  # fmt: skip
TEXT = """\
{{ How many customers are there? }} in all, {{ :month }}: {{ orders in :month }}

{{ 各城市的客户数 }}
"""


class Desk:
    """The command in a folder of its own, with a model that knows the questions above."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.shop = make_shop(folder / "shop.db")
        self.template = folder / "report.md"
        self.template.write_text(TEXT, encoding="utf-8")
        self.backend = ScriptedBackend(last=_say, capabilities=HOSTED)
        monkeypatch.setattr(report, "AsyncText2SQL", self._opened)

    def run(self, *words: str, month: str = "2025-02") -> Ended:
        told = ("--db", str(self.shop), "--param", f"month={month}")
        return run("report", str(self.template), *told, *words)

    def _opened(self, source: str, **given: Any) -> AsyncText2SQL:
        return app(Path(source), self.backend, values_wait=0.0)


def _say(request: ModelRequest) -> str:
    text = request.messages[-1].content
    return next((sql for asked, sql in SQL.items() if asked in text), "no idea")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(tmp_path, monkeypatch)


def test_a_report_is_written_and_its_path_printed(desk: Desk) -> None:
    out = desk.folder / "out.md"
    ended = desk.run("--out", str(out))
    assert (ended.code, ended.out) == (0, f"{out}\n")
    assert out.read_text(encoding="utf-8") == (
        "3 in all, 2025-02: 2\n\n| name | n |\n|---|---:|\n| Oslo | 2 |\n| 上海 | 1 |\n"
    )
    assert "running 3/3 ✓" in ended.err
    assert "4 of 4 placeholders filled; questions: 0 from the lock file, 3 at the first try" in ended.err
    desk.backend = ScriptedBackend()
    ended = desk.run("--out", str(out), "--quiet", "--locked", month="2025-01")
    assert (ended.code, ended.err) == (0, "")
    assert out.read_text(encoding="utf-8").startswith("3 in all, 2025-01: 1\n")


def test_without_a_name_it_stands_beside_the_template_under_its_day(desk: Desk) -> None:
    ended = desk.run("--date", "2025-03-01", "--json", "--record", str(desk.folder / "record.json"))
    told = json.loads(ended.out)
    assert told["output"] == str(desk.folder / "report-2025-03-01.md")
    assert told == json.loads((desk.folder / "record.json").read_text(encoding="utf-8"))
    assert (told["date"], told["parameters"], told["filled"]) == ("2025-03-01", {"month": "2025-02"}, 4)
    assert sorted(one.name for one in desk.folder.iterdir()) == [
        "record.json", "report-2025-03-01.md", "report.md", "report.md.lock.yaml", "shop.db",
    ]  # fmt: skip


def test_what_could_not_be_filled_is_marked_and_told_and_ends_with_4(desk: Desk) -> None:
    desk.template.write_text("{{ How many customers are there? }}, {{ 各城市的订单总额 }}", encoding="utf-8")
    ended = desk.run("--out", str(desk.folder / "out.html"))
    assert ended.code == 4
    page = (desk.folder / "out.html").read_text(encoding="utf-8")
    assert "3, <strong>⚠ 各城市的订单总额: " in page
    assert "✗ 各城市的订单总额" in ended.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--out", "x.xls"), "x.xls"),
        (("--out", "nowhere/x.md"), "nowhere"),
        (("--param", "bad"), "bad"),
        (("--param", "month=1"), "month=1"),
        (("--param", "month_start=2025-01-01"), ""),
        (("--date", "tomorrow"), "tomorrow"),
        (("--every", "sometimes"), "sometimes"),
    ],
)
def test_bad_usage_is_told_before_anybody_is_asked(words: tuple[str, ...], told: str, desk: Desk) -> None:
    if not told:
        desk.template.write_text("{{ orders in :month and :month_start }}")
    ended = desk.run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert desk.backend.requests == []


def test_a_parameter_without_a_value_and_a_template_that_is_none(desk: Desk, tmp_path: Path) -> None:
    desk.template.write_text("{{ orders in :year }}")
    assert ":year" in desk.run().err
    desk.template.write_text("no questions")
    assert desk.run().code == 2
    ended = run("report", str(tmp_path / "gone.md"), "--db", str(desk.shop), "--lang", "zh")
    assert (ended.code, "无法读取" in ended.err) == (2, True)


def test_a_database_that_is_not_there_leaves_the_last_report_alone(desk: Desk) -> None:
    out = desk.folder / "out.md"
    out.write_text("yesterday's")
    desk.shop.unlink()
    assert desk.run("--out", str(out)).code in (2, 4)
    assert out.read_text() == "yesterday's"


def test_a_pdf_without_a_program_for_it_is_one_clear_line(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(desk.folder))
    ended = desk.run("--out", "x.pdf")
    assert (ended.code, ended.err.splitlines()[0]) == (
        2,
        "There is no program here that makes pdf of this template.",
    )
    assert "Chromium, LibreOffice" in ended.err


def test_an_office_is_asked_for_what_only_it_can_make(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    office = desk.folder / "soffice"
    office.write_text(
        '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = --convert-to ] && to=$2; shift; done\n'
        'cp "$1" "${1%.*}.$to"\n'
    )
    office.chmod(0o755)
    monkeypatch.setenv("PATH", f"{desk.folder}:/usr/bin:/bin")
    ended = desk.run("--out", str(desk.folder / "x.docx"))
    assert ended.code == 0
    assert "3 in all" in (desk.folder / "x.docx").read_text(encoding="utf-8")


KILLED = """
import os, sys, time
from text2sql.reports import writing
whole = os.fsync
def slow(file):
    print("writing", flush=True)
    time.sleep(60)
os.fsync = slow
from pathlib import Path
writing.put(Path(sys.argv[1]), b"new")
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_run_leaves_no_half_file(how: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    out.write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(out)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as child:  # fmt: skip
        assert child.stdout is not None
        assert child.stdout.readline() == b"writing\n"
        child.send_signal(how)
        child.wait(timeout=30)
    assert out.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir() if not one.name.startswith(".")] == ["out.md"]
