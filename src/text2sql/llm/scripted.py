"""A model that says what it was told to say, for tests: ours and those of programs built on this one.

backend = ScriptedBackend(["SELECT 1", RateLimited("scripted", "slow down"), lambda request: …])
model = AsyncChatModel([backend], Settings())
…
assert backend.requests[0].messages == …
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from text2sql.errors import ModelUnavailable
from text2sql.llm.chunks import estimate_tokens
from text2sql.types import Candidate, Capabilities, Message, ModelRequest, Reply, Usage

Said: TypeAlias = str | Reply | Exception
Line: TypeAlias = Said | Callable[[ModelRequest], Said]

_PIECE = 8  # characters: enough pieces to see that a stream is one
EVERYTHING = Capabilities(
    context=32_768, grammar=True, schema=True, candidates=True, logprobs=True, tools=True
)


class ScriptedBackend:
    """Plays its lines in order, then the `last` one for ever; without one it says that the script is over."""

    def __init__(
        self,
        lines: Iterable[Line] = (),
        *,
        last: Line | None = None,
        name: str = "scripted",
        capabilities: Capabilities = EVERYTHING,
        reads_at_once: bool = True,
    ) -> None:
        self._lines = iter(lines)
        self._last: Line = ModelUnavailable(name, "the script is over") if last is None else last
        self._name = name
        self._capabilities = capabilities
        self._reads_at_once = reads_at_once
        self.requests: list[ModelRequest] = []
        self.warmed: list[tuple[Message, ...]] = []
        self.closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        said = next(chain(self._lines, (self._last,)))
        if callable(said):
            said = said(request)
        if isinstance(said, Exception):
            raise said
        reply = said if isinstance(said, Reply) else self._reply(request, said)
        for at in range(0, len(reply.text), _PIECE):
            yield reply.text[at : at + _PIECE]
        yield reply

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:  # noqa: ARG002
        self.warmed.append(tuple(messages))

    async def has_read(self, messages: Sequence[Message]) -> bool:
        return self._reads_at_once or tuple(messages) in self.warmed

    async def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    async def close(self) -> None:
        self.closed = True

    def _reply(self, request: ModelRequest, text: str) -> Reply:
        """The text as many times as candidates were wanted, and counts that follow from the texts."""
        prompt = sum(estimate_tokens(one.content) for one in request.messages)
        usage = Usage(calls=1, prompt_tokens=prompt, completion_tokens=estimate_tokens(text))
        return Reply(self._name, (Candidate(text),) * request.candidates, usage)
