"""Questions that a database cannot answer, mixed in: those of other databases, asked of this one."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

from text2sql.errors import UsageError
from text2sql.evaluation.questions import Question

Runs = Callable[[Question, str], bool]  # whether its reference runs on the database of that id


def with_foreign(
    chosen: Sequence[Question], everything: Sequence[Question], share: float, seed: int, runs: Runs
) -> list[Question]:
    """`share` × as many foreign questions as there are chosen ones, behind those of their database.

    A question whose reference runs on the other database as well may be answerable there: it is passed over.
    """
    homes = sorted({one.db_id for one in chosen})
    wanted = round(share * len(chosen))
    strangers = [one for one in everything if one.gold_sql]
    pairs = [(one, home) for one, home in product(strangers, homes) if one.db_id != home]
    if wanted and not pairs:
        raise UsageError("usage.foreign")
    random.Random(seed).shuffle(pairs)  # noqa: S311 -- a sample, not a secret
    found: list[Question] = []
    asked: set[str] = set()
    for one, home in pairs:
        if len(found) == wanted:
            break
        if one.id not in asked and not runs(one, home):  # each question once
            asked.add(one.id)
            found.append(replace(one, id=f"{one.id}@{home}", db_id=home, foreign=one.db_id))
    return sorted([*chosen, *found], key=lambda one: one.db_id)
