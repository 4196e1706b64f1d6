"""What became of a question of a report so far, as text and back: for whoever goes on with the report."""

import json
from dataclasses import asdict
from typing import Any

from text2sql.reports.filling import Item, Outcome
from text2sql.types import Answer, Problem, Receipt, Trouble, Usage


def dumped(outcome: Outcome) -> str:
    """Of an answer only what a report shows and its record counts. ASCII, whatever a cell holds."""
    answer = outcome.answer
    return json.dumps(
        {
            "origin": outcome.origin,
            "sql": outcome.sql,
            "answer": None if answer is None else _told(answer),
            "problem": None if outcome.problem is None else asdict(outcome.problem),
            "status": outcome.status,
            "errors": [asdict(one) for one in outcome.errors],
            "repaired": outcome.repaired,
            "usage": asdict(outcome.usage),
            "statements": outcome.statements,
            "seconds": outcome.seconds,
            "model": outcome.model,
        }
    )


def restored(item: Item, text: str) -> Outcome:
    held = json.loads(text)
    problem, answer = held.pop("problem"), held.pop("answer")
    errors, usage = held.pop("errors"), held.pop("usage")
    return Outcome(
        item,
        problem=None if problem is None else Problem(**problem),
        answer=None if answer is None else _answer(answer),
        errors=[Trouble(**one) for one in errors],
        usage=Usage(**usage),
        **held,
    )


def _told(answer: Answer) -> dict[str, Any]:
    named = ("status", "question", "answer", "sql", "columns", "rows", "row_count", "truncated", "thread_id")
    told = {name: getattr(answer, name) for name in named}
    return {**told, "seconds": dict(answer.receipt.seconds)}


def _answer(held: dict[str, Any]) -> Answer:
    columns, rows = tuple(held.pop("columns")), tuple(tuple(row) for row in held.pop("rows"))
    return Answer(columns=columns, rows=rows, receipt=Receipt(seconds=held.pop("seconds")), **held)
