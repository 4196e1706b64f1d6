"""Pages of a result: their numbers, and the page that a question asks for with its answer."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from text2sql.client.async_client import AsyncText2SQL
from text2sql.serialization import page_numbers
from text2sql.server.models import Pagination
from text2sql.types import Answer, Event, Finished, QueryResult, RowsFound


async def read_page_and_count(
    app: AsyncText2SQL, result_id: str, *, number: int, size: int, user: str, order: int = 0
) -> tuple[QueryResult, int]:
    """One page of a stored result, in a stable order, and how many rows there are."""
    try:
        async with asyncio.TaskGroup() as tasks:
            rows = app.results.page(result_id, number=number, size=size, user=user, order=order)
            page, count = tasks.create_task(rows), tasks.create_task(app.results.count(result_id, user=user))
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    return page.result(), count.result()


async def with_page(
    events: AsyncGenerator[Event, None], pagination: Pagination, app: AsyncText2SQL, user: str
) -> AsyncGenerator[Event, None]:
    """The events of a question, with one page of its rows instead of all."""
    size = min(pagination.page_size, app.settings.row_limit)
    async with aclosing(events):
        async for event in events:
            if isinstance(event, RowsFound):
                yield replace(event, rows=event.rows[:size] if pagination.page == 1 else ())
            elif isinstance(event, Finished) and event.answer.status == "answered" and event.answer.result_id:
                yield Finished(await _page_of(event.answer, pagination.page, size, app, user))
            else:
                yield event


async def _page_of(answer: Answer, number: int, size: int, app: AsyncText2SQL, user: str) -> Answer:
    if number == 1 and answer.row_count <= size and not answer.truncated:
        return replace(answer, pagination=page_numbers(answer.row_count, number, size))
    result, total = await read_page_and_count(app, answer.result_id, number=number, size=size, user=user)
    return replace(
        answer,
        rows=result.rows,
        row_count=len(result.rows),
        truncated=bool(result.truncated),
        pagination=page_numbers(total, number, size),
    )
