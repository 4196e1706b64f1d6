"""Choose the questions of a run: a reproducible sample, and unanswerable questions mixed in."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import TypeAlias

from text2sql.errors import UsageError
from text2sql.evaluation.questions import Question

# whether the reference query runs on the database with this id
RunsOn: TypeAlias = Callable[[Question, str], bool]


def choose(questions: Sequence[Question], limit: int | None = None, seed: int = 0) -> list[Question]:
    """A reproducible sample of `limit` questions, grouped by database so that each schema is read once.

    A conversation is never divided, so that the sample may be longer than `limit`.
    """
    chosen = list(questions)
    if limit is not None and limit < len(chosen):
        parts = conversations(chosen)
        sample = random.Random(seed).sample(parts, min(limit, len(parts)))  # noqa: S311 -- a sample, not a secret
        chosen = []
        for part in sample:
            if len(chosen) < limit:
                chosen += part
    return sorted(chosen, key=lambda question: question.db_id)


def conversations(questions: Iterable[Question]) -> list[list[Question]]:
    """The questions of each thread together, in order; a question without a thread is alone."""
    threads: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        key = (question.db_id, question.thread) if question.thread else (question.id, "")
        threads.setdefault(key, []).append(question)
    return list(threads.values())


def add_foreign_questions(
    chosen: Sequence[Question], everything: Sequence[Question], share: float, seed: int, runs: RunsOn
) -> list[Question]:
    """Add `share` foreign questions per chosen question, after those of the same database.

    A question whose reference query also runs on the other database may be answerable there and is skipped.
    """
    db_ids = sorted({question.db_id for question in chosen})
    count = round(share * len(chosen))
    candidates = [question for question in everything if question.gold_sql and not question.thread]
    pairs = [(question, db_id) for question, db_id in product(candidates, db_ids) if question.db_id != db_id]
    if count and not pairs:
        raise UsageError("usage.foreign")
    random.Random(seed).shuffle(pairs)  # noqa: S311 -- a sample, not a secret
    foreign: list[Question] = []
    used_ids: set[str] = set()
    for question, db_id in pairs:
        if len(foreign) == count:
            break
        if question.id not in used_ids and not runs(question, db_id):  # each question once
            used_ids.add(question.id)
            foreign.append(
                replace(question, id=f"{question.id}@{db_id}", db_id=db_id, foreign=question.db_id)
            )
    return sorted([*chosen, *foreign], key=lambda question: question.db_id)
