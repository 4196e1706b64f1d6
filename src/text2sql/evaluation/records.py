"""The records of a run, one JSON line per question. An interrupted run resumes after its last line."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from io import BufferedWriter
from pathlib import Path
from typing import Literal, Self, TypeAlias

from text2sql.errors import UsageError

# `none`: there is no query; `error`: the query fails; `unjudged`: the reference query fails.
# For a question about another database: `declined` if the app did not answer it, else `taken`.
Verdict: TypeAlias = Literal["right", "wrong", "error", "none", "unjudged", "declined", "taken"]
RAN: tuple[Verdict, ...] = ("right", "wrong")
# What the user experiences. `wrong_without_doubt`: a wrong answer that is shown as `sure` or `probably`, or
# without any certainty; `doubted`: a wrong answer shown as `not_sure`, or a question back; `refused`: no
# answer where one was expected.
Outcome: TypeAlias = Literal["right", "wrong_without_doubt", "doubted", "refused", "failed", "unjudged"]


@dataclass(frozen=True, slots=True)
class Record:
    """The outcome of one question: one line of the file."""

    id: str
    db_id: str
    question: str
    sql: str
    status: str
    verdict: Verdict
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int
    hardness: str = "unknown"  # computed from the reference query
    failure: tuple[str, ...] = ()  # differences from the reference, or the kind of the error
    difficulty: str = ""  # as given in the question set
    confidence: float | None = None
    signals: Mapping[str, float] = field(default_factory=dict)  # the features behind the confidence
    repairs: tuple[str, ...] = ()
    attempts: int = 0
    candidates: int = 0  # number of distinct candidate queries
    among: bool | None = None  # whether a candidate is right; None if there was only one
    ran: bool = False  # a query was generated and runs, even if the app asked for clarification
    foreign: str = ""  # the database that the question is really about, if it is another one
    model: str = ""
    outcome: Outcome = "unjudged"  # of foreign questions too
    certainty: str = ""  # as shown with the answer
    expected: tuple[str, ...] = ("answered",)  # the acceptable statuses
    sentence: str = ""
    kind: str = ""  # as given in the question set, like the following two
    lang: str = ""
    thread: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the question has an answer from the data."""
        return "answered" in self.expected

    @property
    def level(self) -> str:
        """The difficulty of the set, or else the computed hardness."""
        return self.difficulty or self.hardness


def read_records(path: Path) -> dict[str, Record]:
    """Read records by id. An incomplete last line, left by a killed run, is ignored."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise UsageError("usage.records", path=str(path), detail=detail) from error
    records = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = record_of(line)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            if number == len(lines):
                break
            raise UsageError("usage.records", path=str(path), detail=f"line {number}: {error}") from error
        records[record.id] = record
    return records


_NAMES = {field.name for field in fields(Record)}


def record_of(line: str) -> Record:
    line_fields = json.loads(line)
    known = {name: line_fields[name] for name in _NAMES & line_fields.keys()}
    for name in ("failure", "repairs"):
        known[name] = tuple(known.get(name, ()))
    known["expected"] = tuple(known.get("expected", ("answered",)))
    # missing in old records:
    known.setdefault("ran", known["verdict"] in RAN)
    known.setdefault("outcome", outcome_of(known["verdict"], known["status"], ""))
    return Record(**known)


def outcome_of(verdict: Verdict, status: str, certainty: str) -> Outcome:
    """The outcome of a judged answer. `certainty` is empty for an answer that is shown without one."""
    if verdict == "right":
        return "right"
    if verdict in ("unjudged", "declined", "taken"):
        return "unjudged"
    if status == "failed":
        return "failed"
    if status == "clarify" or (status == "answered" and certainty == "not_sure"):
        return "doubted"
    return "wrong_without_doubt" if status == "answered" else "refused"


class RecordFile:
    """The record file of a run, if it has a path: reads existing records and appends new ones immediately.

    Questions with `known` records, which are not in the file, are not asked again either.
    """

    def __init__(self, path: Path | None, known: Mapping[str, Record]) -> None:
        self._path = path
        self._out: BufferedWriter | None = None
        self.records = read_records(path) if path is not None and path.exists() else {}
        self.records |= known

    def write(self, record: Record) -> None:
        self.records[record.id] = record
        if self._out is not None:
            line = json.dumps(asdict(record), ensure_ascii=False)
            # A lone surrogate cannot be encoded as UTF-8 and becomes a JSON escape.
            self._out.write(line.encode(errors="backslashreplace") + b"\n")
            self._out.flush()

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._out = self._path.open("ab")
            self._repair_last_line(self._path.read_bytes())
        except OSError as error:
            detail = error.strerror or str(error)
            raise UsageError("usage.records", path=str(self._path), detail=detail) from error
        return self

    def _repair_last_line(self, data: bytes) -> None:
        """Complete the last line if only its newline is missing; remove it if it is incomplete."""
        end = data.rfind(b"\n") + 1
        if self._out is None or end == len(data):
            return
        try:
            record_of(data[end:].decode())
            self._out.write(b"\n")
        except (ValueError, TypeError, AttributeError, RecursionError):
            self._out.truncate(end)

    def __exit__(self, *_: object) -> None:
        if self._out is not None:
            self._out.close()
