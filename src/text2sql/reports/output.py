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
from text2sql.reports.blocks import Image
from text2sql.reports.build import Report
from text2sql.reports.docx import DocxTemplate
from text2sql.reports.pdf import convert, converter
from text2sql.reports.template import Kind
from text2sql.reports.text_templates import markdown

EXTENSIONS = (".md", ".html", ".docx", ".pdf")
MEDIA: Mapping[str, str] = {
    "md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
# the formats of a template that need no external program
DIRECT_FORMATS: Mapping[Kind, tuple[Kind, ...]] = {"md": ("md", "html"), "html": ("html",), "docx": ("docx",)}
_STYLE = """\
body { font: 16px/1.6 system-ui, "Noto Sans SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  max-width: 50em; margin: 2em auto; padding: 0 1em; color: #1b1b1b; background: #fff }
table { border-collapse: collapse; margin: 1em 0 } th, td { border: 1px solid #bbb; padding: .3em .7em }
img { max-width: 100% } code, pre { background: #f3f3f3 }
"""


def check_output(kind: Kind, path: Path) -> None:
    """Check early that the template can be converted to this format and that the folder exists."""
    target = path.suffix.lower().removeprefix(".")
    if path.suffix.lower() not in EXTENSIONS:
        raise UsageError("usage.report", path=str(path), formats=", ".join(EXTENSIONS))
    if target not in DIRECT_FORMATS[kind]:
        converter("docx" if kind == "docx" else "html", target)
    if not path.resolve().parent.is_dir():
        detail = f"{path.resolve().parent} is not a folder"
        raise UsageError("usage.export", path=str(path), detail=detail)


def report_files(report: Report, kind: str, stem: str = "report") -> dict[str, bytes]:
    """The files of a report by name; the document itself is the last one. Markdown refers to image files, all
    other formats embed their images.
    """
    template = report.template
    if isinstance(template, DocxTemplate):
        return {f"{stem}.docx": template.fill(report.blocks)}
    images: dict[str, bytes] = {}

    def link(image: Image) -> str:
        name = f"{stem}_files/{len(images) + 1}.png"
        images[name] = image.data
        return name.replace("%", "%25").replace(" ", "%20").replace("(", "%28").replace(")", "%29")

    text = template.fill(report.blocks, markdown(link) if kind == "md" else None)
    if kind == "html" and template.kind == "md":
        text = html_page(text, stem)
    return {**images, f"{stem}.{kind}": text.encode("utf-8", "replace")}


def html_page(text: str, title: str) -> str:
    """Render Markdown as an HTML page. Embedded HTML is escaped, because values are untrusted."""
    body = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).render(text)
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f"<!doctype html>\n<html><head>{head}</head>\n<body>\n{body}</body></html>\n"


def write_report(report: Report, kind: Kind, path: Path) -> None:
    """Write a report in the format of the path's extension."""
    target = path.suffix.lower().removeprefix(".")
    if target in DIRECT_FORMATS[kind]:
        *images, (_, document) = report_files(report, target, path.stem).items()
        for name, data in images:
            write_file(path.parent / name, data)
        write_file(path, document)
        return
    ((name, data),) = report_files(report, "docx" if kind == "docx" else "html").items()
    write_file(path, convert(data, name, target))


def write_file(path: Path, data: bytes) -> None:
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
