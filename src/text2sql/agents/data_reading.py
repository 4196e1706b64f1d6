"""Read values and profile of a database through the guard, a few queries at a time, within budgets of time.

Each table is sampled once, for both: of a small table, the sample has all values and everything that the
profile says. Only large tables need more queries.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from text2sql.agents.query_check import check_query
from text2sql.config import Settings
from text2sql.database import AsyncDatabase
from text2sql.errors import DatabaseError
from text2sql.schema import (
    MOST_QUERIES,
    Domain,
    SchemaContext,
    ValueQuery,
    profile,
    sample_domains,
    value_queries,
)
from text2sql.types import (
    CheckedSql,
    DatabaseProfile,
    InferredJoin,
    Limits,
    QueryResult,
    Table,
)

Item = TypeVar("Item")

_CONCURRENT_QUERIES = 4
_QUERY_SECONDS = 5.0
_CELL_BYTES = 1_000
_LEAST_VALUE_QUERIES = 100  # however many tables are sampled


@dataclass(frozen=True, slots=True)
class ReadValues:
    domains: tuple[Domain, ...] = ()
    samples: tuple[profile.TableSample, ...] = ()


class DataReader:
    """Reads from one database, under the policy of the schema context."""

    def __init__(self, database: AsyncDatabase, settings: Settings) -> None:
        self._database = database
        self._settings = settings

    async def read_values(self, schema_context: SchemaContext) -> ReadValues:
        """The values of text columns, in the order of the catalog and not of the queries: a prompt must not
        depend on timing.
        """
        catalog, settings = schema_context.catalog, self._settings
        samples: dict[str, profile.TableSample] = {}
        domains: dict[tuple[str, str], Domain] = {}

        async def read(query: ValueQuery) -> None:
            domain = await self._domain(query, schema_context)
            if domain is not None:
                domains[domain.table, domain.column] = domain

        with suppress(TimeoutError):
            async with asyncio.timeout(settings.values_time):
                tables = list(profile.smallest_first(catalog, views=False))[:MOST_QUERIES]
                await self._sample(tables, schema_context, samples)
                whole = {sample.table for sample in samples.values() if sample.is_whole}
                queries = max(MOST_QUERIES - len(samples), _LEAST_VALUE_QUERIES)
                await _each(
                    read, value_queries(catalog, most=settings.value_rows, queries=queries, known=whole)
                )
        for domain in sample_domains(catalog, samples.values()):
            domains.setdefault((domain.table, domain.column), domain)
        order = {
            (catalog.label(table), column.name): None for table in catalog.tables for column in table.columns
        }
        return ReadValues(tuple(domains[name] for name in order if name in domains), tuple(samples.values()))

    async def read_profile(self, schema_context: SchemaContext, read: ReadValues) -> DatabaseProfile:
        """The profile, from the samples that were read already and from the other tables. Views come last."""
        catalog = schema_context.catalog
        samples = {sample.table: sample for sample in read.samples}
        observed: dict[str, profile.TableObservation] = {}
        joins: list[InferredJoin | None] = []
        is_complete = False
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.profile_time):
                for kind in ("table", "view"):
                    missing = [
                        table
                        for table in profile.smallest_first(catalog, views=True)
                        if table.kind == kind and catalog.label(table) not in samples
                    ]
                    await self._sample(missing, schema_context, samples)
                    new = [sample for name, sample in samples.items() if name not in observed]
                    observed |= await asyncio.to_thread(_observed, new)
                    if kind == "table":
                        await self._measure(schema_context, observed)
                        await self._join(schema_context, observed, joins)
                is_complete = True
        tables = [table for table in catalog.tables if catalog.label(table) in observed]
        profiles = await asyncio.to_thread(
            lambda: tuple(
                profile.table_profile(table, catalog, observed[catalog.label(table)]) for table in tables
            )
        )
        return DatabaseProfile(
            catalog.fingerprint,
            profiles,
            profile.without_repeats(joins),
            is_complete,
            datetime.now(UTC).isoformat(timespec="seconds"),
        )

    # -- single steps ------------------------------------------------------------------------------

    async def _sample(
        self, tables: Iterable[Table], schema_context: SchemaContext, samples: dict[str, profile.TableSample]
    ) -> None:
        async def read(query: profile.TableQuery) -> None:
            result = await self._run(query, schema_context)
            if result is not None:
                samples[query.table] = profile.table_sample(
                    query, result.rows, truncated=bool(result.truncated)
                )

        queries = (profile.sample_query(table, schema_context.catalog) for table in tables)
        await _each(read, (query for query in queries if query is not None))

    async def _measure(
        self, schema_context: SchemaContext, observed: dict[str, profile.TableObservation]
    ) -> None:
        """Facts about tables that are larger than their sample."""
        catalog, rows = schema_context.catalog, self._settings.profile_rows

        async def measure(table: Table) -> None:
            name = catalog.label(table)
            for query in profile.statistics_queries(table, catalog, rows):
                result = await self._run(query, schema_context)
                if result is not None and result.rows:
                    observed[name] = profile.with_statistics(observed[name], query, result.rows[0])
            times = profile.ordered_times(table, catalog, observed[name])
            ranges = profile.range_query(table, times, catalog)
            result = await self._run(ranges, schema_context) if ranges is not None else None
            if ranges is not None and result is not None and result.rows:
                observed[name] = profile.with_ranges(observed[name], ranges, result.rows[0])
            for column, facts in list(observed[name].columns.items()):
                if facts.distinct is not None and 0 < facts.distinct <= profile.MOST_VALUES:
                    query = profile.count_query(table, column, catalog, rows)
                    result = await self._run(query, schema_context)
                    if result is not None:
                        observed[name] = profile.with_counts(observed[name], column, result.rows)

        large = [
            table
            for table in profile.smallest_first(catalog, views=False)
            if (seen := observed.get(catalog.label(table))) is not None and not seen.is_whole
        ]
        await _each(measure, large)

    async def _join(
        self,
        schema_context: SchemaContext,
        observed: dict[str, profile.TableObservation],
        joins: list[InferredJoin | None],
    ) -> None:
        catalog = schema_context.catalog
        for candidate in await asyncio.to_thread(profile.candidates, catalog, observed):
            if profile.has_whole_key(candidate, observed):
                joins.append(profile.included_in_sample(candidate, observed))
                continue
            values = profile.values_of(candidate, observed)
            query = profile.inclusion_query(candidate, values, catalog)
            result = await self._run(query, schema_context) if query is not None else None
            if result is not None and result.rows:
                joins.append(profile.counted(candidate, len(values), result.rows[0]))

    async def _domain(self, query: ValueQuery, schema_context: SchemaContext) -> Domain | None:
        result = await self._run(
            profile.TableQuery(query.table, (query.column,), query.sql, query.most + 1), schema_context
        )
        if result is None:
            return None
        return query.domain((row[0] for row in result.rows), truncated=bool(result.truncated))

    async def _run(self, query: profile.TableQuery, schema_context: SchemaContext) -> QueryResult | None:
        """None if the query is refused or fails: the table or the column stays unknown."""
        checked = await check_query(query.sql, schema_context, query.rows)
        if not isinstance(checked, CheckedSql):
            return None
        limits = Limits(query.rows, self._settings.byte_limit, _CELL_BYTES, _QUERY_SECONDS)
        try:
            return await self._database.run(checked, limits)
        except DatabaseError:
            return None


def _observed(samples: Iterable[profile.TableSample]) -> dict[str, profile.TableObservation]:
    return {sample.table: profile.observed(sample) for sample in samples}


async def _each(step: Callable[[Item], Awaitable[None]], items: Iterable[Item]) -> None:
    semaphore = asyncio.Semaphore(_CONCURRENT_QUERIES)

    async def limited(item: Item) -> None:
        async with semaphore:
            await step(item)

    await asyncio.gather(*(limited(item) for item in items))
