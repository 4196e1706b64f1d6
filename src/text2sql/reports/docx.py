"""Word templates. A .docx file is a zip archive of XML parts.

Placeholders are found per paragraph, because Word splits text into runs arbitrarily and a placeholder may
span several runs. Values are inserted as text nodes and never parsed as markup. Templates are untrusted
input: a part with a DOCTYPE (entities) is rejected, and so is an archive that unpacks to an excessive size.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.dom import minidom
from xml.parsers import expat

from text2sql.errors import UsageError
from text2sql.reports.blocks import Grid, Mark, Picture, Shown, Words
from text2sql.reports.placeholders import Piece, Placeholder, scan, unescaped
from text2sql.reports.text_templates import plain

_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_LARGEST = 50_000_000  # bytes of all parts together
_MOST_PARTS = 2_000
_MOST_NODES = 100_000  # elements, attributes, texts: about a second and 40 MB; ten pages of Word have 10,000
_DEEPEST = 200
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# RuntimeError: encrypted; the others: a damaged archive
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,
    NotImplementedError,
    EOFError,
    ValueError,
    OSError,
)
_WIDE = 5_486_400  # EMU: six inches, the text width of a page
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
    """A parsed Word template."""

    parts: dict[str, bytes]
    placeholders: tuple[Placeholder, ...]
    alone: tuple[bool, ...]

    def blocks(self) -> tuple[bool, ...]:
        """For each placeholder, whether it is alone in its paragraph."""
        return self.alone

    def filled(self, shown: Sequence[Shown]) -> bytes:
        """The document with its placeholders replaced."""
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
    """Parse a .docx file; raise UsageError if it is invalid or too large."""
    parts = _unzipped(data)
    nodes = 0
    for name in _texts(parts):
        nodes += _count_nodes(parts[name], _MOST_NODES - nodes)
    placeholders: list[Placeholder] = []
    alone: list[bool] = []
    for name in _texts(parts):
        for paragraph in _paragraphs(_read(parts[name])):
            text = _text(paragraph)
            for piece in scan(text):
                placeholders.append(piece.placeholder)
                alone.append(not (text[: piece.start] + text[piece.end :]).strip())
    return DocxTemplate(parts, tuple(placeholders), tuple(alone))


# -- The zip archive -----------------------------------------------------------------------------


def _unzipped(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            entries = packed.infolist()
            if len(entries) > _MOST_PARTS or sum(entry.file_size for entry in entries) > _LARGEST:
                raise _too_large()
            if any(entry.compress_type not in _COMPRESSIONS for entry in entries):
                raise NotImplementedError("another compression than that of Word")
            parts = {entry.filename: packed.read(entry) for entry in entries if not entry.is_dir()}
    except _UNREADABLE as error:
        raise UsageError("usage.report_docx", detail=str(error)[:100]) from error
    if "word/document.xml" not in parts or "[Content_Types].xml" not in parts:
        raise UsageError("usage.report_docx", detail="no word/document.xml")
    return parts


def _zipped(parts: dict[str, bytes]) -> bytes:
    """Create the archive. It is deterministic: equal parts give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _texts(parts: dict[str, bytes]) -> list[str]:
    return sorted(name for name in parts if _PARTS.fullmatch(name))


def _read(data: bytes) -> minidom.Document:
    """Parse XML with minidom, which preserves namespace prefixes: Word refers to prefixes in attributes."""
    _count_nodes(data, _MOST_NODES)
    return minidom.parseString(data)  # noqa: S318 -- a DOCTYPE was rejected, so there are no entities


def _count_nodes(data: bytes, most: int) -> int:
    """Count the nodes of an XML document without building a tree. Raises UsageError for more than `most`
    nodes and for a DOCTYPE.
    """
    nodes = depth = 0

    def refuse(*_: object) -> None:
        raise UsageError("usage.report_docx", detail="DOCTYPE")

    def count(*_: object) -> None:
        nonlocal nodes
        nodes += 1
        if nodes > most:
            raise _too_large()

    def begin(_: str, attributes: dict[str, str]) -> None:
        nonlocal nodes, depth
        nodes, depth = nodes + len(attributes), depth + 1
        if depth > _DEEPEST:
            raise _too_large()
        count()

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.buffer_text = True  # count a multi-line text as one node
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = parser.CommentHandler = parser.ProcessingInstructionHandler = count
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UsageError("usage.report_docx", detail=str(error)[:100]) from error
    return nodes


def _too_large() -> UsageError:
    return UsageError(
        "usage.report_docx_large", megabytes=_LARGEST // 1_000_000, nodes=_MOST_NODES, depth=_DEEPEST
    )


# -- Paragraphs ----------------------------------------------------------------------------------


def _paragraphs(document: minidom.Document) -> list[minidom.Element]:
    return list(document.getElementsByTagNameNS(_W, "p"))


def _runs(paragraph: minidom.Element) -> Iterator[minidom.Element]:
    """The text elements of a paragraph, without those of nested paragraphs (text boxes)."""
    for element in paragraph.getElementsByTagNameNS(_W, "t"):
        around = element.parentNode
        while around is not None and getattr(around, "localName", "") != "p":
            around = around.parentNode
        if around is paragraph:
            yield element


def _text(paragraph: minidom.Element) -> str:
    return "".join(map(_text_of, _runs(paragraph)))


def _text_of(element: minidom.Element) -> str:
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
    # keep a paragraph that carries section properties: it ends a section of the document
    blocks = blocks and not paragraph.getElementsByTagNameNS(_W, "sectPr")
    if blocks and not _text(paragraph).strip() and paragraph.parentNode is not None:
        paragraph.parentNode.removeChild(paragraph)


def _put_words(paragraph: minidom.Element, pieces: Sequence[Piece], shown: Sequence[Shown]) -> None:
    """Replace each placeholder in the run where it starts, which keeps that run's formatting."""
    elements = list(_runs(paragraph))
    at, spans = 0, []
    for element in elements:
        spans.append((at, at + len(_text_of(element))))
        at = spans[-1][1]
    for element, (start, end) in zip(elements, spans, strict=True):
        text, new_text, place = _text_of(element), [], start
        for piece, value in zip(pieces, shown, strict=True):
            if piece.end <= start or piece.start >= end:
                continue
            new_text.append(unescaped(text[place - start : max(piece.start, start) - start]))
            if piece.start >= start:
                new_text.append(_words(value))
            place = min(piece.end, end)
        new_text.append(unescaped(text[place - start :]))
        _set(element, "".join(new_text))


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
        raise RuntimeError("the paragraph has no parent")
    place.parentNode.insertBefore(new, place.nextSibling)  # type: ignore[arg-type]  # any sibling will do
    return new


# -- New elements --------------------------------------------------------------------------------


def _document(element: minidom.Element) -> minidom.Document:
    document = element.ownerDocument
    if document is None:
        raise RuntimeError("the element has no document")
    return document


def _w(near: minidom.Element, name: str, **attributes: str) -> minidom.Element:
    """Create an element in Word's namespace with the prefix that the document uses."""
    prefix = near.prefix or ""
    element = _document(near).createElementNS(_W, f"{prefix}:{name}" if prefix else name)
    for key, value in attributes.items():
        element.setAttributeNS(_W, f"{prefix or 'w'}:{key}", value)
    return element


def _paragraph(
    near: minidom.Element, text: str, *, right: bool = False, bold: bool = False
) -> minidom.Element:
    paragraph, run, text_element = _w(near, "p"), _w(near, "r"), _w(near, "t")
    if right:
        look = _w(near, "pPr")
        look.appendChild(_w(near, "jc", val="right"))
        paragraph.appendChild(look)
    if bold:
        weight = _w(near, "rPr")
        weight.appendChild(_w(near, "b"))
        run.appendChild(weight)
    if text:
        _set(text_element, " ".join(plain(text).split()))
        run.appendChild(text_element)
        paragraph.appendChild(run)
    return paragraph


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
        cx = min(_WIDE, wide * 4_763)  # images are rendered at 192 dpi, twice the displayed size
        xml = _DRAWING.format(
            w=_W, r=_R, cx=cx, cy=cx * high // max(wide, 1), id=9_000 + number, rel=relation
        )
        root = minidom.parseString(xml).documentElement  # noqa: S318 -- our own XML with numbers filled in
        if root is None:
            raise RuntimeError("the document has no root element")
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
    defaults = types.getElementsByTagNameNS(_TYPES, "Default")
    if not any(default.getAttribute("Extension").lower() == "png" for default in defaults):
        _child(types, "Default", first=True, Extension="png", ContentType="image/png")
    parts["[Content_Types].xml"] = types.toxml(encoding="UTF-8")


def _child(document: minidom.Document, name: str, *, first: bool = False, **attributes: str) -> None:
    root = document.documentElement
    if root is None:
        raise RuntimeError("the document has no root element")
    element = document.createElementNS(
        root.namespaceURI or "", f"{root.prefix}:{name}" if root.prefix else name
    )
    for key, value in attributes.items():
        element.setAttribute(key, value)
    root.insertBefore(element, root.firstChild if first else None)
