"""A hosted model behind the seam: one attempt through LangChain, every error in our words, nothing unbounded.

One candidate is streamed, so that a pause and an endless answer are noticed; several come in one piece,
because LangChain's stream cannot tell candidates apart.
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
from text2sql.llm.chunks import Gathered, Utf16, candidate_of, estimate_tokens
from text2sql.llm.providers import Key, Provider, build, find_url, provider, refuse_proxy, secrets
from text2sql.llm.translation import KeyExpired, NotSupported, translate
from text2sql.llm.transport import clients
from text2sql.types import Candidate, Capabilities, Message, ModelRequest, Reply

T = TypeVar("T")
DEFAULT_CONTEXT = 32_768  # of a model nobody has told us about
MOST_CHARACTERS = 4_000_000
_FEWEST_CHARACTERS = 4_096
_CHARACTERS_PER_TOKEN = 32  # four are usual; runs of blanks make long tokens
_CLOSING = 1.0  # seconds a connection may take to end


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
    def capabilities(self) -> Capabilities:
        facts, without = self._provider, self._unsupported
        profile = getattr(self._model, "profile", None) or {}
        return Capabilities(
            context=int(profile.get("max_input_tokens") or DEFAULT_CONTEXT),
            schema=facts.schema and "schema" not in without,
            candidates=facts.many,
            logprobs=facts.many and "logprobs" not in without,
            tools="tools" not in without,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | Reply, None]:
        began = time.monotonic()
        if request.candidates > 1:
            calls, (candidates, usage) = await self._opened(request, self._several)
            yield candidates[0].text
            yield Reply(self._name, candidates, usage.counted(calls, time.monotonic() - began))
            return
        calls, (chunks, first) = await self._opened(request, self._first)
        gathered, text = Gathered(summed=self._provider.dialect not in ("openai", "azure")), Utf16()
        try:
            chunk: Any = first
            while chunk is not None:
                if piece := gathered.add(chunk, text):
                    self._bounded(gathered.size, request)
                    yield piece
                if gathered.refused:
                    raise ModelRefused(self._name, gathered.refused)
                chunk = await self._next(chunks, self._settings.idle_timeout, request, "paused")
        finally:
            await _close(chunks)
        yield Reply(
            self._name, (self._whole(gathered, request),), gathered.counted(calls, time.monotonic() - began)
        )

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:  # noqa: ARG002
        """Nobody hosted keeps a prefix for us; but the packages can be imported before the question comes."""
        await self._ready()

    async def has_read(self, messages: Sequence[Message]) -> bool:  # noqa: ARG002
        """It reads thousands of tokens a second."""
        return True

    async def count_tokens(self, text: str) -> int:
        return estimate_tokens(text)

    async def close(self) -> None:
        if self._clients is not None:
            sync, asynchronous = self._clients
            self._clients = self._model = None
            sync.close()
            await asynchronous.aclose()

    # -- One attempt ---------------------------------------------------------------------------------

    async def _opened(
        self, request: ModelRequest, start: Callable[[ModelRequest], Awaitable[T]]
    ) -> tuple[int, T]:
        """`start`, and again at once for what is no failure: a key that ran out, a parameter unknown there.

        Tells how many calls that took.
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

    async def _first(self, request: ModelRequest) -> tuple[AsyncIterator[Any], Any]:
        model, options = await self._prepared(request)
        chunks = model.astream(_messages(request), **options)
        try:
            return chunks, await self._next(
                chunks, self._settings.first_token_timeout, request, "no first token"
            )
        except BaseException:
            await _close(chunks)
            raise

    async def _several(self, request: ModelRequest) -> tuple[tuple[Candidate, ...], Gathered]:
        model, options = await self._prepared(request)
        asked = model.agenerate([_messages(request)], n=request.candidates, **options)
        result = await self._awaited(asked, self._settings.first_token_timeout, request, "no answer")
        gathered = Gathered(summed=False)
        found = [candidate_of(one, gathered) for one in result.generations[0]]
        good = tuple(one for one in found if one is not None and one.text)
        if not good and gathered.refused:
            raise ModelRefused(self._name, gathered.refused)
        if not good:
            raise BadReply(self._name, "empty")
        self._bounded(max(len(one.text) for one in good), request)
        return good, gathered

    async def _next(self, chunks: Any, seconds: float, request: ModelRequest, what: str) -> Any:
        return await self._awaited(anext(chunks, None), seconds, request, what)

    async def _awaited(self, work: Any, seconds: float, request: ModelRequest, what: str) -> Any:
        """Wait for the other side; whatever its packages raise leaves as one of ours, without secrets."""
        ours: ModelError
        try:
            async with asyncio.timeout(seconds) as clock:
                return await work
        except Exception as error:  # noqa: BLE001 -- the packages of five providers may raise anything
            if clock.expired():
                ours = ModelTimeout(self._name, f"{what} for {seconds:g} s")
            else:
                known = secrets(self._key.value, self._url)
                ours = translate(error, self._name, known, (one.content for one in request.messages))
        raise ours  # outside of `except`, so that the original, which may hold the key, is not its context

    def _bounded(self, size: int, request: ModelRequest) -> None:
        most = min(MOST_CHARACTERS, max(_FEWEST_CHARACTERS, _CHARACTERS_PER_TOKEN * request.max_tokens))
        if size > most:
            raise BadReply(self._name, f"more than {most} characters for {request.max_tokens} tokens")

    def _whole(self, gathered: Gathered, request: ModelRequest) -> Candidate:
        called = gathered.called if gathered.called in request.tools else ""
        if not gathered.text.strip() and not called:
            raise BadReply(self._name, "a call to a tool that does not exist" if gathered.called else "empty")
        if not gathered.finish:
            raise BadReply(self._name, "the stream was cut off")
        return Candidate(gathered.text, gathered.finish, tuple(gathered.tokens), called)

    # -- The model and what it is told ---------------------------------------------------------------

    async def _prepared(self, request: ModelRequest) -> tuple[Any, dict[str, Any]]:
        model = await self._ready()
        temperature = request.temperature or self._settings.temperature
        with_temperature = "temperature" not in self._unsupported
        schema = (
            dict(request.schema) if request.schema is not None and "schema" not in self._unsupported else None
        )
        if self._provider.dialect not in ("openai", "azure"):
            copied = _copied(
                model, self._provider, request, temperature if with_temperature else None, schema
            )
            return self._tooled(copied, request), ({"stop": list(request.stop)} if request.stop else {})
        body: dict[str, Any] = {}
        options: dict[str, Any] = {"extra_body": body}
        if self._provider.name in ("openai", "azure_openai"):
            options["max_tokens"] = request.max_tokens
        else:  # LangChain would say max_completion_tokens, which others ignore, and nothing were bounded
            body["max_tokens"] = request.max_tokens
        if with_temperature:
            options["temperature"] = temperature
        if request.stop:
            options["stop"] = list(request.stop)
        if schema is not None:
            # In the body, not as an argument: with that, LangChain parses the answer and raises if cut.
            format_ = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": format_}
        if request.logprobs and "logprobs" not in self._unsupported:
            options["logprobs"] = True
        if "usage" in self._unsupported:
            options["stream_usage"] = False
        return self._tooled(model, request), options

    def _tooled(self, model: Any, request: ModelRequest) -> Any:
        """The model bound to call one of the tools; each is a name and a purpose, without arguments."""
        if not request.tools or "tools" in self._unsupported:
            return model
        tools = [
            {"name": name, "description": purpose, "parameters": {"type": "object", "properties": {}}}
            for name, purpose in request.tools.items()
        ]
        return model.bind_tools([{"type": "function", "function": one} for one in tools], tool_choice="any")

    async def _ready(self) -> Any:
        """Built in a thread: importing LangChain takes seconds, and the loop has others to serve."""
        if self._model is None or self._built_with != self._key.value:
            await asyncio.to_thread(self._build)
        return self._model

    def _build(self) -> None:
        """A call may be cancelled while its thread goes on: so the lock is one of threads."""
        with self._building:
            key = self._key.value
            if self._model is not None and self._built_with == key:
                return
            one = self._settings
            if self._clients is None and self._provider.dialect in ("openai", "azure"):
                self._clients = clients(one.connect_timeout, max(one.first_token_timeout, one.idle_timeout))
            made = self._clients or (None, None)
            self._model = build(self._provider, self._model_name, one, url=self._url, key=key, clients=made)
            self._built_with = key


def _copied(model: Any, one: Provider, request: ModelRequest, temperature: float | None, schema: Any) -> Any:
    """The same model and client with this request's limits, for packages that take them as fields only."""
    limit = {"google": "max_output_tokens", "ollama": "num_predict"}.get(one.dialect, "max_tokens")
    update: dict[str, Any] = {limit: request.max_tokens, "temperature": temperature}
    if one.dialect == "ollama" and schema is not None:
        update["format"] = schema
    return model.model_copy(update=update)


def _messages(request: ModelRequest) -> Any:
    from langchain_core.messages import convert_to_messages  # noqa: PLC0415 -- there once a model is built

    return convert_to_messages([(one.role, one.content) for one in request.messages])


async def _close(chunks: Any) -> None:
    with suppress(TimeoutError, RuntimeError):  # RuntimeError: it is being closed already
        async with asyncio.timeout(_CLOSING):
            await chunks.aclose()
