"""Converts question metrics to and from database rows, and aggregates them."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from text2sql.memory.records import QuestionMetrics, Spread, Stats
from text2sql.memory.tables import Cell


def metrics_to_row(metrics: QuestionMetrics) -> tuple[Cell, ...]:
    return (
        metrics.status,
        metrics.attempts,
        int(metrics.repaired),
        int(metrics.first_pass),
        json.dumps(metrics.errors),
        json.dumps({stage: round(seconds, 4) for stage, seconds in metrics.seconds.items()}),
        metrics.calls,
        metrics.prompt_tokens,
        metrics.completion_tokens,
        metrics.statements,
        metrics.model,
    )


def metrics_from_row(row: Sequence[Any]) -> QuestionMetrics:
    status, attempts, repaired, first_pass, errors, seconds, *counts, model = row
    calls, prompt, completion, statements = counts
    return QuestionMetrics(
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


def aggregate(numbers: Iterable[QuestionMetrics]) -> Stats:
    all_metrics = list(numbers)
    answered = [item for item in all_metrics if item.status == "answered"]
    with_model_query = [item for item in all_metrics if item.attempts]
    seconds: dict[str, list[float]] = defaultdict(list)
    for item in all_metrics:
        for stage, durations in item.seconds.items():
            seconds[stage].append(durations)
    return Stats(
        questions=len(all_metrics),
        by_status=dict(Counter(item.status for item in all_metrics).most_common()),
        first_pass_rate=_ratio(sum(item.first_pass for item in with_model_query), len(with_model_query)),
        repair_rate=_ratio(sum(item.repaired for item in with_model_query), len(with_model_query)),
        errors=dict(Counter(kind for item in all_metrics for kind in item.errors).most_common()),
        seconds={
            stage: Spread(_percentile(durations, 0.50), _percentile(durations, 0.95))
            for stage, durations in seconds.items()
        },
        calls_per_answer=_ratio(sum(item.calls for item in answered), len(answered)),
        tokens_per_answer=_ratio(
            sum(item.prompt_tokens + item.completion_tokens for item in answered), len(answered)
        ),
        statements=sum(item.statements for item in all_metrics),
        by_model=dict(Counter(item.model for item in all_metrics if item.model).most_common()),
    )


def _ratio(count: float, total: int) -> float | None:
    return round(count / total, 4) if total else None


def _percentile(values: list[float], fraction: float) -> float:
    """The nearest rank: a measured value, not an interpolated one."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)]
