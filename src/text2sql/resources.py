"""The resources of an app: the database's pool, the memory, the models and the graph. Opened on first use,
closed in reverse order.

Importing this module is cheap. LangGraph takes two seconds to import, so that happens when a database is
opened, in parallel with loading its catalog and starting the model.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, nullcontext
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakSet

from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database, source_key
from text2sql.errors import UsageError
from text2sql.llm import AsyncChatModel, open_model
from text2sql.llm.embeddings import open_embedder
from text2sql.memory import Memory, open_memory
from text2sql.sql import columns_read, start_worker
from text2sql.types import Policy

if TYPE_CHECKING:
    from text2sql.agents import CatalogCache, GraphRunner, Resources

Tables: TypeAlias = Iterable[str] | Mapping[str, Sequence[str]]


class AppResources:
    """The resources behind one `AsyncText2SQL`; views of it share the owner's."""

    def __init__(
        self,
        source: str,
        settings: Settings,
        model: str | AsyncChatModel,
        policy: Policy | None,
        tables: Tables | None = None,
        *,
        owner: "AppResources | None" = None,
        apart: bool = False,
        account: str = "",
    ) -> None:
        """With an `owner`, its database and models are used, and its memory unless `apart`. With an
        `account`, a database URL, queries run as that account.
        """
        self.source, self.settings = source, settings
        self._model, self._policy, self._tables = model, policy, tables
        self._owner, self._own_memory, self._account = owner, apart, account
        self._accounts: dict[str, AsyncDatabase] = {}
        self._models: dict[str, AsyncChatModel] = {}
        self._view_caches: WeakSet[CatalogCache] = WeakSet()
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._resources: Resources | None = None
        self._runner: GraphRunner | None = None

    @property
    def database(self) -> AsyncDatabase | None:
        """None until it has been opened."""
        return self._resources.database if self._resources is not None else None

    @property
    def databases(self) -> tuple[AsyncDatabase, ...]:
        """Every pool that is open: the shared account's first, then those of single roles."""
        return () if self._resources is None else (self._resources.database, *self._accounts.values())

    @property
    def model_name(self) -> str:
        """The model, unless a question names another."""
        return (
            self._model.name
            if isinstance(self._model, AsyncChatModel)
            else self._model or self.settings.model
        )

    def seen_by(self, policy: Policy, account: str = "") -> "AppResources":
        return AppResources(self.source, self.settings, self._model, policy, owner=self, account=account)

    def apart(self, settings: Settings) -> "AppResources":
        owner = self._owner or self
        return AppResources(
            self.source,
            settings,
            self._model,
            self._policy,
            self._tables,
            owner=owner,
            apart=True,
            account=self._account,
        )

    async def resources(self) -> "Resources":
        async with self._opening:
            if self._resources is None:
                await self._open()
        if self._resources is None:
            raise RuntimeError("closed")
        return self._resources

    async def runner(self) -> "GraphRunner":
        await self.resources()
        if self._runner is None:
            raise RuntimeError("closed")
        return self._runner

    async def close(self) -> None:
        self._resources = self._runner = None
        await self._stack.aclose()

    async def _open(self) -> None:
        """Open everything; LangGraph is imported while disks and other processes are waited for."""
        if self._owner is not None:
            await self._share(self._owner)
            return
        if not self.source:
            raise UsageError("usage.db_missing")
        importing = asyncio.create_task(asyncio.to_thread(import_module, "text2sql.agents"))
        try:
            key = await asyncio.to_thread(source_key, self.source)  # in a thread: it reads a file
            database = AsyncDatabase(await asyncio.to_thread(open_database, self.source, self.settings))
            self._stack.push_async_callback(database.close)
            self._stack.push_async_callback(self._close_accounts)
            start_worker(database.dialect)
            memory = await self._stack.enter_async_context(self._open_memory())
            agents = await importing
            policy = self._policy or await self._policy_of_tables(database)
            database = _restricted(database, policy)
            catalog_cache = agents.CatalogCache(database, memory, self.settings, policy, key)
            self._stack.push_async_callback(catalog_cache.close)
            self._stack.push_async_callback(self._close_models)
            self._stack.push_async_callback(self._close_caches)
            resources = agents.Resources(self.settings, database, memory, catalog_cache, self._model_named)
            self._runner = agents.GraphRunner(agents.build(resources), resources)
            self._resources = resources
        except BaseException:
            await asyncio.gather(importing, return_exceptions=True)
            await self._stack.aclose()
            raise

    async def _share(self, owner: "AppResources") -> None:
        from text2sql.agents import CatalogCache, GraphRunner, Resources, build  # noqa: PLC0415 -- see the module docstring

        shared = await owner.resources()
        opening = self._open_memory() if self._own_memory else nullcontext(shared.memory)
        memory = await self._stack.enter_async_context(opening)
        policy = self._policy or await self._policy_of_tables(shared.database)
        database = _restricted(shared.database, policy)
        catalog_cache = CatalogCache(database, memory, self.settings, policy, shared.catalog_cache.key)
        if self._own_memory:
            self._stack.push_async_callback(catalog_cache.close)
        owner._view_caches.add(catalog_cache)  # closed with the owner: it reads values in the background
        # The catalog stays on the shared account: one role's view must not be stored for everybody.
        query_database = (
            database.with_account(owner._account_pool(self._account)) if self._account else database
        )
        resources = Resources(self.settings, query_database, memory, catalog_cache, owner._model_named)
        self._runner, self._resources = GraphRunner(build(resources), resources), resources

    def _open_memory(self) -> AbstractAsyncContextManager[Memory]:
        return open_memory(self.settings, open_embedder(self.settings))

    async def _policy_of_tables(self, database: AsyncDatabase) -> Policy | None:
        if self._tables is None:
            return None
        if isinstance(self._tables, Mapping):
            return Policy({name: tuple(columns) for name, columns in self._tables.items()})
        catalog = await database.catalog(samples=0)
        names = set(self._tables)
        columns_of = {table.name: tuple(column.name for column in table.columns) for table in catalog.tables}
        for missing in sorted(names - columns_of.keys()):
            raise UsageError("usage.table", name=missing, close="-")
        return Policy({name: columns_of[name] for name in names}, exact=True)

    def _model_named(self, name: str) -> AsyncChatModel:
        if not name and isinstance(self._model, AsyncChatModel):
            return self._model
        name_or_default = name or str(self._model) or self.settings.model
        if name_or_default not in self._models:  # two threads may open it: the first one stays
            self._models.setdefault(name_or_default, open_model(name_or_default, self.settings))
        return self._models[name_or_default]

    def _account_pool(self, url: str) -> AsyncDatabase:
        """The connection pool of one role's account; its first query connects."""
        if url not in self._accounts:
            settings = replace(self.settings, pool_size=self.settings.account_pool_size)
            self._accounts[url] = AsyncDatabase(open_database(url, settings))
        return self._accounts[url]

    async def _close_accounts(self) -> None:
        for database in self._accounts.values():
            await database.close()
        self._accounts.clear()

    async def _close_models(self) -> None:
        for model in self._models.values():
            await model.close()
        self._models.clear()

    async def _close_caches(self) -> None:
        for catalog_cache in list(self._view_caches):
            await catalog_cache.close()


def _restricted(database: AsyncDatabase, policy: Policy | None) -> AsyncDatabase:
    """Under a policy, an engine without accounts also hides the rest itself: a second barrier behind the
    guard.
    """
    return database if policy is None else database.with_restriction(columns_read(policy))
