"""The embedded model as a `Backend`.

A call finds the process or starts it, sees to it that the stable prefix is evaluated, and asks. If the
process dies in the middle, it is started again and the call made once more; what was said is not said twice.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

import httpx

from text2sql.config import Settings
from text2sql.errors import ModelUnavailable
from text2sql.llm.embedded import running, wire
from text2sql.llm.embedded.file import ready_file
from text2sql.llm.embedded.warmth import Warmth
from text2sql.types import Capabilities, Message, ModelRequest, Reply

_COUNTED = 512  # texts whose number of tokens is remembered


class EmbeddedBackend:
    def __init__(self, path: str | None, settings: Settings) -> None:
        self.name = path or "local"
        self.capabilities = Capabilities(
            settings.model_context, grammar=True, candidates=True, logprobs=True, continues=True
        )
        self._path = path
        self._settings = settings
        self._plan: running.Plan | None = None
        self._host: running.Host | None = None
        self._client: httpx.AsyncClient | None = None
        self._warmth: Warmth | None = None
        self._counts: OrderedDict[str, int] = OrderedDict()

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | Reply]:
        said = ""
        for last in (False, True):
            try:
                async with aclosing(self._attempt(request)) as pieces:
                    text = ""
                    async for piece in pieces:
                        if isinstance(piece, Reply):
                            yield piece
                            return
                        text += piece
                        # After a restart the same words come again; where they differ, the reply tells.
                        if len(text) > len(said) and text.startswith(said):
                            new, said = text[len(said) :], text
                            yield new
            except httpx.TransportError as gone:
                await self._drop()
                if last:
                    raise ModelUnavailable(self.name, "the model's process died twice") from gone

    async def warm(self, messages: Sequence[Message], *, plain: bool = False) -> None:
        for last in (False, True):
            try:
                client = await self._connected()
                await self._warm_with(client).ready(tuple(messages), plain=plain)
            except httpx.TransportError as gone:
                await self._drop()
                if last:
                    raise ModelUnavailable(self.name, "the model's process died twice") from gone
            else:
                return

    async def has_read(self, messages: Sequence[Message]) -> bool:
        try:
            client = await self._connected()
            return await self._warm_with(client).is_ready(tuple(messages))
        except httpx.TransportError:  # it died: the next call starts it again
            await self._drop()
            return False

    async def count_tokens(self, text: str) -> int:
        if text in self._counts:
            self._counts.move_to_end(text)
            return self._counts[text]
        try:
            client = await self._connected()
            response = await client.post("/tokenize", json={"content": text})
        except httpx.TransportError as gone:
            await self._drop()
            raise ModelUnavailable(self.name, "the model's process died") from gone
        if response.status_code != httpx.codes.OK:
            raise wire.error(self.name, response)
        self._counts[text] = len(response.json()["tokens"])
        if len(self._counts) > _COUNTED:
            self._counts.popitem(last=False)
        return self._counts[text]

    async def close(self) -> None:
        """Only our connections: others may be asking the process, and it ends by itself."""
        await self._drop()

    async def _attempt(self, request: ModelRequest) -> AsyncGenerator[str | Reply]:
        began = time.monotonic()
        client = await self._connected()
        warmth = self._warm_with(client)
        evaluated = await warmth.ready(request.messages, plain=request.plain)
        prompt = await warmth.rendered(request.messages)
        asked = wire.payload(request, prompt) | warmth.laid_over(plain=request.plain)
        if request.begun:
            yield request.begun
        grown = [wire.Growing(request.begun) for _ in range(asked["n_cmpl"])]
        async with (
            client.stream("POST", "/completion", json=asked) as response,
            aclosing(wire.events(response, self.name)) as events,
        ):
            async for event in events:
                at = event.get("index", 0)
                grown[at].add(event)
                if at == 0 and event.get("content"):
                    yield event["content"]
        candidates = tuple(one.done(self.name) for one in grown)
        yield Reply(self.name, candidates, wire.usage(grown, evaluated, time.monotonic() - began))

    async def _connected(self) -> httpx.AsyncClient:
        """To the process as it runs now: it may have ended, idle, since the last question."""
        host = await asyncio.to_thread(self._find)
        if host != self._host or self._client is None:
            await self._drop()
            self._host = host
            # No time-outs here: whoever waits knows how long, and closing the stream ends the work.
            self._client = httpx.AsyncClient(
                transport=host.transport(),
                base_url=host.url,
                headers=host.headers,
                timeout=httpx.Timeout(None),
            )
        return self._client

    def _find(self) -> running.Host:
        if self._plan is None:
            model = ready_file(self._path, self._settings)
            self._plan = running.plan_for(model, ours=self._path is None, settings=self._settings)
        return running.ensure(self._plan)

    def _warm_with(self, client: httpx.AsyncClient) -> Warmth:
        if self._plan is None:
            raise RuntimeError("not connected")
        if self._warmth is None:
            self._warmth = Warmth(client, self.name, self._plan, self._settings.prefix_cache_bytes)
        return self._warmth

    async def _drop(self) -> None:
        client, self._client, self._host, self._warmth = self._client, None, None, None
        if client is not None:
            await client.aclose()
