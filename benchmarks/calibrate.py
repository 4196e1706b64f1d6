"""Fit the weights of `agents/confidence.py` to the verdicts of evaluation records.

    text2sql eval QUESTIONS.json --databases DIR --out train.jsonl
    python benchmarks/calibrate.py train.jsonl [more.jsonl …] [--ridge 1.0] [--folds 5] [--hold repairs …]

A logistic regression over the signals in the records, by Newton's method, with a ridge towards the current
weights, so that a rare signal keeps its weight. Only answers count: declined questions have no confidence.
The printed weights are fitted on all records; the figures of the fit are cross-validated, because a fit looks
too good on its own questions. Use a training set only. If fixes were made from the failures of that set, hold
the weights of the signals that these fixes improved: `repairs`, `errors`, `tables`, `hardness`.
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from pathlib import Path

from text2sql.agents.confidence import WEIGHTS, confidence_of
from text2sql.evaluation.records import Record, read_records
from text2sql.evaluation.report import coverage_risk

Weights = dict[str, float]
NAMES = tuple(WEIGHTS)
BINS = 10
STEPS = 50  # of Newton's method, which needs ten
AGAINST = -0.05  # largest weight of a signal: none raises the confidence


def features(record: Record) -> list[float]:
    return [1.0 if name == "bias" else record.signals.get(name, 0.0) for name in NAMES]


def sure(weights: Sequence[float], values: Sequence[float]) -> float:
    total = sum(weight * value for weight, value in zip(weights, values, strict=True))
    return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))


def fit(rows: Sequence[Sequence[float]], right: Sequence[bool], ridge: Sequence[float]) -> list[float]:
    """The most likely weights; the bias has no ridge."""
    size = len(NAMES)
    before = list(WEIGHTS.values())
    weights = before
    for _ in range(STEPS):
        gradient = [ridge[at] * (before[at] - weight) for at, weight in enumerate(weights)]
        curvature = [[ridge[at] * (at == to) + 1e-9 * (at == to) for to in range(size)] for at in range(size)]
        for values, is_right in zip(rows, right, strict=True):
            probability = sure(weights, values)
            spread = probability * (1 - probability)
            for at in range(size):
                gradient[at] += (is_right - probability) * values[at]
                for to in range(size):
                    curvature[at][to] += spread * values[at] * values[to]
        for at in range(1, size):  # a weight does not rise above AGAINST
            if weights[at] >= AGAINST and gradient[at] > 0:
                gradient[at], curvature[at] = 0.0, [float(to == at) for to in range(size)]
        step = solve(curvature, gradient)
        moved = [weight + move for weight, move in zip(weights, step, strict=True)]
        moved[1:] = [min(AGAINST, weight) for weight in moved[1:]]
        if max(abs(new - old) for new, old in zip(moved, weights, strict=True)) < 1e-6:
            break
        weights = moved
    return weights


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with pivots: a dozen unknowns need no library."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            for to in range(at, size + 1):
                rows[below][to] -= factor * rows[at][to]
    solution = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][to] * solution[to] for to in range(at + 1, size))
        solution[at] = (rows[at][size] - known) / rows[at][at]
    return solution


def cross_validated(
    records: Sequence[Record], ridge: Sequence[float], folds: int, seed: int = 0
) -> list[float]:
    """A confidence for each record, from weights fitted on other databases. Questions about one database are
    similar, so a fold consists of whole databases.
    """
    names = sorted({record.db_id for record in records})
    random.Random(seed).shuffle(names)
    fold = {name: at % folds for at, name in enumerate(names)}
    confidences = [0.0] * len(records)
    for left_out in range(folds):
        seen = [record for record in records if fold[record.db_id] != left_out]
        if not seen:
            raise SystemExit("questions of at least two databases are needed")
        weights = fit(
            [features(record) for record in seen], [record.verdict == "right" for record in seen], ridge
        )
        for at, record in enumerate(records):
            if fold[record.db_id] == left_out:
                confidences[at] = sure(weights, features(record))
    return confidences


def calibration(
    confidences: Sequence[float], right: Sequence[bool]
) -> tuple[float, list[tuple[int, float, float]]]:
    """The expected calibration error, and the mean confidence and accuracy of each tenth of the questions."""
    ordered = sorted(zip(confidences, right, strict=True))
    bins = [ordered[len(ordered) * at // BINS : len(ordered) * (at + 1) // BINS] for at in range(BINS)]
    table = [
        (
            len(answers),
            sum(sure for sure, _ in answers) / len(answers),
            sum(ok for _, ok in answers) / len(answers),
        )
        for answers in bins
        if answers
    ]
    error = sum(count * abs(claimed - true) for count, claimed, true in table) / len(ordered)
    return error, table


def print_calibration(
    name: str, confidences: Sequence[float], records: Sequence[Record], everything: Sequence[Record]
) -> None:
    right = [record.verdict == "right" for record in records]
    error, table = calibration(confidences, right)
    loss = -sum(log(max(1e-12, c if ok else 1 - c)) for c, ok in zip(confidences, right, strict=True)) / len(
        right
    )
    by_record = {id(record): confidence for record, confidence in zip(records, confidences, strict=True)}
    risk = coverage_risk([replace(record, confidence=by_record.get(id(record))) for record in everything])
    print(f"\n{name}: calibration error {error:.3f}, log loss {loss:.3f}")
    if risk is not None:
        print(f"  risk {risk.overall:.3f} overall, {risk.half:.3f} at 50 % coverage")
    print("  questions   claimed   right")
    for count, claimed, true in table:
        print(f"  {count:9}   {claimed:7.3f}   {true:5.3f}")


def main() -> None:
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("records", type=Path, nargs="+")
    reader.add_argument("--ridge", type=float, default=1.0)
    reader.add_argument("--folds", type=int, default=5)
    reader.add_argument("--hold", nargs="*", choices=NAMES, default=[])
    arguments = reader.parse_args()
    everything = [record for path in arguments.records for record in read_records(path).values()]
    everything = [record for record in everything if not record.foreign and record.verdict != "unjudged"]
    answered = [record for record in everything if record.signals and record.status == "answered"]
    right = [record.verdict == "right" for record in answered]
    if len(set(right)) < 2:
        raise SystemExit("records with signals are needed, right ones and wrong ones")
    ridge = [
        0.0 if record == "bias" else 1e9 if record in arguments.hold else arguments.ridge for record in NAMES
    ]
    weights = fit([features(record) for record in answered], right, ridge)
    print(f"{len(answered)} answers of {len(everything)} questions, {sum(right)} right\n\nWEIGHTS = {{")
    for name, weight in zip(NAMES, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')
    print("}")
    print_calibration(
        "current weights", [confidence_of(record.signals) for record in answered], answered, everything
    )
    print_calibration(
        f"fitted, {arguments.folds} folds",
        cross_validated(answered, ridge, arguments.folds),
        answered,
        everything,
    )


if __name__ == "__main__":
    main()
