"""Numbers of a run: shares with intervals, classes, and whether two runs differ."""

import pytest

from text2sql.evaluation.report import Comparison, compare, mcnemar, percentile, share, summarise
from text2sql.evaluation.run import Record, Verdict


def record(
    number: int, verdict: Verdict, *failure: str, hardness: str = "easy", seconds: float = 1.0
) -> Record:
    status = "failed" if verdict == "none" else "answered"
    return Record(
        str(number), "d", "q", "SELECT 1", status, verdict, seconds, 1, 100, 10, hardness, failure
    )  # fmt: skip


def test_a_run_is_summed_up() -> None:
    records = [
        record(1, "right", seconds=1),
        record(2, "right", seconds=2, hardness="hard"),
        record(3, "wrong", "table", "value", seconds=3, hardness="hard"),
        record(4, "error", "unknown_column", seconds=4),
        record(5, "none", "table", seconds=5),
        record(6, "unjudged", "syntax", seconds=99),
    ]
    summary = summarise(records)
    assert (summary.right.count, summary.right.of, summary.right.value) == (2, 5, 0.4)
    assert summary.executable.value == 0.6
    assert {level: (one.count, one.of) for level, one in summary.by_hardness.items()} == {
        "easy": (1, 3),
        "hard": (1, 2),
    }
    assert summary.failures == {"table": 2, "unknown_column": 1}
    assert summary.verdicts == {"right": 2, "wrong": 1, "error": 1, "none": 1}
    assert summary.statuses == {"answered": 4, "failed": 1}
    assert (summary.p50, summary.p95, summary.calls, summary.prompt_tokens) == (3, 5, 1, 100)
    assert summary.unjudged == 1


def test_an_empty_run_is_summed_up_too() -> None:
    assert summarise([]).right.value == 0.0


def test_an_interval_holds_the_share_and_narrows_with_more_questions() -> None:
    few, many = share([True, False] * 25), share([True, False] * 500)
    assert few.low < 0.5 < few.high
    assert many.high - many.low == pytest.approx(0.062, abs=0.01)  # 2 x 1.96 x sqrt(0.25 / 1000)
    assert many.high - many.low < few.high - few.low
    assert share([True] * 9) == share([True] * 9, seed=5)


def test_two_runs_are_compared_over_the_questions_both_have() -> None:
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
def test_chance_is_computed_exactly(won: int, lost: int, p: float) -> None:
    assert mcnemar(won, lost) == pytest.approx(p, abs=1e-4)
    assert mcnemar(lost, won) == mcnemar(won, lost)


def test_a_percentile_is_a_value_that_occurred() -> None:
    assert [percentile([1, 2, 3, 4], at) for at in (0.0, 0.25, 0.5, 0.51, 0.95, 1.0)] == [1, 1, 2, 3, 4, 4]
