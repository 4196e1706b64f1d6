"""Fit three weights of the confidence, and count the answers shown as `sure` with the shipped weights.

    python benchmarks/certainty.py RECORDS.json --databases DIR [DIR …] --fit chinook [more …]

RECORDS is a list of objects with `db` (a file below one of the DIRs), `question`, `seen` (a person's verdict
on the answer) and `confidence` (of the receipt, without the signals that are fitted here). Answers about the
databases of `--fit` are used for the fit, all others are only counted. Messages without a query are skipped.
No model is started: the confidence contains the signals of the model.

    python benchmarks/certainty.py RUN.jsonl [RUN.jsonl …]

RUN is a file written by `text2sql eval --out`. Fit the bound of `sure` on half of the databases, and count
wrong answers that are shown as sure, before and after, on all databases and on the other half.
"""

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

from text2sql import AsyncText2SQL
from text2sql.agents.confidence import EXTRA, PROBABLY, SURE, WEIGHTS, confidence_of, question_signals
from text2sql.agents.intent_patterns import looks_like_follow_up
from text2sql.agents.talk import talk_of
from text2sql.config import Settings

NAMES = EXTRA
RIDGE = 1.0  # towards 0: a few dozen answers say little
WRONG_SHARE = 0.1  # of the answers shown as sure
AGAINST = -0.3  # largest weight of a signal: each lowers the confidence


@dataclass(frozen=True, slots=True)
class Point:
    db: str
    question: str
    before: float
    values: tuple[float, ...]
    right: bool


async def points_of(records: Sequence[dict[str, object]], folders: Sequence[Path]) -> list[Point]:
    points = []
    for name in dict.fromkeys(str(record["db"]) for record in records):
        path = next((path for folder in folders for path in folder.rglob(name)), None)
        if path is None:
            raise SystemExit(f"{name} is in none of the folders")
        async with AsyncText2SQL(str(path), settings=Settings(memory="none", values_wait=60.0)) as app:
            schema_context = await (await app.resources()).catalog_cache.schema_context()
            for record in records:
                question, confidence = str(record["question"]), record["confidence"]
                if record["db"] != name or confidence is None or talk_of(question, schema_context):
                    continue
                follows = record.get("thread") is not None and looks_like_follow_up(question)
                extra = question_signals(question, schema_context, follow_up=follows)
                values = tuple(extra[path] for path in NAMES)
                points.append(
                    Point(name, question, float(str(confidence)), values, record["seen"] == "right")
                )
    return points


def confidence(point: Point, weights: Sequence[float]) -> float:
    start = log(point.before / (1 - point.before))
    total = start + sum(weight * value for weight, value in zip(weights, point.values, strict=True))
    return 1 / (1 + exp(-total))


def fitted(points: Sequence[Point]) -> list[float]:
    """Gradient ascent: three weights and some dozens of answers need no more."""
    weights = [-1.0] * len(NAMES)
    for _ in range(4000):
        slopes = [-RIDGE * weight for weight in weights]
        for point in points:
            miss = point.right - confidence(point, weights)
            slopes = [slope + miss * value for slope, value in zip(slopes, point.values, strict=True)]
        weights = [min(AGAINST, weight + 0.02 * slope) for weight, slope in zip(weights, slopes, strict=True)]
    return weights


def table(title: str, points: Sequence[Point], weights: Sequence[float]) -> None:
    print(f"\n{title}: {len(points)} answers, {sum(not point.right for point in points)} wrong")
    bounds = (("sure", SURE, 2.0), ("probably", PROBABLY, SURE), ("not_sure", 0.0, PROBABLY))
    for word, low, high in bounds:
        sure = [point for point in points if low <= confidence(point, weights) < high]
        wrong = sum(not point.right for point in sure)
        print(f"  {word:9} {len(sure):3} of {len(points)}, wrong {wrong}")
    for at in (0.6, 0.7, 0.8, 0.85, 0.9, 0.95):
        sure = [point for point in points if confidence(point, weights) >= at]
        print(
            f"  at {at:.2f} and more: {len(sure):3} answers, {sum(not point.right for point in sure)} wrong"
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer that was shown, with its confidence by the current weights."""

    source: str
    db: str
    confidence: float
    right: bool


def shown_in(runs: Sequence[Path]) -> list[Shown]:
    records = [(path, json.loads(line)) for path in runs for line in path.read_text("utf-8").splitlines()]
    return [
        Shown(
            path.parent.name, record["db_id"], confidence_of(record["signals"]), record["verdict"] == "right"
        )
        for path, record in records
        if record["status"] == "answered" and record["signals"]
    ]


def halves(answers: Sequence[Shown]) -> tuple[list[Shown], list[Shown]]:
    """Every second database, the largest first, so that both halves are of similar size."""
    counts = Counter((answer.source, answer.db) for answer in answers)
    order = sorted(counts, key=lambda key: (-counts[key], key))
    first = set(order[::2])
    return (
        [answer for answer in answers if (answer.source, answer.db) in first],
        [answer for answer in answers if (answer.source, answer.db) not in first],
    )


def fitted_bound(answers: Sequence[Shown]) -> float:
    """The lowest bound such that at every higher bound, at most one answer in ten is wrong."""
    bound = 1.0
    for step in range(98, 59, -1):
        sure = [answer for answer in answers if answer.confidence >= step / 100]
        if sum(not answer.right for answer in sure) > len(sure) * WRONG_SHARE:
            break
        bound = step / 100
    return bound


def count_sure(title: str, answers: Sequence[Shown], bound: float) -> None:
    sure = [answer for answer in answers if answer.confidence >= bound]
    wrong = sum(not answer.right for answer in sure)
    print(f"  {title:24} at {bound:.2f}: {len(sure):3} of {len(answers):3} sure, {wrong} of them wrong")


def report_bound(runs: Sequence[Path]) -> None:
    answers = shown_in(runs)
    for source in dict.fromkeys(answer.source for answer in answers):
        count_sure(source, [answer for answer in answers if answer.source == source], SURE)
    count_sure("all", answers, SURE)
    first, second = halves(answers)
    for fit, check in ((first, second), (second, first)):
        bound = fitted_bound(fit)
        print(f"fitted on {len({(answer.source, answer.db) for answer in fit})} databases: {bound:.2f}")
        for title, part, at in (("there, before", fit, SURE), ("there", fit, bound)):
            count_sure(title, part, at)
        for title, part, at in (("on the others, before", check, SURE), ("on the others", check, bound)):
            count_sure(title, part, at)
    print(f"fitted on all: {fitted_bound(answers):.2f}")
    count_sure("all", answers, fitted_bound(answers))


def main() -> None:
    reader = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    reader.add_argument("records", type=Path, nargs="+")
    reader.add_argument("--databases", type=Path, nargs="+", default=[])
    reader.add_argument("--fit", nargs="+", default=[])
    arguments = reader.parse_args()
    if all(path.suffix == ".jsonl" for path in arguments.records):
        report_bound(arguments.records)
        return
    records = [record for path in arguments.records for record in json.loads(path.read_text("utf-8"))]
    points = asyncio.run(points_of(records, arguments.databases))
    seen = [point for point in points if Path(point.db).stem in arguments.fit]
    others = [point for point in points if Path(point.db).stem not in arguments.fit]
    weights = fitted(seen)
    print({name: round(weight, 2) for name, weight in zip(NAMES, weights, strict=True)})
    shipped = [WEIGHTS[name] for name in NAMES]
    table("fitted, on the databases of the fit", seen, weights)
    table("as shipped, on the databases of the fit", seen, shipped)
    table("as shipped, on the others", others, shipped)


if __name__ == "__main__":
    main()
