"""Numbers of questions, to and from a row, and added up."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from text2sql.memory.kept import Numbers, Spread, Stats
from text2sql.memory.tables import Cell


def as_row(one: Numbers) -> tuple[Cell, ...]:
    return (
        one.status,
        one.attempts,
        int(one.repaired),
        int(one.first_pass),
        json.dumps(one.errors),
        json.dumps({stage: round(seconds, 4) for stage, seconds in one.seconds.items()}),
        one.calls,
        one.prompt_tokens,
        one.completion_tokens,
        one.statements,
        one.model,
    )


def from_row(row: Sequence[Any]) -> Numbers:
    status, attempts, repaired, first_pass, errors, seconds, *counts, model = row
    calls, prompt, completion, statements = counts
    return Numbers(
        status,
        attempts,
        bool(repaired),
        bool(first_pass),
        tuple(json.loads(errors)),
        json.loads(seconds),
        calls,
        prompt,
        completion,
        statements,
        model,
    )


def summed(numbers: Iterable[Numbers]) -> Stats:
    every = list(numbers)
    answered = [one for one in every if one.status == "answered"]
    written = [one for one in every if one.attempts]
    seconds: dict[str, list[float]] = defaultdict(list)
    for one in every:
        for stage, spent in one.seconds.items():
            seconds[stage].append(spent)
    return Stats(
        questions=len(every),
        by_status=dict(Counter(one.status for one in every).most_common()),
        first_pass_rate=_share(sum(one.first_pass for one in written), len(written)),
        repair_rate=_share(sum(one.repaired for one in written), len(written)),
        errors=dict(Counter(kind for one in every for kind in one.errors).most_common()),
        seconds={stage: Spread(_at(spent, 0.50), _at(spent, 0.95)) for stage, spent in seconds.items()},
        calls_per_answer=_share(sum(one.calls for one in answered), len(answered)),
        tokens_per_answer=_share(
            sum(one.prompt_tokens + one.completion_tokens for one in answered), len(answered)
        ),
        statements=sum(one.statements for one in every),
        by_model=dict(Counter(one.model for one in every if one.model).most_common()),
    )


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _at(values: list[float], share: float) -> float:
    """The nearest rank: a number that was measured, not one between two."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
