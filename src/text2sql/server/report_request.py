"""Validates a report request and parses its template, parameters, lock and date."""

import binascii
from base64 import b64decode
from dataclasses import dataclass
from datetime import date

from text2sql.errors import UsageError
from text2sql.reports.lock import Lock, parse_lock
from text2sql.reports.outcomes import ReportOptions
from text2sql.reports.parameters import check_parameters
from text2sql.reports.template import Template, read_template
from text2sql.server.models import ReportRequest


@dataclass(frozen=True, slots=True)
class ParsedReportRequest:
    template: Template
    parameters: dict[str, str]
    lock: Lock
    today: date
    options: ReportOptions


def parse_report_request(request: ReportRequest) -> ParsedReportRequest:
    return ParsedReportRequest(
        template=_template(request),
        parameters=check_parameters(request.parameters),
        lock=parse_lock(request.lock, "lock"),
        today=_parse_date(request.date),
        options=ReportOptions(language=request.language or "", locked=request.locked),
    )


def _template(request: ReportRequest) -> Template:
    if request.format != "docx":
        return read_template(request.template.encode("utf-8", "replace"), request.format)
    try:
        return read_template(b64decode(request.template, validate=True), "docx")
    except binascii.Error as error:
        raise UsageError("usage.report_docx", detail="no Base64") from error


def _parse_date(text: str | None) -> date:
    try:
        return date.fromisoformat(text) if text else date.today()
    except ValueError as error:
        raise UsageError("usage.report_date", given=text) from error
