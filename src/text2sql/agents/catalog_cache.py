"""Cache of a database's catalog, column values and profile, read from the store or from the database.

Opening is quick: a stored catalog is used at once and refreshed in the background. When the database reports
an unknown table or column, `refresh` reads the catalog again. A catalog that one process has reloaded is used
by all that share the store, from their next question on.
"""

import asyncio
import logging
import time
from contextlib import suppress
from datetime import UTC, datetime

from text2sql.agents.data_reading import DataReader, ReadValues
from text2sql.config import Settings
from text2sql.database import AsyncDatabase
from text2sql.errors import StoreError, Text2SQLError
from text2sql.memory import Memory
from text2sql.schema import SchemaContext, build, policy_mark, visible
from text2sql.types import Catalog, DatabaseProfile, Policy

log = logging.getLogger(__name__)

_POLL_SECONDS = 1.0  # between checks for a catalog that another process has reloaded
_WAIT_SECONDS = 0.3  # that a question waits for that check, or for the first refresh of a stored catalog
_PROFILE_PAUSE = 100  # times the seconds that the profile took, before it is read again


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
        self._reader = DataReader(database, settings)
        self._reading_values: asyncio.Task[None] | None = None
        self._reading_profile: asyncio.Task[None] | None = None
        self._profile_seconds = 0.0

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
        if values:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.values_wait):
                    await self._wait_for_data()
        current = self._schema_context
        if current is None:
            raise RuntimeError("the catalog cache is closed")
        if current.profile is not None and self._is_old(current.profile) and self._values_are_read:
            self._start_profile(ReadValues())
        return current

    async def profile(self) -> DatabaseProfile:
        """The profile, once it has been read as far as its budget allows."""
        await self.schema_context(values=False)
        await self._wait_for_data()
        current = self._schema_context
        return current.profile or DatabaseProfile() if current is not None else DatabaseProfile()

    async def _wait_for_data(self) -> None:
        """Wait for the values, and for the profile if there is none yet."""
        if self._reading_values is not None:
            await asyncio.shield(self._reading_values)
        current = self._schema_context
        if self._reading_profile is not None and current is not None and current.profile is None:
            await asyncio.shield(self._reading_profile)

    @property
    def _values_are_read(self) -> bool:
        return self._reading_values is not None and self._reading_values.done()

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
        for task in (self._polling, self._refreshing, self._reading_values, self._reading_profile):
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
        for task in (self._reading_values, self._reading_profile):
            if task is not None:
                task.cancel()
        self._reading_profile = None
        self._schema_context = build(catalog, self._policy)
        self._reading_values = asyncio.create_task(self._read_values(self._schema_context))

    async def _read_values(self, schema_context: SchemaContext) -> None:
        """Use the stored profile at once, read the values, then the profile if it is missing or old."""
        await self._use_stored_profile(schema_context)
        read = await self._reader.read_values(schema_context)
        current = self._current(schema_context)
        if current is not None:
            self._schema_context = current.with_values(read.domains)
            if current.profile is None or self._is_old(current.profile):
                self._start_profile(read)

    async def _use_stored_profile(self, schema_context: SchemaContext) -> None:
        try:
            stored = await self._memory.profile(self.mark, schema_context.catalog.fingerprint)
        except StoreError as error:  # the question itself will raise it
            log.info("no profile was read from the store: %s", error)
            return
        current = self._current(schema_context)
        if stored is not None and current is not None:
            self._schema_context = current.with_profile(stored)

    def _start_profile(self, read: ReadValues) -> None:
        if self._reading_profile is None or self._reading_profile.done():
            self._reading_profile = asyncio.create_task(self._read_profile(read))

    async def _read_profile(self, read: ReadValues) -> None:
        if self._schema_context is None:
            return
        schema_context, started = self._schema_context, time.monotonic()
        try:
            profile = await self._reader.read_profile(schema_context, read)
        except Text2SQLError as error:  # a question can do without a profile
            log.info("the profile was not read: %s", error)
            return
        self._profile_seconds = time.monotonic() - started
        current = self._current(schema_context)
        if current is None:
            return
        self._schema_context = current.with_profile(profile)
        try:
            await self._memory.save_profile(self.mark, profile)
        except StoreError as error:
            log.info("the profile was not stored: %s", error)

    def _current(self, schema_context: SchemaContext) -> SchemaContext | None:
        """The current context if it still has the same catalog."""
        current = self._schema_context
        return current if current is not None and current.catalog is schema_context.catalog else None

    def _is_old(self, profile: DatabaseProfile) -> bool:
        """Whether the profile is to be read again; a slow one less often."""
        age = (datetime.now(UTC) - datetime.fromisoformat(profile.read_at)).total_seconds()
        return age > max(self._settings.catalog_age, self._profile_seconds * _PROFILE_PAUSE)
