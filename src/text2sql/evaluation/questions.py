"""Load question sets from JSON or YAML.

A set is a list of `{id, db_id, question, gold_sql, …}`, or an object with such a list as `questions` and
`defaults` for the fields that all of them share. In a set about a single database `id` and `db_id` are
optional. docs/evaluation.md lists the fields.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

from text2sql.errors import UsageError
from text2sql.types import Row, Status, Value

# How rows are compared: `exact`, or `lenient`, where extra columns are allowed.
Match: TypeAlias = Literal["exact", "lenient"]
# A number or a word that the sentence must contain, or several of which it must contain one.
Fact: TypeAlias = tuple[str, ...]

_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a set, with the expected answer: reference queries or rows, a status, facts."""

    id: str
    db_id: str  # or the path of a file or folder, relative to the folder of databases
    question: str
    gold_sql: str
    evidence: str = ""
    difficulty: str = ""  # as given in the set
    rows: tuple[Row, ...] | None = None  # the expected rows, if there is no SQL
    ordered: bool = False  # whether the order of `rows` matters, and of the reference if `match` is lenient
    foreign: str = ""  # the database that the question is really about, if it is another one
    any_of: tuple[str, ...] = ()  # further reference queries; the answer must match one
    statuses: tuple[Status, ...] = ("answered",)  # the acceptable ones; empty: the answer is not judged
    facts: tuple[Fact, ...] = ()  # what the answer's sentence must contain
    match: Match = "exact"
    thread: str = ""  # the conversation; questions with the same one are asked in order
    kind: str = ""
    lang: str = ""
    today: str = ""  # the date on which the question is asked (ISO 8601); empty: the current date

    @property
    def with_evidence(self) -> str:
        """The text that is sent to the app."""
        return f"{self.question}\n({self.evidence})" if self.evidence else self.question

    @property
    def references(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(sql for sql in (self.gold_sql, *self.any_of) if sql))

    def database(self, folder: Path) -> Path:
        """The database in this folder: `x.duckdb`, `x/x.sqlite` (or another suffix), or the folder `x`."""
        plain = folder / self.db_id
        if plain.is_file():
            return plain
        expected = plain / f"{plain.name}.sqlite"
        if expected.is_file() or not plain.is_dir():
            return expected
        return next((path for path in sorted(plain.iterdir()) if path.stem == plain.name), plain)


def read_questions(path: Path, db_id: str = "") -> list[Question]:
    """Read a question set, or those in a folder. With `db_id`, all questions are about that database."""
    paths = [path]
    if path.is_dir():
        paths = sorted(file for file in path.iterdir() if file.suffix.lower() in (".json", *_YAML))
    return _unique([question for file in paths for question in questions_of(_read(file), file, db_id)], path)


def questions_of(entries: object, path: Path, db_id: str = "") -> list[Question]:
    """Parse a loaded question set; `path` is for error messages."""
    defaults: Any = {}
    if isinstance(entries, dict) and "questions" in entries:
        entries, defaults = entries["questions"], cast("dict[str, Any]", entries).get("defaults", {})
    if not isinstance(entries, list):
        raise _invalid(path, "not a list")
    if not isinstance(defaults, dict):
        raise _invalid(path, "its defaults are not an object")
    questions = [
        _question(defaults | entry if isinstance(entry, dict) else entry, number, path, db_id)
        for number, entry in enumerate(entries, 1)
    ]
    return _unique(questions, path)


def _unique(questions: list[Question], path: Path) -> list[Question]:
    seen: set[str] = set()
    for number, question in enumerate(questions, 1):
        if question.id in seen:
            raise _invalid(path, f"entry {number}: the id {question.id!r} occurs twice")
        seen.add(question.id)
    return questions


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
    defaults = {"id": number, "db_id": db_id} if db_id else {}  # optional in a set about one database
    fields = {**defaults, **{name: value for name, value in entry.items() if value is not None}}
    if not db_id and "db" in fields:
        fields["db_id"] = fields["db"]
    for name in ("id", "db_id", "question"):
        if not isinstance(fields.get(name), str | int) or fields[name] == "":
            raise _invalid(path, f"entry {number} has no {name}")
    name = db_id or str(fields["db_id"])
    if not db_id and not _is_inside(name):  # it becomes part of a path
        raise _invalid(path, f"entry {number}: {name!r} is not a name")
    gold = _strings(fields.get("gold_sql") or fields.get("sql"))
    any_of = _strings(fields.get("any_of"))
    has_reference = bool(gold or any_of or "rows" in fields)
    is_unjudged = "gold_sql" in entry and entry["gold_sql"] is None
    if not has_reference and not is_unjudged and "status" not in fields:
        raise _invalid(path, f"entry {number} has no gold_sql" + (", and no rows either" if db_id else ""))
    return Question(
        str(fields["id"]),
        name,
        str(fields["question"]),
        gold[0] if gold else "",
        str(fields.get("evidence", "")),
        str(fields.get("difficulty", "")),
        None if gold or any_of or "rows" not in fields else _rows(fields["rows"], number, path),
        bool(fields.get("ordered")),
        any_of=any_of,
        statuses=_statuses(fields, has_reference, number, path),
        facts=tuple(_strings(fact) for fact in _items(fields.get("facts"))),
        match=_match(fields, number, path),
        thread=str(fields.get("thread", "")),
        kind=str(fields.get("kind", "")),
        lang=str(fields.get("lang", "")),
        today=_today(fields, number, path),
    )


def _is_inside(name: str) -> bool:
    parts = name.split("/")
    return Path(name).parts == tuple(parts) and all(part not in ("", ".", "..") for part in parts)


def _statuses(fields: Mapping[str, Any], has_reference: bool, number: int, path: Path) -> tuple[Status, ...]:
    statuses = _strings(fields.get("status"))
    for status in statuses:
        if status not in get_args(Status):
            raise _invalid(path, f"entry {number}: {status!r} is not a status")
    return cast("tuple[Status, ...]", statuses) or (("answered",) if has_reference else ())


def _match(fields: Mapping[str, Any], number: int, path: Path) -> Match:
    match = fields.get("match", "exact")
    if match not in get_args(Match):
        raise _invalid(path, f"entry {number}: match is {match!r}, not exact or lenient")
    return cast("Match", match)


def _today(fields: Mapping[str, Any], number: int, path: Path) -> str:
    today = str(fields.get("today", ""))
    try:
        return f"{date.fromisoformat(today)}" if today else ""
    except ValueError:
        raise _invalid(path, f"entry {number}: {today!r} is not a date") from None


def _strings(value: object) -> tuple[str, ...]:
    return tuple(str(item) for item in _items(value))


def _items(value: object) -> list[Any]:
    """A list, or a single value as one."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


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
