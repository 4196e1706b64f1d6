"""The record of a report run as JSON: outcomes, errors, time and cost."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from text2sql.reports.outcomes import AnsweredReport, Outcome
from text2sql.types import Usage


def record_of(
    answers: AnsweredReport,
    *,
    placeholders: int,
    failures: int,
    parameters: Mapping[str, str],
    unused: Sequence[str],
    started: datetime,
    total: float,
) -> dict[str, Any]:
    """The record, without rows. `first_pass` counts the questions answered without an error, `repaired` those
    answered after a repair, out of all repair attempts.
    """
    outcomes = answers.outcomes
    answered = [outcome for outcome in outcomes if outcome.answer is not None]
    first_pass = [outcome for outcome in answered if not outcome.repaired and not outcome.errors]
    repaired = [outcome for outcome in outcomes if outcome.repaired]
    usage = sum((outcome.usage for outcome in outcomes), Usage())
    return {
        "started": started.isoformat(timespec="seconds"),
        "dialect": answers.lock.dialect,
        "parameters": dict(parameters),
        "unused_parameters": list(unused),
        "placeholders": placeholders,
        "filled": placeholders - failures,
        "failed": failures,
        "questions": len(outcomes),
        "resumed": answers.resumed,
        "origins": dict(Counter(outcome.origin or "none" for outcome in answered)),
        "first_pass": _share(len(first_pass), len(outcomes)),
        "repaired": _share(sum(outcome.answer is not None for outcome in repaired), len(repaired)),
        "errors": dict(Counter(error.kind for outcome in outcomes for error in outcome.errors).most_common()),
        "seconds": {**answers.seconds, "total": round(total, 3), "query": _spread(answered)},
        "statements": sum(outcome.statements for outcome in outcomes),
        "connections": answers.connections,
        "model": {
            "name": next((outcome.model for outcome in outcomes if outcome.model), ""),
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        },
        "items": [_item(outcome) for outcome in outcomes],
    }


def _item(outcome: Outcome) -> dict[str, Any]:
    problem = outcome.problem
    return {
        "question": outcome.item.question,
        "asked": outcome.item.resolved,
        "status": "filled" if outcome.answer is not None else outcome.status or "failed",
        "origin": outcome.origin,
        "sql": outcome.sql,
        "rows": outcome.answer.row_count if outcome.answer else 0,
        "truncated": outcome.answer.truncated if outcome.answer else False,
        "seconds": outcome.seconds,
        "statements": outcome.statements,
        "errors": [
            {"stage": error.stage, "kind": error.kind, "detail": error.detail} for error in outcome.errors
        ],
        "error": {"kind": problem.kind, "message": problem.message} if problem else None,
    }


def _share(part: int, whole: int) -> dict[str, Any]:
    return {"count": part, "of": whole, "rate": round(part / whole, 4) if whole else None}


def _spread(answered: Sequence[Outcome]) -> dict[str, float]:
    spent = sorted(
        outcome.answer.receipt.seconds.get("executor", 0.0) for outcome in answered if outcome.answer
    )
    if not spent:
        return {}
    return {
        "p50": spent[math.ceil(len(spent) * 0.50) - 1],
        "p95": spent[math.ceil(len(spent) * 0.95) - 1],
        "max": spent[-1],
    }
