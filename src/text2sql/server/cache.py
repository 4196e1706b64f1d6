"""Result cache: answers that are reused for the same question, user, schema, policy and settings.

An entry holds only the id of the thread that holds the answer. The answer and its rows are read from memory
as the asking user, so a tampered cache entry cannot show another user's data.
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
_CLOCK_SKEW = 60.0  # seconds that the clocks of two servers may differ
_THREAD = re.compile(r"[0-9a-f]{32}")


class CacheBackend(Protocol):
    """A key-value store with expiry. Values may vanish at any time and are not trusted."""

    async def find(self, name: str) -> str | None: ...
    async def keep(self, name: str, text: str, seconds: float) -> None: ...
    async def drop(self, name: str) -> None: ...
    async def answers(self) -> bool: ...


class LocalCache:
    """The cache of this process."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    async def find(self, name: str) -> str | None:
        text, expires = self._entries.get(name, ("", 0.0))
        return text if time.monotonic() < expires else None

    async def keep(self, name: str, text: str, seconds: float) -> None:
        await self.drop(name)
        self._entries[name] = text, time.monotonic() + seconds
        while len(self._entries) > _MOST_ANSWERS:
            self._entries.popitem(last=False)

    async def drop(self, name: str) -> None:
        self._entries.pop(name, None)

    async def answers(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class CachedAnswer:
    thread: str  # that holds the answer
    answered_at: str  # ISO 8601, shown to people


class Cache:
    """Maps a question to the thread that answered it; `lifetime` 0 disables it."""

    def __init__(self, lifetime: float, backend: CacheBackend) -> None:
        self._lifetime = lifetime
        self.backend = backend

    async def find(self, key: Key) -> CachedAnswer | None:
        text = await self.backend.find(_name(key)) if self._lifetime > 0 else None
        return self._read(text) if text else None

    async def keep(self, key: Key, answer: Answer) -> None:
        """Cache answered questions only: a failure is retried, a clarification belongs to its thread."""
        if answer.status == "answered" and answer.result_id and self._lifetime > 0:
            await self.backend.keep(_name(key), json.dumps([answer.thread_id, time.time()]), self._lifetime)

    async def drop(self, key: Key) -> None:
        await self.backend.drop(_name(key))

    def _read(self, text: str) -> CachedAnswer | None:
        try:
            thread, stored_at = json.loads(text)
            if not (
                _THREAD.fullmatch(thread)
                and -_CLOCK_SKEW <= time.time() - stored_at <= self._lifetime + _CLOCK_SKEW
            ):
                return None
            return CachedAnswer(thread, datetime.fromtimestamp(stored_at, UTC).isoformat(timespec="seconds"))
        except (ValueError, TypeError, RecursionError):
            return None


def _name(key: Key) -> str:
    """A digest, so that the backend does not reveal questions or names."""
    return f"answer:{hashlib.sha256(json.dumps(key).encode()).hexdigest()}"


def normalized_question(question: str) -> str:
    """Ignore character width and white space, but keep case: it may matter in a value."""
    return " ".join(unicodedata.normalize("NFKC", question.replace("\0", "")).split())
