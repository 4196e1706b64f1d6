"""`text2sql report`: output, files and exit codes."""

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


class ScriptedCli:
    """Run the command in a temporary folder with a model that knows the questions above."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.shop = make_shop(folder / "shop.db")
        self.template = folder / "report.md"
        self.template.write_text(TEXT, encoding="utf-8")
        self.backend = ScriptedBackend(last=_say, profile=HOSTED)
        monkeypatch.setattr(report, "AsyncText2SQL", self._open)

    def run(self, *words: str, month: str = "2025-02") -> Ended:
        options = ("--db", str(self.shop), "--param", f"month={month}")
        return run("report", str(self.template), *options, *words)

    def _open(self, source: str, **arguments: Any) -> AsyncText2SQL:
        return app(Path(source), self.backend, values_wait=0.0)


def _say(request: ModelRequest) -> str:
    text = request.messages[-1].content
    return next((sql for question, sql in SQL.items() if question in text), "no idea")


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedCli:
    return ScriptedCli(tmp_path, monkeypatch)


def test_a_report_is_written_and_its_path_printed(ctx: ScriptedCli) -> None:
    out = ctx.folder / "out.md"
    ended = ctx.run("--out", str(out))
    assert (ended.code, ended.out) == (0, f"{out}\n")
    assert out.read_text(encoding="utf-8") == (
        "3 in all, 2025-02: 2\n\n| 名称 | 数量 |\n|---|---:|\n| Oslo | 2 |\n| 上海 | 1 |\n"
    )
    assert "running 3/3 ✓" in ended.err
    assert "4 of 4 placeholders filled; questions: 0 from the lock file, 3 at the first try" in ended.err
    ctx.backend = ScriptedBackend()
    ended = ctx.run("--out", str(out), "--quiet", "--locked", month="2025-01")
    assert (ended.code, ended.err) == (0, "")
    assert out.read_text(encoding="utf-8").startswith("3 in all, 2025-01: 1\n")


def test_without_a_name_the_report_is_written_next_to_the_template_with_its_date(ctx: ScriptedCli) -> None:
    ended = ctx.run("--date", "2025-03-01", "--json", "--record", str(ctx.folder / "record.json"))
    record = json.loads(ended.out)
    assert record["output"] == str(ctx.folder / "report-2025-03-01.md")
    assert record == json.loads((ctx.folder / "record.json").read_text(encoding="utf-8"))
    assert (record["date"], record["parameters"], record["filled"]) == ("2025-03-01", {"month": "2025-02"}, 4)
    assert sorted(path.name for path in ctx.folder.iterdir()) == [
        "record.json", "report-2025-03-01.md", "report.md", "report.md.lock.yaml", "shop.db",
    ]  # fmt: skip


def test_unfilled_placeholders_are_marked_and_the_exit_code_is_4(ctx: ScriptedCli) -> None:
    ctx.template.write_text("{{ How many customers are there? }}, {{ 各城市的订单总额 }}", encoding="utf-8")
    ended = ctx.run("--out", str(ctx.folder / "out.html"))
    assert ended.code == 4
    page = (ctx.folder / "out.html").read_text(encoding="utf-8")
    assert "3, <strong>⚠ 各城市的订单总额: " in page
    assert "✗ 各城市的订单总额" in ended.err


def test_fresh_ignores_the_lock_file_and_its_former_name_warns(ctx: ScriptedCli) -> None:
    out = ctx.folder / "out.md"
    ctx.run("--out", str(out))
    warning = "--anew is now called --fresh; the old name works until version 0.3."
    for option, warnings in (("--fresh", 0), ("--anew", 1)):
        ended = ctx.run("--out", str(out), option)
        assert (ended.code, ended.err.count(warning)) == (0, warnings)
        assert "0 from the lock file, 3 at the first try" in ended.err
    assert "3 from the lock file" in ctx.run("--out", str(out)).err
    assert "--anew" not in run("report", "--help").out


@pytest.mark.parametrize(
    ("words", "expected"),
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
def test_bad_usage_is_an_error_before_the_model_is_called(
    words: tuple[str, ...], expected: str, ctx: ScriptedCli
) -> None:
    if not expected:
        ctx.template.write_text("{{ orders in :month and :month_start }}")
    ended = ctx.run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert expected in ended.err
    assert ctx.backend.requests == []


def test_a_missing_parameter_and_an_invalid_template_are_errors(ctx: ScriptedCli, tmp_path: Path) -> None:
    ctx.template.write_text("{{ orders in :year }}")
    assert ":year" in ctx.run().err
    ctx.template.write_text("no questions")
    assert ctx.run().code == 2
    ended = run("report", str(tmp_path / "gone.md"), "--db", str(ctx.shop), "--lang", "zh")
    assert (ended.code, "无法读取" in ended.err) == (2, True)


def test_a_missing_database_does_not_change_the_last_report(ctx: ScriptedCli) -> None:
    out = ctx.folder / "out.md"
    out.write_text("yesterday's")
    ctx.shop.unlink()
    assert ctx.run("--out", str(out)).code in (2, 4)
    assert out.read_text() == "yesterday's"


def test_a_pdf_without_a_program_for_it_is_one_clear_line(
    ctx: ScriptedCli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(ctx.folder))
    ended = ctx.run("--out", "x.pdf")
    assert (ended.code, ended.err.splitlines()[0]) == (
        2,
        "No installed program can convert this template to pdf.",
    )
    assert "Chromium, LibreOffice" in ended.err


def test_formats_that_need_an_office_suite_use_one(ctx: ScriptedCli, monkeypatch: pytest.MonkeyPatch) -> None:
    office = ctx.folder / "soffice"
    office.write_text(
        '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = --convert-to ] && to=$2; shift; done\n'
        'cp "$1" "${1%.*}.$to"\n'
    )
    office.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ctx.folder}:/usr/bin:/bin")
    ended = ctx.run("--out", str(ctx.folder / "x.docx"))
    assert ended.code == 0
    assert "3 in all" in (ctx.folder / "x.docx").read_text(encoding="utf-8")


KILLED = """
import os, sys, time
from text2sql.reports import output
whole = os.fsync
def slow(file):
    print("writing", flush=True)
    time.sleep(60)
os.fsync = slow
from pathlib import Path
output.write_file(Path(sys.argv[1]), b"new")
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
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["out.md"]
