"""The number of attempts and the switches `explain`, `repair` and `summary`, over every preset."""

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.asking import EMBEDDED, app, scripted
from text2sql.agents import PRESETS, check_options, effective_preset
from text2sql.config import Settings, from_environment
from text2sql.errors import UsageError
from text2sql.types import Answer, RunOptions

QUESTION = "Which customers are there?"
NAMES = "SELECT name FROM customers"


def ask(shop: Path, lines: list[object], settings: dict[str, Any] | None = None, **options: Any) -> Answer:
    async def scenario() -> Answer:
        async with app(shop, scripted(lines), **(settings or {})) as db:
            return await db.ask(QUESTION, **options)

    return asyncio.run(scenario())


def wrong_queries() -> list[object]:
    return [f"SELECT nothing_{n} FROM customers" for n in range(60)]


@pytest.mark.parametrize("attempts", [1, 2, 4, 30])
def test_attempts_bound_the_queries_of_a_model(shop: Path, attempts: int) -> None:
    answer = ask(shop, wrong_queries(), max_attempts=attempts, preset="light")
    assert (answer.status, answer.receipt.usage.calls, answer.receipt.attempts) == (
        "failed",
        attempts,
        attempts,
    )
    limited = ask(shop, wrong_queries(), {"max_attempts": attempts})
    assert limited.receipt.usage.calls == attempts


def test_the_setting_limits_a_preset_and_the_argument_replaces_both() -> None:
    def attempts(name: str, setting: int, argument: int = 0) -> int:
        options = RunOptions(preset=name, max_attempts=argument)
        return effective_preset(options, Settings(max_attempts=setting)).max_attempts

    assert [attempts("default", n) for n in (1, 3, 7)] == [1, 3, 7]
    assert [attempts("light", n) for n in (1, 3, 7)] == [1, 2, 2]
    assert [attempts("light", n, 5) for n in (1, 3, 7)] == [5, 5, 5]


def test_an_argument_beats_a_setting_and_a_setting_beats_a_preset() -> None:
    for name, argument, setting in itertools.product(PRESETS, (None, True, False), ("", "on", "off")):
        expected = argument if argument is not None else {"on": True, "off": False}.get(setting)
        explained = effective_preset(RunOptions(preset=name, explain=argument), Settings(explain=setting))
        assert explained.explain is (PRESETS[name].explain if expected is None else expected)
        repaired = effective_preset(RunOptions(preset=name, repair=argument), Settings(repair=setting))
        if expected is False:
            assert (repaired.retries, repaired.refresh) == (0, False)
        elif expected is True:
            assert repaired.retries > 0
        else:
            assert repaired == effective_preset(RunOptions(preset=name), Settings())
        assert replace(repaired, max_attempts=0, refresh=True) == replace(
            effective_preset(RunOptions(preset=name), Settings()), max_attempts=0, refresh=True
        ), "a switch changes its own part only"


def test_explain_is_switched_on_and_off(shop: Path) -> None:
    assert ask(shop, [NAMES], explain=False).receipt.checks == ("guard", "ran")
    assert ask(shop, [NAMES], explain=True, preset="hybrid").receipt.checks == ("guard", "explain", "ran")
    assert ask(shop, [NAMES], {"explain": "off"}).receipt.checks == ("guard", "ran")


def test_without_repair_a_failure_is_the_answer(shop: Path) -> None:
    for answer in (
        ask(shop, [*wrong_queries(), NAMES], repair=False),
        ask(shop, [*wrong_queries(), NAMES], {"repair": "off"}),
    ):
        assert (answer.status, answer.receipt.usage.calls) == ("failed", 1)
    assert ask(shop, ["SELECT shoe_size FROM customers", NAMES], repair=True, preset="static").sql == NAMES


@pytest.mark.parametrize("options", [{"repair": False}, {"max_attempts": 1}])
def test_without_repair_a_doubtful_query_gets_no_second_one(shop: Path, options: dict[str, Any]) -> None:
    backend = scripted(
        ["SELECT total FROM orders WHERE status = 'lost'", NAMES], can=replace(EMBEDDED, continues=True)
    )

    async def scenario() -> None:
        async with app(shop, backend) as db:
            await db.ask("Names of the customers", **options)

    asyncio.run(scenario())
    assert len(backend.requests) == 1


def test_without_a_summary_the_answer_is_the_number_of_rows_also_later(shop: Path) -> None:
    async def scenario() -> tuple[Answer, Answer]:
        async with app(shop, scripted([NAMES])) as db:
            answer = await db.ask(QUESTION, summary="off", thread="t")
            (later,) = await db.threads.answers("t", rows=10)
            return answer, later

    answer, later = asyncio.run(scenario())
    assert answer.answer.splitlines()[0] == "3 rows."
    assert "Ann" not in answer.answer
    assert later.answer == answer.answer
    assert (answer.receipt.summary, len(answer.rows)) == ("off", 3)


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "deep"},
        {"mode": "telepathy"},
        {"summary": "long"},
        {"explain": "off"},
        {"repair": 1},
        {"max_attempts": -1},
        {"max_attempts": "3"},
        {"max_attempts": True},
    ],
)
def test_a_value_that_does_not_exist_is_refused_wherever_options_come_from(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        check_options(RunOptions(**options), Settings())  # what the client and LangGraph's server do


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PRESET", "deep"),
        ("MODE", "talk"),
        ("SUMMARY", "long"),
        ("EXPLAIN", "maybe"),
        ("REPAIR", "1"),
        ("MAX_ATTEMPTS", "0"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"TEXT2SQL_{name}"):
        from_environment({f"TEXT2SQL_{name}": value})


@pytest.mark.parametrize(
    "settings",
    [Settings(preset="deep"), Settings(summary="long"), Settings(explain="maybe"), Settings(repair="1")],
)
def test_a_setting_from_a_program_is_refused_as_well(settings: Settings) -> None:
    with pytest.raises(UsageError):
        effective_preset(RunOptions(), settings)


def test_the_receipt_has_the_reason_of_a_failure_and_the_answer_its_query(shop: Path) -> None:
    failed = ask(shop, wrong_queries())
    assert (failed.receipt.reason, failed.error and failed.error.kind) == ("budget_exhausted", "column")
    assert failed.sql.startswith("SELECT nothing_")
    assert ask(shop, ["SELECT shoe_size FROM customers", NAMES]).receipt.reason == ""
    answer = ask(shop, ["I cannot tell."], max_attempts=1)
    assert (answer.status, answer.receipt.reason) == ("failed", "llm_explanation")
