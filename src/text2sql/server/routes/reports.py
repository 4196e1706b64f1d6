"""Reports: a template with questions in it is sent, and fetched filled in."""

import asyncio
import binascii
from base64 import b64decode
from datetime import date
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from text2sql.errors import UsageError
from text2sql.reports.filling import Terms
from text2sql.reports.lock import read_lock, written
from text2sql.reports.making import Report
from text2sql.reports.parameters import checked
from text2sql.reports.template import Template, read_template
from text2sql.reports.writing import MEDIA, direct, document
from text2sql.server.models import ReportRequest, ReportState
from text2sql.server.reception import Here, Reader, User
from text2sql.server.reports import Order
from text2sql.server.routes.documented import Responses, problems
from text2sql.server.sending import Json

router = APIRouter(prefix="/api/v1/reports", tags=["reports"])

Format = Annotated[Literal["md", "html", "docx"] | None, Query(description="One of the state's `formats`")]
# A template is its sender's: what it holds may not act as a page of this server.
_SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
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
async def begin(asked: ReportRequest, here: Here, user: User, reader: Reader) -> Response:
    """Begin to make a report; what is wrong with the template is told at once."""
    order = Order(
        template=await asyncio.to_thread(_template, asked),
        kind=asked.format,
        parameters=checked(asked.parameters),
        lock=read_lock(asked.lock, "lock"),
        today=_day(asked.date),
        terms=Terms(language=asked.language or "", locked=asked.locked),
        source=here.sources.named(asked.source),
    )
    return Json(here.reports.start(user, reader, order).told(), status_code=202)


@router.get("/{report_id}", responses=problems(), response_model=ReportState)
async def state(report_id: str, here: Here, user: User) -> Response:
    """How far it is; at last its record."""
    return Json(here.reports.find(user, report_id).told())


@router.get("/{report_id}/result", responses={**problems(), **_FILES}, response_class=Response)
async def result(report_id: str, here: Here, user: User, format: Format = None) -> Response:  # noqa: A002 -- the query's own name
    """The report itself; its pictures are inside, except in Markdown, where they are left to `html`."""
    making = here.reports.find(user, report_id)
    kind = format or making.order.kind
    if making.report is None or kind not in direct(making.order.kind):
        raise UsageError("usage.report_not_ready")
    files = await asyncio.to_thread(document, making.report, kind)
    *_, data = files.values()
    name = {"Content-Disposition": f'attachment; filename="report.{kind}"'}
    return Response(data, media_type=MEDIA[kind], headers={"Content-Security-Policy": _SANDBOX, **name})


@router.get("/{report_id}/lock", responses={**problems(), **_YAML}, response_class=Response)
async def lock(report_id: str, here: Here, user: User) -> Response:
    """The verified queries, to be sent with the next request."""
    report: Report | None = here.reports.find(user, report_id).report
    if report is None:
        raise UsageError("usage.report_not_ready")
    return Response(written(report.filled.lock).encode(), media_type="application/yaml")


@router.delete("/{report_id}", responses=problems(), status_code=204, response_class=Response)
async def forget(report_id: str, here: Here, user: User) -> Response:
    """Stop it, if it is being made, and forget it."""
    here.reports.drop(user, report_id)
    return Response(status_code=204)


def _template(asked: ReportRequest) -> Template:
    if asked.format != "docx":
        return read_template(asked.template.encode("utf-8", "replace"), asked.format)
    try:
        return read_template(b64decode(asked.template, validate=True), "docx")
    except binascii.Error as error:
        raise UsageError("usage.report_docx", detail="no Base64") from error


def _day(given: str | None) -> date:
    try:
        return date.fromisoformat(given) if given else date.today()
    except ValueError as error:
        raise UsageError("usage.report_date", given=given) from error
