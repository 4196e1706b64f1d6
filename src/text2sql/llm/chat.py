"""The chat model: backends with fallbacks, retries, rate limits and one deadline for the whole call.

Read `AsyncChatModel` from `stream` downwards: all backends, then all attempts of one backend, then one
attempt. The synchronous version is in `synchronous.py`.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Self, TypeAlias

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelFileError, ModelNotAllowed, ModelTimeout, RateLimited
from text2sql.llm.backend import Backend, Preparing, close_stream
from text2sql.llm.langchain_messages import estimate_tokens
from text2sql.llm.retry_limits import RetryPolicy, pause_before, retry_policy_for
from text2sql.types import Message, ModelProfile, ModelRequest, Queued, Reply, Usage

log = logging.getLogger(__name__)

Tell: TypeAlias = Callable[[int], None]  # how many calls are ahead of this one; 0 when its turn has come


class DeadlinePassed(ModelTimeout):
    """The deadline of the whole call has passed: no retry, and not counted as a failure of the endpoint."""


@dataclass(slots=True)
class Call:
    """The state of one request across backends and attempts."""

    request: ModelRequest
    seconds: float
    deadline: float | None  # on the clock of the running loop; None before the model works on the call
    queued: Tell
    restarts: bool  # the caller waits for the whole reply, so the output of a failed attempt is discarded
    waiting: bool = False  # for other calls
    emitted: bool = False  # a piece has reached the caller, so the call cannot be restarted
    spent: Usage = field(default_factory=Usage)  # by failed attempts

    @property
    def left(self) -> float:
        now = asyncio.get_running_loop().time()
        return self.seconds if self.deadline is None else self.deadline - now

    def wait(self, ahead: int) -> None:
        """Suspend the deadline while `ahead` calls are before this one; restart it when the call begins."""
        self.deadline = None if ahead else asyncio.get_running_loop().time() + self.seconds
        if ahead or self.waiting:
            self.queued(ahead)
        self.waiting = ahead > 0


def fit(request: ModelRequest, profile: ModelProfile, settings: Settings) -> ModelRequest:
    """The request without features that the model does not support. The reply may have fewer candidates."""
    return replace(
        request,
        max_tokens=min(request.max_tokens, settings.max_tokens),
        candidates=request.candidates if profile.candidates else 1,
        grammar=request.grammar if profile.grammar else "",
        schema=request.schema if profile.structured_output else None,
        logprobs=request.logprobs and profile.logprobs,
        begun=request.begun if profile.continues else "",
        forced=request.forced if profile.continues else None,
        tools=request.tools if profile.tool_calls else {},
    )


def _ignore_queue(ahead: int) -> None:
    """Default callback: the caller does not want to know the position in the queue."""


class AsyncChatModel:
    """`async with open_model("openai:gpt-x", settings) as model: reply = await model.ask(request)`"""

    def __init__(self, backends: Sequence[Backend], settings: Settings) -> None:
        self.backends = tuple(backends)
        self.settings = settings
        self._policies = tuple(retry_policy_for(backend.name, settings) for backend in self.backends)

    @property
    def name(self) -> str:
        return self.backends[0].name

    @property
    def profile(self) -> ModelProfile:
        """The profile of the first backend; its location is hosted if any fallback is hosted."""
        first = self.backends[0].profile
        hosted = any(backend.profile.location == "hosted" for backend in self.backends)
        return replace(first, location="hosted" if hosted else "local")

    async def ask(self, request: ModelRequest, *, queued: Tell = _ignore_queue) -> Reply:
        """Return the whole reply. The deadline covers all attempts, all fallbacks and waiting for a rate
        limit, but not waiting in the queue of the embedded model.
        """
        async with aclosing(self._models(self._call(request, queued, restarts=True))) as items:
            async for item in items:
                if isinstance(item, Reply):
                    return item
        raise AssertionError("a stream ends with a reply or an error")

    async def stream(
        self, request: ModelRequest, *, queued: Tell = _ignore_queue
    ) -> AsyncGenerator[str | Reply, None]:
        """Yield pieces of the first candidate, then the reply. There is no retry after the first piece.

        A caller that stops early must close the generator (`contextlib.aclosing`), which stops the
        generation.
        """
        async with aclosing(self._models(self._call(request, queued, restarts=False))) as items:
            async for item in items:
                yield item

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        """Prepare for prompts that begin with these messages. No deadline; cancel it at any time."""
        await self.backends[0].warm(messages, plain=plain)

    async def count_tokens(self, text: str) -> int:
        return await self.backends[0].count_tokens(text)

    async def close(self) -> None:
        for backend in self.backends:
            await backend.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # -- From the call to one attempt ----------------------------------------------------------------

    def _call(self, request: ModelRequest, queued: Tell, restarts: bool) -> Call:
        seconds = request.seconds or self.settings.model_timeout
        return Call(request, seconds, asyncio.get_running_loop().time() + seconds, queued, restarts)

    async def _models(self, call: Call) -> AsyncGenerator[str | Reply, None]:
        for at, (backend, policy) in enumerate(zip(self.backends, self._policies, strict=True)):
            has_fallback = at + 1 < len(self.backends)
            try:
                async with aclosing(self._attempts(call, backend, policy, has_fallback)) as items:
                    async for item in items:
                        yield item
            except ModelError as error:
                if not has_fallback or call.emitted or not _fallback_may_help(error):
                    raise
                log.warning("%s: %s; asking %s instead", backend.name, error.kind, self.backends[at + 1].name)
            else:
                return

    async def _attempts(
        self, call: Call, backend: Backend, policy: RetryPolicy, has_fallback: bool
    ) -> AsyncGenerator[str | Reply, None]:
        retry = 0
        while True:
            policy.breaker.enter(backend.name)
            failure: BaseException | None = asyncio.CancelledError()  # until the outcome is known
            try:
                async with aclosing(self._attempt(call, backend, policy)) as items:
                    async for item in items:
                        if isinstance(item, Reply):
                            failure = None
                        yield item
            except DeadlinePassed:
                raise
            except ModelError as error:
                failure = error
            finally:
                policy.breaker.leave(failure)
            if not isinstance(failure, ModelError):
                return
            retry += 1
            if isinstance(failure, RateLimited) and failure.retry_after is not None:
                policy.limits.hold(failure.retry_after)
            pause = pause_before(retry, failure, call.left)
            # After a time-out the remaining time is left to the fallback.
            if (
                pause is None
                or call.emitted
                or policy.breaker.open
                or (has_fallback and isinstance(failure, ModelTimeout))
            ):
                raise failure
            log.info("%s: %s; trying again in %.2f s", backend.name, failure.kind, pause)
            await asyncio.sleep(pause)

    async def _attempt(
        self, call: Call, backend: Backend, policy: RetryPolicy
    ) -> AsyncGenerator[str | Reply, None]:
        request = fit(call.request, backend.profile, self.settings)
        tokens = sum(estimate_tokens(message.content) for message in request.messages) + request.max_tokens
        await self._await_rate_limit(call, backend, policy, tokens)
        began, replied = time.monotonic(), False
        items = backend.stream(request)
        try:
            while (item := await self._next_item(call, backend, items)) is not None:
                if isinstance(item, Reply):
                    replied = True
                    policy.limits.settle(tokens, item.usage.prompt_tokens + item.usage.completion_tokens)
                    yield replace(item, usage=call.spent + item.usage)
                elif isinstance(item, Queued):
                    call.wait(item.ahead)
                elif isinstance(item, Preparing):
                    call.deadline = None
                elif item:
                    call.emitted = not call.restarts
                    yield item
        finally:
            await close_stream(items)
            if not replied:
                call.spent += Usage(calls=1, seconds=time.monotonic() - began)
        if not replied:
            raise BadReply(backend.name, "it ended without a reply")

    async def _await_rate_limit(self, call: Call, backend: Backend, policy: RetryPolicy, tokens: int) -> None:
        """Wait for the rate limit; fail at once if the wait would exceed the deadline."""
        left = call.left
        if left <= 0:
            raise self._deadline_passed(call, backend)
        wait = policy.limits.reserve(tokens, left)
        if wait >= left:
            raise RateLimited(
                backend.name, f"its turn comes in {wait:.0f} s, after the deadline", retry_after=wait
            )
        try:
            await asyncio.sleep(wait)
        except asyncio.CancelledError:
            policy.limits.give_back(tokens)
            raise

    async def _next_item(
        self, call: Call, backend: Backend, items: AsyncIterator[str | Queued | Preparing | Reply]
    ) -> str | Queued | Preparing | Reply | None:
        """The next item. The time-out applies only here, never to the code of the caller."""
        try:
            async with asyncio.timeout_at(call.deadline) as clock:
                return await anext(items, None)
        except TimeoutError:
            if not clock.expired():
                raise
        raise self._deadline_passed(call, backend)

    @staticmethod
    def _deadline_passed(call: Call, backend: Backend) -> DeadlinePassed:
        return DeadlinePassed(backend.name, f"no answer within {call.seconds:g} s")


def _fallback_may_help(error: ModelError) -> bool:
    """Whether to ask the next model. Not after a refusal, nor for a prompt that the caller has to shorten."""
    if isinstance(error, DeadlinePassed):
        return False
    return error.retry == "again" or isinstance(error, ModelNotAllowed | ModelFileError)
