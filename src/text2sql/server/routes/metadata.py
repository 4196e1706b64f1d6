"""Schema, sources, models, preferences and feedback."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.serialization import catalog_object
from text2sql.server.models import Examples, Feedback, ModelsList, Preferences, SchemaObject, SourcesList
from text2sql.server.query_pipeline import Pipeline, QueryPipeline, User
from text2sql.server.routes.openapi import problems
from text2sql.server.sources import Source
from text2sql.server.streaming import Json, run_until_disconnect

router = APIRouter(prefix="/api/v1", tags=["about"])


@router.get("/schema", responses=problems(), response_model=SchemaObject)
async def schema(
    request: Request, pipeline: Pipeline, source: Annotated[str | None, Query(max_length=200)] = None
) -> Response:
    """The visible schema of a source, as `text2sql schema --json` prints it."""
    catalog = await run_until_disconnect(request, pipeline.sources.named(source).app.catalog())
    return await asyncio.to_thread(lambda: Json(catalog_object(catalog)))


@router.get("/examples", responses=problems(), response_model=Examples)
async def examples(
    request: Request,
    pipeline: Pipeline,
    source: Annotated[str | None, Query(max_length=200)] = None,
    language: Language = "en",
) -> Response:
    """Questions that a source can answer; each was read, compiled and checked by the guard."""
    found = pipeline.sources.named(source).app.examples(language)
    return Json({"questions": await run_until_disconnect(request, found)})


@router.get("/sources", responses=problems(), response_model=SourcesList)
async def sources(pipeline: Pipeline) -> Response:
    entries = [
        {"name": source.name, "dialect": source.dialect, "product": source.product}
        for source in pipeline.sources
    ]
    return Json({"sources": entries, "default": pipeline.sources.default})


@router.get("/models", responses=problems(), response_model=ModelsList)
async def models(pipeline: Pipeline) -> Response:
    return Json({"models": pipeline.models, "default": pipeline.models[0]})


@router.get("/preferences", responses=problems(), response_model=Preferences)
async def preferences(pipeline: Pipeline, user: User) -> Response:
    """The user's preferences."""
    known = await (await pipeline.server_store.memory()).preferences(user)
    return Json(Preferences.model_validate(known).model_dump())


@router.put("/preferences", responses=problems(), response_model=Preferences)
async def prefer(body: Preferences, pipeline: Pipeline, user: User) -> Response:
    """Replace the user's preferences. A question that names an option itself is not affected."""
    if body.model and body.model not in pipeline.models:
        raise UsageError("usage.model_offered", name=body.model)
    values = {name: value or "" for name, value in body.model_dump().items()}
    await (await pipeline.server_store.memory()).set_preferences(user, **values)
    return Json(body.model_dump())


@router.post("/feedback", responses=problems(), status_code=204, response_class=Response)
async def feedback(body: Feedback, pipeline: Pipeline, user: User) -> Response:
    """Rate an answer. Good question-SQL pairs become examples; bad ones are no longer used."""
    source = await _source(pipeline, body, user)
    if body.good:
        await source.app.verified.add(body.question, body.sql, user=user)
    await source.app.verified.rate(
        body.question,
        body.sql,
        good=body.good,
        comment=body.comment,
        thread=body.thread_id or "",
        user=user,
    )
    pipeline.metrics.count("feedback", str(body.good).lower())
    return Response(status_code=204)


async def _source(pipeline: QueryPipeline, body: Feedback, user: str) -> Source:
    if body.result_id and not body.source:
        return (await pipeline.sources.of_result(body.result_id, user))[0]
    return await pipeline.source_for(body.source, body.thread_id, user)
