"""Reports: a template with questions in it is sent, and fetched filled in."""

import json
from base64 import b64decode
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from text2sql.reports.writing import MEDIA
from text2sql.server.models import ReportRequest, ReportState
from text2sql.server.reception import Here, Reader, User
from text2sql.server.reports import state_of
from text2sql.server.routes.documented import Responses, problems
from text2sql.server.sending import SANDBOX, Json

router = APIRouter(prefix="/api/v1/reports", tags=["reports"])

Format = Annotated[Literal["md", "html", "docx"] | None, Query(description="One of the state's `formats`")]
_FILES: Responses = {
    200: {
        "description": "The report",
        "content": {media.partition(";")[0]: {"schema": {"type": "string"}} for media in MEDIA.values()},
    }
}
_YAML: Responses = {
    200: {"description": "The lock file", "content": {"application/yaml": {"schema": {"type": "string"}}}}
}


@router.post("", responses=problems(), status_code=202, response_model=ReportState)
async def begin(asked: ReportRequest, here: Here, reader: Reader) -> Response:
    """Begin to make a report; what is wrong with the template is told at once."""
    return Json(state_of(await here.reports.ask(here.who, reader, asked)), status_code=202)


@router.get("/{report_id}", responses=problems(), response_model=ReportState)
async def state(report_id: str, here: Here, user: User) -> Response:
    """How far it is; at last its record."""
    return Json(state_of(await here.reports.find(user, report_id)))


@router.get("/{report_id}/result", responses={**problems(), **_FILES}, response_class=Response)
async def result(report_id: str, here: Here, user: User, format: Format = None) -> Response:  # noqa: A002 -- the query's own name
    """The report itself; its pictures are inside, except in Markdown, where they are left to `html`."""
    formats: list[str] = state_of(await here.reports.find(user, report_id))["formats"]
    kind: str = format or next(iter(formats), "")
    data = b64decode(await here.reports.part(user, report_id, "file", kind))
    name = {"Content-Disposition": f'attachment; filename="report.{kind}"'}
    return Response(data, media_type=MEDIA[kind], headers={"Content-Security-Policy": SANDBOX, **name})


@router.get("/{report_id}/lock", responses={**problems(), **_YAML}, response_class=Response)
async def lock(report_id: str, here: Here, user: User) -> Response:
    """The verified queries, to be sent with the next request."""
    text: str = json.loads(await here.reports.part(user, report_id, "file", "lock"))
    return Response(text.encode("utf-8", "replace"), media_type="application/yaml")


@router.delete("/{report_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(report_id: str, here: Here, user: User) -> Response:
    """Stop it, if it is being made, and forget it."""
    await here.reports.drop(user, report_id)
    return Response(status_code=204)
