"""Sees to it that the stable part of a prompt is evaluated before the question is asked.

    in a slot of the running process   nothing to do
    on disk                            loaded into a free slot, in milliseconds
    nowhere                            evaluated alone, then saved; the question goes on from there

The process is shared, so nothing here is certain when the question arrives: somebody may have taken the slot.
The server compares prompts itself and evaluates what it does not have; all that can be lost is time.
"""

import asyncio
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from text2sql.llm.embedded import wire
from text2sql.llm.embedded.locking import locked_async
from text2sql.llm.embedded.prefixes import Prefix, Prefixes
from text2sql.llm.embedded.running import Plan
from text2sql.types import Message

# Seconds for which a prefix we have used is taken to be still in its slot. Loading it again costs little;
# evaluating it again, because others have used all slots meanwhile, would cost half a minute.
_HOT = 20.0
_LEAST = 64  # tokens: less is evaluated sooner than it is looked up
_REMEMBERED = 64


class Warmth:
    """Of one client at one process."""

    def __init__(self, client: httpx.AsyncClient, model: str, plan: Plan, most_bytes: int) -> None:
        self._client = client
        self._model = model
        self._run: Path = plan.run
        self._prefixes = Prefixes(plan.prefixes, most_bytes)
        self._adapter = plan.adapter
        self._known: OrderedDict[Message, tuple[int, ...]] = OrderedDict()
        self._used: dict[str, float] = {}

    def laid_over(self, *, plain: bool) -> dict[str, Any]:
        """Whether a call goes through the adapter, where the process has one."""
        return {"lora": [{"id": 0, "scale": 0.0 if plain else 1.0}]} if self._adapter else {}

    async def ready(self, messages: tuple[Message, ...], *, plain: bool = False) -> int:
        """How many tokens had to be evaluated for it now."""
        if not messages or messages[0].role != "system":
            return 0
        prefix = Prefix(await self._tokens(messages[0]), plain and self._adapter is not None)
        if len(prefix.tokens) < _LEAST:
            return 0
        evaluated = 0
        if time.monotonic() - self._used.get(prefix.key, -_HOT) >= _HOT:
            # Two that want the same cold prefix: the second waits, and finds it on disk.
            async with locked_async(self._run / f"{prefix.key[:16]}.lock"):
                evaluated = 0 if await self._loaded(prefix) else await self._evaluated(prefix)
        self._used[prefix.key] = time.monotonic()
        return evaluated

    async def is_ready(self, messages: tuple[Message, ...]) -> bool:
        """Whether `ready` would have nothing to evaluate."""
        prefix = Prefix(await self._tokens(messages[0]))
        if len(prefix.tokens) < _LEAST or time.monotonic() - self._used.get(prefix.key, -_HOT) < _HOT:
            return True
        return await asyncio.to_thread(self._prefixes.find, prefix) is not None

    async def rendered(self, messages: tuple[Message, ...]) -> str:
        answer = await self._post("/apply-template", {"messages": wire.messages(messages)})
        return str(answer["prompt"])

    async def _tokens(self, first: Message) -> tuple[int, ...]:
        """The tokens that every prompt beginning with this message begins with, whatever the template."""
        if first not in self._known:
            one, other = [await self.rendered((first, Message("user", text))) for text in ("A", "B")]
            same = next(at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
            content = {"content": one[:same], "add_special": True, "parse_special": True}
            self._known[first] = tuple((await self._post("/tokenize", content))["tokens"])
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return self._known[first]

    async def _loaded(self, prefix: Prefix) -> bool:
        name = await asyncio.to_thread(self._prefixes.find, prefix)
        if name is None:
            return False
        async with locked_async(self._run / "slots.lock"):  # so that two do not load into the same slot
            slot = await self._free_slot()
            await self._turned(slot, prefix)
            answer = await self._client.post(f"/slots/{slot}?action=restore", json={"filename": name})
            with suppress(OSError):
                (self._run / f"slot-{slot}").touch()
        return bool(answer.status_code == httpx.codes.OK)

    async def _turned(self, slot: int, prefix: Prefix) -> None:
        """A slot that was last used the other way, with the adapter or without, would forget what is loaded
        into it as soon as it is asked: one token turns it.
        """
        if self._adapter is not None:
            asked = {"prompt": list(prefix.tokens[:1]), "n_predict": 0, "id_slot": slot}
            await self._post("/completion", asked | self.laid_over(plain=prefix.plain))

    async def _free_slot(self) -> int:
        """One that is not busy, and has been loaded or used longest ago."""

        def age(slot: dict[str, Any]) -> tuple[bool, float, int]:
            try:
                loaded = (self._run / f"slot-{slot['id']}").stat().st_mtime
            except OSError:
                loaded = 0.0
            task = slot.get("id_task")
            return bool(slot["is_processing"]), loaded, -1 if task is None else int(task)

        slots = (await self._client.get("/slots")).json()
        return int(min(slots, key=age)["id"])

    async def _evaluated(self, prefix: Prefix) -> int:
        asked = {"prompt": list(prefix.tokens), "n_predict": 0, "cache_prompt": True}
        answer = await self._post("/completion", asked | self.laid_over(plain=prefix.plain))
        await self._saved(prefix, answer["id_slot"])
        return int(answer["timings"]["prompt_n"])

    async def _saved(self, prefix: Prefix, slot: int) -> None:
        name = self._prefixes.temporary(prefix)
        answer = await self._client.post(f"/slots/{slot}?action=save", json={"filename": name})
        if answer.status_code == httpx.codes.OK:
            await asyncio.to_thread(self._prefixes.keep, prefix, name)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self._client.post(path, json=body)
        if answer.status_code != httpx.codes.OK:
            raise wire.error(self._model, answer)
        return dict(answer.json())
