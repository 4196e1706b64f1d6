"""Answers that may be given again for a while: same question, same reader, same schema, same everything.

What is kept of one is where it stands: the thread that it began. The answer itself and its rows are read from
the memory, as their reader's own, so that nobody gets to see another's by way of this, whatever it says.
"""

import hashlib
import json
import re
import time
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

from text2sql.types import Answer

Key: TypeAlias = tuple[object, ...]

_MOST_ANSWERS = 256
_CLOCKS = 60.0  # seconds that those of two servers may differ by
_THREAD = re.compile(r"[0-9a-f]{32}")


class Shelf(Protocol):
    """Small texts by name. Any of them may be gone at any time, or be somebody else's words."""

    async def find(self, name: str) -> str | None: ...
    async def keep(self, name: str, text: str, seconds: float) -> None: ...
    async def drop(self, name: str) -> None: ...
    async def answers(self) -> bool: ...


class OwnShelf:
    """Of this process."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    async def find(self, name: str) -> str | None:
        text, until = self._kept.get(name, ("", 0.0))
        return text if time.monotonic() < until else None

    async def keep(self, name: str, text: str, seconds: float) -> None:
        await self.drop(name)
        self._kept[name] = text, time.monotonic() + seconds
        while len(self._kept) > _MOST_ANSWERS:
            self._kept.popitem(last=False)

    async def drop(self, name: str) -> None:
        self._kept.pop(name, None)

    async def answers(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Kept:
    thread: str  # that the answer began
    served: str  # when that was, for people


class Cache:
    """`lifetime` 0 keeps nothing."""

    def __init__(self, lifetime: float, shelf: Shelf) -> None:
        self._lifetime = lifetime
        self.shelf = shelf

    async def find(self, key: Key) -> Kept | None:
        text = await self.shelf.find(_name(key)) if self._lifetime > 0 else None
        return self._read(text) if text else None

    async def keep(self, key: Key, answer: Answer) -> None:
        """Only what was answered: a failure should be tried again, a question back belongs to its thread."""
        if answer.status == "answered" and answer.result_id and self._lifetime > 0:
            await self.shelf.keep(_name(key), json.dumps([answer.thread_id, time.time()]), self._lifetime)

    async def drop(self, key: Key) -> None:
        await self.shelf.drop(_name(key))

    def _read(self, text: str) -> Kept | None:
        try:
            thread, at = json.loads(text)
            if not (_THREAD.fullmatch(thread) and -_CLOCKS <= time.time() - at <= self._lifetime + _CLOCKS):
                return None
            return Kept(thread, datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"))
        except (ValueError, TypeError, RecursionError):
            return None


def _name(key: Key) -> str:
    """Nobody who looks at a shelf reads a question or a name."""
    return f"answer:{hashlib.sha256(json.dumps(key).encode()).hexdigest()}"


def normalised(question: str) -> str:
    """Width and white space do not make another question; case does: it may be a value's."""
    return " ".join(unicodedata.normalize("NFKC", question.replace("\0", "")).split())
