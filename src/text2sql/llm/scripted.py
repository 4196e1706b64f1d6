"""A scripted model for tests: it replies with the given lines.

backend = ScriptedBackend(["SELECT 1", RateLimited("scripted", "slow down"), lambda request: …])
model = AsyncChatModel([backend], Settings())
…
assert backend.requests[0].messages == …
"""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from text2sql.errors import ModelUnavailable
from text2sql.llm.langchain_messages import estimate_tokens
from text2sql.types import Candidate, Message, ModelProfile, ModelRequest, Reply, Usage

ScriptedReply: TypeAlias = str | Reply | Exception
Line: TypeAlias = ScriptedReply | Callable[[ModelRequest], ScriptedReply]

_PIECE = 8  # characters per streamed piece
EVERYTHING = ModelProfile(
    context=32_768, grammar=True, structured_output=True, candidates=True, logprobs=True, tool_calls=True
)


class ScriptedBackend:
    """Replies with its lines in order, then always with `last`; by default that is an error."""

    def __init__(
        self,
        lines: Iterable[Line] = (),
        *,
        last: Line | None = None,
        name: str = "scripted",
        profile: ModelProfile = EVERYTHING,
    ) -> None:
        self._lines = iter(lines)
        self._last: Line = ModelUnavailable(name, "the script is over") if last is None else last
        self._name = name
        self._profile = profile
        self.requests: list[ModelRequest] = []
        self.warmed: list[tuple[Message, ...]] = []
        self.closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        self.requests.append(request)
        line = next(chain(self._lines, (self._last,)))
        if callable(line):
            line = line(request)
        if isinstance(line, Exception):
            raise line
        reply = line if isinstance(line, Reply) else self._reply(request, line)
        for at in range(0, len(reply.text), _PIECE):
            yield reply.text[at : at + _PIECE]
        yield reply

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:  # noqa: ARG002
        self.warmed.append(tuple(messages))

    async def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    async def close(self) -> None:
        self.closed = True

    def _reply(self, request: ModelRequest, text: str) -> Reply:
        """A reply with the text for every requested candidate and estimated token counts."""
        prompt = sum(estimate_tokens(message.content) for message in request.messages)
        usage = Usage(calls=1, prompt_tokens=prompt, completion_tokens=estimate_tokens(text))
        return Reply(self._name, (Candidate(text),) * request.candidates, usage)
