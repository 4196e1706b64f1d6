"""The CLI entry point: help, languages, exit codes, closed pipes and interrupts."""

import os
import resource
import signal
import string
import subprocess
import sys
from pathlib import Path

import click
import pytest

from terminal import SCRIPT, run, run_script
from text2sql import __version__
from text2sql.cli import COMMANDS, CommandGroup, main, schema
from text2sql.i18n import cli_text, cli_texts


def test_help_names_every_command_and_imports_no_parser_driver_or_rich() -> None:
    look = (
        "import sys; from text2sql.cli import main; code = main(['--help']);"
        "heavy = {'sqlglot', 'duckdb', 'rich', 'psycopg', 'pymysql', 'sqlite3'} & set(sys.modules);"
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    for command in COMMANDS:
        assert command in done.stdout


@pytest.mark.slow
def test_help_costs_little_more_than_importing_click() -> None:
    """Compares processor times, so that the load and speed of the machine do not matter."""
    click = min(_processor_seconds(sys.executable, "-c", "import click") for _ in range(5))
    assert min(_processor_seconds(SCRIPT, "--help") for _ in range(5)) < 4 * click


def _processor_seconds(*words: str | Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_is_a_page_in_either_language(command: str) -> None:
    words = [command] if command else []
    english, chinese = run(*words, "--help"), run(*words, "--help", "--lang", "zh")
    assert (english.code, english.err, chinese.code, chinese.err) == (0, "", 0, "")
    assert english.out.startswith("Usage: text2sql")
    assert chinese.out.startswith("用法: text2sql")
    assert "Options:" in english.out
    assert "选项:" in chinese.out


def test_every_option_has_its_help_in_both_languages() -> None:
    for name in COMMANDS:
        command = CommandGroup("zh").get_command(click.Context(click.Command("x")), name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                keys = (f"{name}.{option.opts[0]}", option.opts[0])
                assert option.help in [cli_text(key, "zh") for key in keys if key in cli_texts()]


def test_every_text_is_complete_in_both_languages_with_the_same_placeholders() -> None:
    for key, (en, zh) in cli_texts().items():
        assert en, key
        assert any("\u4e00" <= letter <= "\u9fff" for letter in zh), key
        english, chinese = (
            {name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (en, zh)
        )
        assert english == chinese, key


def test_without_a_command_the_help_is_shown() -> None:
    assert run().out == run("--help").out
    assert run("--lang", "zh").out == run("--lang", "zh", "--help").out


def test_the_version_is_printed() -> None:
    assert run("--version") == (0, f"text2sql {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "english", "chinese"),
    [
        (["chek"], "There is no command “chek”.", "没有命令“chek”。"),
        (["--nope"], "There is no option --nope.", "没有选项 --nope。"),
        (["check", "--nope"], "There is no option --nope.", "没有选项 --nope。"),
        (["schema", "--db"], "The option --db needs a value.", "选项 --db 需要一个值。"),
        (["check", "a", "b"], "The command line cannot be read", "无法理解该命令行"),
        (["check", "SELECT 1", "--rows", "0"], "an integer of at least 1", "不小于 1 的整数"),
        (["check", "SELECT 1", "--rows", "many"], "an integer of at least 1", "不小于 1 的整数"),
        (["schema"], "No database was named.", "没有指定数据库。"),
        (["check", "SELECT 1"], "No SQL dialect was named.", "没有指定 SQL 方言。"),
    ],
)
def test_bad_usage_ends_with_2_and_two_lines(words: list[str], english: str, chinese: str) -> None:
    for lang, expected in (("en", english), ("zh", chinese)):
        ended = run("--lang", lang, *words)
        assert (ended.code, ended.out) == (2, "")
        assert expected in ended.err
        assert len(ended.err.splitlines()) == 2


def test_an_unknown_language_is_bad_usage() -> None:
    ended = run("schema", "--lang", "fr")
    assert ended.code == 2
    assert "choose one of en, zh" in ended.err


def test_the_language_follows_the_environment() -> None:
    assert "没有命令" in run("nope", env={"LANG": "zh_CN.UTF-8"}).err
    assert "没有命令" in run("nope", env={"TEXT2SQL_LANG": "zh"}).err
    assert "There is no" in run("nope", "--lang=en", env={"TEXT2SQL_LANG": "zh"}).err


def test_a_bad_setting_is_named(shop: str) -> None:
    ended = run("schema", "--db", shop, env={"TEXT2SQL_POOL_SIZE": "many"})
    assert ended.code == 2
    assert "TEXT2SQL_POOL_SIZE" in ended.err


def test_an_internal_error_is_one_line_and_debug_adds_the_trace(
    shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(schema, "select_tables", broken)
    quiet = run("schema", "--db", shop)
    assert (quiet.code, quiet.out, len(quiet.err.splitlines())) == (4, "", 1)
    assert "ZeroDivisionError: by)" in quiet.err
    assert "TEXT2SQL_DEBUG=1" in quiet.err
    assert "这是程序缺陷" in run("schema", "--db", shop, "--lang", "zh").err
    assert "Traceback" in run("schema", "--db", shop, env={"TEXT2SQL_DEBUG": "1"}).err


def test_ctrl_c_is_one_line_and_130(monkeypatch: pytest.MonkeyPatch, shop: str) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "select_tables", interrupted)
    assert run("schema", "--db", shop) == (130, "", "Interrupted.\n")
    assert run("schema", "--db", shop, "--lang", "zh").err == "已中断。\n"


def test_ctrl_c_stops_the_real_program_while_it_waits() -> None:
    child = subprocess.Popen(
        [SCRIPT, "check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin
    assert child.stdout
    child.stdin.write(b'{"id": 1, "dialect": "sqlite", "sql": "SELECT 1"}\n')
    child.stdin.flush()
    assert b'"allowed": true' in child.stdout.readline()  # answered while the input is still open
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert (child.returncode, err) == (130, b"Interrupted.\n")


def test_a_reader_that_went_away_is_no_error(shop: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [SCRIPT, "schema", "--db", shop], stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


def test_a_terminal_that_cannot_show_a_letter_gets_its_code(places: Path) -> None:
    ended = run_script("schema", "--db", str(places / "shop.db"), env={"PYTHONIOENCODING": "latin-1"})
    assert ended.code == 0
    assert "\\u57ce\\u5e02" in ended.out


def test_main_takes_its_words_from_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["text2sql", "--version"])
    assert main() == 0
