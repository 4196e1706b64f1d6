"""Refreshes: reload the catalog of a source for all users."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from text2sql.server.models import RefreshRequest, RefreshState
from text2sql.server.query_pipeline import Pipeline, ReaderLanguage, User
from text2sql.server.routes.openapi import problems
from text2sql.server.streaming import Json

router = APIRouter(prefix="/api/v1", tags=["refreshes"])


@router.post("/sources/{source}/refresh", responses=problems(), status_code=202, response_model=RefreshState)
async def begin(
    source: Annotated[str, Path(max_length=200)],
    body: RefreshRequest,  # noqa: ARG001 -- every POST has a JSON body
    pipeline: Pipeline,
    language: ReaderLanguage,
) -> Response:
    """Start to reload the catalog of a source."""
    return Json(await pipeline.refreshes.submit(pipeline.identity, language, source), status_code=202)


@router.get("/refreshes/{refresh_id}", responses=problems(), response_model=RefreshState)
async def state(refresh_id: str, pipeline: Pipeline, user: User) -> Response:
    """The state of a refresh. Once it is done, all servers use the new catalog within a second."""
    return Json(await pipeline.refreshes.state(user, refresh_id))


@router.delete("/refreshes/{refresh_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(refresh_id: str, pipeline: Pipeline, user: User) -> Response:
    """Stop the refresh if it is running, and delete it."""
    await pipeline.refreshes.drop(user, refresh_id)
    return Response(status_code=204)
