"""The chat model for code without an event loop."""

from collections.abc import Iterator, Sequence
from typing import Self

from text2sql.llm.chat import AsyncChatModel
from text2sql.loop_thread import LoopThread
from text2sql.types import Message, ModelProfile, ModelRequest, Reply


class ChatModel:
    """Synchronous version of `AsyncChatModel`; it runs an event loop in a separate thread."""

    def __init__(self, model: AsyncChatModel) -> None:
        self.model = model
        self._loop = LoopThread("text2sql-model")

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def profile(self) -> ModelProfile:
        return self.model.profile

    def ask(self, request: ModelRequest) -> Reply:
        return self._loop.do(self.model.ask(request))

    def stream(self, request: ModelRequest) -> Iterator[str | Reply]:
        return self._loop.stream(self.model.stream(request))

    def warm(self, messages: Sequence[Message]) -> None:
        self._loop.do(self.model.warm(messages))

    def count_tokens(self, text: str) -> int:
        return self._loop.do(self.model.count_tokens(text))

    def close(self) -> None:
        if self._loop.running:
            self._loop.close(self.model.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
