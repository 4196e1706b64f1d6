"""Fits the weights of `agents/confidence.py` to what was right and wrong.

    text2sql eval QUESTIONS.json --databases DIR --out train.jsonl
    python benchmarks/calibrate.py train.jsonl [more.jsonl …] [--ridge 1.0] [--folds 5] [--hold repairs …]

A logistic regression over the signals in the records, by Newton's method, with a ridge towards the weights as
they are, so that a signal that hardly occurs keeps the one it has. Only answers count: what was turned away
has no confidence. The weights to be pasted are fitted on everything; the figures of the fit are
cross-validated, since one that is judged on its own questions flatters itself. Tune on a training set only.
Where the failures of that set were read and mended, hold what the mending made look harmless: `repairs`,
`errors`, `tables`, `hardness`.
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
AGAINST = -0.05  # at the most: a signal speaks against an answer, or says next to nothing


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
            found = sure(weights, values)
            spread = found * (1 - found)
            for at in range(size):
                gradient[at] += (is_right - found) * values[at]
                for to in range(size):
                    curvature[at][to] += spread * values[at] * values[to]
        for at in range(1, size):  # what would speak for an answer stays where it is
            if weights[at] >= AGAINST and gradient[at] > 0:
                gradient[at], curvature[at] = 0.0, [float(to == at) for to in range(size)]
        step = solve(curvature, gradient)
        moved = [weight + move for weight, move in zip(weights, step, strict=True)]
        moved[1:] = [min(AGAINST, weight) for weight in moved[1:]]
        if max(abs(one - other) for one, other in zip(moved, weights, strict=True)) < 1e-6:
            break
        weights = moved
    return weights


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """By elimination with pivots: a dozen unknowns need no library."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for at in range(size):
        pivot = max(range(at, size), key=lambda one: abs(rows[one][at]))
        rows[at], rows[pivot] = rows[pivot], rows[at]
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            for to in range(at, size + 1):
                rows[below][to] -= factor * rows[at][to]
    found = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][to] * found[to] for to in range(at + 1, size))
        found[at] = (rows[at][size] - known) / rows[at][at]
    return found


def cross_validated(
    records: Sequence[Record], ridge: Sequence[float], folds: int, seed: int = 0
) -> list[float]:
    """A confidence for each record from weights that have not seen its database: questions of one database
    are alike, so folds are made of databases.
    """
    names = sorted({one.db_id for one in records})
    random.Random(seed).shuffle(names)
    fold = {name: at % folds for at, name in enumerate(names)}
    found = [0.0] * len(records)
    for left_out in range(folds):
        seen = [one for one in records if fold[one.db_id] != left_out]
        if not seen:
            raise SystemExit("questions of at least two databases are needed")
        weights = fit([features(one) for one in seen], [one.verdict == "right" for one in seen], ridge)
        for at, one in enumerate(records):
            if fold[one.db_id] == left_out:
                found[at] = sure(weights, features(one))
    return found


def calibration(
    confidences: Sequence[float], right: Sequence[bool]
) -> tuple[float, list[tuple[int, float, float]]]:
    """The expected calibration error, and for each tenth of the questions how sure and how right they are."""
    ordered = sorted(zip(confidences, right, strict=True))
    bins = [ordered[len(ordered) * at // BINS : len(ordered) * (at + 1) // BINS] for at in range(BINS)]
    table = [
        (len(held), sum(sure for sure, _ in held) / len(held), sum(ok for _, ok in held) / len(held))
        for held in bins
        if held
    ]
    error = sum(count * abs(claimed - true) for count, claimed, true in table) / len(ordered)
    return error, table


def told(
    name: str, confidences: Sequence[float], records: Sequence[Record], everything: Sequence[Record]
) -> None:
    right = [one.verdict == "right" for one in records]
    error, table = calibration(confidences, right)
    loss = -sum(log(max(1e-12, c if ok else 1 - c)) for c, ok in zip(confidences, right, strict=True)) / len(
        right
    )
    by_record = {id(one): found for one, found in zip(records, confidences, strict=True)}
    risk = coverage_risk([replace(one, confidence=by_record.get(id(one))) for one in everything])
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
    given = reader.parse_args()
    everything = [one for path in given.records for one in read_records(path).values()]
    everything = [one for one in everything if not one.foreign and one.verdict != "unjudged"]
    answered = [one for one in everything if one.signals and one.status == "answered"]
    right = [one.verdict == "right" for one in answered]
    if len(set(right)) < 2:
        raise SystemExit("records with signals are needed, right ones and wrong ones")
    ridge = [0.0 if one == "bias" else 1e9 if one in given.hold else given.ridge for one in NAMES]
    weights = fit([features(one) for one in answered], right, ridge)
    print(f"{len(answered)} answers of {len(everything)} questions, {sum(right)} right\n\nWEIGHTS = {{")
    for name, weight in zip(NAMES, weights, strict=True):
        print(f'    "{name}": {weight:.3f},')
    print("}")
    told("as they are", [confidence_of(one.signals) for one in answered], answered, everything)
    told(
        f"fitted, {given.folds} folds",
        cross_validated(answered, ridge, given.folds),
        answered,
        everything,
    )


if __name__ == "__main__":
    main()
