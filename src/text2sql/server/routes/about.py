"""What can be asked, and what people thought of the answers."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from text2sql.server.models import Feedback, ModelsList, SchemaObject, SourcesList
from text2sql.server.reception import Here, Reception, User
from text2sql.server.routes.documented import problems
from text2sql.server.sending import Json, until_gone
from text2sql.server.sources import Source
from text2sql.shapes import catalogue_object

router = APIRouter(prefix="/api/v1", tags=["about"])


@router.get("/schema", responses=problems(), response_model=SchemaObject)
async def schema(
    request: Request, here: Here, source: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    """What may be seen of a source, as `text2sql schema --json` prints it."""
    catalogue = await until_gone(request, here.sources.named(source).app.catalogue())
    return await asyncio.to_thread(lambda: Json(catalogue_object(catalogue)))


@router.get("/sources", responses=problems(), response_model=SourcesList)
async def sources(here: Here) -> Response:
    told = [{"name": one.name, "dialect": one.dialect, "product": one.product} for one in here.sources]
    return Json({"sources": told, "default": here.sources.default})


@router.get("/models", responses=problems(), response_model=ModelsList)
async def models(here: Here) -> Response:
    return Json({"models": here.models, "default": here.models[0]})


@router.post("/feedback", responses=problems(), status_code=204, response_class=Response)
async def feedback(said: Feedback, here: Here, user: User) -> Response:
    """A good pair helps with questions like it, a bad one is no longer used. The comment is kept."""
    source = await _source(here, said, user)
    if said.good:
        await source.app.remember(said.question, said.sql, user=user)
    await source.app.note_feedback(
        said.question,
        said.sql,
        good=said.good,
        comment=said.comment,
        thread=said.thread_id or "",
        user=user,
    )
    here.metrics.feedback(said.good)
    return Response(status_code=204)


async def _source(here: Reception, said: Feedback, user: str) -> Source:
    if said.result_id and not said.source:
        return (await here.sources.of_result(said.result_id, user))[0]
    return await here.source_for(said.source, said.thread_id, user)
