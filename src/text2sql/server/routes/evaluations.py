"""Evaluations: submit a question set, then fetch the accuracy and the report."""

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from text2sql.errors import UsageError
from text2sql.server.models import EvaluationRequest, EvaluationState
from text2sql.server.query_pipeline import Pipeline, ReaderLanguage, User
from text2sql.server.routes.openapi import Responses, problems
from text2sql.server.streaming import SANDBOX, Json

router = APIRouter(prefix="/api/v1/evaluations", tags=["evaluations"])

_MEDIA = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
_FILES: Responses = {
    200: {
        "description": "The report; JSON includes the record of each question",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "text/markdown": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
        },
    }
}
Format = Annotated[Literal["json", "md", "html"], Query()]


@router.post("", responses=problems(), status_code=202, response_model=EvaluationState)
async def begin(body: EvaluationRequest, pipeline: Pipeline, language: ReaderLanguage) -> Response:
    """Start an evaluation. An invalid question set is rejected immediately."""
    if body.model and body.model not in pipeline.models:
        raise UsageError("usage.model_offered", name=body.model)
    return Json(await pipeline.evaluations.submit(pipeline.identity, language, body), status_code=202)


@router.get("/{evaluation_id}", responses=problems(), response_model=EvaluationState)
async def state(evaluation_id: str, pipeline: Pipeline, user: User) -> Response:
    """The progress and the accuracy so far; the summary once it is done."""
    return Json(await pipeline.evaluations.state(user, evaluation_id))


@router.get("/{evaluation_id}/result", responses={**problems(), **_FILES}, response_class=Response)
async def result(evaluation_id: str, pipeline: Pipeline, user: User, format: Format = "json") -> Response:  # noqa: A002 -- the name of the query parameter
    """The report, as `text2sql eval --report` writes it."""
    text: str = json.loads(await pipeline.evaluations.part(user, evaluation_id, "file", format))
    name = {"Content-Disposition": f'attachment; filename="evaluation.{format}"'}
    return Response(
        text.encode("utf-8", "replace"),
        media_type=_MEDIA[format],
        headers={"Content-Security-Policy": SANDBOX, **name},
    )


@router.delete("/{evaluation_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(evaluation_id: str, pipeline: Pipeline, user: User) -> Response:
    """Stop the evaluation if it is running, and delete it."""
    await pipeline.evaluations.drop(user, evaluation_id)
    return Response(status_code=204)
