"""Metrics: proportions with intervals, failure classes, and the comparison of two runs."""

from dataclasses import replace

import pytest

from text2sql.evaluation.records import RAN, Outcome, Record, Verdict
from text2sql.evaluation.report import (
    Comparison,
    Risk,
    compare,
    coverage_risk,
    mcnemar,
    percentile,
    share,
    summarize,
)


def record(
    number: int,
    verdict: Verdict,
    *failure: str,
    hardness: str = "easy",
    seconds: float = 1.0,
    status: str = "",
    difficulty: str = "",
    confidence: float | None = None,
    among: bool | None = None,
    foreign: str = "",
    ran: bool | None = None,
) -> Record:
    status = status or ("failed" if verdict == "none" else "answered")
    return Record(
        str(number), "d", "q", "SELECT 1", status, verdict, seconds, 1, 100, 10, hardness, failure,
        difficulty=difficulty, confidence=confidence, among=among, foreign=foreign,
        ran=verdict in RAN if ran is None else ran,
    )  # fmt: skip


def test_the_summary_of_a_run() -> None:
    records = [
        record(1, "right", seconds=1),
        record(2, "right", seconds=2, hardness="hard"),
        record(3, "wrong", "table", "value", seconds=3, hardness="hard"),
        record(4, "error", "unknown_column", seconds=4),
        record(5, "none", "table", seconds=5),
        record(6, "unjudged", "syntax", seconds=99),
    ]
    summary = summarize(records)
    assert (summary.right.count, summary.right.of, summary.right.value) == (2, 5, 0.4)
    assert summary.executable.value == 0.6
    assert {level: (share.count, share.of) for level, share in summary.by_difficulty.items()} == {
        "easy": (1, 3),
        "hard": (1, 2),
    }
    assert {name: (share.count, share.of) for name, share in summary.failures.items()} == {
        "table": (2, 5),
        "unknown_column": (1, 5),
    }
    assert summary.verdicts == {"right": 2, "wrong": 1, "error": 1, "none": 1}
    assert summary.statuses == {"answered": 4, "failed": 1}
    assert (summary.p50, summary.p95, summary.calls, summary.prompt_tokens) == (3, 5, 1, 100)
    assert (summary.questions, summary.unjudged) == (5, 1)
    assert (summary.choice, summary.risk, summary.declined.of) == (None, None, 0)


def test_outcomes_are_counted_by_kind_and_language() -> None:
    outcomes: list[Outcome] = ["right", "right", "wrong_without_doubt", "doubted", "refused", "failed"]
    records = [
        replace(
            record(at, "right" if outcome == "right" else "wrong", seconds=at),
            outcome=outcome,
            kind="growth" if at < 4 else "talk",
            lang="en",
        )
        for at, outcome in enumerate(outcomes)
    ]
    summary = summarize(records)
    growth, talk = summary.by_kind["growth"], summary.by_kind["talk"]
    assert (growth.right.count, growth.wrong_without_doubt.count, growth.doubted.count) == (2, 1, 1)
    assert (talk.refused.count, talk.failed.count, talk.p50) == (1, 1, 4)
    assert [summary.by_language["en"].right.value, summary.outcomes.right.value] == [2 / 6, 2 / 6]


def test_questions_that_expect_no_data_are_not_turned_away() -> None:
    records = [
        replace(record(1, "right", status="no_data", ran=False), expected=("no_data",)),
        record(2, "none", "no_data", status="no_data"),
        record(3, "right"),
    ]
    summary = summarize(records)
    assert (summary.turned_away.count, summary.turned_away.of) == (1, 2)
    assert (summary.executable.count, summary.executable.of) == (1, 2)
    assert (summary.right.count, summary.right.of) == (2, 3)


def test_the_difficulty_of_the_set_precedes_the_computed_hardness() -> None:
    records = [
        record(1, "right", difficulty="tricky", hardness="easy"),
        record(2, "right", hardness="unknown"),
    ]
    records += [record(3, "right", difficulty="hard"), record(4, "right")]
    assert list(summarize(records).by_difficulty) == ["easy", "hard", "tricky", "unknown"]


def test_the_summary_of_an_empty_run() -> None:
    assert summarize([]).right.value == 0.0


def test_declined_questions_are_counted_by_the_database_they_are_about() -> None:
    records = [
        record(1, "right"),
        record(2, "none", "no_data", status="no_data"),
        record(3, "none", "clarify", status="clarify"),
        record(4, "none", "refused", status="refused"),
        record(5, "declined", status="no_data", foreign="zoo"),
        record(6, "declined", status="clarify", foreign="zoo"),
        record(7, "taken", "answered", foreign="zoo"),
    ]
    summary = summarize(records)
    assert (summary.turned_away.count, summary.turned_away.of) == (2, 4)
    assert (summary.declined.count, summary.declined.of) == (2, 3)
    assert summary.right.of == 4
    assert compare(records, records).questions == 4


def test_a_right_candidate_that_was_not_chosen_is_a_selection_loss() -> None:
    records = [
        record(1, "right", among=True),
        record(2, "wrong", "value", among=True),
        record(3, "wrong", "value", among=False),
        record(4, "right"),
    ]
    choice = summarize(records).choice
    assert choice is not None
    assert (choice.questions, choice.passed.count, choice.loss.count, choice.loss.of) == (3, 3, 1, 4)


def test_risk_grows_with_coverage_if_confidence_is_informative() -> None:
    records = [record(at, "right", confidence=0.9 - at / 100) for at in range(6)]
    records += [record(10 + at, "wrong", "value", confidence=0.5) for at in range(2)]
    records += [record(20 + at, "none", "no_data", status="no_data") for at in range(2)]
    risk = coverage_risk(records)
    assert risk is not None
    assert (risk.half, risk.overall) == (0.0, 0.4)
    assert len(risk.curve) == 20
    assert risk.curve[-1] == (1.0, 0.4)
    assert dict(risk.curve)[0.8] == 0.25


def test_ties_in_confidence_do_not_depend_on_the_order() -> None:
    records = [record(1, "right", confidence=0.5), record(2, "wrong", "value", confidence=0.5)]
    assert coverage_risk(records) == coverage_risk(records[::-1])
    risk = coverage_risk(records)
    assert isinstance(risk, Risk)
    assert (risk.half, risk.overall) == (0.5, 0.5)


def test_an_interval_contains_the_share_and_narrows_with_more_questions() -> None:
    few, many = share([True, False] * 25), share([True, False] * 500)
    assert few.low < 0.5 < few.high
    assert many.high - many.low == pytest.approx(0.062, abs=0.01)  # 2 x 1.96 x sqrt(0.25 / 1000)
    assert many.high - many.low < few.high - few.low
    assert share([True] * 9) == share([True] * 9, seed=5)


def test_two_runs_are_compared_over_their_common_questions() -> None:
    first = [
        record(1, "right"),
        record(2, "wrong"),
        record(3, "wrong"),
        record(4, "right"),
        record(9, "right"),
    ]
    second = [
        record(1, "wrong"),
        record(2, "right"),
        record(3, "right"),
        record(4, "right"),
        record(8, "right"),
    ]
    assert compare(first, second) == Comparison(4, won=2, lost=1, p=1.0)


@pytest.mark.parametrize(
    ("won", "lost", "p"), [(0, 0, 1.0), (5, 5, 1.0), (10, 0, 2 / 1024), (0, 1, 1.0), (9, 2, 0.0654)]
)
def test_the_p_value_is_exact(won: int, lost: int, p: float) -> None:
    assert mcnemar(won, lost) == pytest.approx(p, abs=1e-4)
    assert mcnemar(lost, won) == mcnemar(won, lost)


def test_a_percentile_is_a_value_that_occurred() -> None:
    assert [percentile([1, 2, 3, 4], at) for at in (0.0, 0.25, 0.5, 0.51, 0.95, 1.0)] == [1, 1, 2, 3, 4, 4]
