"""Evaluations: a question set is sent, and how often the answers are right is fetched."""

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from text2sql.errors import UsageError
from text2sql.server.evaluations import state_of
from text2sql.server.models import EvaluationRequest, EvaluationState
from text2sql.server.reception import Here, Reader, User
from text2sql.server.routes.documented import Responses, problems
from text2sql.server.sending import SANDBOX, Json

router = APIRouter(prefix="/api/v1/evaluations", tags=["evaluations"])

_MEDIA = {
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
_FILES: Responses = {
    200: {
        "description": "The report; in JSON with the record of each question",
        "content": {
            "application/json": {"schema": {"type": "object"}},
            "text/markdown": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
        },
    }
}
Format = Annotated[Literal["json", "md", "html"], Query()]


@router.post("", responses=problems(), status_code=202, response_model=EvaluationState)
async def begin(asked: EvaluationRequest, here: Here, reader: Reader) -> Response:
    """Begin to ask a question set; what is wrong with it is told at once."""
    if asked.model and asked.model not in here.models:
        raise UsageError("usage.model_offered", name=asked.model)
    return Json(state_of(await here.evaluations.ask(here.who, reader, asked)), status_code=202)


@router.get("/{evaluation_id}", responses=problems(), response_model=EvaluationState)
async def state(evaluation_id: str, here: Here, user: User) -> Response:
    """How far it is, and how much of it was right so far; at last its summary."""
    return Json(state_of(await here.evaluations.find(user, evaluation_id)))


@router.get("/{evaluation_id}/result", responses={**problems(), **_FILES}, response_class=Response)
async def result(evaluation_id: str, here: Here, user: User, format: Format = "json") -> Response:  # noqa: A002 -- the query's own name
    """The report, as `text2sql eval --report` writes it."""
    text: str = json.loads(await here.evaluations.part(user, evaluation_id, "file", format))
    name = {"Content-Disposition": f'attachment; filename="evaluation.{format}"'}
    return Response(
        text.encode("utf-8", "replace"),
        media_type=_MEDIA[format],
        headers={"Content-Security-Policy": SANDBOX, **name},
    )


@router.delete("/{evaluation_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(evaluation_id: str, here: Here, user: User) -> Response:
    """Stop it, if it is under way, and forget it."""
    await here.evaluations.drop(user, evaluation_id)
    return Response(status_code=204)
