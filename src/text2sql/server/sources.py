"""The served databases by name. An unreachable one does not block the others, and is probed again when its
state is requested.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.database import Accounts
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

_MAX_VIEWS = 256  # of one source; each holds a catalog and its values

_FRESH = 2.0  # seconds for which the result of a probe is cached
_PROBE_TIMEOUT = 2.0  # seconds to wait for a probe, which then continues in the background


@dataclass(slots=True)
class Source:
    name: str
    app: AsyncText2SQL
    dialect: str
    _probe: "asyncio.Task[bool] | None" = None
    _ready: bool = False
    _probed_at: float = field(default=-_FRESH)
    _views: "OrderedDict[tuple[str, str], Source]" = field(default_factory=OrderedDict)

    @property
    def product(self) -> str:
        return BY_NAME[self.dialect].product

    def seen_by(self, policy: Policy, account: str = "") -> "Source":
        """This source under a policy and an account. Users who share both share a view; the least
        recently used views are dropped.
        """
        key = policy_mark(policy), account
        view = self._views.pop(key, None)
        if view is None:
            view = Source(self.name, self.app.seen_by(policy, account=account), self.dialect)
        self._views[key] = view
        while len(self._views) > _MAX_VIEWS:
            self._views.popitem(last=False)
        return view

    async def key(self) -> str:
        return (await self.app.resources()).catalog_cache.key

    async def ready(self) -> bool:
        """Whether the database responds. Concurrent calls share one probe; a slow one counts as no."""
        if time.monotonic() - self._probed_at < _FRESH:
            return self._ready
        if self._probe is None or self._probe.done():
            self._probe = asyncio.create_task(self._run_probe())
        done, _ = await asyncio.wait({self._probe}, timeout=_PROBE_TIMEOUT)
        return bool(done) and self._probe.result()

    async def _run_probe(self) -> bool:
        try:
            resources = await self.app.resources()
            await resources.database.ping()
            await resources.memory.keys.is_key_valid("")  # answers cannot be stored without memory
        except Text2SQLError as error:
            log.warning("source %s is not ready: %s", self.name, error.message_key)
            self._ready = False
        else:
            self._ready = True
        self._probed_at = time.monotonic()
        return self._ready

    async def close(self) -> None:
        if self._probe is not None:
            self._probe.cancel()
            await asyncio.gather(self._probe, return_exceptions=True)
        await self.app.close()


class Sources:
    """The served sources in configured order; the first is the default."""

    def __init__(
        self,
        addresses: Mapping[str, str],
        settings: Settings,
        *,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        policies: Mapping[str, Policies] | None = None,
        accounts: Mapping[str, Accounts] | None = None,
    ) -> None:
        """`policy` applies to all users; `policies` (by source) depend on roles and claims; `accounts` (by
        source) map roles to database accounts.
        """
        self._policies, self._accounts = policies or {}, accounts or {}
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

    def seen_by(self, identity: Identity) -> "Sources":
        """The sources that a user may query, each limited to what the user may see."""
        if identity.sources is None and not self._policies:
            return self
        seen = object.__new__(Sources)
        seen._policies, seen._accounts = {}, {}
        seen._sources = dict(self._visible(identity))
        seen.default = next(iter(seen._sources), "")
        return seen

    def _visible(self, identity: Identity) -> Iterator[tuple[str, Source]]:
        for name, source in self._sources.items():
            if identity.sources is not None and name not in identity.sources:
                continue
            if name not in self._policies:
                yield name, source
                continue
            policy = policy_for(self._policies[name], identity.roles, identity.claims)
            if policy.tables:
                yield name, source.seen_by(policy, self._account(name, identity))

    def _account(self, name: str, identity: Identity) -> str:
        """The account for exactly this user's set of known roles; empty for the shared account of the source.
        An account for a subset of the roles is not used.
        """
        known = tuple(sorted(set(identity.roles) & self._policies[name].roles.keys()))
        return self._accounts.get(name, {}).get(known, "")

    def named(self, name: str | None) -> Source:
        source = self._sources.get(name or self.default)
        if source is None:
            raise UsageError("usage.source", name=(name or "")[:100])
        return source

    async def of_thread(self, thread: str, user: str) -> Source | None:
        """The source of a thread, or None for an unknown thread. Raises `UsageError` with the name of the
        required source if it is not served here.
        """
        other_source = ""
        for source in self:
            key = await source.app.threads.source(thread, user=user)
            if key is not None and key in ("", await source.key()):
                return source
            other_source = key or other_source
        if other_source:
            raise UsageError("usage.thread_source", source=_database_name(other_source))
        return None

    async def of_result(self, result_id: str, user: str) -> tuple[Source, StoredResult]:
        """A stored result and its source."""
        for source in self:
            with suppress(UsageError):
                return source, await source.app.results.get(result_id, user=user)
        raise UsageError("usage.result")

    async def open(self) -> None:
        """Open the sources that are reachable; others are opened on first use."""
        for source in self:
            try:
                await source.app.resources()
            except Text2SQLError as error:
                log.warning("source %s could not be opened: %s", source.name, error.message_key)
        with suppress(Text2SQLError):  # logged above, and reported by the first question
            if self._policies:
                return  # no schema is shared by all users
            # only the default source: a model processes one schema at a time
            await self.named(None).app.warm(background=True)

    async def close(self) -> None:
        for source in self:
            await source.close()


def _database_name(key: str) -> str:
    """The product and the last part of the address, without host, account or folder."""
    dialect, _, address = key.partition(":")
    name = address.partition("?")[0].rstrip("/").replace("\\", "/").rpartition("/")[2]
    return f"{BY_NAME[dialect].product if dialect in BY_NAME else dialect} {name}".strip()
