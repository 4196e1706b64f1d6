"""What is kept of each question: a line of JSON. A run that was stopped goes on where its lines end."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from io import BufferedWriter
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

from text2sql.errors import UsageError

# `none`: no query to be judged; `error`: it does not run; `unjudged`: the reference itself does not run.
# Of a question that is about another database: `declined` if the answer says so, else `taken`.
Verdict: TypeAlias = Literal["right", "wrong", "error", "none", "unjudged", "declined", "taken"]
RAN: tuple[Verdict, ...] = ("right", "wrong")


@dataclass(frozen=True, slots=True)
class Record:
    """One line of the file."""

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
    hardness: str = "unknown"  # of the reference, by our count
    failure: tuple[str, ...] = ()  # in what it differs from the reference, or what the engine said
    difficulty: str = ""  # as the question set says it
    confidence: float | None = None
    signals: Mapping[str, float] = field(default_factory=dict)  # that the confidence was counted from
    repairs: tuple[str, ...] = ()
    attempts: int = 0
    candidates: int = 0  # different queries that were weighed
    among: bool | None = None  # whether one of them is right; None where there was nothing to choose
    ran: bool = False  # a query came and it runs, also where the person was asked back instead
    foreign: str = ""  # the database that the question is really about, if not this one
    model: str = ""

    @property
    def level(self) -> str:
        return self.difficulty or self.hardness


def read_records(path: Path) -> dict[str, Record]:
    """By id. A last line that a killed run left unfinished is left out."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise UsageError("usage.records", path=str(path), detail=detail) from error
    found = {}
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = record_of(line)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            if at == len(lines):
                break
            raise UsageError("usage.records", path=str(path), detail=f"line {at}: {error}") from error
        found[record.id] = record
    return found


_NAMES = {one.name for one in fields(Record)}


def record_of(line: str) -> Record:
    held = json.loads(line)
    known = {name: held[name] for name in _NAMES & held.keys()}
    for name in ("failure", "repairs"):
        known[name] = tuple(known.get(name, ()))
    known.setdefault("ran", known["verdict"] in RAN)  # before it was kept
    return Record(**known)


class Kept:
    """The file that a run is kept in, if any: what is there, and lines behind it, each written at once. What
    is `known` besides is not asked again either.
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
            # A lone surrogate, which no UTF-8 can hold, becomes the escape that JSON has for it.
            self._out.write(line.encode(errors="backslashreplace") + b"\n")
            self._out.flush()

    def __enter__(self) -> Self:
        if self._path is None:
            return self
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._out = self._path.open("ab")
            self._mend(self._path.read_bytes())
        except OSError as error:
            detail = error.strerror or str(error)
            raise UsageError("usage.records", path=str(self._path), detail=detail) from error
        return self

    def _mend(self, held: bytes) -> None:
        """A last line without its end is finished if it is whole, and dropped if a killed run left it so."""
        end = held.rfind(b"\n") + 1
        if self._out is None or end == len(held):
            return
        try:
            record_of(held[end:].decode())
            self._out.write(b"\n")
        except (ValueError, TypeError, AttributeError, RecursionError):
            self._out.truncate(end)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._out is not None:
            self._out.close()
