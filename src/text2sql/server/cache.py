"""Answers that may be given again for a while: same question, same reader, same schema, same everything."""

import time
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from text2sql.types import Answer

Key: TypeAlias = tuple[object, ...]

_MOST_ANSWERS = 256
_MOST_CELLS = 2_000_000  # of all answers together


@dataclass(frozen=True, slots=True)
class Kept:
    answer: Answer
    since: float  # on the monotonic clock
    served: str  # the same moment for people

    @property
    def cells(self) -> int:
        return len(self.answer.rows) * len(self.answer.columns)


class Cache:
    """`lifetime` 0 keeps nothing."""

    def __init__(self, lifetime: float) -> None:
        self._lifetime = lifetime
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._cells = 0

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Key) -> Kept | None:
        kept = self._kept.get(key)
        if kept is not None and time.monotonic() - kept.since >= self._lifetime:
            self.drop(key)
            return None
        return kept

    def keep(self, key: Key, answer: Answer) -> None:
        """Only what was answered: a failure should be tried again, a question back belongs to its thread."""
        if answer.status != "answered" or not answer.result_id or self._lifetime <= 0:
            return
        self.drop(key)
        kept = Kept(answer, time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds"))
        self._kept[key] = kept
        self._cells += kept.cells
        while len(self._kept) > _MOST_ANSWERS or (self._cells > _MOST_CELLS and len(self._kept) > 1):
            self.drop(next(iter(self._kept)))

    def drop(self, key: Key) -> None:
        gone = self._kept.pop(key, None)
        if gone is not None:
            self._cells -= gone.cells


def normalised(question: str) -> str:
    """Width and white space do not make another question; case does: it may be a value's."""
    return " ".join(unicodedata.normalize("NFKC", question).split())
