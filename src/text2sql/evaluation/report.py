"""What a run says in numbers, how sure they are, and whether two runs really differ."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb

from text2sql.evaluation.marking import DECLINED
from text2sql.evaluation.records import Record

_RESAMPLES = 2_000
_LEVELS = ("easy", "medium", "hard", "extra")  # others follow by name, what nobody knows comes last
_STEPS = 20  # of the coverage-risk curve
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many, and the interval that holds the true share 95 times in 100."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float:
        return self.count / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """How well the best of several candidates was chosen; over all questions that were judged."""

    questions: int  # that had more than one
    passed: Share  # pass@k: one of them was right, chosen or not
    loss: Share  # right was among them, and another one was chosen


@dataclass(frozen=True, slots=True)
class Risk:
    """`curve`: of the most confident part of all questions (coverage), the part that is not right (risk).

    Questions without an answer come last and are not right: a coverage of all has the overall risk.
    """

    curve: tuple[tuple[float, float], ...]
    half: float  # at a coverage of one half
    overall: float


@dataclass(frozen=True, slots=True)
class Summary:
    """Questions whose reference does not run are counted in `unjudged` and nowhere else; those of another
    database in `declined` and nowhere else.
    """

    questions: int
    right: Share
    executable: Share  # a query came, and it runs
    turned_away: Share  # answerable, and yet `no_data` or `clarify`
    by_difficulty: Mapping[str, Share]
    failures: Mapping[str, Share]  # of all: by the first difference of a wrong answer, or by its error
    verdicts: Mapping[str, int]
    statuses: Mapping[str, int]
    p50: float  # seconds
    p95: float
    calls: float  # means, by question
    prompt_tokens: float
    completion_tokens: float
    choice: Choice | None
    risk: Risk | None  # None where nobody said how sure an answer is
    declined: Share  # of the foreign questions: `no_data` or `clarify`
    unjudged: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`won`: right in the second run only. `p`: the chance of a difference like this if there were none."""

    questions: int
    won: int
    lost: int
    p: float


def summarise(records: Sequence[Record], seed: int = 0) -> Summary:
    judged = [one for one in records if not one.foreign and one.verdict != "unjudged"]
    levels = {level: [one for one in judged if one.level == level] for level in _ordered(judged)}
    failed = Counter(one.failure[0] for one in judged if one.verdict != "right" and one.failure)
    seconds = sorted(one.seconds for one in judged)
    return Summary(
        len(judged),
        share([one.verdict == "right" for one in judged], seed),
        share([one.ran for one in judged], seed),
        share([one.status in DECLINED for one in judged], seed),
        {name: share([one.verdict == "right" for one in held], seed) for name, held in levels.items()},
        {name: share(_first(judged, name), seed) for name, _ in failed.most_common()},
        dict(Counter(one.verdict for one in judged).most_common()),
        dict(Counter(one.status for one in judged).most_common()),
        percentile(seconds, 0.50),
        percentile(seconds, 0.95),
        _mean([one.calls for one in judged]),
        _mean([one.prompt_tokens for one in judged]),
        _mean([one.completion_tokens for one in judged]),
        _choice(judged, seed),
        coverage_risk(judged),
        share([one.verdict == "declined" for one in records if one.foreign], seed),
        sum(one.verdict == "unjudged" for one in records),
    )


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """McNemar's test, two-sided and exact, over the questions that both runs have judged."""
    one, other = (
        {r.id: r.verdict == "right" for r in run if r.verdict != "unjudged" and not r.foreign}
        for run in (first, second)
    )
    both = one.keys() & other.keys()
    won = sum(other[at] and not one[at] for at in both)
    lost = sum(one[at] and not other[at] for at in both)
    return Comparison(len(both), won, lost, mcnemar(won, lost))


def mcnemar(won: int, lost: int) -> float:
    changed = won + lost
    tail = sum(comb(changed, k) for k in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / (1 << changed))


def coverage_risk(judged: Sequence[Record]) -> Risk | None:
    if all(one.confidence is None for one in judged):
        return None
    wrong = _by_confidence(judged)
    curve = tuple((at / _STEPS, _risk(wrong, at / _STEPS)) for at in range(1, _STEPS + 1))
    return Risk(curve, _risk(wrong, HALF), _risk(wrong, 1.0))


def share(outcomes: Sequence[bool], seed: int = 0) -> Share:
    """With a bootstrap interval; the same for the same seed."""
    if not outcomes:
        return Share(0, 0, 0.0, 0.0)
    chance = random.Random(seed)  # noqa: S311 -- resampling, not a secret
    size, count = len(outcomes), sum(outcomes)
    if count in (0, size):  # every resample is the same
        return Share(count, size, count / size, count / size)
    means = sorted(sum(chance.choices(outcomes, k=size)) / size for _ in range(_RESAMPLES))
    return Share(count, size, percentile(means, 0.025), percentile(means, 0.975))


def percentile(ordered: Sequence[float], at: float) -> float:
    """The smallest value that at least this part of them does not exceed."""
    if not ordered:
        return 0.0
    return ordered[max(0, ceil(at * len(ordered)) - 1)]


def _ordered(judged: Sequence[Record]) -> list[str]:
    there = {one.level for one in judged}
    known = [level for level in _LEVELS if level in there]
    return [*known, *sorted(there - {*_LEVELS, "unknown"}), *(["unknown"] if "unknown" in there else [])]


def _first(judged: Sequence[Record], name: str) -> list[bool]:
    return [one.verdict != "right" and one.failure[:1] == (name,) for one in judged]


def _choice(judged: Sequence[Record], seed: int) -> Choice | None:
    several = sum(one.among is not None for one in judged)
    if not several:
        return None
    right = [one.verdict == "right" for one in judged]
    among = [bool(one.among) or one.verdict == "right" for one in judged]
    lost = [could and not did for could, did in zip(among, right, strict=True)]
    return Choice(several, share(among, seed), share(lost, seed))


def _by_confidence(judged: Sequence[Record]) -> list[float]:
    """1 for what is not right, the most confident first; questions of the same confidence share what they
    have, so that their order in the set does not matter.
    """
    groups: dict[float, list[bool]] = {}
    for one in judged:
        sure = -1.0 if one.confidence is None else one.confidence
        groups.setdefault(sure, []).append(one.verdict != "right")
    return [
        sum(groups[sure]) / len(groups[sure]) for sure in sorted(groups, reverse=True) for _ in groups[sure]
    ]


def _risk(wrong: Sequence[float], coverage: float) -> float:
    covered = wrong[: max(1, ceil(coverage * len(wrong)))]
    return sum(covered) / len(covered)


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
