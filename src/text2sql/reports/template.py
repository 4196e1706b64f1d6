"""Load a template. The file extension selects Markdown, HTML or Word."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from text2sql.errors import UsageError
from text2sql.reports.docx import DocxTemplate, docx_template
from text2sql.reports.placeholders import MAX_PLACEHOLDERS
from text2sql.reports.text_templates import TextTemplate, html_template, markdown_template

Kind: TypeAlias = Literal["md", "html", "docx"]
Template: TypeAlias = TextTemplate | DocxTemplate

EXTENSIONS: Mapping[str, Kind] = {
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
}
_MAX_BYTES = 20_000_000  # bytes


def kind_of(path: Path) -> Kind:
    kind = EXTENSIONS.get(path.suffix.lower())
    if kind is None:
        raise UsageError("usage.report_template", path=str(path), endings=", ".join(EXTENSIONS))
    return kind


def read_template(data: bytes, kind: Kind) -> Template:
    if len(data) > _MAX_BYTES:
        raise UsageError("usage.report_large", most=_MAX_BYTES)
    if kind == "docx":
        template: Template = docx_template(data)
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError("usage.report_text", detail=str(error.reason)) from error
        template = markdown_template(text) if kind == "md" else html_template(text)
    if not 0 < len(template.placeholders) <= MAX_PLACEHOLDERS:
        raise UsageError("usage.report_placeholders", count=len(template.placeholders), most=MAX_PLACEHOLDERS)
    return template


def template_at(path: Path) -> Template:
    kind = kind_of(path)
    try:
        return read_template(path.read_bytes(), kind)
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.report_read", path=str(path), detail=detail) from error
