"""Metrics of a run with confidence intervals, and the significance test between two runs."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb

from text2sql.evaluation.judge import DECLINED
from text2sql.evaluation.records import Outcome, Record

_RESAMPLES = 2_000
_LEVELS = ("easy", "medium", "hard", "extra")  # other levels follow by name, "unknown" comes last
_STEPS = 20  # points of the coverage-risk curve
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Share:
    """A proportion with its 95 % bootstrap confidence interval."""

    count: int
    of: int
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class Choice:
    """How well the app chose among several candidate queries, over all judged questions."""

    questions: int  # questions with more than one candidate
    passed: Share  # pass@k: any candidate is right
    loss: Share  # a candidate is right, but another one was chosen


@dataclass(frozen=True, slots=True)
class Risk:
    """The coverage-risk curve: for the most confident share of all questions (coverage), the share that is
    wrong (risk). Unanswered questions count as wrong and come last.
    """

    curve: tuple[tuple[float, float], ...]  # (coverage, risk)
    half: float  # the risk at 50 % coverage
    overall: float  # the risk at 100 % coverage


@dataclass(frozen=True, slots=True)
class Group:
    """The outcomes of the questions of a kind or language. They add up to all of them."""

    right: Share
    wrong_without_doubt: Share
    doubted: Share
    refused: Share
    failed: Share
    p50: float  # seconds


@dataclass(frozen=True, slots=True)
class Summary:
    """The metrics of a run. Questions whose reference fails count in `unjudged` only, and questions about
    another database in `declined` only.
    """

    questions: int
    right: Share
    executable: Share  # a query was generated and runs; like the following, of the answerable questions
    turned_away: Share  # answerable, but answered with `no_data` or `clarify`
    by_difficulty: Mapping[str, Share]
    failures: Mapping[str, Share]  # of all questions, by first difference or error
    verdicts: Mapping[str, int]
    statuses: Mapping[str, int]
    p50: float  # seconds
    p95: float
    calls: float  # means per question
    prompt_tokens: float
    completion_tokens: float
    choice: Choice | None
    risk: Risk | None  # None if no answer has a confidence
    declined: Share  # foreign questions answered with `no_data` or `clarify`
    unjudged: int
    outcomes: Group
    by_kind: Mapping[str, Group]  # empty if the questions have none, like the following
    by_language: Mapping[str, Group]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between two runs. `won`: right in the second run only; `lost`: in the first only; `p`:
    the p-value of McNemar's test.
    """

    questions: int
    won: int
    lost: int
    p: float


def summarize(records: Sequence[Record], seed: int = 0) -> Summary:
    judged = [record for record in records if not record.foreign and record.verdict != "unjudged"]
    answerable = [record for record in judged if record.answerable]
    levels = {
        level: [record for record in judged if record.level == level] for level in _levels_in_order(judged)
    }
    failed = Counter(record.failure[0] for record in judged if record.verdict != "right" and record.failure)
    seconds = sorted(record.seconds for record in judged)
    return Summary(
        len(judged),
        share([record.verdict == "right" for record in judged], seed),
        share([record.ran for record in answerable], seed),
        share([record.status in DECLINED for record in answerable], seed),
        {
            name: share([record.verdict == "right" for record in group], seed)
            for name, group in levels.items()
        },
        {name: share(_has_failure(judged, name), seed) for name, _ in failed.most_common()},
        dict(Counter(record.verdict for record in judged).most_common()),
        dict(Counter(record.status for record in judged).most_common()),
        percentile(seconds, 0.50),
        percentile(seconds, 0.95),
        _mean([record.calls for record in judged]),
        _mean([record.prompt_tokens for record in judged]),
        _mean([record.completion_tokens for record in judged]),
        _choice(judged, seed),
        coverage_risk(answerable),
        share([record.verdict == "declined" for record in records if record.foreign], seed),
        sum(record.verdict == "unjudged" for record in records),
        group(judged, seed),
        {name: group(part, seed) for name, part in _parts(judged, lambda record: record.kind)},
        {name: group(part, seed) for name, part in _parts(judged, lambda record: record.lang)},
    )


def group(records: Sequence[Record], seed: int = 0) -> Group:
    """The outcomes of these judged questions."""

    def having(outcome: Outcome) -> Share:
        return share([record.outcome == outcome for record in records], seed)

    return Group(
        having("right"),
        having("wrong_without_doubt"),
        having("doubted"),
        having("refused"),
        having("failed"),
        percentile(sorted(record.seconds for record in records), 0.50),
    )


def _parts(records: Sequence[Record], name_of: Callable[[Record], str]) -> Iterator[tuple[str, list[Record]]]:
    names = sorted({name_of(record) for record in records} - {""})
    return ((name, [record for record in records if name_of(record) == name]) for name in names)


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """Compare two runs with an exact two-sided McNemar test over the questions that both have judged."""
    first_right, second_right = (
        {r.id: r.verdict == "right" for r in run if r.verdict != "unjudged" and not r.foreign}
        for run in (first, second)
    )
    common = first_right.keys() & second_right.keys()
    won = sum(second_right[question_id] and not first_right[question_id] for question_id in common)
    lost = sum(first_right[question_id] and not second_right[question_id] for question_id in common)
    return Comparison(len(common), won, lost, mcnemar(won, lost))


def mcnemar(won: int, lost: int) -> float:
    changed = won + lost
    tail = sum(comb(changed, k) for k in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / (1 << changed))


def coverage_risk(judged: Sequence[Record]) -> Risk | None:
    if all(record.confidence is None for record in judged):
        return None
    wrong = _wrong_by_confidence(judged)
    curve = tuple((at / _STEPS, _risk(wrong, at / _STEPS)) for at in range(1, _STEPS + 1))
    return Risk(curve, _risk(wrong, HALF), _risk(wrong, 1.0))


def share(outcomes: Sequence[bool], seed: int = 0) -> Share:
    """The proportion of true outcomes with a reproducible bootstrap interval."""
    if not outcomes:
        return Share(0, 0, 0.0, 0.0, 0.0)
    chance = random.Random(seed)  # noqa: S311 -- resampling, not a secret
    size, count = len(outcomes), sum(outcomes)
    value = count / size
    if count in (0, size):  # all resamples are equal
        return Share(count, size, value, value, value)
    means = sorted(sum(chance.choices(outcomes, k=size)) / size for _ in range(_RESAMPLES))
    return Share(count, size, percentile(means, 0.025), percentile(means, 0.975), value)


def percentile(ordered: Sequence[float], at: float) -> float:
    """The percentile by the nearest-rank method."""
    if not ordered:
        return 0.0
    return ordered[max(0, ceil(at * len(ordered)) - 1)]


def _levels_in_order(judged: Sequence[Record]) -> list[str]:
    present = {record.level for record in judged}
    known = [level for level in _LEVELS if level in present]
    return [*known, *sorted(present - {*_LEVELS, "unknown"}), *(["unknown"] if "unknown" in present else [])]


def _has_failure(judged: Sequence[Record], name: str) -> list[bool]:
    return [record.verdict != "right" and record.failure[:1] == (name,) for record in judged]


def _choice(judged: Sequence[Record], seed: int) -> Choice | None:
    several = sum(record.among is not None for record in judged)
    if not several:
        return None
    right = [record.verdict == "right" for record in judged]
    among = [bool(record.among) or record.verdict == "right" for record in judged]
    lost = [could and not did for could, did in zip(among, right, strict=True)]
    return Choice(several, share(among, seed), share(lost, seed))


def _wrong_by_confidence(judged: Sequence[Record]) -> list[float]:
    """1 for each wrong answer and 0 for each right one, most confident first. Ties are averaged, so the order
    of the questions does not matter.
    """
    groups: dict[float, list[bool]] = {}
    for record in judged:
        confidence = -1.0 if record.confidence is None else record.confidence
        groups.setdefault(confidence, []).append(record.verdict != "right")
    return [
        sum(groups[confidence]) / len(groups[confidence])
        for confidence in sorted(groups, reverse=True)
        for _ in groups[confidence]
    ]


def _risk(wrong: Sequence[float], coverage: float) -> float:
    covered = wrong[: max(1, ceil(coverage * len(wrong)))]
    return sum(covered) / len(covered)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
