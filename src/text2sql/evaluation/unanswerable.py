"""Mix in unanswerable questions: questions about other databases."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

from text2sql.errors import UsageError
from text2sql.evaluation.questions import Question

RunsOn = Callable[[Question, str], bool]  # whether the reference query runs on the database with this id


def add_foreign_questions(
    chosen: Sequence[Question], everything: Sequence[Question], share: float, seed: int, runs: RunsOn
) -> list[Question]:
    """Add `share` foreign questions per chosen question, after those of the same database.

    A question whose reference query also runs on the other database may be answerable there and is skipped.
    """
    db_ids = sorted({question.db_id for question in chosen})
    wanted = round(share * len(chosen))
    candidates = [question for question in everything if question.gold_sql]
    pairs = [(question, db_id) for question, db_id in product(candidates, db_ids) if question.db_id != db_id]
    if wanted and not pairs:
        raise UsageError("usage.foreign")
    random.Random(seed).shuffle(pairs)  # noqa: S311 -- a sample, not a secret
    foreign: list[Question] = []
    used_ids: set[str] = set()
    for question, db_id in pairs:
        if len(foreign) == wanted:
            break
        if question.id not in used_ids and not runs(question, db_id):  # each question once
            used_ids.add(question.id)
            foreign.append(
                replace(question, id=f"{question.id}@{db_id}", db_id=db_id, foreign=question.db_id)
            )
    return sorted([*chosen, *foreign], key=lambda question: question.db_id)
