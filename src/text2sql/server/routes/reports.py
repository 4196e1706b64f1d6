"""Reports: submit a template with questions, then fetch the filled document."""

import json
from base64 import b64decode
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from text2sql.reports.output import MEDIA
from text2sql.server.models import ReportRequest, ReportState
from text2sql.server.query_pipeline import Pipeline, ReaderLanguage, User
from text2sql.server.routes.openapi import Responses, problems
from text2sql.server.streaming import SANDBOX, Json

router = APIRouter(prefix="/api/v1/reports", tags=["reports"])

Format = Annotated[
    Literal["md", "html", "docx"] | None, Query(description="One of `formats` in the state of the report")
]
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
async def begin(body: ReportRequest, pipeline: Pipeline, language: ReaderLanguage) -> Response:
    """Start a report. An invalid template is rejected immediately."""
    return Json(await pipeline.reports.submit(pipeline.identity, language, body), status_code=202)


@router.get("/{report_id}", responses=problems(), response_model=ReportState)
async def state(report_id: str, pipeline: Pipeline, user: User) -> Response:
    """The progress; the record once it is done."""
    return Json(await pipeline.reports.state(user, report_id))


@router.get("/{report_id}/result", responses={**problems(), **_FILES}, response_class=Response)
async def result(report_id: str, pipeline: Pipeline, user: User, format: Format = None) -> Response:  # noqa: A002 -- the name of the query parameter
    """The document. Images are embedded, except in Markdown: use `html` for them."""
    formats: list[str] = (await pipeline.reports.state(user, report_id))["formats"]
    kind: str = format or next(iter(formats), "")
    data = b64decode(await pipeline.reports.part(user, report_id, "file", kind))
    name = {"Content-Disposition": f'attachment; filename="report.{kind}"'}
    return Response(data, media_type=MEDIA[kind], headers={"Content-Security-Policy": SANDBOX, **name})


@router.get("/{report_id}/lock", responses={**problems(), **_YAML}, response_class=Response)
async def lock(report_id: str, pipeline: Pipeline, user: User) -> Response:
    """The lock file: verified queries to send with the next request."""
    text: str = json.loads(await pipeline.reports.part(user, report_id, "file", "lock"))
    return Response(text.encode("utf-8", "replace"), media_type="application/yaml")


@router.delete("/{report_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(report_id: str, pipeline: Pipeline, user: User) -> Response:
    """Stop the report if it is running, and delete it."""
    await pipeline.reports.drop(user, report_id)
    return Response(status_code=204)
