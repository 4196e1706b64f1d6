"""A hosted model as a `Backend`: one attempt through LangChain, with translated errors and bounded replies.

One candidate is streamed, so that a stall or an endless answer is detected. Several candidates are requested
without streaming, because LangChain's stream cannot tell them apart.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from text2sql.config import Settings
from text2sql.errors import BadReply, ModelError, ModelRefused, ModelTimeout
from text2sql.llm.backend import size_of
from text2sql.llm.error_mapping import KeyExpired, NotSupported, translate
from text2sql.llm.langchain_messages import CandidateBuffer, Utf16, candidate_of, estimate_tokens
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
from text2sql.llm.transport import clients
from text2sql.types import Candidate, Message, ModelProfile, ModelRequest, Reply

T = TypeVar("T")
DEFAULT_CONTEXT = 32_768  # of an unknown model
MOST_CHARACTERS = 4_000_000
_FEWEST_CHARACTERS = 4_096
_CHARACTERS_PER_TOKEN = 32  # four are usual; sequences of blanks make long tokens
_CLOSING = 1.0  # seconds that closing a stream may take


class HostedBackend:
    def __init__(self, name: str, settings: Settings) -> None:
        kind, _, model = name.partition(":")
        self._provider: Provider = provider(kind)
        self._settings = settings
        self._model_name = model
        self._name = name
        self._url = find_url(self._provider, settings)
        self._key = Key(self._provider, settings)
        self._unsupported: set[str] = set()
        self._building = threading.Lock()
        self._clients: tuple[Any, Any] | None = None
        self._model: Any = None
        self._built_with = ""

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
            size=size_of(self._settings) or "large",
            structured_output=facts.schema and "schema" not in without,
            tool_calls="tools" not in without,
            candidates=facts.many,
            logprobs=facts.many and "logprobs" not in without,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | Reply, None]:
        began = time.monotonic()
        if request.candidates > 1:
            calls, (candidates, usage) = await self._retry_adaptable(request, self._request_several)
            yield candidates[0].text
            yield Reply(self._name, candidates, usage.counted(calls, time.monotonic() - began))
            return
        calls, (chunks, first) = await self._retry_adaptable(request, self._open_stream)
        buffer, text = CandidateBuffer(summed=self._provider.dialect not in ("openai", "azure")), Utf16()
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
            await _close(chunks)
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
                if renewed or not self._key.renewed(used):
                    raise
                renewed = True
            except NotSupported as error:
                if error.feature in self._unsupported:
                    raise
                self._unsupported.add(error.feature)
        raise AssertionError("counting does not end")

    async def _open_stream(self, request: ModelRequest) -> tuple[AsyncIterator[Any], Any]:
        model, options = await self._model_and_options(request)
        chunks = model.astream(_messages(request), **options)
        try:
            return chunks, await self._next(
                chunks, self._settings.first_token_timeout, request, "no first token"
            )
        except BaseException:
            await _close(chunks)
            raise

    async def _request_several(self, request: ModelRequest) -> tuple[tuple[Candidate, ...], CandidateBuffer]:
        model, options = await self._model_and_options(request)
        work = model.agenerate([_messages(request)], n=request.candidates, **options)
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
            raise BadReply(self._name, "a call to a tool that does not exist" if buffer.called else "empty")
        if not buffer.finish:
            raise BadReply(self._name, "the stream was cut off")
        return Candidate(buffer.text, buffer.finish, tuple(buffer.tokens), called)

    # -- The model and the parameters of a request ---------------------------------------------------

    async def _model_and_options(self, request: ModelRequest) -> tuple[Any, dict[str, Any]]:
        model = await self._ready_model()
        temperature = request.temperature or self._settings.temperature
        with_temperature = "temperature" not in self._unsupported
        schema = (
            dict(request.schema) if request.schema is not None and "schema" not in self._unsupported else None
        )
        if self._provider.dialect not in ("openai", "azure"):
            copied = _with_request_limits(
                model, self._provider, request, temperature if with_temperature else None, schema
            )
            return self._with_tools(copied, request), ({"stop": list(request.stop)} if request.stop else {})
        body: dict[str, Any] = {}
        options: dict[str, Any] = {"extra_body": body}
        if self._provider.name in ("openai", "azure_openai"):
            options["max_tokens"] = request.max_tokens
        else:  # LangChain would send max_completion_tokens, which other providers ignore
            body["max_tokens"] = request.max_tokens
        if with_temperature:
            options["temperature"] = temperature
        if request.stop:
            options["stop"] = list(request.stop)
        if schema is not None:
            # In the body, not as an argument: LangChain would parse the answer and raise if it is cut off.
            format_ = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": format_}
        if request.logprobs and "logprobs" not in self._unsupported:
            options["logprobs"] = True
        if "usage" in self._unsupported:
            options["stream_usage"] = False
        return self._with_tools(model, request), options

    def _with_tools(self, model: Any, request: ModelRequest) -> Any:
        """The model bound to the tools of the request, each with a name, a description and no arguments."""
        if not request.tools or "tools" in self._unsupported:
            return model
        tools = [
            {"name": name, "description": purpose, "parameters": {"type": "object", "properties": {}}}
            for name, purpose in request.tools.items()
        ]
        functions = [{"type": "function", "function": tool} for tool in tools]
        return model.bind_tools(functions, tool_choice="any")

    async def _ready_model(self) -> Any:
        """The LangChain model. Built in a thread, because importing LangChain takes seconds."""
        if self._model is None or self._built_with != self._key.value:
            await asyncio.to_thread(self._build)
        return self._model

    def _build(self) -> None:
        """Build the model. A call may be cancelled while this thread continues, hence a thread lock."""
        with self._building:
            key = self._key.value
            if self._model is not None and self._built_with == key:
                return
            settings = self._settings
            if self._clients is None and self._provider.dialect in ("openai", "azure"):
                read_timeout = max(settings.first_token_timeout, settings.idle_timeout)
                self._clients = clients(settings.connect_timeout, read_timeout)
            self._model = build(
                self._provider,
                self._model_name,
                settings,
                url=self._url,
                key=key,
                clients=self._clients or (None, None),
            )
            self._built_with = key


def _with_request_limits(
    model: Any, provider_facts: Provider, request: ModelRequest, temperature: float | None, schema: Any
) -> Any:
    """A copy of the model with this request's limits, for packages that accept them only as fields."""
    limit = {"google": "max_output_tokens", "ollama": "num_predict"}.get(provider_facts.dialect, "max_tokens")
    update: dict[str, Any] = {limit: request.max_tokens, "temperature": temperature}
    if provider_facts.dialect == "ollama" and schema is not None:
        update["format"] = schema
    return model.model_copy(update=update)


def _messages(request: ModelRequest) -> Any:
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 -- loaded once a model is built

    return convert_to_messages([(message.role, message.content) for message in request.messages])


async def _close(chunks: Any) -> None:
    with suppress(TimeoutError, RuntimeError):  # RuntimeError: it is already being closed
        async with asyncio.timeout(_CLOSING):
            await chunks.aclose()
