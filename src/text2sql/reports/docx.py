"""Word templates: a zip of XML parts. Text is looked at paragraph by paragraph, because Word cuts what a
person types into runs as it likes: a placeholder may be spread over several.

Values become text nodes, so nothing in them is markup. The XML itself comes from outside: a part with a
document type (entities) is refused, and so is a zip that unpacks to more than a report can need.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.dom import minidom
from xml.parsers import expat

from text2sql.errors import UsageError
from text2sql.reports.placeholders import Piece, Placeholder, scan, unescaped
from text2sql.reports.showing import Grid, Mark, Picture, Shown, Words
from text2sql.reports.texts import plain

_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_LARGEST = 100_000_000  # bytes of all parts together
_MOST_PARTS = 2_000
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_WIDE = 5_486_400  # EMU: six inches, what a page has between its margins
_DRAWING = """\
<w:r xmlns:w="{w}" xmlns:r="{r}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"
 xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:drawing>
<wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="{cx}" cy="{cy}"/>
<wp:docPr id="{id}" name="chart{id}"/>
<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>
<pic:cNvPr id="{id}" name="chart{id}"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="{rel}"/>
<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>
<a:ext cx="{cx}" cy="{cy}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>
</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"""


@dataclass(frozen=True, slots=True)
class DocxTemplate:
    parts: dict[str, bytes]
    placeholders: tuple[Placeholder, ...]
    alone: tuple[bool, ...]

    def blocks(self) -> tuple[bool, ...]:
        return self.alone

    def filled(self, shown: Sequence[Shown]) -> bytes:
        left, parts, pictures = iter(shown), dict(self.parts), _Pictures()
        for name in _texts(parts):
            document = _read(parts[name])
            drawn = len(pictures.files)
            for paragraph in _paragraphs(document):
                _fill(paragraph, left, name, pictures)
            parts[name] = document.toxml(encoding="UTF-8")
            if len(pictures.files) > drawn:
                _relate(parts, name, pictures)
        parts |= pictures.files
        return _zipped(parts)


def docx_template(data: bytes) -> DocxTemplate:
    parts = _unzipped(data)
    placeholders: list[Placeholder] = []
    alone: list[bool] = []
    for name in _texts(parts):
        for paragraph in _paragraphs(_read(parts[name])):
            text = _text(paragraph)
            for piece in scan(text):
                placeholders.append(piece.placeholder)
                alone.append(not (text[: piece.start] + text[piece.end :]).strip())
    return DocxTemplate(parts, tuple(placeholders), tuple(alone))


# -- the zip -------------------------------------------------------------------------------------


def _unzipped(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            if len(entries) > _MOST_PARTS or sum(one.file_size for one in entries) > _LARGEST:
                raise UsageError("usage.report_docx", detail="too large")
            parts = {one.filename: packed.read(one) for one in entries if not one.is_dir()}
    # RuntimeError: encrypted; the others: what a damaged zip may raise
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError, OSError) as error:
        raise UsageError("usage.report_docx", detail=str(error)[:100]) from error
    if "word/document.xml" not in parts or "[Content_Types].xml" not in parts:
        raise UsageError("usage.report_docx", detail="no word/document.xml")
    return parts


def _zipped(parts: dict[str, bytes]) -> bytes:
    """The same parts give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _texts(parts: dict[str, bytes]) -> list[str]:
    return sorted(name for name in parts if _PARTS.fullmatch(name))


def _read(data: bytes) -> minidom.Document:
    """minidom keeps every prefix as it is written, and Word reads prefixes inside of attributes."""

    def refuse(*_: object) -> None:
        raise UsageError("usage.report_docx", detail="DOCTYPE")

    try:
        looking = expat.ParserCreate()
        looking.StartDoctypeDeclHandler = refuse
        looking.Parse(data, True)
        return minidom.parseString(data)  # noqa: S318 -- without a document type there are no entities
    except expat.ExpatError as error:
        raise UsageError("usage.report_docx", detail=str(error)[:100]) from error


# -- paragraphs ----------------------------------------------------------------------------------


def _paragraphs(document: minidom.Document) -> list[minidom.Element]:
    return list(document.getElementsByTagNameNS(_W, "p"))


def _runs(paragraph: minidom.Element) -> Iterator[minidom.Element]:
    """Its text elements, but not those of a paragraph inside (a text box)."""
    for element in paragraph.getElementsByTagNameNS(_W, "t"):
        around = element.parentNode
        while around is not None and getattr(around, "localName", "") != "p":
            around = around.parentNode
        if around is paragraph:
            yield element


def _text(paragraph: minidom.Element) -> str:
    return "".join(map(_held, _runs(paragraph)))


def _held(element: minidom.Element) -> str:
    return "".join(node.data for node in element.childNodes if isinstance(node, minidom.Text))


def _fill(paragraph: minidom.Element, left: "Iterator[Shown]", part: str, pictures: "_Pictures") -> None:
    pieces = list(scan(_text(paragraph)))
    shown = [next(left) for _ in pieces]
    if not pieces and "\\{{" not in _text(paragraph):
        return
    _put_words(paragraph, pieces, shown)
    below = paragraph
    for value in shown:
        if isinstance(value, Grid):
            below = _after(below, _table(value, paragraph))
            below = _after(below, _paragraph(paragraph, value.note))
        elif isinstance(value, Picture):
            drawing = _paragraph(paragraph, "")
            drawing.appendChild(pictures.drawn(value, part))
            below = _after(below, drawing)
    blocks = any(isinstance(value, Grid | Picture) for value in shown)
    # a paragraph may also be what ends a section of the document
    blocks = blocks and not paragraph.getElementsByTagNameNS(_W, "sectPr")
    if blocks and not _text(paragraph).strip() and paragraph.parentNode is not None:
        paragraph.parentNode.removeChild(paragraph)


def _put_words(paragraph: minidom.Element, pieces: Sequence[Piece], shown: Sequence[Shown]) -> None:
    """Each value takes the place of its placeholder in the run where that begins, in the run's own look."""
    elements = list(_runs(paragraph))
    at, spans = 0, []
    for element in elements:
        spans.append((at, at + len(_held(element))))
        at = spans[-1][1]
    for element, (start, end) in zip(elements, spans, strict=True):
        text, told, place = _held(element), [], start
        for piece, value in zip(pieces, shown, strict=True):
            if piece.end <= start or piece.start >= end:
                continue
            told.append(unescaped(text[place - start : max(piece.start, start) - start]))
            if piece.start >= start:
                told.append(_words(value))
            place = min(piece.end, end)
        told.append(unescaped(text[place - start :]))
        _set(element, "".join(told))


def _words(value: Shown) -> str:
    if isinstance(value, Words):
        return " ".join(plain(value.text).split())
    if isinstance(value, Mark):
        return " ".join(plain(f"⚠ {value.question}: {value.reason}").split())
    return ""


def _set(element: minidom.Element, text: str) -> None:
    for node in list(element.childNodes):
        element.removeChild(node)
    element.setAttribute("xml:space", "preserve")
    element.appendChild(_document(element).createTextNode(text))


def _after(place: minidom.Element, new: minidom.Element) -> minidom.Element:
    if place.parentNode is None:
        raise RuntimeError("a paragraph stands somewhere")
    place.parentNode.insertBefore(new, place.nextSibling)  # type: ignore[arg-type]  # any sibling will do
    return new


# -- what is made --------------------------------------------------------------------------------


def _document(element: minidom.Element) -> minidom.Document:
    found = element.ownerDocument
    if found is None:
        raise RuntimeError("an element belongs to a document")
    return found


def _w(near: minidom.Element, name: str, **attributes: str) -> minidom.Element:
    """An element in Word's namespace, under the prefix that this document has for it."""
    prefix = near.prefix or ""
    made = _document(near).createElementNS(_W, f"{prefix}:{name}" if prefix else name)
    for key, value in attributes.items():
        made.setAttributeNS(_W, f"{prefix or 'w'}:{key}", value)
    return made


def _paragraph(
    near: minidom.Element, text: str, *, right: bool = False, bold: bool = False
) -> minidom.Element:
    made, run, held = _w(near, "p"), _w(near, "r"), _w(near, "t")
    if right:
        look = _w(near, "pPr")
        look.appendChild(_w(near, "jc", val="right"))
        made.appendChild(look)
    if bold:
        weight = _w(near, "rPr")
        weight.appendChild(_w(near, "b"))
        run.appendChild(weight)
    if text:
        _set(held, " ".join(plain(text).split()))
        run.appendChild(held)
        made.appendChild(run)
    return made


def _table(grid: Grid, near: minidom.Element) -> minidom.Element:
    table, look, borders = _w(near, "tbl"), _w(near, "tblPr"), _w(near, "tblBorders")
    look.appendChild(_w(near, "tblW", w="0", type="auto"))
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        borders.appendChild(_w(near, side, val="single", sz="4", space="0", color="999999"))
    look.appendChild(borders)
    table.appendChild(look)
    widths = _w(near, "tblGrid")
    for _ in grid.columns:
        widths.appendChild(_w(near, "gridCol"))
    table.appendChild(widths)
    for number, cells in enumerate((grid.columns, *grid.rows)):
        row = _w(near, "tr")
        for text, right in zip(cells, grid.numeric, strict=True):
            cell = _w(near, "tc")
            cell.appendChild(_paragraph(near, text, right=right, bold=number == 0))
            row.appendChild(cell)
        table.appendChild(row)
    return table


@dataclass(slots=True)
class _Pictures:
    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # part → (relation, file)

    def drawn(self, picture: Picture, part: str) -> minidom.Element:
        number = len(self.files) + 1
        relation, name = f"rIdText2sql{number}", f"media/text2sql{number}.png"
        self.files[f"word/{name}"] = picture.data
        self.links.setdefault(part, []).append((relation, name))
        wide, high = _size(picture.data)
        cx = min(_WIDE, wide * 4_763)  # drawn twice as large as it is shown: 192 dots an inch
        made = _DRAWING.format(
            w=_W, r=_R, cx=cx, cy=cx * high // max(wide, 1), id=9_000 + number, rel=relation
        )
        root = minidom.parseString(made).documentElement  # noqa: S318 -- our own text, numbers filled in
        if root is None:
            raise RuntimeError("a document has a root")
        return root


def _size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def _relate(parts: dict[str, bytes], part: str, pictures: _Pictures) -> None:
    folder, _, name = part.rpartition("/")
    place = f"{folder}/_rels/{name}.rels"
    empty = f'<?xml version="1.0"?><Relationships xmlns="{_RELATIONS}"/>'.encode()
    relations = _read(parts.get(place, empty))
    for relation, target in pictures.links[part]:
        _child(relations, "Relationship", Id=relation, Type=f"{_R}/image", Target=target)
    parts[place] = relations.toxml(encoding="UTF-8")
    types = _read(parts["[Content_Types].xml"])
    known = types.getElementsByTagNameNS(_TYPES, "Default")
    if not any(one.getAttribute("Extension").lower() == "png" for one in known):
        _child(types, "Default", first=True, Extension="png", ContentType="image/png")
    parts["[Content_Types].xml"] = types.toxml(encoding="UTF-8")


def _child(document: minidom.Document, name: str, *, first: bool = False, **attributes: str) -> None:
    root = document.documentElement
    if root is None:
        raise RuntimeError("a document has a root")
    made = document.createElementNS(root.namespaceURI or "", f"{root.prefix}:{name}" if root.prefix else name)
    for key, value in attributes.items():
        made.setAttribute(key, value)
    root.insertBefore(made, root.firstChild if first else None)
