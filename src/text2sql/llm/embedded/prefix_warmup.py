"""Make sure that the stable prefix of a prompt is evaluated before the question is sent.

    on disk      it is loaded into the slot, in milliseconds
    otherwise    it is evaluated by itself and saved

The server is emptied first, and the whole prefix is evaluated at once: floating-point results depend slightly
on which tokens are computed together. If a slot kept tokens of an earlier question, answers would depend on
the order of questions.
"""

import asyncio
from collections import OrderedDict
from pathlib import Path
from typing import Any, TypeAlias

import httpx

from text2sql.llm.embedded import wire
from text2sql.llm.embedded.cpu import SLOTS
from text2sql.llm.embedded.prefixes import Prefix, Prefixes
from text2sql.llm.embedded.process import Plan
from text2sql.types import Message

_LEAST = 64  # tokens: a shorter prefix is evaluated faster than it is loaded
_CACHED = 64  # messages whose tokens are cached

TokenCache: TypeAlias = OrderedDict[Message, tuple[int, ...]]


class PrefixWarmup:
    """Prefix evaluation for one call. The token cache is shared by the calls of one plan."""

    def __init__(
        self, client: httpx.AsyncClient, model: str, plan: Plan, most_bytes: int, token_cache: TokenCache
    ) -> None:
        self._client = client
        self._model = model
        self.run: Path = plan.run
        self._prefixes = Prefixes(plan.prefixes, most_bytes)
        self._adapter = plan.adapter
        self._token_cache = token_cache

    def adapter_options(self, *, plain: bool) -> dict[str, Any]:
        """The request option that turns the adapter on or off, if the process has one."""
        return {"lora": [{"id": 0, "scale": 0.0 if plain else 1.0}]} if self._adapter else {}

    async def ready(self, messages: tuple[Message, ...], *, plain: bool = False) -> int:
        """Load or evaluate the prefix of these messages into the slot; returns the number of tokens evaluated
        now. The caller must be first in the queue.
        """
        await self._erase_slots()
        prefix = await self._prefix(messages, plain)
        if prefix is None:
            return 0
        name = await asyncio.to_thread(self._prefixes.find, prefix)
        return 0 if name and await self._load(prefix, name) else await self._evaluate(prefix)

    async def is_cached(self, messages: tuple[Message, ...], *, plain: bool = False) -> bool:
        """Whether `ready` would have nothing to evaluate."""
        prefix = await self._prefix(messages, plain)
        return prefix is None or await asyncio.to_thread(self._prefixes.find, prefix) is not None

    async def rendered(self, messages: tuple[Message, ...]) -> str:
        response = await self._post("/apply-template", {"messages": wire.messages(messages)})
        return str(response["prompt"])

    async def _tokens(self, first: Message) -> tuple[int, ...]:
        """The common token prefix of all prompts that begin with this message, for any chat template."""
        tokens = self._token_cache.get(first)
        if tokens is None:
            left, right = [await self.rendered((first, Message("user", text))) for text in ("A", "B")]
            common = next(at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b)
            content = {"content": left[:common], "add_special": True, "parse_special": True}
            tokens = tuple((await self._post("/tokenize", content))["tokens"])
            self._token_cache[first] = tokens
            if len(self._token_cache) > _CACHED:
                self._token_cache.popitem(last=False)
        return tokens

    async def _prefix(self, messages: tuple[Message, ...], plain: bool) -> Prefix | None:
        """The prefix; None if it is too short to be worth caching."""
        if not messages or messages[0].role != "system":
            return None
        tokens = await self._tokens(messages[0])
        return Prefix(tokens, plain and self._adapter is not None) if len(tokens) >= _LEAST else None

    async def _erase_slots(self) -> None:
        """Erase all slots. A slot that is busy with an abandoned call is erased when that call has ended."""
        for slot in range(SLOTS):
            await self._post(f"/slots/{slot}?action=erase", {})

    async def _load(self, prefix: Prefix, name: str) -> bool:
        if self._adapter is not None:
            # A slot that was last used with the other adapter setting would discard the loaded state on the
            # next request: a request of one token switches it first.
            body = {"prompt": list(prefix.tokens[:1]), "n_predict": 0, "id_slot": wire.SLOT}
            await self._post("/completion", body | self.adapter_options(plain=prefix.plain))
        response = await self._client.post(f"/slots/{wire.SLOT}?action=restore", json={"filename": name})
        return bool(response.status_code == httpx.codes.OK)

    async def _evaluate(self, prefix: Prefix) -> int:
        body = {"prompt": list(prefix.tokens), "n_predict": 0, "cache_prompt": True, "id_slot": wire.SLOT}
        response = await self._post("/completion", body | self.adapter_options(plain=prefix.plain))
        await self._save(prefix, wire.SLOT)
        return int(response["timings"]["prompt_n"])

    async def _save(self, prefix: Prefix, slot: int) -> None:
        name = self._prefixes.temporary(prefix)
        response = await self._client.post(f"/slots/{slot}?action=save", json={"filename": name})
        if response.status_code == httpx.codes.OK:
            await asyncio.to_thread(self._prefixes.keep, prefix, name)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        response = await self._client.post(path, json=body)
        if response.status_code != httpx.codes.OK:
            raise wire.error(self._model, response)
        return dict(response.json())
