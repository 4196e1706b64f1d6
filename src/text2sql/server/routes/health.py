"""Whether it lives, whether it can answer, and its numbers."""

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from text2sql.errors import UsageError
from text2sql.server.identity import OPERATOR
from text2sql.server.metrics import CONTENT_TYPE
from text2sql.server.models import Health, Readiness
from text2sql.server.reception import Here
from text2sql.server.routes.documented import problems
from text2sql.server.sending import Json

router = APIRouter(tags=["health"])

_NOT_READY = {"model": Readiness, "description": "A source does not answer, or the server is stopping"}


@router.get("/healthz", responses=problems(), response_model=Health)
async def healthz() -> Response:
    """Green as long as the process can answer at all."""
    return Json({"status": "ok"})


@router.get("/readyz", responses={**problems(), 503: _NOT_READY}, response_model=Readiness)
async def readyz(here: Here) -> Response:
    """Red while a source is down; the others go on, and it turns green by itself."""
    every = list(here.every)
    found = await asyncio.gather(*(source.ready() for source in every))
    ready = all(found) and not here.admission.closed and await here.ledger_answers()
    shown = {source.name for source in here.sources}  # none to whoever has not signed in
    told: dict[str, object] = {
        "status": "ready" if ready else "not ready",
        "sources": {one.name: up for one, up in zip(every, found, strict=True) if one.name in shown},
    }
    if here.settings.cache:  # without it everything is answered all the same
        told["cache"] = await here.cache.shelf.answers()
    return Json(told, status_code=200 if ready else 503)


@router.get(
    "/metrics",
    responses={**problems(), 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
)
async def metrics(here: Here) -> Response:
    """For Prometheus. Where people sign in, for those with the role `operator`."""
    if here.door.asks and OPERATOR not in here.who.roles:
        raise UsageError("usage.operator", role=OPERATOR)
    return Response(here.metrics.text(), media_type=CONTENT_TYPE)
