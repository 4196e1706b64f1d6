"""Question sets, JSON or YAML: a list of `{id, db_id, question, gold_sql, evidence?, difficulty?}` over
databases in `DIR/<db_id>/<db_id>.sqlite`; or a person's own over one database, where `id` and `db_id` may be
left out and `rows`, the expected ones, may stand for the SQL.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from text2sql.errors import UsageError
from text2sql.types import Row, Value

_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    db_id: str
    question: str
    gold_sql: str
    evidence: str = ""
    difficulty: str = ""  # as the set says it
    rows: tuple[Row, ...] | None = None  # what is expected, where there is no SQL
    ordered: bool = False  # whether the order of those rows matters
    foreign: str = ""  # the database that it is really about, if not this one

    @property
    def asked(self) -> str:
        return f"{self.question}\n({self.evidence})" if self.evidence else self.question

    def database(self, folder: Path) -> Path:
        return folder / self.db_id / f"{self.db_id}.sqlite"


def read_questions(path: Path, db_id: str = "") -> list[Question]:
    """`db_id` names the one database that all of them are about."""
    return questions_of(_read(path), path, db_id)


def questions_of(held: object, path: Path, db_id: str = "") -> list[Question]:
    """The same of a set that has been read; `path` is where it says what is wrong with it."""
    if not isinstance(held, list):
        raise _wrong(path, "not a list")
    questions = [_question(one, at, path, db_id) for at, one in enumerate(held, 1)]
    seen: set[str] = set()
    for at, one in enumerate(questions, 1):
        if one.id in seen:
            raise _wrong(path, f"entry {at}: the id {one.id!r} is there twice")
        seen.add(one.id)
    return questions


def choose(questions: Sequence[Question], limit: int | None = None, seed: int = 0) -> list[Question]:
    """`limit` of them, the same for the same seed, grouped by database: a schema is read once for all of its
    questions.
    """
    chosen = list(questions)
    if limit is not None and limit < len(chosen):
        chosen = random.Random(seed).sample(chosen, limit)  # noqa: S311 -- a sample, not a secret
    return sorted(chosen, key=lambda one: one.db_id)


def _read(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a NUL in the path
        raise _wrong(path, getattr(error, "strerror", None) or str(error)) from error
    if path.suffix.lower() in _YAML:
        return _yaml(path, text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _wrong(path, f"no JSON: {error}") from error


def _yaml(path: Path, text: str) -> Any:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 -- 20 ms that a JSON set need not pay

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise _wrong(path, f"no YAML: {' '.join(str(error).split())}") from error


def _question(one: object, at: int, path: Path, db_id: str) -> Question:
    if not isinstance(one, dict):
        raise _wrong(path, f"entry {at} is not an object")
    sql = one.get("gold_sql") or one.get("sql")
    own = {"id": at, "db_id": db_id} if db_id else {}  # a person's own questions need no more than words
    told = {**own, **{name: value for name, value in one.items() if value is not None}}
    for name in ("id", "db_id", "question"):
        if not isinstance(told.get(name), str | int) or told[name] == "":
            raise _wrong(path, f"entry {at} has no {name}")
    if not isinstance(sql, str) and "rows" not in told:
        raise _wrong(path, f"entry {at} has no gold_sql" + (", and no rows either" if db_id else ""))
    name = db_id or str(told["db_id"])
    if not db_id and (Path(name).name != name or name in (".", "..")):  # it becomes part of a path
        raise _wrong(path, f"entry {at}: {name!r} is no name")
    return Question(
        str(told["id"]),
        name,
        str(told["question"]),
        sql if isinstance(sql, str) else "",
        str(told.get("evidence", "")),
        str(told.get("difficulty", "")),
        None if isinstance(sql, str) else _rows(told["rows"], at, path),
        bool(told.get("ordered")),
    )


def _rows(held: Any, at: int, path: Path) -> tuple[Row, ...]:
    """Rows as people write them: lists, objects, or bare values where there is one column."""
    lines = held if isinstance(held, list) else [held]
    rows = []
    for line in lines:
        cells = line.values() if isinstance(line, Mapping) else line if isinstance(line, list) else [line]
        rows.append(tuple(_cell(one) for one in cells))
    if len({len(row) for row in rows}) > 1:
        raise _wrong(path, f"entry {at}: its rows are not equally long")
    return tuple(rows)


def _cell(value: Any) -> Value:
    """YAML reads a date where one stands; results have it as text."""
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return value
    return str(value)


def _wrong(path: Path, detail: str) -> UsageError:
    return UsageError("usage.questions", path=str(path), detail=detail)
