"""Serialize the outcomes of a running report, so that another process can resume it."""

import json
from dataclasses import asdict
from typing import Any

from text2sql.reports.answer_placeholders import Item, Outcome
from text2sql.types import Answer, Problem, Receipt, StageError, Usage


def dumped(outcome: Outcome) -> str:
    """An outcome as ASCII JSON, with only those fields of the answer that reports and records use."""
    answer = outcome.answer
    return json.dumps(
        {
            "origin": outcome.origin,
            "sql": outcome.sql,
            "answer": None if answer is None else _answer_fields(answer),
            "problem": None if outcome.problem is None else asdict(outcome.problem),
            "status": outcome.status,
            "errors": [asdict(error) for error in outcome.errors],
            "repaired": outcome.repaired,
            "usage": asdict(outcome.usage),
            "statements": outcome.statements,
            "seconds": outcome.seconds,
            "model": outcome.model,
        }
    )


def restored(item: Item, text: str) -> Outcome:
    """Parse the text of `dumped`."""
    fields = json.loads(text)
    problem, answer = fields.pop("problem"), fields.pop("answer")
    errors, usage = fields.pop("errors"), fields.pop("usage")
    return Outcome(
        item,
        problem=None if problem is None else Problem(**problem),
        answer=None if answer is None else _answer(answer),
        errors=[StageError(**error) for error in errors],
        usage=Usage(**usage),
        **fields,
    )


def _answer_fields(answer: Answer) -> dict[str, Any]:
    named = ("status", "question", "answer", "sql", "columns", "rows", "row_count", "truncated", "thread_id")
    fields = {name: getattr(answer, name) for name in named}
    return {**fields, "seconds": dict(answer.receipt.seconds)}


def _answer(fields: dict[str, Any]) -> Answer:
    columns, rows = tuple(fields.pop("columns")), tuple(tuple(row) for row in fields.pop("rows"))
    return Answer(columns=columns, rows=rows, receipt=Receipt(seconds=fields.pop("seconds")), **fields)
