"""`AsyncText2SQL.results`: the stored rows of answers, in pages or as a whole."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from text2sql.client.checking import require_checked
from text2sql.database import AsyncStream
from text2sql.errors import UsageError
from text2sql.memory import StoredResult
from text2sql.resources import AppResources
from text2sql.types import CheckedSql, Limits, QueryResult, Row

if TYPE_CHECKING:
    from text2sql.agents import Resources


class AsyncResults:
    """The results of earlier answers, by `Answer.result_id`, until they expire.

    >>> answer = await db.run_sql("SELECT id, name FROM cities ORDER BY id")
    >>> page = await db.results.page(answer.result_id, number=2, size=3)
    >>> [row[0] for row in page.rows]
    [4, 5, 6]
    """

    def __init__(self, app: AppResources) -> None:
        self._app = app

    async def get(self, result_id: str, *, user: str = "") -> StoredResult:
        """A stored result: its query, its first rows, and how many there were.

        >>> answer = await db.run_sql("SELECT name FROM regions ORDER BY id")
        >>> stored = await db.results.get(answer.result_id)
        >>> stored.sql
        'SELECT name FROM regions ORDER BY id'
        """
        return (await find_result(self._app, result_id, user))[1]

    async def page(
        self, result_id: str, *, number: int = 1, size: int = 50, user: str = "", order: int = 0
    ) -> QueryResult:
        """A page of a result, in a stable order; the guard checks its query again.

        `order` is a column number from 1, negative for descending; 0 keeps the query's order.

        >>> answer = await db.run_sql("SELECT id FROM cities ORDER BY id")
        >>> page = await db.results.page(answer.result_id, number=1, size=2, order=1)
        >>> page.rows
        ((1,), (2,))
        """
        resources, stored = await find_result(self._app, result_id, user)
        return await resources.database.run(await self._paged(stored, number, size, order))

    async def count(self, result_id: str, *, user: str = "") -> int:
        """The total row count of a result's query.

        >>> answer = await db.run_sql("SELECT id FROM orders")
        >>> await db.results.count(answer.result_id)
        32000
        """
        resources, stored = await find_result(self._app, result_id, user)
        from text2sql.agents import check_result_count  # noqa: PLC0415 -- LangGraph takes two seconds to import

        query = require_checked(await check_result_count(stored, resources))
        result = await resources.database.run(query)
        return int(str(result.rows[0][0]))

    async def rows(self, result_id: str, *, user: str = "", order: int = 0) -> AsyncGenerator[Row, None]:
        """Yield all rows of a result as they arrive, in the order of its pages, at most
        `TEXT2SQL_EXPORT_ROWS`.

        >>> answer = await db.run_sql("SELECT id FROM orders ORDER BY id")
        >>> sum([1 async for row in db.results.rows(answer.result_id)])
        32000
        """
        settings = self._app.settings
        limits = Limits(
            settings.export_rows, EXPORT_BYTES, settings.cell_byte_limit, seconds=settings.export_time
        )
        async with self.open_stream(result_id, limits=limits, user=user, order=order) as batches:
            async for batch in batches:
                for row in batch:
                    yield row

    @asynccontextmanager
    async def open_stream(
        self, result_id: str, *, limits: Limits, user: str = "", order: int = 0
    ) -> AsyncIterator[AsyncStream]:
        """Stream all rows of a result in batches, with their columns and what was cut."""
        resources, stored = await find_result(self._app, result_id, user)
        query = await self._paged(stored, 1, limits.rows + 1, order)
        async with resources.database.stream(query, limits) as stream:
            yield stream

    async def _paged(self, stored: StoredResult, number: int, size: int, order: int) -> CheckedSql:
        from text2sql.agents import check_result_page  # noqa: PLC0415 -- LangGraph takes two seconds to import

        resources = await self._app.resources()
        page = await check_result_page(stored, resources, number=number, size=size, order=order)
        return require_checked(page)


EXPORT_BYTES = 4_000_000_000  # of one export


async def find_result(app: AppResources, result_id: str, user: str) -> "tuple[Resources, StoredResult]":
    """A stored result. Several databases may share one memory: results of another database or policy are
    not found.
    """
    resources = await app.resources()
    stored = await resources.memory.result(user, result_id)
    if stored is None or stored.source not in ("", resources.catalog_cache.mark):
        raise UsageError("usage.result")
    schema_context = await resources.catalog_cache.schema_context(values=False)
    if schema_context.policy.rows and stored.fingerprint != schema_context.catalog.fingerprint:
        raise UsageError("usage.result")  # stored under other claims: its rows may be hidden now
    return resources, stored
