"""Write reports to files atomically.

Markdown templates become Markdown or HTML, HTML templates HTML, and Word templates Word. Other formats need
an installed browser or office suite (`pdf.py`).
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from text2sql.errors import UsageError
from text2sql.reports.blocks import Picture
from text2sql.reports.build import Report
from text2sql.reports.docx import DocxTemplate
from text2sql.reports.pdf import printed, printer
from text2sql.reports.template import Kind, Template
from text2sql.reports.text_templates import TextTemplate, markdown

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
    """The output formats of a template that need no external program."""
    return _DIRECT[kind]


def check_output(kind: Kind, path: Path) -> None:
    """Check early that the template can be converted to this format and that the folder exists."""
    wanted = path.suffix.lower().removeprefix(".")
    if path.suffix.lower() not in OUTPUTS:
        raise UsageError("usage.report", path=str(path), formats=", ".join(OUTPUTS))
    if wanted not in _DIRECT[kind]:
        printer("docx" if kind == "docx" else "html", wanted)
    if not path.resolve().parent.is_dir():
        detail = f"{path.resolve().parent} is no folder"
        raise UsageError("usage.export", path=str(path), detail=detail)


def document(report: Report, kind: Kind, stem: str = "report") -> dict[str, bytes]:
    """The files of a report by name; the document itself is the last one. Markdown refers to image files, all
    other formats embed their images.
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
    """Render Markdown as an HTML page. Embedded HTML is escaped, because values are untrusted."""
    body = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).render(text)
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>\n{body}</body></html>\n"


def write(report: Report, kind: Kind, path: Path) -> None:
    """Write a report in the format of the path's extension."""
    ending = path.suffix.lower().removeprefix(".")
    if ending in _DIRECT[kind]:
        files = document(report, _as_kind(ending), path.stem)
        *pictures, (_, document_bytes) = files.items()
        for name, data in pictures:
            put(path.parent / name, data)
        put(path, document_bytes)
        return
    source = document(report, "docx" if kind == "docx" else "html")
    (name, data), *_ = source.items()
    put(path, printed(data, name, ending))


def put(path: Path, data: bytes) -> None:
    """Write a file atomically."""
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
