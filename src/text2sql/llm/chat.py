"""A chat model: backends in the order they are asked, one deadline over everything, and nothing left behind.

Read `AsyncChatModel` from `stream` downwards: models, then tries of one model, then one try. Its twin for
code without an event loop is in `synchronous.py`.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelFileError, ModelNotAllowed, ModelTimeout, RateLimited
from text2sql.llm.backend import Backend
from text2sql.llm.chunks import estimate_tokens
from text2sql.llm.patience import Patience, patience_for, pause_before
from text2sql.types import Capabilities, Message, ModelRequest, Reply, Usage

log = logging.getLogger(__name__)

CLOSING = 1.0  # seconds that ending a call may take beyond its deadline


class DeadlinePassed(ModelTimeout):
    """The whole call's time is over: nothing is tried again, and it says nothing about the endpoint."""


@dataclass(slots=True)
class Call:
    """One question on its way through backends and tries."""

    request: ModelRequest
    seconds: float
    deadline: float  # on the clock of the running loop
    restarts: bool  # the caller waits for the whole: what an earlier try gave is forgotten
    given: bool = False  # a piece has reached the caller, so nothing may be said twice
    spent: Usage = field(default_factory=Usage)

    @property
    def left(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()


def fit(request: ModelRequest, can: Capabilities, settings: Settings) -> ModelRequest:
    """The request without what the model cannot do; the caller sees in the reply how many candidates came."""
    return replace(
        request,
        max_tokens=min(request.max_tokens, settings.max_tokens),
        candidates=request.candidates if can.candidates else 1,
        grammar=request.grammar if can.grammar else "",
        schema=request.schema if can.schema else None,
        logprobs=request.logprobs and can.logprobs,
        begun=request.begun if can.continues else "",
        tools=request.tools if can.tools else {},
    )


class AsyncChatModel:
    """`async with open_model("openai:gpt-x", settings) as model: reply = await model.ask(request)`"""

    def __init__(self, backends: Sequence[Backend], settings: Settings) -> None:
        self.backends = tuple(backends)
        self.settings = settings
        self._patience = tuple(patience_for(one.name, settings) for one in self.backends)

    @property
    def name(self) -> str:
        return self.backends[0].name

    @property
    def capabilities(self) -> Capabilities:
        return self.backends[0].capabilities

    async def ask(self, request: ModelRequest) -> Reply:
        """The whole answer. The deadline is hard: waiting, tries and other models are all within it."""
        async with aclosing(self._models(self._call(request, restarts=True))) as items:
            async for item in items:
                if isinstance(item, Reply):
                    return item
        raise AssertionError("a stream ends with a reply or an error")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | Reply, None]:
        """Pieces of the first candidate, then the reply. Tried again only until the first piece is out.

        Whoever stops early closes it (`contextlib.aclosing`), and that stops the work on the other side.
        """
        async with aclosing(self._models(self._call(request, restarts=False))) as items:
            async for item in items:
                yield item

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        """Prepare for a prompt that begins so. It has no deadline: nobody waits, anybody may cancel."""
        await self.backends[0].warm(messages, plain=plain)

    async def has_read(self, messages: Sequence[Message]) -> bool:
        return await self.backends[0].has_read(messages)

    async def count_tokens(self, text: str) -> int:
        return await self.backends[0].count_tokens(text)

    async def close(self) -> None:
        for backend in self.backends:
            await backend.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- From the call to one try --------------------------------------------------------------------

    def _call(self, request: ModelRequest, restarts: bool) -> Call:
        seconds = request.seconds or self.settings.model_timeout
        return Call(request, seconds, asyncio.get_running_loop().time() + seconds, restarts)

    async def _models(self, call: Call) -> AsyncGenerator[str | Reply, None]:
        for at, (backend, patience) in enumerate(zip(self.backends, self._patience, strict=True)):
            others = at + 1 < len(self.backends)
            try:
                async with aclosing(self._tries(call, backend, patience, others)) as items:
                    async for item in items:
                        yield item
            except ModelError as error:
                if not others or call.given or not _another_may_help(error):
                    raise
                log.warning("%s: %s; asking %s instead", backend.name, error.kind, self.backends[at + 1].name)
            else:
                return

    async def _tries(
        self, call: Call, backend: Backend, patience: Patience, others: bool
    ) -> AsyncGenerator[str | Reply, None]:
        retry = 0
        while True:
            patience.breaker.enter(backend.name)
            failure: BaseException | None = asyncio.CancelledError()  # until it is known how it ended
            try:
                async with aclosing(self._once(call, backend, patience)) as items:
                    async for item in items:
                        if isinstance(item, Reply):
                            failure = None
                        yield item
            except DeadlinePassed:
                raise
            except ModelError as error:
                failure = error
            finally:
                patience.breaker.leave(failure)
            if not isinstance(failure, ModelError):
                return
            retry += 1
            if isinstance(failure, RateLimited) and failure.retry_after is not None:
                patience.limits.hold(failure.retry_after)
            pause = pause_before(retry, failure, call.left)
            # A time-out has used up what another model could answer in.
            if (
                pause is None
                or call.given
                or patience.breaker.open
                or (others and isinstance(failure, ModelTimeout))
            ):
                raise failure
            log.info("%s: %s; trying again in %.2f s", backend.name, failure.kind, pause)
            await asyncio.sleep(pause)

    async def _once(
        self, call: Call, backend: Backend, patience: Patience
    ) -> AsyncGenerator[str | Reply, None]:
        request = fit(call.request, backend.capabilities, self.settings)
        tokens = sum(estimate_tokens(one.content) for one in request.messages) + request.max_tokens
        await self._turn(call, backend, patience, tokens)
        began, replied = time.monotonic(), False
        items = backend.stream(request)
        try:
            while (item := await self._step(call, backend, items)) is not None:
                if isinstance(item, Reply):
                    replied = True
                    patience.limits.settle(tokens, item.usage.prompt_tokens + item.usage.completion_tokens)
                    yield replace(item, usage=call.spent + item.usage)
                elif item:
                    call.given = not call.restarts
                    yield item
        finally:
            await _close(items)
            if not replied:
                call.spent += Usage(calls=1, seconds=time.monotonic() - began)
        if not replied:
            raise BadReply(backend.name, "it ended without a reply")

    async def _turn(self, call: Call, backend: Backend, patience: Patience, tokens: int) -> None:
        """Wait for the rate limit, or say at once that it does not fit the deadline."""
        left = call.left
        if left <= 0:
            raise self._late(call, backend)
        wait = patience.limits.reserve(tokens, left)
        if wait >= left:
            raise RateLimited(
                backend.name, f"its turn comes in {wait:.0f} s, after the deadline", retry_after=wait
            )
        try:
            await asyncio.sleep(wait)
        except asyncio.CancelledError:
            patience.limits.give_back(tokens)
            raise

    async def _step(
        self, call: Call, backend: Backend, items: AsyncIterator[str | Reply]
    ) -> str | Reply | None:
        """The next item. The clock runs only in here: a time-out must never hit the code of the caller."""
        try:
            async with asyncio.timeout_at(call.deadline) as clock:
                return await anext(items, None)
        except TimeoutError:
            if not clock.expired():
                raise
        raise self._late(call, backend)

    @staticmethod
    def _late(call: Call, backend: Backend) -> DeadlinePassed:
        return DeadlinePassed(backend.name, f"no answer within {call.seconds:g} s")


def _another_may_help(error: ModelError) -> bool:
    """A refusal is not shopped around, and a prompt that is too long is the caller's to shorten."""
    if isinstance(error, DeadlinePassed):
        return False
    return error.mend == "again" or isinstance(error, ModelNotAllowed | ModelFileError)


async def _close(items: AsyncIterator[Any]) -> None:
    close = getattr(items, "aclose", None)
    if close is not None:
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSING):
                await close()
