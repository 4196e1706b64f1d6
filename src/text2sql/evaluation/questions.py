"""Load question sets from JSON or YAML, and mix in unanswerable questions.

A set is a list of `{id, db_id, question, gold_sql, evidence?, difficulty?}` about databases in
`DIR/<db_id>/<db_id>.sqlite`. In a set about a single database `id` and `db_id` are optional, and the expected
`rows` may replace the SQL.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from text2sql.errors import UsageError
from text2sql.types import Row, Value

# whether the reference query runs on the database with this id
RunsOn: TypeAlias = Callable[["Question", str], bool]

_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a set, with its reference query or expected rows."""

    id: str
    db_id: str
    question: str
    gold_sql: str
    evidence: str = ""
    difficulty: str = ""  # as given in the set
    rows: tuple[Row, ...] | None = None  # the expected rows, if there is no SQL
    ordered: bool = False  # whether the order of `rows` matters
    foreign: str = ""  # the database that the question is really about, if it is another one

    @property
    def with_evidence(self) -> str:
        """The text that is sent to the app."""
        return f"{self.question}\n({self.evidence})" if self.evidence else self.question

    def database(self, folder: Path) -> Path:
        return folder / self.db_id / f"{self.db_id}.sqlite"


def read_questions(path: Path, db_id: str = "") -> list[Question]:
    """Read a question set. With `db_id`, all questions are about that database."""
    return questions_of(_read(path), path, db_id)


def questions_of(entries: object, path: Path, db_id: str = "") -> list[Question]:
    """Parse a loaded question set; `path` is for error messages."""
    if not isinstance(entries, list):
        raise _invalid(path, "not a list")
    questions = [_question(entry, number, path, db_id) for number, entry in enumerate(entries, 1)]
    seen: set[str] = set()
    for number, question in enumerate(questions, 1):
        if question.id in seen:
            raise _invalid(path, f"entry {number}: the id {question.id!r} occurs twice")
        seen.add(question.id)
    return questions


def choose(questions: Sequence[Question], limit: int | None = None, seed: int = 0) -> list[Question]:
    """A reproducible sample of `limit` questions, grouped by database so that each schema is read once."""
    chosen = list(questions)
    if limit is not None and limit < len(chosen):
        chosen = random.Random(seed).sample(chosen, limit)  # noqa: S311 -- a sample, not a secret
    return sorted(chosen, key=lambda question: question.db_id)


def add_foreign_questions(
    chosen: Sequence[Question], everything: Sequence[Question], share: float, seed: int, runs: RunsOn
) -> list[Question]:
    """Add `share` foreign questions per chosen question, after those of the same database.

    A question whose reference query also runs on the other database may be answerable there and is skipped.
    """
    db_ids = sorted({question.db_id for question in chosen})
    count = round(share * len(chosen))
    candidates = [question for question in everything if question.gold_sql]
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


def _read(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        raise _invalid(path, getattr(error, "strerror", None) or str(error)) from error
    if path.suffix.lower() in _YAML:
        return _yaml(path, text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _invalid(path, f"not JSON: {error}") from error


def _yaml(path: Path, text: str) -> Any:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 -- 20 ms that a JSON set need not pay

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _invalid(path, f"not YAML: {' '.join(str(error).split())}") from error


def _question(entry: object, number: int, path: Path, db_id: str) -> Question:
    if not isinstance(entry, dict):
        raise _invalid(path, f"entry {number} is not an object")
    sql = entry.get("gold_sql") or entry.get("sql")
    defaults = {"id": number, "db_id": db_id} if db_id else {}  # optional in a set about one database
    fields = {**defaults, **{name: value for name, value in entry.items() if value is not None}}
    for name in ("id", "db_id", "question"):
        if not isinstance(fields.get(name), str | int) or fields[name] == "":
            raise _invalid(path, f"entry {number} has no {name}")
    if not isinstance(sql, str) and "rows" not in fields:
        raise _invalid(path, f"entry {number} has no gold_sql" + (", and no rows either" if db_id else ""))
    name = db_id or str(fields["db_id"])
    if not db_id and (Path(name).name != name or name in (".", "..")):  # it becomes part of a path
        raise _invalid(path, f"entry {number}: {name!r} is not a name")
    return Question(
        str(fields["id"]),
        name,
        str(fields["question"]),
        sql if isinstance(sql, str) else "",
        str(fields.get("evidence", "")),
        str(fields.get("difficulty", "")),
        None if isinstance(sql, str) else _rows(fields["rows"], number, path),
        bool(fields.get("ordered")),
    )


def _rows(value: Any, number: int, path: Path) -> tuple[Row, ...]:
    """Expected rows: lists, objects, or plain values for a single column."""
    lines = value if isinstance(value, list) else [value]
    rows = []
    for line in lines:
        cells = line.values() if isinstance(line, Mapping) else line if isinstance(line, list) else [line]
        rows.append(tuple(_cell(cell) for cell in cells))
    if len({len(row) for row in rows}) > 1:
        raise _invalid(path, f"entry {number}: its rows have different lengths")
    return tuple(rows)


def _cell(value: Any) -> Value:
    """A cell as query results have it: YAML parses dates, results have them as text."""
    if isinstance(value, date):  # or datetime, its subclass
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return value
    return str(value)


def _invalid(path: Path, detail: str) -> UsageError:
    return UsageError("usage.questions", path=str(path), detail=detail)
