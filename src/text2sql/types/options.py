"""The options of one question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from text2sql.types.answer import Mode, PresetName, Summary


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of one question. An empty value follows the settings.

    Every front end builds one, and it is LangGraph's context: plain data, because it may come over the wire.
    """

    user: str = ""  # whose threads and results these are
    thread: str = ""  # the conversation; a new one if empty
    language: str = ""  # of the answer, `en` or `zh`; the question's if empty
    mode: Mode | str = ""
    preset: PresetName | str = ""
    model: str = ""
    allow_writes: bool | None = None  # whether a write may be offered for confirmation
    candidates: int = 0
    max_attempts: int = 0  # queries that a model may write; 0 follows the preset and the settings
    explain: bool | None = None  # None follows the settings, which may follow the preset
    repair: bool | None = None  # likewise; False allows no further query after a failure
    summary: Summary | str = ""
    seconds: float = 0.0  # for the whole question
    previous: Mapping[str, str] | None = None  # `sql`, `kind` and `detail` of a query that failed before


class RunKeywords(TypedDict, total=False):
    """The fields of `RunOptions` as keyword arguments, for type checkers. A test compares the two."""

    user: str
    thread: str
    language: str
    mode: Mode | str
    preset: PresetName | str
    model: str
    allow_writes: bool | None
    candidates: int
    max_attempts: int
    explain: bool | None
    repair: bool | None
    summary: Summary | str
    seconds: float
    previous: Mapping[str, str] | None
