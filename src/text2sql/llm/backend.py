"""The `Backend` protocol, which the embedded, hosted and scripted models implement.

A backend makes one attempt and reports failures as typed errors. Deadlines, retries, rate limits and
fallbacks are the same for all backends and are implemented in `chat.py` and `retry_limits.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from text2sql.types import Message, ModelProfile, ModelRequest, Queued, Reply

CLOSING = 1.0  # seconds that closing a stream may take beyond the deadline


@dataclass(frozen=True, slots=True)
class Preparing:
    """A backend reads the prompt's prefix for the first time: the deadline does not run until `Queued(0)`."""


class Backend(Protocol):
    @property
    def name(self) -> str:
        """The name in errors and receipts: `local`, `openai:gpt-x`."""

    @property
    def profile(self) -> ModelProfile: ...

    def stream(self, request: ModelRequest) -> AsyncIterator[str | Queued | Preparing | Reply]:
        """Yield pieces of the first candidate's text as they arrive, then exactly one `Reply`.

        A backend that serves one call at a time yields `Queued` while the call waits, `Preparing` while it
        reads a new schema, and `Queued(0)` when it begins; the deadline counts from there.

        Makes one attempt. Raises a `ModelError`; closing the iterator stops the generation.
        """

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        """Evaluate a stable prompt prefix before the question. A backend without a prefix
        cache does nothing.
        """

    async def count_tokens(self, text: str) -> int:
        """The exact number of tokens, or a safe estimate if the tokenizer is unknown."""

    async def close(self) -> None: ...


async def close_stream(items: Any) -> None:
    """Close an asynchronous generator, which stops the generation."""
    with suppress(TimeoutError, RuntimeError):  # RuntimeError: it is already being closed
        async with asyncio.timeout(CLOSING):
            await items.aclose()
