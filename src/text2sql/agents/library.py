"""What is known of the database: the catalogue from the store or from the database itself, and its values.

Opening is quick: a catalogue that the store has is used at once and looked at again while nobody waits. When
the database turns out to know better (a column that is gone), `refresh` reads it anew. What one process has
read anew, all who share the store take over with their next question.
"""

import asyncio
import logging
import time
from contextlib import suppress
from functools import lru_cache

from text2sql.config import Settings
from text2sql.database import AsyncDatabase
from text2sql.errors import DatabaseError, StoreError, Text2SQLError
from text2sql.memory import Memory
from text2sql.schema import Domain, Knowledge, ValueQuery, build, policy_mark, value_queries, visible
from text2sql.sql import check
from text2sql.types import Catalogue, CheckedSql, Limits, Policy, SqlRejected

log = logging.getLogger(__name__)

_GLANCE = 1.0  # seconds between two looks at whether another process has read the catalogue anew
_PATIENCE = 0.3  # seconds a question waits for that, or for a second look at a catalogue that the store had
_VERDICTS = 256  # of the guard that are remembered
_VALUES_AT_ONCE = 4  # queries for distinct values


@lru_cache(maxsize=_VERDICTS)
def checked(sql: str, knowledge: Knowledge, rows: int) -> CheckedSql | SqlRejected:
    """What the guard says of a text. It says the same of the same text for as long as nothing else is known,
    so it is asked once: `Knowledge` holds the schema and the policy, and is never changed.
    """
    catalogue = knowledge.catalogue
    return check(sql, catalogue.dialect, catalogue, knowledge.policy, rows=rows)


class Library:
    def __init__(
        self, database: AsyncDatabase, memory: Memory, settings: Settings, policy: Policy | None, key: str
    ) -> None:
        self._database = database
        self._memory = memory
        self._settings = settings
        self._policy = policy
        self.key = key  # names the database
        self.mark = f"{key}#{policy_mark(policy)}" if policy else key  # and what may be seen of it
        self._knowledge: Knowledge | None = None
        self._looked = 0.0
        self._edition = ""  # of the catalogue that is known
        self._glanced = 0.0
        self._glancing: asyncio.Task[None] | None = None
        self._reading = asyncio.Lock()
        self._looking: asyncio.Task[bool] | None = None
        self._valuing: asyncio.Task[None] | None = None

    async def knowledge(self, *, values: bool = True) -> Knowledge:
        """What is known now. The first call reads; later ones only look again when it has become old."""
        if self._knowledge is None:
            async with self._reading:
                if self._knowledge is None:
                    await self._open()
        await self._glance()
        if time.monotonic() - self._looked > self._settings.catalogue_age and self._looking is None:
            self._look()
        if values and self._valuing is not None and not self._valuing.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._settings.values_wait):
                    await asyncio.shield(self._valuing)
        if self._knowledge is None:
            raise RuntimeError("the library was closed")
        return self._knowledge

    async def refresh(self) -> bool:
        """Read the catalogue anew; whether anything has changed."""
        catalogue = await self._database.catalogue()
        self._looked = time.monotonic()
        known = self._knowledge
        now = visible(catalogue, self._policy)
        if known is not None and now.fingerprint == known.catalogue.fingerprint:
            return False
        self._edition = await self._memory.keep_catalogue(self.key, catalogue)
        self._use(catalogue)
        return known is not None

    async def publish(self) -> bool:
        """Read the catalogue anew for all who share the store, whatever is known of it here; whether its
        schema has changed. Values are read anew with it, by each for its own next questions.
        """
        catalogue = await self._database.catalogue()
        kept = await self._memory.catalogue(self.key)
        await self._memory.keep_catalogue(self.key, catalogue)
        return kept is None or kept.fingerprint != catalogue.fingerprint

    async def close(self) -> None:
        for task in (self._glancing, self._looking, self._valuing):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError, Text2SQLError):
                    await task
        self._knowledge = None

    async def _open(self) -> None:
        edition = await self._memory.edition(self.key)  # first: what is kept meanwhile is seen again
        kept = await self._memory.catalogue(self.key)
        if kept is None:
            await self.refresh()
            return
        self._edition, self._glanced = edition, time.monotonic()
        self._use(kept)
        looking = self._look()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await asyncio.shield(looking)

    async def _glance(self) -> None:
        """Take over what another process has read anew; a store that takes its time is not waited for."""
        if self._glancing is None and time.monotonic() - self._glanced > _GLANCE:
            self._glanced = time.monotonic()
            self._glancing = asyncio.create_task(self._take_over())
        if self._glancing is not None:
            await asyncio.wait({self._glancing}, timeout=_PATIENCE)

    async def _take_over(self) -> None:
        try:
            edition = await self._memory.edition(self.key)
            kept = await self._memory.catalogue(self.key) if edition != self._edition else None
            if kept is not None and self._knowledge is not None:
                self._edition, self._looked = edition, time.monotonic()
                self._use(kept)
        except StoreError as error:  # whoever asks will meet it
            log.info("whether the catalogue was read anew is not known: %s", error)
        finally:
            self._glancing = None

    def _look(self) -> asyncio.Task[bool]:
        self._looked = time.monotonic()
        self._looking = asyncio.create_task(self._second_look())
        return self._looking

    async def _second_look(self) -> bool:
        """Nobody waits for this, so an error is told to nobody: the question itself will meet it."""
        try:
            return await self.refresh()
        except Text2SQLError as error:
            log.info("the catalogue was not read again: %s", error)
            return False
        finally:
            self._looking = None

    def _use(self, catalogue: Catalogue) -> None:
        if self._valuing is not None:
            self._valuing.cancel()
        self._knowledge = build(catalogue, self._policy)
        self._valuing = asyncio.create_task(self._read_values(self._knowledge))

    async def _read_values(self, knowledge: Knowledge) -> None:
        """Distinct values of text columns, a few queries at a time, until the time for it is over."""
        gate = asyncio.Semaphore(_VALUES_AT_ONCE)
        domains: list[Domain] = []

        async def one(query: ValueQuery) -> None:
            async with gate:
                domain = await self._domain(query, knowledge)
            if domain is not None:
                domains.append(domain)

        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.values_time):
                queries = value_queries(knowledge.catalogue, most=self._settings.value_rows)
                await asyncio.gather(*(one(query) for query in queries))
        if self._knowledge is knowledge:  # no newer catalogue has come in between
            self._knowledge = knowledge.with_values(domains)

    async def _domain(self, asked: ValueQuery, knowledge: Knowledge) -> Domain | None:
        limits = Limits(asked.most + 1, self._settings.byte_limit, cell_bytes=1_000, seconds=5.0)
        catalogue = knowledge.catalogue
        query = check(asked.sql, catalogue.dialect, catalogue, knowledge.policy, rows=limits.rows)
        if not isinstance(query, CheckedSql):
            return None
        try:
            found = await self._database.run(query, limits)
        except DatabaseError:  # a column whose values are not known is still a column
            return None
        return asked.domain((row[0] for row in found.rows), truncated=bool(found.truncated))
