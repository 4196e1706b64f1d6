"""A hosted model as a `Backend`: one attempt through LangChain, with translated errors and bounded replies.

One candidate is streamed, so that a stall or an endless answer is detected. Several candidates are requested
without streaming, because LangChain's stream cannot tell them apart.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, TypeVar

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelRefused, ModelTimeout
from text2sql.llm.backend import close_stream
from text2sql.llm.error_mapping import KeyExpired, NotSupported, translate
from text2sql.llm.langchain_messages import CandidateBuffer, Utf16, candidate_of, estimate_tokens
from text2sql.llm.model_size import size_of
from text2sql.llm.providers import (
    Key,
    Provider,
    build,
    find_url,
    location_of,
    provider,
    refuse_proxy,
    secrets,
)
from text2sql.llm.request_options import messages_of, options_of, structured_by
from text2sql.llm.transport import clients
from text2sql.types import Candidate, Message, ModelProfile, ModelRequest, Reply

T = TypeVar("T")
DEFAULT_CONTEXT = 32_768  # of an unknown model
MOST_CHARACTERS = 4_000_000
_FEWEST_CHARACTERS = 4_096
_CHARACTERS_PER_TOKEN = 32  # four are usual; sequences of blanks make long tokens
_REASONING_TOKENS = 8_192  # for models whose reasoning counts as a part of the answer


class HostedBackend:
    def __init__(self, name: str, settings: Settings) -> None:
        kind, _, model = name.partition(":")
        self._provider: Provider = provider(kind)
        self._settings = settings
        self._model_name = model
        self._name = name
        self._url = find_url(self._provider, settings)
        self._key = Key(self._provider, settings)
        self._unsupported: set[str] = set()  # features that the endpoint has rejected
        self._reasons = False  # it has spent all tokens of an answer before the answer began
        self._building = threading.Lock()
        self._clients: tuple[Any, Any] | None = None
        self._model: Any = None
        self._built_with: tuple[str, bool] | None = None

    @property
    def name(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"HostedBackend({self._name!r})"

    @property
    def profile(self) -> ModelProfile:
        facts, without = self._provider, self._unsupported
        known = getattr(self._model, "profile", None) or {}
        return ModelProfile(
            context=int(known.get("max_input_tokens") or DEFAULT_CONTEXT),
            location=location_of(facts, self._url),
            size=size_of(self._model_name if facts.open_models else "", self._settings),
            structured_output=structured_by(facts, without) is not None,
            tool_calls=facts.tools and "tools" not in without,
            candidates=facts.candidates and not self._responses,
            logprobs=facts.logprobs and not self._responses and "logprobs" not in without,
        )

    @property
    def _responses(self) -> bool:
        """Whether OpenAI's Responses API is used: the endpoint has said that the model has no other one."""
        return "chat" in self._unsupported

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | Reply, None]:
        began = time.monotonic()
        if request.candidates > 1 and not self._responses:
            calls, (candidates, usage) = await self._retry_adaptable(request, self._request_several)
            yield candidates[0].text
            yield Reply(self._name, candidates, usage.counted(calls, time.monotonic() - began))
            return
        calls, (chunks, first) = await self._retry_adaptable(request, self._open_stream)
        buffer, text = CandidateBuffer(summed=not self._provider.openai_package), Utf16()
        buffer.arguments = request.schema is not None
        try:
            chunk: Any = first
            while chunk is not None:
                if piece := buffer.add(chunk, text):
                    self._check_size(buffer.size, request)
                    yield piece
                if buffer.refused:
                    raise ModelRefused(self._name, buffer.refused)
                chunk = await self._next(chunks, self._settings.idle_timeout, request, "paused")
        finally:
            await close_stream(chunks)
        yield Reply(
            self._name,
            (self._finished_candidate(buffer, request),),
            buffer.counted(calls, time.monotonic() - began),
        )

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:  # noqa: ARG002
        """Import the packages and build the model; hosted models have no prefix cache that we could fill."""
        await self._ready_model()

    async def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    async def close(self) -> None:
        if self._clients is not None:
            sync, asynchronous = self._clients
            self._clients = self._model = None
            sync.close()
            await asynchronous.aclose()

    # -- One attempt ---------------------------------------------------------------------------------

    async def _retry_adaptable(
        self, request: ModelRequest, start: Callable[[ModelRequest], Awaitable[T]]
    ) -> tuple[int, T]:
        """Call `start`; repeat it at once with a renewed key, or without an unsupported parameter.

        Returns the number of calls and the result.
        """
        renewed = False
        for calls in count(1):
            used = self._key.demand(self._name)
            refuse_proxy(self._provider, self._name, self._url)
            try:
                return calls, await start(request)
            except KeyExpired:
                if renewed or not await asyncio.to_thread(self._key.renewed, used):
                    raise
                renewed = True
            except NotSupported as error:
                feature = self._rejected(error.feature, request)
                if feature in self._unsupported:
                    raise
                self._unsupported.add(feature)
        raise AssertionError("counting does not end")

    def _rejected(self, feature: str, request: ModelRequest) -> str:
        """The option to leave out next time; for structured output, the mode in which it was requested."""
        mode = structured_by(self._provider, self._unsupported) if request.schema is not None else None
        if feature == "schema" or (feature == "tools" and not request.tools):
            return mode or feature
        return feature

    async def _open_stream(self, request: ModelRequest) -> tuple[AsyncIterator[Any], Any]:
        model, options = await self._model_and_options(request)
        # LangGraph's `messages` stream has the tokens of every model from `agents/model_calls.py`.
        chunks = model.astream(self._messages(request), config={"tags": ["nostream"]}, **options)
        try:
            return chunks, await self._next(
                chunks, self._settings.first_token_timeout, request, "no first token"
            )
        except BaseException:
            await close_stream(chunks)
            raise

    async def _request_several(self, request: ModelRequest) -> tuple[tuple[Candidate, ...], CandidateBuffer]:
        model, options = await self._model_and_options(request)
        several = {} if self._responses else {"n": request.candidates}
        work = model.agenerate([self._messages(request)], **several, **options)
        result = await self._translate_errors(work, self._settings.first_token_timeout, request, "no answer")
        buffer = CandidateBuffer(summed=False)
        parsed = [candidate_of(generation, buffer) for generation in result.generations[0]]
        candidates = tuple(candidate for candidate in parsed if candidate is not None and candidate.text)
        if not candidates and buffer.refused:
            raise ModelRefused(self._name, buffer.refused)
        if not candidates:
            raise BadReply(self._name, "empty")
        self._check_size(max(len(candidate.text) for candidate in candidates), request)
        return candidates, buffer

    async def _next(self, chunks: Any, seconds: float, request: ModelRequest, what: str) -> Any:
        return await self._translate_errors(anext(chunks, None), seconds, request, what)

    async def _translate_errors(self, work: Any, seconds: float, request: ModelRequest, what: str) -> Any:
        """Await `work` with a time-out; translate any exception of the packages to a `ModelError`."""
        translated: ModelError
        try:
            async with asyncio.timeout(seconds) as clock:
                return await work
        except Exception as error:  # noqa: BLE001 -- the packages of five providers may raise anything
            if clock.expired():
                translated = ModelTimeout(self._name, f"{what} for {seconds:g} s")
            else:
                known = secrets(self._key.value, self._url)
                prompts = (message.content for message in request.messages)
                translated = translate(error, self._name, known, prompts)
        raise translated  # outside `except`: the original, which may contain the key, must not be its context

    def _check_size(self, size: int, request: ModelRequest) -> None:
        most = min(MOST_CHARACTERS, max(_FEWEST_CHARACTERS, _CHARACTERS_PER_TOKEN * request.max_tokens))
        if size > most:
            raise BadReply(self._name, f"more than {most} characters for {request.max_tokens} tokens")

    def _finished_candidate(self, buffer: CandidateBuffer, request: ModelRequest) -> Candidate:
        called = buffer.called if buffer.called in request.tools else ""
        if not buffer.text.strip() and not called:
            self._reasons = self._reasons or buffer.finish == "length"  # the retry has more tokens
            raise BadReply(self._name, "a call to a tool that does not exist" if buffer.called else "empty")
        if not buffer.finish:
            raise BadReply(self._name, "the stream was cut off")
        return Candidate(buffer.text, buffer.finish, tuple(buffer.tokens), called)

    # -- The model and the parameters of a request ---------------------------------------------------

    def _messages(self, request: ModelRequest) -> Any:
        return messages_of(request, structured_by(self._provider, self._unsupported))

    async def _model_and_options(self, request: ModelRequest) -> tuple[Any, dict[str, Any]]:
        model = await self._ready_model()
        if self._reasons or (getattr(model, "profile", None) or {}).get("reasoning_output"):
            request = replace(request, max_tokens=request.max_tokens + _REASONING_TOKENS)
        return options_of(
            model,
            self._provider,
            request,
            self._unsupported,
            temperature=request.temperature or self._settings.temperature,
            responses=self._responses,
        )

    async def _ready_model(self) -> Any:
        """The LangChain model. Built in a thread, because importing LangChain takes seconds."""
        if self._model is None or self._built_with != (self._key.value, self._responses):
            await asyncio.to_thread(self._build)
        return self._model

    def _build(self) -> None:
        """Build the model. A call may be cancelled while this thread continues, hence a thread lock."""
        with self._building:
            key, responses = self._key.value, self._responses
            if self._model is not None and self._built_with == (key, responses):
                return
            settings = self._settings
            if self._clients is None and self._provider.openai_package:
                read_timeout = max(settings.first_token_timeout, settings.idle_timeout)
                self._clients = clients(settings.connect_timeout, read_timeout)
            self._model = build(
                self._provider,
                self._model_name,
                settings,
                url=self._url,
                key=key,
                clients=self._clients or (None, None),
                responses=responses,
            )
            self._built_with = (key, responses)
