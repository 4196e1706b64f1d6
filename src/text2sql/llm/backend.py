"""The seam between the room and whatever answers: the embedded model, a hosted one, a scripted one.

A backend makes one attempt and tells the truth about it in typed errors. Deadlines, retries, rate limits,
fallbacks and the synchronous twin are the same for all of them and live in `chat.py` and `patience.py`.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from text2sql.types import Capabilities, Message, ModelRequest, Reply


class Backend(Protocol):
    @property
    def name(self) -> str:
        """`local`, `openai:gpt-x`: what errors and receipts call it."""

    @property
    def capabilities(self) -> Capabilities: ...

    def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        """Pieces of the first candidate's text as they come, then exactly one `Reply`, then the end.

        One attempt. Raises a `ModelError`; closing the iterator stops the work on the other side.
        """

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        """Evaluate a stable prefix ahead of the question. Nothing where that means nothing."""

    async def has_read(self, messages: Sequence[Message]) -> bool:
        """Whether a prompt that begins so can be asked at once: its prefix is evaluated, or costs nothing."""

    async def count_tokens(self, text: str) -> int:
        """As the model counts, or a safe estimate where nobody can know."""

    async def close(self) -> None: ...
