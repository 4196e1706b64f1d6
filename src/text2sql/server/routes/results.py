"""Results of earlier answers: pages, exports and charts. Each query passes the guard again."""

import asyncio
from contextlib import AsyncExitStack
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from text2sql import charts
from text2sql.errors import ChartError, UsageError
from text2sql.i18n import Language
from text2sql.memory import StoredResult
from text2sql.serialization import page_numbers, plain
from text2sql.server.exports import MEDIA, Format, csv_chunks, file_chunks, json_chunks, write_file
from text2sql.server.models import ChartObject, Page
from text2sql.server.pagination import read_page_and_count
from text2sql.server.query_pipeline import Pipeline, QueryPipeline, ReaderLanguage, User
from text2sql.server.routes.openapi import Responses, problems
from text2sql.server.sources import Source
from text2sql.server.streaming import Json, Streamed, run_until_disconnect
from text2sql.types import Limits, QueryResult

router = APIRouter(prefix="/api/v1/results", tags=["results"])

ResultId = Annotated[str, Path(min_length=1, max_length=200)]
Sort = Annotated[str | None, Query(max_length=500, description="A column, by name or by number from 1")]
Descending = Annotated[bool, Query()]
_MOST_BYTES = 4_000_000_000  # of one export
_FILES: Responses = {
    200: {
        "description": "The file. `X-Truncated: rows` means that the result exceeds the row limit",
        "content": {media.partition(";")[0]: {"schema": {"type": "string"}} for media in MEDIA.values()},
    }
}


@router.get("/{result_id}", responses=problems(), response_model=Page)
async def page(
    *,
    request: Request,
    result_id: ResultId,
    pipeline: Pipeline,
    user: User,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    page_size: Annotated[int, Query(ge=1, le=1_000)] = 50,
    sort: Sort = None,
    descending: Descending = False,
) -> Response:
    """One page of a result, in a stable order: pages neither repeat nor miss a row."""
    source, stored = await pipeline.sources.of_result(result_id, user)
    order = sort_position(stored, sort, descending)
    size = min(page_size, pipeline.settings.row_limit)

    async def audited() -> tuple[QueryResult, int]:
        async with pipeline.slot(source):
            result = await read_page_and_count(
                source.app, result_id, number=page, size=size, user=user, order=order
            )
        await pipeline.auditor.read(stored, user, source.name, f"page {page} of {result_id}")
        return result

    result, total = await run_until_disconnect(request, audited())
    return await asyncio.to_thread(lambda: Json(page_object(result, total, page, size)))


def page_object(result: QueryResult, total: int, number: int, size: int) -> dict[str, Any]:
    return {
        "columns": [{"name": column.name, "type": column.type} for column in result.columns],
        "rows": plain(result.rows),
        **page_numbers(total, number, size),
        "truncated": result.truncated,
        "cut_cells": result.cut_cells,
    }


def sort_position(stored: StoredResult, sort: str | None, descending: bool) -> int:
    """The number of the sort column from 1, negative for descending; 0 for the order of the query."""
    if not sort:
        return 0
    names = [column.name for column in stored.columns]
    if sort in names:
        position = names.index(sort) + 1
    elif sort.isascii() and sort.isdigit() and 1 <= int(sort[:6]) <= len(names):
        position = int(sort[:6])
    else:
        raise UsageError("usage.sort", name=sort[:100], columns=", ".join(names)[:500])
    return -position if descending else position


@router.get("/{result_id}/export", responses={**problems(), **_FILES}, response_class=Response)
async def export(
    *,
    request: Request,
    result_id: ResultId,
    pipeline: Pipeline,
    user: User,
    kind: Annotated[Format, Query(alias="format")] = "csv",
    sort: Sort = None,
    descending: Descending = False,
) -> Response:
    """All rows as a file, in the same order as the pages."""
    source, stored = await pipeline.sources.of_result(result_id, user)
    order = sort_position(stored, sort, descending)
    work = _exported(pipeline, source, stored, result_id=result_id, user=user, kind=kind, order=order)
    response = await run_until_disconnect(request, work)
    pipeline.metrics.count("exports", kind)
    return response


async def _exported(
    pipeline: QueryPipeline,
    source: Source,
    stored: StoredResult,
    *,
    result_id: str,
    user: str,
    kind: Format,
    order: int,
) -> Response:
    settings = pipeline.settings
    limits = Limits(settings.export_rows, _MOST_BYTES, settings.cell_byte_limit, settings.export_time)
    row_stream = source.app.results.open_stream(result_id, limits=limits, user=user, order=order)
    headers = {"Content-Disposition": f'attachment; filename="text2sql-result.{kind}"'}
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(pipeline.slot(source))  # until the last byte is sent
        await pipeline.auditor.read(stored, user, source.name, f"{kind} of {result_id}")
        if kind in ("xlsx", "parquet"):
            async with row_stream as rows:
                path = await write_file(rows, kind, stack)
                cut = bool(rows.truncated)
            headers["Content-Length"] = str(path.stat().st_size)
            chunks = file_chunks(path)
        else:
            # The headers of a streamed file must announce truncation before the rows are read.
            total = (
                await source.app.results.count(result_id, user=user) if stored.truncated else stored.row_count
            )
            cut = total > limits.rows
            rows = await stack.enter_async_context(row_stream)
            chunks = csv_chunks(rows, cut) if kind == "csv" else json_chunks(rows, cut)
        if cut:
            headers["X-Truncated"] = "rows"
        return Streamed(lambda: chunks, media_type=MEDIA[kind], headers=headers, resources=stack.pop_all())
    raise AssertionError("unreachable: the exit stack suppresses no exceptions")


# -- charts --------------------------------------------------------------------------------------

ChartKind = Annotated[str | None, Query(max_length=40)]


@router.get("/{result_id}/chart", responses=problems(), response_model=ChartObject)
async def chart(
    result_id: ResultId, pipeline: Pipeline, user: User, language: ReaderLanguage, kind: ChartKind = None
) -> Response:
    """The best chart for the result, or one of a given kind, as a Vega-Lite spec with its data."""
    source, stored = await pipeline.sources.of_result(result_id, user)
    await pipeline.auditor.read(stored, user, source.name, f"chart of {result_id}")
    return Json(await asyncio.to_thread(_chart, stored, kind, language))


@router.get(
    "/{result_id}/chart.{form}",
    responses={
        **problems(),
        200: {
            "description": "The image",
            "content": {
                "image/png": {"schema": {"type": "string", "format": "binary"}},
                "image/svg+xml": {"schema": {"type": "string"}},
            },
        },
    },
    response_class=Response,
)
async def picture(
    *,
    request: Request,
    result_id: ResultId,
    form: Literal["png", "svg"],
    pipeline: Pipeline,
    user: User,
    language: ReaderLanguage,
    kind: ChartKind = None,
) -> Response:
    source, stored = await pipeline.sources.of_result(result_id, user)
    await pipeline.auditor.read(stored, user, source.name, f"chart of {result_id}")
    chart = await asyncio.to_thread(_chart, stored, kind, language)
    rendering = charts.picture_in_subprocess(chart["spec"], form, font_dir=pipeline.settings.font_dir)
    image = await run_until_disconnect(request, rendering)
    return Response(image, media_type="image/png" if form == "png" else "image/svg+xml")


def _chart(stored: StoredResult, kind: str | None, lang: Language) -> dict[str, Any]:
    cut: Literal["rows", ""] = "rows" if stored.truncated else ""
    result = QueryResult(stored.columns, stored.rows, cut, partial=charts.may_omit_groups(stored.sql))
    kinds = charts.kinds(result)
    choice = charts.chart_of_kind(result, kind) if kind else charts.choose(result)
    if not kinds:
        raise ChartError("chart.none")
    if choice is None:
        raise UsageError("usage.chart_kind", name=(kind or "")[:40], kinds=", ".join(kinds))
    return {"kind": choice.kind, "kinds": list(kinds), "spec": plain(charts.spec(choice, result, lang))}
