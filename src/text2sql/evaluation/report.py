"""What a run says in numbers, how sure they are, and whether two runs really differ."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb

from text2sql.evaluation.run import Record

_RESAMPLES = 2_000
_LEVELS = ("easy", "medium", "hard", "extra", "unknown")


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
class Summary:
    """Questions whose reference does not run are counted in `unjudged` and nowhere else."""

    right: Share
    executable: Share  # of the questions that were judged: a query came, and it runs
    by_hardness: Mapping[str, Share]
    verdicts: Mapping[str, int]
    statuses: Mapping[str, int]
    failures: Mapping[
        str, int
    ]  # the first difference of each wrong answer, the error of each that does not run
    p50: float
    p95: float
    calls: float  # means, by question
    prompt_tokens: float
    completion_tokens: float
    unjudged: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`won`: right in the second run only. `p`: the chance of a difference like this if there were none."""

    questions: int
    won: int
    lost: int
    p: float


def summarise(records: Sequence[Record], seed: int = 0) -> Summary:
    judged = [one for one in records if one.verdict != "unjudged"]
    levels = {level: [one for one in judged if one.hardness == level] for level in _LEVELS}
    failed = Counter(one.failure[0] for one in judged if one.verdict != "right" and one.failure)
    seconds = sorted(one.seconds for one in judged)
    return Summary(
        share([one.verdict == "right" for one in judged], seed),
        share([one.verdict in ("right", "wrong") for one in judged], seed),
        {
            name: share([one.verdict == "right" for one in held], seed)
            for name, held in levels.items()
            if held
        },
        dict(Counter(one.verdict for one in judged).most_common()),
        dict(Counter(one.status for one in judged).most_common()),
        dict(failed.most_common()),
        percentile(seconds, 0.50),
        percentile(seconds, 0.95),
        _mean([one.calls for one in judged]),
        _mean([one.prompt_tokens for one in judged]),
        _mean([one.completion_tokens for one in judged]),
        len(records) - len(judged),
    )


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """McNemar's test, two-sided and exact, over the questions that both runs have judged."""
    one, other = (
        {r.id: r.verdict == "right" for r in run if r.verdict != "unjudged"} for run in (first, second)
    )
    both = one.keys() & other.keys()
    won = sum(other[at] and not one[at] for at in both)
    lost = sum(one[at] and not other[at] for at in both)
    return Comparison(len(both), won, lost, mcnemar(won, lost))


def mcnemar(won: int, lost: int) -> float:
    changed = won + lost
    tail = sum(comb(changed, k) for k in range(min(won, lost) + 1))
    return min(1.0, 2 * tail / (1 << changed))


def share(outcomes: Sequence[bool], seed: int = 0) -> Share:
    """With a bootstrap interval; the same for the same seed."""
    if not outcomes:
        return Share(0, 0, 0.0, 0.0)
    chance = random.Random(seed)  # noqa: S311 -- resampling, not a secret
    size = len(outcomes)
    means = sorted(sum(chance.choices(outcomes, k=size)) / size for _ in range(_RESAMPLES))
    return Share(sum(outcomes), size, percentile(means, 0.025), percentile(means, 0.975))


def percentile(ordered: Sequence[float], at: float) -> float:
    """The smallest value that at least this part of them does not exceed."""
    if not ordered:
        return 0.0
    return ordered[max(0, ceil(at * len(ordered)) - 1)]


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0
