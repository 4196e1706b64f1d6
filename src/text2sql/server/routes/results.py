"""Rows of earlier answers: pages, whole files, charts. Everything goes through the guard once more."""

import asyncio
from contextlib import AsyncExitStack
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from text2sql import charts
from text2sql.errors import ChartError, UsageError
from text2sql.memory import StoredResult
from text2sql.messages import Language
from text2sql.server.exports import MEDIA, Format, as_csv, as_file, as_json, pieces_of
from text2sql.server.models import ChartObject, Page
from text2sql.server.reception import Here, Reader, Reception, User
from text2sql.server.routes.documented import Responses, problems
from text2sql.server.sending import Json, Streamed, until_gone
from text2sql.server.sources import Source
from text2sql.shapes import plain
from text2sql.types import Limits, QueryResult

router = APIRouter(prefix="/api/v1/results", tags=["results"])

ResultId = Annotated[str, Path(min_length=1, max_length=200)]
Sort = Annotated[str | None, Query(max_length=500, description="A column by name, or by number from 1")]
Descending = Annotated[bool, Query()]
_MOST_BYTES = 4_000_000_000  # of one export
_FILES: Responses = {
    200: {
        "description": "The file. `X-Truncated: rows`: the result has more rows than may be exported",
        "content": {media.partition(";")[0]: {"schema": {"type": "string"}} for media in MEDIA.values()},
    }
}


@router.get("/{result_id}", responses=problems(), response_model=Page)
async def page(
    *,
    request: Request,
    result_id: ResultId,
    here: Here,
    user: User,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    page_size: Annotated[int, Query(ge=1, le=1_000)] = 50,
    sort: Sort = None,
    descending: Descending = False,
) -> Response:
    """A page in a stable order: pages neither repeat nor miss a row."""
    source, kept = await here.sources.of_result(result_id, user)
    order = place_of(kept, sort, descending)
    size = min(page_size, here.settings.row_limit)

    async def both() -> tuple[QueryResult, int]:
        rows = source.app.page(result_id, number=page, size=size, user=user, order=order)
        async with asyncio.TaskGroup() as tasks:
            found, total = tasks.create_task(rows), tasks.create_task(source.app.count(result_id, user=user))
        return found.result(), total.result()

    async def told() -> tuple[QueryResult, int]:
        async with here.slot(source):
            found = await both()
        await here.auditor.read(kept, user, source.name, f"page {page} of {result_id}")
        return found

    try:
        result, total = await until_gone(request, told())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    return await asyncio.to_thread(lambda: Json(page_object(result, total, page, size)))


def page_object(result: QueryResult, total: int, number: int, size: int) -> dict[str, Any]:
    pages = -(-total // size)
    return {
        "columns": [{"name": column.name, "type": column.type} for column in result.columns],
        "rows": plain(result.rows),
        "total_count": total,
        "page": number,
        "page_size": size,
        "total_pages": pages,
        "has_next": number < pages,
        "has_prev": number > 1,
        "truncated": result.truncated,
        "cut_cells": result.cut_cells,
    }


def place_of(kept: StoredResult, sort: str | None, descending: bool) -> int:
    """The place of the column, from 1, negative for descending; 0 for the query's own order."""
    if not sort:
        return 0
    names = [column.name for column in kept.columns]
    if sort in names:
        place = names.index(sort) + 1
    elif sort.isascii() and sort.isdigit() and 1 <= int(sort[:6]) <= len(names):
        place = int(sort[:6])
    else:
        raise UsageError("usage.sort", name=sort[:100], columns=", ".join(names)[:500])
    return -place if descending else place


@router.get("/{result_id}/export", responses={**problems(), **_FILES}, response_class=Response)
async def export(
    *,
    request: Request,
    result_id: ResultId,
    here: Here,
    user: User,
    kind: Annotated[Format, Query(alias="format")] = "csv",
    sort: Sort = None,
    descending: Descending = False,
) -> Response:
    """All rows as a file, in the order of the pages."""
    source, kept = await here.sources.of_result(result_id, user)
    order = place_of(kept, sort, descending)
    work = _exported(here, source, kept, result_id=result_id, user=user, kind=kind, order=order)
    response = await until_gone(request, work)
    here.metrics.exported(kind)
    return response


async def _exported(
    here: Reception,
    source: Source,
    kept: StoredResult,
    *,
    result_id: str,
    user: str,
    kind: Format,
    order: int,
) -> Response:
    settings = here.settings
    most = Limits(settings.export_rows, _MOST_BYTES, settings.cell_byte_limit, settings.export_time)
    opened = source.app.export(result_id, limits=most, user=user, order=order)
    headers = {"Content-Disposition": f'attachment; filename="text2sql-result.{kind}"'}
    async with AsyncExitStack() as held:
        await held.enter_async_context(here.slot(source))  # until the last byte is sent
        await here.auditor.read(kept, user, source.name, f"{kind} of {result_id}")
        if kind in ("xlsx", "parquet"):
            async with opened as rows:
                path = await as_file(rows, kind, held)
                cut = bool(rows.truncated)
            headers["Content-Length"] = str(path.stat().st_size)
            pieces = pieces_of(path)
        else:
            # What is sent as it is read must say beforehand that it will not be all.
            total = await source.app.count(result_id, user=user) if kept.truncated else kept.row_count
            cut = total > most.rows
            rows = await held.enter_async_context(opened)
            pieces = as_csv(rows, cut) if kind == "csv" else as_json(rows, cut)
        if cut:
            headers["X-Truncated"] = "rows"
        return Streamed(lambda: pieces, media_type=MEDIA[kind], headers=headers, held=held.pop_all())
    raise AssertionError("an exit stack swallows nothing")


# -- charts --------------------------------------------------------------------------------------

Kind = Annotated[str | None, Query(max_length=40)]


@router.get("/{result_id}/chart", responses=problems(), response_model=ChartObject)
async def chart(result_id: ResultId, here: Here, user: User, reader: Reader, kind: Kind = None) -> Response:
    """The chart that suits the result, or the kind that is named, as Vega-Lite with its data inside."""
    source, kept = await here.sources.of_result(result_id, user)
    await here.auditor.read(kept, user, source.name, f"chart of {result_id}")
    return Json(await asyncio.to_thread(_chart, kept, kind, reader))


@router.get(
    "/{result_id}/chart.{form}",
    responses={
        **problems(),
        200: {
            "description": "The picture",
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
    here: Here,
    user: User,
    reader: Reader,
    kind: Kind = None,
) -> Response:
    source, kept = await here.sources.of_result(result_id, user)
    await here.auditor.read(kept, user, source.name, f"chart of {result_id}")
    told = await asyncio.to_thread(_chart, kept, kind, reader)
    drawing = charts.picture_soon(told["spec"], form, font_dir=here.settings.font_dir)
    drawn = await until_gone(request, drawing)
    return Response(drawn, media_type="image/png" if form == "png" else "image/svg+xml")


def _chart(kept: StoredResult, kind: str | None, lang: Language) -> dict[str, Any]:
    result = QueryResult(kept.columns, kept.rows, "rows" if kept.truncated else "")
    fitting = charts.kinds(result)
    found = charts.of_kind(result, kind) if kind else charts.choose(result)
    if not fitting:
        raise ChartError("chart.none")
    if found is None:
        raise UsageError("usage.chart_kind", name=(kind or "")[:40], kinds=", ".join(fitting))
    return {"kind": found.kind, "kinds": list(fitting), "spec": plain(charts.spec(found, result, lang))}
