"""The databases that are served, by name. One that is down does not keep the others from answering, and is
asked again whenever somebody wants to know.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from text2sql.app import AsyncText2SQL
from text2sql.config import Settings
from text2sql.database.dialects import BY_NAME
from text2sql.database.url import read_source
from text2sql.errors import Text2SQLError, UsageError
from text2sql.llm import AsyncChatModel
from text2sql.memory import StoredResult
from text2sql.schema import policy_mark
from text2sql.server.identity import Identity
from text2sql.sql import policy_for
from text2sql.types import Policies, Policy

log = logging.getLogger(__name__)

_MOST_VIEWS = 256  # of one source: each holds a catalogue and its values

_FRESH = 2.0  # seconds that a probe's finding is good for
_PATIENCE = 2.0  # seconds that a probe is waited for; it goes on after that


@dataclass(slots=True)
class Source:
    name: str
    app: AsyncText2SQL
    dialect: str
    _probe: "asyncio.Task[bool] | None" = None
    _found: bool = False
    _looked: float = field(default=-_FRESH)
    _views: "OrderedDict[str, Source]" = field(default_factory=OrderedDict)

    @property
    def product(self) -> str:
        return BY_NAME[self.dialect].product

    def seen_by(self, policy: Policy) -> "Source":
        """The same source for all who may see the same of it; one that is no longer used is forgotten."""
        mark = policy_mark(policy)
        view = self._views.pop(mark, None) or Source(self.name, self.app.seen_by(policy), self.dialect)
        self._views[mark] = view
        while len(self._views) > _MOST_VIEWS:
            self._views.popitem(last=False)
        return view

    async def key(self) -> str:
        return (await self.app.rooms()).library.key

    async def ready(self) -> bool:
        """Whether it answers. Many who ask at once share one probe, and a slow one counts as no."""
        if time.monotonic() - self._looked < _FRESH:
            return self._found
        if self._probe is None or self._probe.done():
            self._probe = asyncio.create_task(self._ask())
        done, _ = await asyncio.wait({self._probe}, timeout=_PATIENCE)
        return bool(done) and self._probe.result()

    async def _ask(self) -> bool:
        try:
            rooms = await self.app.rooms()
            await rooms.database.ping()
            await rooms.memory.keys.still_opens("")  # no question is answered that cannot be kept
        except Text2SQLError as error:
            log.warning("source %s is not ready: %s", self.name, error.message_key)
            self._found = False
        else:
            self._found = True
        self._looked = time.monotonic()
        return self._found

    async def close(self) -> None:
        if self._probe is not None:
            self._probe.cancel()
            await asyncio.gather(self._probe, return_exceptions=True)
        await self.app.close()


class Sources:
    """In the order in which they were named; the first is the default."""

    def __init__(
        self,
        addresses: Mapping[str, str],
        settings: Settings,
        *,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        policies: Mapping[str, Policies] | None = None,
    ) -> None:
        """`policy` holds for everybody; `policies`, by source, say what each may see."""
        self._policies = policies or {}
        if not addresses:
            raise UsageError("usage.db_missing")
        self._sources = {
            name: Source(
                name,
                AsyncText2SQL(address, settings=settings, model=model, policy=policy),
                read_source(address).dialect,
            )
            for name, address in addresses.items()
        }
        self.default = next(iter(self._sources))

    def __iter__(self) -> Iterator[Source]:
        return iter(self._sources.values())

    def seen_by(self, who: Identity) -> "Sources":
        """Those that somebody may ask, each with what they may see of it. To them there are no others."""
        if who.sources is None and not self._policies:
            return self
        seen = object.__new__(Sources)
        seen._policies = {}
        seen._sources = dict(self._shown(who))
        seen.default = next(iter(seen._sources), "")
        return seen

    def _shown(self, who: Identity) -> Iterator[tuple[str, Source]]:
        for name, source in self._sources.items():
            if who.sources is not None and name not in who.sources:
                continue
            if name not in self._policies:
                yield name, source
                continue
            policy = policy_for(self._policies[name], who.roles, who.claims)
            if policy.tables:
                yield name, source.seen_by(policy)

    def named(self, name: str | None) -> Source:
        found = self._sources.get(name or self.default)
        if found is None:
            raise UsageError("usage.source", name=(name or "")[:100])
        return found

    async def of_thread(self, thread: str, user: str) -> Source | None:
        """The source that a thread is about; None for a thread that nobody knows."""
        for source in self:
            about = await source.app.source_of(thread, user=user)
            if about is not None and about in ("", await source.key()):
                return source
        return None

    async def of_result(self, result_id: str, user: str) -> tuple[Source, StoredResult]:
        """A result, and the source that it came from: no other may be asked for more of it."""
        for source in self:
            with suppress(UsageError):
                return source, await source.app.result(result_id, user=user)
        raise UsageError("usage.result")

    async def open(self) -> None:
        """What can be opened now is; the rest when it is first needed."""
        for source in self:
            try:
                await source.app.rooms()
            except Text2SQLError as error:
                log.warning("source %s could not be opened: %s", source.name, error.message_key)
        with suppress(Text2SQLError):  # told above, and again by the first question
            if self._policies:
                return  # there is no schema that everybody sees
            self.named(None).app.warm_soon()  # the default's alone: a model reads one schema at a time

    async def close(self) -> None:
        for source in self:
            await source.close()
