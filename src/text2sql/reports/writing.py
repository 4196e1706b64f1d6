"""A report as files: whole or not at all.

Markdown becomes Markdown or a page, a page a page, Word stays Word; the rest (PDF, Word from a page) is made
by programs that are on this machine or not (`printing.py`).
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from text2sql.errors import UsageError
from text2sql.reports.docx import DocxTemplate
from text2sql.reports.making import Report
from text2sql.reports.printing import printed, printer
from text2sql.reports.showing import Picture
from text2sql.reports.template import Kind, Template
from text2sql.reports.texts import TextTemplate, markdown

OUTPUTS = (".md", ".html", ".docx", ".pdf")
MEDIA: Mapping[str, str] = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
_DIRECT: Mapping[Kind, tuple[Kind, ...]] = {"md": ("md", "html"), "html": ("html",), "docx": ("docx",)}
_STYLE = """\
body { font: 16px/1.6 system-ui, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  max-width: 50em; margin: 2em auto; padding: 0 1em; color: #1b1b1b; background: #fff }
table { border-collapse: collapse; margin: 1em 0 } th, td { border: 1px solid #bbb; padding: .3em .7em }
img { max-width: 100% } code, pre { background: #f3f3f3 }
"""


def direct(kind: Kind) -> tuple[Kind, ...]:
    """What a template of this kind becomes without another program."""
    return _DIRECT[kind]


def check_output(kind: Kind, path: Path) -> None:
    """Before anybody is asked: whether this file can be made of such a template, and has a place to be."""
    wanted = path.suffix.lower().removeprefix(".")
    if path.suffix.lower() not in OUTPUTS:
        raise UsageError("usage.report", path=str(path), formats=", ".join(OUTPUTS))
    if wanted not in _DIRECT[kind]:
        printer("docx" if kind == "docx" else "html", wanted)
    if not path.resolve().parent.is_dir():
        detail = f"{path.resolve().parent} is no folder"
        raise UsageError("usage.export", path=str(path), detail=detail)


def document(report: Report, kind: Kind, stem: str = "report") -> dict[str, bytes]:
    """Names of files to their bytes; the document itself comes last. Its pictures stand beside Markdown, and
    inside everything else.
    """
    template = report.template
    if isinstance(template, DocxTemplate):
        return {f"{stem}.docx": template.filled(report.shown)}
    files: dict[str, bytes] = {}
    if kind == "md":

        def link(picture: Picture) -> str:
            name = f"{stem}_files/{len(files) + 1}.{picture.form}"
            files[name] = picture.data
            return _address(name)

        files[f"{stem}.md"] = _encoded(template.filled(report.shown, markdown(link)))
    elif _is_page(template):
        files[f"{stem}.html"] = _encoded(template.filled(report.shown))
    else:
        files[f"{stem}.html"] = _encoded(page(template.filled(report.shown), stem))
    return files


def page(text: str, title: str) -> str:
    """Markdown as a page. HTML inside of it stays text: a template needs none, and a value must have none."""
    body = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).render(text)
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>\n{body}</body></html>\n"


def write(report: Report, kind: Kind, path: Path) -> None:
    wanted = path.suffix.lower().removeprefix(".")
    if wanted in _DIRECT[kind]:
        files = document(report, _as_kind(wanted), path.stem)
        *beside, (_, last) = files.items()
        for name, data in beside:
            put(path.parent / name, data)
        put(path, last)
        return
    source = document(report, "docx" if kind == "docx" else "html")
    (name, data), *_ = source.items()
    put(path, printed(data, name, wanted))


def put(path: Path, data: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        path.parent.mkdir(exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise UsageError("usage.export", path=str(path), detail=error.strerror or str(error)) from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _as_kind(wanted: str) -> Kind:
    return "md" if wanted == "md" else "html" if wanted == "html" else "docx"


def _is_page(template: Template) -> bool:
    return isinstance(template, TextTemplate) and template.kind == "html"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _address(name: str) -> str:
    return name.replace("%", "%25").replace(" ", "%20").replace("(", "%28").replace(")", "%29")
