"""The embedded model as a `Backend`.

A call finds or starts the process, waits in the queue, makes sure that the stable prefix is evaluated, and
sends the prompt. If the process dies during a call, it is started again and the call repeated once; text that
was already yielded is not yielded again.

Calls share no connection: each has an HTTP client of its own, so the end of one never breaks another.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import httpx

from text2sql.config import Settings
from text2sql.errors import ModelUnavailable
from text2sql.llm.backend import Preparing
from text2sql.llm.embedded import process, wire
from text2sql.llm.embedded.file import ready_file
from text2sql.llm.embedded.manifest import QWEN
from text2sql.llm.embedded.prefix_warmup import PrefixWarmup, TokenCache
from text2sql.llm.embedded.queue import ticket
from text2sql.llm.model_size import size_of
from text2sql.types import Message, ModelProfile, ModelRequest, Queued, Reply

_COUNTED = 512  # texts whose number of tokens is cached


class EmbeddedBackend:
    def __init__(self, path: str | None, settings: Settings) -> None:
        self.name = path or "local"
        self.profile = ModelProfile(
            settings.model_context,
            location="local",
            size=size_of(Path(path or QWEN.file).name, settings, file_bytes=_file_size(path) if path else 0),
            grammar=True,
            candidates=True,
            logprobs=True,
            continues=True,
            concurrent=False,
        )
        self._path = path
        self._settings = settings
        self._plan: process.Plan | None = None
        self._token_cache: TokenCache = OrderedDict()
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Queued | Preparing | Reply]:
        yielded = ""
        for last in (False, True):
            try:
                async with aclosing(self._attempt(request)) as pieces:
                    text = ""
                    async for piece in pieces:
                        if isinstance(piece, Reply):
                            yield piece
                            return
                        if isinstance(piece, Queued | Preparing):
                            yield piece
                            continue
                        text += piece
                        # After a restart the same text comes again; if it differs, only the reply has it.
                        if len(text) > len(yielded) and text.startswith(yielded):
                            new, yielded = text[len(yielded) :], text
                            yield new
            except httpx.TransportError as error:
                if last:
                    raise ModelUnavailable(self.name, "the model's process died twice") from error

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        for last in (False, True):
            try:
                async with self._connected() as (_, warmup):
                    if await warmup.is_cached(tuple(messages), plain=plain):
                        return
                    async with ticket(warmup.run) as own_ticket:
                        async for _ in own_ticket.turn():
                            pass
                        await warmup.ready(tuple(messages), plain=plain)
            except httpx.TransportError as error:
                if last:
                    raise ModelUnavailable(self.name, "the model's process died twice") from error
            else:
                return

    async def count_tokens(self, text: str) -> int:
        if text in self._counts:
            self._counts.move_to_end(text)
            return self._counts[text]
        try:
            async with self._connected() as (client, _):
                response = await client.post("/tokenize", json={"content": text})
        except httpx.TransportError as error:
            raise ModelUnavailable(self.name, "the model's process died") from error
        if response.status_code != httpx.codes.OK:
            raise wire.error(self.name, response)
        self._counts[text] = len(response.json()["tokens"])
        if len(self._counts) > _COUNTED:
            self._counts.popitem(last=False)
        return self._counts[text]

    async def close(self) -> None:
        """Nothing to close: other programs may use the process, and it ends by itself when idle."""

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[str | Queued | Preparing | Reply]:
        async with self._connected() as (client, warmup):
            prompt = await warmup.rendered(request.messages)
            async with ticket(warmup.run) as own_ticket:
                async for ahead in own_ticket.turn():
                    yield Queued(ahead)
                began = time.monotonic()
                yield Preparing()
                evaluated = await warmup.ready(request.messages, plain=request.plain)
                yield Queued(0)
                body = wire.payload(request, prompt) | warmup.adapter_options(plain=request.plain)
                partials = [wire.PartialCandidate.after(request) for _ in range(body["n_cmpl"])]
                if partials[0].text:
                    yield partials[0].text
                async with (
                    client.stream("POST", "/completion", json=body) as response,
                    aclosing(wire.events(response, self.name)) as events,
                ):
                    async for event in events:
                        at = event.get("index", 0)
                        piece = partials[at].add(event)
                        if at == 0 and piece:
                            yield piece
            candidates = tuple(partial.done(self.name) for partial in partials)
            yield Reply(self.name, candidates, wire.usage(partials, evaluated, time.monotonic() - began))

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[tuple[httpx.AsyncClient, PrefixWarmup]]:
        """An HTTP client for the running process, which may have been restarted since the last call."""
        plan, host = await asyncio.to_thread(self._find_host)
        # No time-out here: the caller has a deadline, and closing the stream ends the generation.
        async with httpx.AsyncClient(
            transport=host.transport(), base_url=host.url, headers=host.headers, timeout=httpx.Timeout(None)
        ) as client:
            limit = self._settings.prefix_cache_bytes
            yield client, PrefixWarmup(client, self.name, plan, limit, self._token_cache)

    def _find_host(self) -> tuple[process.Plan, process.Host]:
        if self._plan is None:
            model = ready_file(self._path, self._settings)
            self._plan = process.plan_for(model, ours=self._path is None, settings=self._settings)
        return self._plan, process.ensure(self._plan)


def _file_size(path: str) -> int:
    """The size of the file; 0 if it is missing, which the first call reports."""
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
