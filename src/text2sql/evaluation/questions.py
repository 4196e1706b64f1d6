"""Question sets: a list of `{id, db_id, question, gold_sql, evidence?}` over databases in
`DIR/<db_id>/<db_id>.sqlite`.
"""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from text2sql.errors import UsageError

_FIELDS = ("id", "db_id", "question", "gold_sql")


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    db_id: str
    question: str
    gold_sql: str
    evidence: str = ""

    def database(self, folder: Path) -> Path:
        return folder / self.db_id / f"{self.db_id}.sqlite"


def read_questions(path: Path) -> list[Question]:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("usage.questions", path=str(path), detail=str(error)) from error
    except (ValueError, RecursionError) as error:
        raise UsageError("usage.questions", path=str(path), detail=f"no JSON: {error}") from error
    if not isinstance(held, list):
        raise UsageError("usage.questions", path=str(path), detail="not a list")
    return [_question(one, at, path) for at, one in enumerate(held, 1)]


def choose(questions: Sequence[Question], limit: int | None = None, seed: int = 0) -> list[Question]:
    """`limit` of them, the same for the same seed, grouped by database: a schema is read once for all of its
    questions.
    """
    chosen = list(questions)
    if limit is not None and limit < len(chosen):
        chosen = random.Random(seed).sample(chosen, limit)  # noqa: S311 -- a sample, not a secret
    return sorted(chosen, key=lambda one: one.db_id)


def _question(one: object, at: int, path: Path) -> Question:
    if not isinstance(one, dict):
        raise UsageError("usage.questions", path=str(path), detail=f"entry {at} is not an object")
    for name in _FIELDS:
        if not isinstance(one.get(name), str | int) or one[name] == "":
            raise UsageError("usage.questions", path=str(path), detail=f"entry {at} has no {name}")
    db_id = str(one["db_id"])
    if Path(db_id).name != db_id or db_id in (".", ".."):  # it becomes part of a path
        raise UsageError("usage.questions", path=str(path), detail=f"entry {at}: {db_id!r} is no name")
    return Question(
        str(one["id"]), db_id, str(one["question"]), str(one["gold_sql"]), str(one.get("evidence") or "")
    )
