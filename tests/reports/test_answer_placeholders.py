"""Forty questions through draft, run and repair; then with the lock file only."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reports.forty_questions import (
    FORTY,
    GOOD,
    HOPELESS,
    REPAIRED,
    TODAY,
    Model,
    reported,
    silent,
    template_of,
)
from text2sql.errors import UsageError
from text2sql.reports.outcomes import ReportOptions, Step
from text2sql.reports.schedule import read_lock_file


def forty(folder: Path) -> Path:
    return template_of(
        folder, "\n\n".join(f"{at}. {{{{ {question} }}}}" for at, question in enumerate(FORTY, 1))
    )


def first_cell(shop: Path, sql: str) -> object:
    with closing(sqlite3.connect(shop)) as connection:
        return connection.execute(sql).fetchone()[0]


def change(shop: Path, script: str) -> None:
    with closing(sqlite3.connect(shop)) as connection:
        connection.executescript(script)


def test_forty_placeholders_of_which_five_cannot_work(demo: Path, tmp_path: Path) -> None:
    template, model, steps = forty(tmp_path), Model(), list[Step]()
    report, written = reported(template, demo, model.backend, options=ReportOptions(on_step=steps.append))
    text, record = written.decode(), report.record

    assert (record["placeholders"], record["filled"], record["failed"]) == (40, 35, 5)
    assert record["origins"] == {"model": 33, "repair": 2}
    assert record["first_pass"] == {"count": 33, "of": 40, "rate": 0.825}
    # of the hopeless, two were worth a second try and two more had no query in their replies
    assert record["repaired"] == {"count": 2, "of": 6, "rate": 0.3333}
    assert record["errors"]["syntax"] == 3
    assert {item["question"] for item in record["items"] if item["error"]} == set(HOPELESS)
    assert [line for line in text.splitlines() if "⚠" in line] == [
        line for line in text.splitlines() if any(f"⚠ {question}" in line for question in HOPELESS)
    ]
    assert text.count("⚠") == 5
    assert re.search(r"^1\. 4,000$", text, re.MULTILINE)
    # each question once, and once more after a failure; never a third time
    assert sorted(model.questions) == sorted(
        [*GOOD, *REPAIRED, *(question + "*" for question in REPAIRED), *_questions_of_the_hopeless()]
    )
    stages = [step.stage for step in steps]
    assert stages == sorted(stages, key=("draft", "run", "repair").index)
    assert [stages.count(stage) for stage in ("draft", "run", "repair")] == [40, 35, 6]


def _questions_of_the_hopeless() -> list[str]:
    twice = [
        "the weather on Mars",
        "the customers' nicknames",
        "the average of average order counts",
        "员工的护照号码",
    ]
    return [*twice, *(question + "*" for question in twice)]


def test_no_statement_is_sent_before_all_queries_are_written(demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ How many orders are there? }} {{ 有多少个产品？ }}")
    report, _ = reported(template, demo, Model().backend)
    assert [item["statements"] for item in report.record["items"]] == [1, 1]
    assert report.record["statements"] == 2
    assert report.record["connections"] >= 1


def test_a_repeated_question_is_asked_and_run_once(demo: Path, tmp_path: Path) -> None:
    model = Model()
    template = template_of(
        tmp_path,
        "{{ orders by channel | table:2 }}\n\n{{ orders by channel | list }}, {{orders  by\nchannel}}",
    )
    report, _ = reported(template, demo, model.backend)
    assert model.questions == ["orders by channel"]
    assert report.record["statements"] == 1
    assert report.record["placeholders"] == 3


def test_with_the_lock_file_no_model_is_needed(demo: Path, tmp_path: Path) -> None:
    template = forty(tmp_path)
    _, first = reported(template, demo, Model().backend)
    locked = (tmp_path / "report.md.lock.yaml").read_bytes()
    backend = silent()
    report, second = reported(template, demo, backend)
    assert report.record["origins"] == {"lock": 35}
    assert report.record["model"]["calls"] == 0
    assert _good_lines(second) == _good_lines(first)
    assert (tmp_path / "report.md.lock.yaml").read_bytes() == locked
    report, third = reported(template, demo, backend, options=ReportOptions(locked=True))
    assert _good_lines(third) == _good_lines(first)
    assert report.failed == 5


def _good_lines(text: bytes) -> list[str]:
    return [line for line in text.decode().splitlines() if "⚠" not in line]


def test_a_renamed_column_regenerates_what_reads_it_and_nothing_else(shop: Path, tmp_path: Path) -> None:
    template = forty(tmp_path)
    reported(template, shop, Model().backend)
    before = read_lock_file(tmp_path / "report.md.lock.yaml")
    change(shop, "ALTER TABLE payments RENAME COLUMN amount TO paid")
    model = Model({"各支付方式的金额": "SELECT method, sum(paid) FROM payments GROUP BY method"})
    report, _ = reported(template, shop, model.backend)
    hopeless = {question.rstrip("*") for question in _questions_of_the_hopeless()}
    assert [question for question in model.questions if question.rstrip("*") not in hopeless] == [
        "各支付方式的金额"
    ]
    assert report.record["origins"] == {"lock": 34, "model": 1}
    after = read_lock_file(tmp_path / "report.md.lock.yaml")
    changed = [new.question for new, old in zip(after.entries, before.entries, strict=True) if new != old]
    assert changed == ["各支付方式的金额"]


def test_a_changed_type_regenerates_too(shop: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ the average review rating }} {{ the number of reviews }}")
    reported(template, shop, Model().backend)
    change(
        shop, "ALTER TABLE reviews DROP COLUMN rating; ALTER TABLE reviews ADD COLUMN rating REAL DEFAULT 1"
    )
    model = Model()
    reported(template, shop, model.backend)
    assert model.questions == ["the average review rating"]


def test_a_changed_question_regenerates_and_a_dropped_one_leaves_the_lock(demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ How many orders are there? }} {{ 有多少个产品？ }}")
    reported(template, demo, Model().backend)
    template = template_of(tmp_path, "{{ How many stores are there? }} {{ 有多少个产品？ }}")
    model = Model()
    reported(template, demo, model.backend)
    assert model.questions == ["How many stores are there?"]
    lock = read_lock_file(tmp_path / "report.md.lock.yaml")
    assert [entry.question for entry in lock.entries] == ["How many stores are there?", "有多少个产品？"]


RANGE = "SELECT count(*) FROM orders WHERE ordered_on >= '{}' AND ordered_on < '{}'"


def test_a_parameter_is_a_name_in_the_lock_and_a_literal_in_the_query(demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ orders in :month | value }}")
    october, march = (
        RANGE.format(*days) for days in (("2025-10-01", "2025-11-01"), ("2025-03-01", "2025-04-01"))
    )
    model = Model({"orders in 2025-10": october})
    _, first = reported(template, demo, model.backend, parameters={"month": "2025-10"})
    report, second = reported(template, demo, silent(), parameters={"month": "2025-03"})
    assert first.decode() == str(first_cell(demo, october))
    assert second.decode() == str(first_cell(demo, march))
    assert "'2025-03-01'" in report.record["items"][0]["sql"]
    (entry,) = read_lock_file(tmp_path / "report.md.lock.yaml").entries
    assert entry.parameters == {"month_next": "text", "month_start": "text"}
    assert "2025" not in entry.sql


def test_windows_move_with_the_calendar(demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ orders in :last_month }} {{ orders during :last_week }}")
    month, week = (
        RANGE.format("2025-10-01", "2025-11-01"),
        ("SELECT count(*) FROM orders WHERE ordered_on BETWEEN '2025-11-03' AND '2025-11-09'"),
    )
    model = Model({"orders in 2025-10": month, "orders during 2025-11-03 to 2025-11-09": week})
    reported(template, demo, model.backend)
    assert model.questions == ["orders in 2025-10", "orders during 2025-11-03 to 2025-11-09"]
    report, _ = reported(template, demo, silent(), today=TODAY.replace(month=3))
    sent = [item["sql"] for item in report.record["items"]]
    assert "'2025-02-01'" in sent[0]
    assert "'2025-03-01'" in sent[0]
    assert "'2025-03-03'" in sent[1]
    assert "'2025-03-09'" in sent[1]
    assert report.failed == 0


def test_a_query_that_hides_its_parameter_is_stored_for_that_value_only(demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ orders in :month | value }}")
    sql = "SELECT count(*) FROM orders WHERE ordered_on LIKE '2025-1%' AND ordered_on NOT LIKE '2025-11%'"
    model = Model({"orders in 2025-10": sql, "orders in 2025-03": RANGE.format("2025-03-01", "2025-04-01")})
    reported(template, demo, model.backend, parameters={"month": "2025-10"})
    (entry,) = read_lock_file(tmp_path / "report.md.lock.yaml").entries
    assert (entry.values, entry.parameters) == ({"month": "2025-10"}, {})
    reported(template, demo, silent(), parameters={"month": "2025-10"})
    reported(template, demo, model.backend, parameters={"month": "2025-03"})
    assert model.questions == ["orders in 2025-10", "orders in 2025-03"]


def test_a_hostile_value_stays_text(demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ customers of level :level | value }}")
    model = Model({"customers of level gold": "SELECT count(*) FROM customers WHERE level = 'gold'"})
    reported(template, demo, model.backend, parameters={"level": "gold"})
    for value in ("' OR 1=1 --", "x'; DROP TABLE orders; --", "\\' OR ''='", "{{ x }}"):
        report, written = reported(template, demo, silent(), parameters={"level": value})
        assert written == b"0", value
        assert report.record["origins"] == {"lock": 1}


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM orders",
        "SELECT sql FROM sqlite_master",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "SELECT count(*) FROM orders WHERE id = :nobody",
    ],
)
def test_a_lock_file_that_was_tampered_with_runs_nothing(sql: str, demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ How many orders are there? }}")
    reported(template, demo, Model().backend)
    lock_file = tmp_path / "report.md.lock.yaml"
    text = lock_file.read_text(encoding="utf-8")
    lock_file.write_text(re.sub(r"sql: \|-.*", f"sql: {sql!r}", text, flags=re.DOTALL), encoding="utf-8")
    report, _ = reported(template, demo, silent(), options=ReportOptions(locked=True))
    assert (report.failed, report.record["statements"]) == (1, 0)
    model = Model()
    report, _ = reported(template, demo, model.backend)
    assert (report.failed, model.questions) == (0, ["How many orders are there?"])


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "- 1",
        "version: 2\ndialect: sqlite\nplaceholders: []",
        "version: 1\ndialect: sqlite\nplaceholders: [{}]",
        "version: 1\ndialect: sqlite\nplaceholders: [[]]",
        "version: 1\ndialect: sqlite\nplaceholders: [{question: a, sql: [1]}]",
        "!!python/object/apply:os.system [x]",
    ],
)
def test_an_invalid_lock_file_is_refused_and_left_unchanged(text: str, demo: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ How many orders are there? }}")
    lock_file = tmp_path / "report.md.lock.yaml"
    lock_file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        reported(template, demo, Model().backend)
    assert caught.value.message_key == "usage.report_lock"
    assert lock_file.read_text(encoding="utf-8") == text
    assert not (tmp_path / "out.md").exists()


def test_a_question_that_fails_keeps_its_verified_query(shop: Path, tmp_path: Path) -> None:
    template = template_of(tmp_path, "{{ the number of reviews }}")
    reported(template, shop, Model().backend)
    locked = (tmp_path / "report.md.lock.yaml").read_bytes()
    change(shop, "ALTER TABLE reviews RENAME TO opinions")
    report, _ = reported(template, shop, silent())
    assert report.failed == 1
    assert (tmp_path / "report.md.lock.yaml").read_bytes() == locked
