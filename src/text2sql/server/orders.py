"""What a report is made of, read from a request: now, to tell what is wrong with it, and when it is made."""

import binascii
from base64 import b64decode
from dataclasses import dataclass
from datetime import date

from text2sql.errors import UsageError
from text2sql.reports.filling import Terms
from text2sql.reports.lock import Lock, read_lock
from text2sql.reports.parameters import checked
from text2sql.reports.template import Template, read_template
from text2sql.server.models import ReportRequest


@dataclass(frozen=True, slots=True)
class Order:
    template: Template
    parameters: dict[str, str]
    lock: Lock
    today: date
    terms: Terms


def order_of(asked: ReportRequest) -> Order:
    return Order(
        template=_template(asked),
        parameters=checked(asked.parameters),
        lock=read_lock(asked.lock, "lock"),
        today=_day(asked.date),
        terms=Terms(language=asked.language or "", locked=asked.locked),
    )


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
