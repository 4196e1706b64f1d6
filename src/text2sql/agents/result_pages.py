"""Pages of a stored result, and the answer with a page of its rows, as LangGraph's own server returns it."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from text2sql.agents.answer_builder import chart_specification, load_result
from text2sql.agents.node_context import NodeContext, Resources
from text2sql.agents.state import Pagination
from text2sql.errors import UsageError
from text2sql.memory import StoredResult
from text2sql.serialization import page_numbers, plain, within_64_bits
from text2sql.sql import check_count, check_page, in_worker
from text2sql.types import Answer, CheckedSql, QueryResult, SqlRejected

_PAGE_SIZE = 100


async def check_result_page(
    stored: StoredResult, resources: Resources, *, number: int, size: int, order: int = 0
) -> CheckedSql | SqlRejected:
    """The query of one page, in a stable order; the guard checks it again."""
    schema_context = await resources.catalog_cache.schema_context(values=False)
    catalog = schema_context.catalog
    page: dict[str, int] = {"number": number, "size": size, "order": order}
    return await in_worker(check_page, stored.sql, catalog.dialect, catalog, schema_context.policy, **page)


async def check_result_count(stored: StoredResult, resources: Resources) -> CheckedSql | SqlRejected:
    """The query that counts all rows of a result."""
    schema_context = await resources.catalog_cache.schema_context(values=False)
    catalog = schema_context.catalog
    return await in_worker(check_count, stored.sql, catalog.dialect, catalog, schema_context.policy)


def check_pagination(pagination: Mapping[str, object]) -> None:
    """Raise a UsageError if it does not name a page."""
    for name, value in pagination.items():
        if name not in ("page", "page_size") or type(value) is not int or value < 1:
            raise UsageError(
                "usage.option_value", name=f"pagination.{name}", value=str(value)[:100], choices="1, 2, 3 …"
            )


async def with_rows(answer: Answer, pagination: Pagination | None, ctx: NodeContext) -> Answer:
    """The answer with a page of its rows and its chart: LangGraph's own server has no other way to them.

    Without `pagination`, the page is the first rows, and only a query that was cut does not get its total.
    """
    if answer.status != "answered" or not answer.result_id:
        return answer
    result = await load_result(answer.result_id, ctx.options.user, ctx.resources)
    chart = await asyncio.to_thread(chart_specification, answer.chart, result, ctx.language, answer.question)
    page: Pagination = pagination or {}
    number, size = page.get("page", 1), min(page.get("page_size", _PAGE_SIZE), ctx.settings.row_limit)
    rows, total = await _page(answer, result, number, size, ctx, count=pagination is not None)
    return replace(
        answer,
        rows=within_64_bits(plain(rows)),
        chart=within_64_bits(plain(chart)),
        pagination=None if total is None else page_numbers(total, number, size),
    )


async def _page(
    answer: Answer, result: QueryResult, number: int, size: int, ctx: NodeContext, *, count: bool
) -> tuple[tuple[Any, ...], int | None]:
    """The rows of a page, and how many rows there are; None if that was not counted."""
    if not answer.truncated or not count:
        shown = result.rows[(number - 1) * size : number * size]
        return shown, None if answer.truncated else answer.row_count
    stored = await ctx.resources.memory.result(ctx.options.user, answer.result_id)
    if stored is None:
        return (), None
    query = await check_result_page(stored, ctx.resources, number=number, size=size)
    counting = await check_result_count(stored, ctx.resources)
    if isinstance(query, SqlRejected) or isinstance(counting, SqlRejected):  # the policy has changed
        return (), None
    page, counted = [await ctx.resources.database.run(checked) for checked in (query, counting)]
    return page.rows, int(str(counted.rows[0][0]))
