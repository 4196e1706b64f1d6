"""Refreshes: a source's catalogue is read anew for everybody."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from text2sql.server.models import RefreshRequest, RefreshState
from text2sql.server.reception import Here, Reader, User
from text2sql.server.refreshes import state_of
from text2sql.server.routes.documented import problems
from text2sql.server.sending import Json

router = APIRouter(prefix="/api/v1", tags=["refreshes"])


@router.post("/sources/{source}/refresh", responses=problems(), status_code=202, response_model=RefreshState)
async def begin(
    source: Annotated[str, Path(max_length=200)],
    asked: RefreshRequest,  # noqa: ARG001 -- a body, as every POST has one
    here: Here,
    reader: Reader,
) -> Response:
    """Begin to read the catalogue of a source anew."""
    return Json(state_of(await here.refreshes.ask(here.who, reader, source)), status_code=202)


@router.get("/refreshes/{refresh_id}", responses=problems(), response_model=RefreshState)
async def state(refresh_id: str, here: Here, user: User) -> Response:
    """Once it is done, every server answers by the new catalogue within a second."""
    return Json(state_of(await here.refreshes.find(user, refresh_id)))


@router.delete("/refreshes/{refresh_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(refresh_id: str, here: Here, user: User) -> Response:
    """Stop it, if it is under way, and forget it."""
    await here.refreshes.drop(user, refresh_id)
    return Response(status_code=204)
