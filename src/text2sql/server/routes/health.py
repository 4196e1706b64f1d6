"""Liveness, readiness and metrics."""

import asyncio

from fastapi import APIRouter
from starlette.responses import Response

from text2sql.errors import UsageError
from text2sql.server.identity import OPERATOR
from text2sql.server.metrics import CONTENT_TYPE
from text2sql.server.models import Health, Readiness
from text2sql.server.query_pipeline import Pipeline
from text2sql.server.routes.openapi import problems
from text2sql.server.streaming import Json

router = APIRouter(tags=["health"])

_NOT_READY = {"model": Readiness, "description": "A source does not respond, or the server is stopping"}


@router.get("/healthz", responses=problems(), response_model=Health)
async def healthz() -> Response:
    """Liveness: succeeds while the process can respond."""
    return Json({"status": "ok"})


@router.get("/readyz", responses={**problems(), 503: _NOT_READY}, response_model=Readiness)
async def readyz(pipeline: Pipeline) -> Response:
    """Readiness: fails while a source is unavailable, and recovers by itself. Other sources keep working."""
    sources = list(pipeline.all_sources)
    states = await asyncio.gather(*(source.ready() for source in sources))
    ready = all(states) and not pipeline.admission.closed and await pipeline.store_is_available()
    visible = {source.name for source in pipeline.sources}  # empty without sign-in
    body: dict[str, object] = {
        "status": "ready" if ready else "not ready",
        "sources": {
            source.name: up for source, up in zip(sources, states, strict=True) if source.name in visible
        },
    }
    if pipeline.settings.cache:  # not required: questions are answered without it
        body["cache"] = await pipeline.cache.backend.answers()
    return Json(body, status_code=200 if ready else 503)


@router.get(
    "/metrics",
    responses={**problems(), 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    response_class=Response,
)
async def metrics(pipeline: Pipeline) -> Response:
    """Metrics for Prometheus. With sign-in enabled they require the role `operator`."""
    if pipeline.authenticator.sign_in_required and OPERATOR not in pipeline.identity.roles:
        raise UsageError("usage.operator", role=OPERATOR)
    return Response(pipeline.metrics.text(), media_type=CONTENT_TYPE)
