"""The record of a run: how many came at once, how many after a repair, what went wrong, what it cost."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from text2sql.reports.filling import Filled, Outcome
from text2sql.types import Usage


def record_of(
    filled: Filled,
    *,
    placeholders: int,
    marks: int,
    parameters: Mapping[str, str],
    unused: Sequence[str],
    started: datetime,
    total: float,
) -> dict[str, Any]:
    """JSON; no rows. `first_pass` counts what needed no repair, `repaired` what a repair was tried for."""
    every = filled.outcomes
    done = [one for one in every if one.answer is not None]
    first = [one for one in done if not one.repaired and not one.errors]
    tried = [one for one in every if one.repaired]
    usage = sum((one.usage for one in every), Usage())
    return {
        "started": started.isoformat(timespec="seconds"),
        "dialect": filled.lock.dialect,
        "parameters": dict(parameters),
        "unused_parameters": list(unused),
        "placeholders": placeholders,
        "filled": placeholders - marks,
        "failed": marks,
        "questions": len(every),
        "resumed": filled.resumed,
        "origins": dict(Counter(one.origin or "none" for one in done)),
        "first_pass": _share(len(first), len(every)),
        "repaired": _share(sum(one.answer is not None for one in tried), len(tried)),
        "errors": dict(Counter(error.kind for one in every for error in one.errors).most_common()),
        "seconds": {**filled.seconds, "total": round(total, 3), "query": _spread(done)},
        "statements": sum(one.statements for one in every),
        "connections": filled.connections,
        "model": {
            "name": next((one.model for one in every if one.model), ""),
            "calls": usage.calls,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        },
        "items": [_item(one) for one in every],
    }


def _item(one: Outcome) -> dict[str, Any]:
    problem = one.problem
    return {
        "question": one.item.question,
        "asked": one.item.asked,
        "status": "filled" if one.answer is not None else one.status or "failed",
        "origin": one.origin,
        "sql": one.sql,
        "rows": one.answer.row_count if one.answer else 0,
        "truncated": one.answer.truncated if one.answer else False,
        "seconds": one.seconds,
        "statements": one.statements,
        "errors": [{"stage": each.stage, "kind": each.kind, "detail": each.detail} for each in one.errors],
        "error": {"kind": problem.kind, "message": problem.message} if problem else None,
    }


def _share(part: int, whole: int) -> dict[str, Any]:
    return {"count": part, "of": whole, "rate": round(part / whole, 4) if whole else None}


def _spread(done: Sequence[Outcome]) -> dict[str, float]:
    spent = sorted(one.answer.receipt.seconds.get("executor", 0.0) for one in done if one.answer)
    if not spent:
        return {}
    return {
        "p50": spent[math.ceil(len(spent) * 0.50) - 1],
        "p95": spent[math.ceil(len(spent) * 0.95) - 1],
        "max": spent[-1],
    }
