"""Cache of a database's catalog and column values, read from the store or from the database.

Opening is quick: a stored catalog is used at once and refreshed in the background. When the database reports
an unknown table or column, `refresh` reads the catalog again. A catalog that one process has reloaded is used
by all that share the store, from their next question on.
"""

import asyncio
import logging
import time
from contextlib import suppress

from text2sql.config import Settings
from text2sql.database import AsyncDatabase
from text2sql.errors import DatabaseError, StoreError, Text2SQLError
from text2sql.memory import Memory
from text2sql.schema import Domain, SchemaContext, ValueQuery, build, policy_mark, value_queries, visible
from text2sql.sql import check, in_worker
from text2sql.types import Catalog, CheckedSql, Limits, Policy, SqlRejected

log = logging.getLogger(__name__)

_POLL_SECONDS = 1.0  # between checks for a catalog that another process has reloaded
_WAIT_SECONDS = 0.3  # that a question waits for that check, or for the first refresh of a stored catalog
_CONCURRENT_QUERIES = 4  # for distinct values


async def check_query(sql: str, schema_context: SchemaContext, rows: int) -> CheckedSql | SqlRejected:
    """Run the guard on a query, under the catalog and the policy of `schema_context`."""
    catalog = schema_context.catalog
    return await in_worker(check, sql, catalog.dialect, catalog, schema_context.policy, rows=rows)


class CatalogCache:
    """The current `SchemaContext` of one database under one policy."""

    def __init__(
        self, database: AsyncDatabase, memory: Memory, settings: Settings, policy: Policy | None, key: str
    ) -> None:
        self._database = database
        self._memory = memory
        self._settings = settings
        self._policy = policy
        self.key = key  # identifies the database
        self.mark = f"{key}#{policy_mark(policy)}" if policy else key  # and the policy
        self._schema_context: SchemaContext | None = None
        self._refreshed_at = 0.0
        self._edition = ""  # of the current catalog
        self._polled_at = 0.0
        self._polling: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._refreshing: asyncio.Task[bool] | None = None
        self._reading_values: asyncio.Task[None] | None = None

    async def schema_context(self, *, values: bool = True) -> SchemaContext:
        """The current schema context. The first call loads it; later calls refresh it in the background once
        it is older than the settings allow.
        """
        if self._schema_context is None:
            async with self._opening:
                if self._schema_context is None:
                    await self._open()
        await self._poll_store()
        if time.monotonic() - self._refreshed_at > self._settings.catalog_age and self._refreshing is None:
            self._start_refresh()
        if values and self._reading_values is not None and not self._reading_values.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.values_wait):
                    await asyncio.shield(self._reading_values)
        if self._schema_context is None:
            raise RuntimeError("the catalog cache is closed")
        return self._schema_context

    async def refresh(self) -> bool:
        """Reload the catalog; returns whether it has changed."""
        catalog = await self._database.catalog()
        self._refreshed_at = time.monotonic()
        previous = self._schema_context
        current = visible(catalog, self._policy)
        if previous is not None and current.fingerprint == previous.catalog.fingerprint:
            return False
        self._edition = await self._memory.save_catalog(self.key, catalog)
        self._set_catalog(catalog)
        return previous is not None

    async def publish(self) -> bool:
        """Reload the catalog for all who share the store, whatever is cached here; returns whether its schema
        has changed. Each process then reads the values again for its own next questions.
        """
        catalog = await self._database.catalog()
        stored = await self._memory.catalog(self.key)
        await self._memory.save_catalog(self.key, catalog)
        return stored is None or stored.fingerprint != catalog.fingerprint

    async def close(self) -> None:
        for task in (self._polling, self._refreshing, self._reading_values):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError, Text2SQLError):
                    await task
        self._schema_context = None

    async def _open(self) -> None:
        # Read the edition first, so that a catalog stored meanwhile is noticed.
        edition = await self._memory.edition(self.key)
        stored = await self._memory.catalog(self.key)
        if stored is None:
            await self.refresh()
            return
        self._edition, self._polled_at = edition, time.monotonic()
        self._set_catalog(stored)
        refreshing = self._start_refresh()
        with suppress(TimeoutError):
            async with asyncio.timeout(_WAIT_SECONDS):
                await asyncio.shield(refreshing)

    async def _poll_store(self) -> None:
        """Adopt a catalog that another process has reloaded; a slow store is not waited for."""
        if self._polling is None and time.monotonic() - self._polled_at > _POLL_SECONDS:
            self._polled_at = time.monotonic()
            self._polling = asyncio.create_task(self._adopt_stored())
        if self._polling is not None:
            await asyncio.wait({self._polling}, timeout=_WAIT_SECONDS)

    async def _adopt_stored(self) -> None:
        try:
            edition = await self._memory.edition(self.key)
            stored = await self._memory.catalog(self.key) if edition != self._edition else None
            if stored is not None and self._schema_context is not None:
                self._edition, self._refreshed_at = edition, time.monotonic()
                self._set_catalog(stored)
        except StoreError as error:  # the question itself will raise it
            log.info("cannot tell whether the catalog was read again: %s", error)
        finally:
            self._polling = None

    def _start_refresh(self) -> asyncio.Task[bool]:
        self._refreshed_at = time.monotonic()
        self._refreshing = asyncio.create_task(self._refresh_quietly())
        return self._refreshing

    async def _refresh_quietly(self) -> bool:
        """Refresh in the background. Errors are only logged: the question itself will raise them."""
        try:
            return await self.refresh()
        except Text2SQLError as error:
            log.info("the catalog was not read again: %s", error)
            return False
        finally:
            self._refreshing = None

    def _set_catalog(self, catalog: Catalog) -> None:
        if self._reading_values is not None:
            self._reading_values.cancel()
        self._schema_context = build(catalog, self._policy)
        self._reading_values = asyncio.create_task(self._read_values(self._schema_context))

    async def _read_values(self, schema_context: SchemaContext) -> None:
        """Read the distinct values of text columns, a few queries at a time, within the time limit. They are
        stored in the order of the queries, not of their completion: a prompt must not depend on timing.
        """
        semaphore = asyncio.Semaphore(_CONCURRENT_QUERIES)
        queries = list(value_queries(schema_context.catalog, most=self._settings.value_rows))
        domains: list[Domain | None] = [None] * len(queries)

        async def read(number: int, query: ValueQuery) -> None:
            async with semaphore:
                domains[number] = await self._domain(query, schema_context)

        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.values_time):
                await asyncio.gather(*(read(number, query) for number, query in enumerate(queries)))
        if self._schema_context is schema_context:  # the catalog has not changed meanwhile
            self._schema_context = schema_context.with_values(
                domain for domain in domains if domain is not None
            )

    async def _domain(self, value_query: ValueQuery, schema_context: SchemaContext) -> Domain | None:
        limits = Limits(value_query.most + 1, self._settings.byte_limit, cell_bytes=1_000, seconds=5.0)
        query = await check_query(value_query.sql, schema_context, limits.rows)
        if not isinstance(query, CheckedSql):
            return None
        try:
            result = await self._database.run(query, limits)
        except DatabaseError:  # a column may stay without values
            return None
        return value_query.domain((row[0] for row in result.rows), truncated=bool(result.truncated))
