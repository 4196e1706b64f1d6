"""The events of a running question."""

from dataclasses import dataclass
from typing import TypeAlias

from text2sql.types.answer import Answer
from text2sql.types.values import Row


@dataclass(frozen=True, slots=True)
class StageStarted:
    """A pipeline stage began."""

    stage: str


@dataclass(frozen=True, slots=True)
class StageEnded:
    """A pipeline stage ended."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class SqlToken:
    """A fragment of the query while the model generates it. Unchecked: display it, never run it."""

    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of one check of the query."""

    check: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RowsFound:
    """The rows of the query, before the answer is complete."""

    sql: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class AnswerToken:
    """A fragment of the answer sentence while the model generates it."""

    text: str


@dataclass(frozen=True, slots=True)
class Warned:
    """A localized warning for the user."""

    message: str


@dataclass(frozen=True, slots=True)
class Queued:
    """The position in the queue of the embedded model, which runs one call at a time."""

    ahead: int  # calls before this one; 0 means that it has started


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every stream."""

    answer: Answer


Event: TypeAlias = (
    StageStarted | StageEnded | SqlToken | Checked | RowsFound | AnswerToken | Warned | Queued | Finished
)
