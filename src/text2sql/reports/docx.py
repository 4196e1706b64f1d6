"""Word templates.

Placeholders are found per paragraph, because Word splits text into runs arbitrarily and a placeholder may
span several runs. Values are inserted as text nodes and never parsed as markup.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.dom import minidom

from text2sql.reports.blocks import Block, Failure, Image, InlineText, TableBlock
from text2sql.reports.docx_archive import MAX_NODES, count_nodes, parse_xml, text_parts, unzip, zip_parts
from text2sql.reports.placeholders import Piece, Placeholder, scan, unescaped
from text2sql.reports.text_templates import plain

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_MAX_WIDTH = 5_486_400  # EMU: six inches, the text width of a page
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
    standalone: tuple[bool, ...]  # for each placeholder, whether it is alone in its paragraph

    def fill(self, blocks: Sequence[Block]) -> bytes:
        """The document with its placeholders replaced."""
        remaining, parts, images = iter(blocks), dict(self.parts), _Images()
        for name in text_parts(parts):
            document = parse_xml(parts[name])
            for paragraph in _paragraphs(document):
                _fill(paragraph, remaining, name, images)
            parts[name] = document.toxml(encoding="UTF-8")
            if name in images.relations:
                _add_relations(parts, name, images.relations[name])
        return zip_parts(parts | images.files)


def docx_template(data: bytes) -> DocxTemplate:
    """Parse a .docx file; raise UsageError if it is invalid or too large."""
    parts = unzip(data)
    nodes = 0
    for name in text_parts(parts):
        nodes += count_nodes(parts[name], MAX_NODES - nodes)
    placeholders: list[Placeholder] = []
    standalone: list[bool] = []
    for name in text_parts(parts):
        for paragraph in _paragraphs(parse_xml(parts[name])):
            text = _text(paragraph)
            for piece in scan(text):
                placeholders.append(piece.placeholder)
                standalone.append(not (text[: piece.start] + text[piece.end :]).strip())
    return DocxTemplate(parts, tuple(placeholders), tuple(standalone))


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


def _fill(paragraph: minidom.Element, remaining: Iterator[Block], part: str, images: "_Images") -> None:
    text = _text(paragraph)
    pieces = list(scan(text))
    blocks = [next(remaining) for _ in pieces]
    if not pieces and "\\{{" not in text:
        return
    _insert_text(paragraph, pieces, blocks)
    last = paragraph
    for block in blocks:
        if isinstance(block, TableBlock):
            last = _insert_after(last, _table(block, paragraph))
            last = _insert_after(last, _paragraph(paragraph, block.note))
        elif isinstance(block, Image):
            drawing = _paragraph(paragraph, "")
            drawing.appendChild(images.drawing(block, part))
            last = _insert_after(last, drawing)
    # keep a paragraph that carries section properties: it ends a section of the document
    ends_section = bool(paragraph.getElementsByTagNameNS(_W, "sectPr"))
    if last is not paragraph and not _text(paragraph).strip() and not ends_section:
        _parent(paragraph).removeChild(paragraph)


def _insert_text(paragraph: minidom.Element, pieces: Sequence[Piece], blocks: Sequence[Block]) -> None:
    """Replace each placeholder in the run where it starts, which keeps that run's formatting."""
    end = 0
    for element in list(_runs(paragraph)):
        text = _text_of(element)
        start, end = end, end + len(text)
        new_text, position = [], start
        for piece, block in zip(pieces, blocks, strict=True):
            if piece.end <= start or piece.start >= end:
                continue
            new_text.append(unescaped(text[position - start : max(piece.start, start) - start]))
            if piece.start >= start:
                new_text.append(_inline_text(block))
            position = min(piece.end, end)
        new_text.append(unescaped(text[position - start :]))
        _set_text(element, "".join(new_text))


def _inline_text(block: Block) -> str:
    if isinstance(block, InlineText):
        return " ".join(plain(block.text).split())
    if isinstance(block, Failure):
        return " ".join(plain(f"⚠ {block.question}: {block.reason}").split())
    return ""


def _set_text(element: minidom.Element, text: str) -> None:
    for node in list(element.childNodes):
        element.removeChild(node)
    element.setAttribute("xml:space", "preserve")
    element.appendChild(_document(element).createTextNode(text))


def _insert_after(element: minidom.Element, new: minidom.Element) -> minidom.Element:
    _parent(element).insertBefore(new, element.nextSibling)
    return new


def _parent(element: minidom.Element) -> Any:
    if element.parentNode is None:
        raise RuntimeError("the paragraph has no parent")
    return element.parentNode


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
        properties = paragraph.appendChild(_w(near, "pPr"))
        properties.appendChild(_w(near, "jc", val="right"))
    if bold:
        run.appendChild(_w(near, "rPr")).appendChild(_w(near, "b"))
    if text:
        _set_text(text_element, " ".join(plain(text).split()))
        run.appendChild(text_element)
        paragraph.appendChild(run)
    return paragraph


def _table(block: TableBlock, near: minidom.Element) -> minidom.Element:
    table = _w(near, "tbl")
    properties = table.appendChild(_w(near, "tblPr"))
    properties.appendChild(_w(near, "tblW", w="0", type="auto"))
    borders = properties.appendChild(_w(near, "tblBorders"))
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        borders.appendChild(_w(near, side, val="single", sz="4", space="0", color="999999"))
    widths = table.appendChild(_w(near, "tblGrid"))
    for _ in block.columns:
        widths.appendChild(_w(near, "gridCol"))
    for number, cells in enumerate((block.columns, *block.rows)):
        row = table.appendChild(_w(near, "tr"))
        for text, right in zip(cells, block.numeric, strict=True):
            cell = row.appendChild(_w(near, "tc"))
            cell.appendChild(_paragraph(near, text, right=right, bold=number == 0))
    return table


@dataclass(slots=True)
class _Images:
    files: dict[str, bytes] = field(default_factory=dict)
    relations: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # part → (id, file)

    def drawing(self, image: Image, part: str) -> minidom.Element:
        number = len(self.files) + 1
        relation, name = f"rIdText2sql{number}", f"media/text2sql{number}.png"
        self.files[f"word/{name}"] = image.data
        self.relations.setdefault(part, []).append((relation, name))
        width, height = int.from_bytes(image.data[16:20]), int.from_bytes(image.data[20:24])
        cx = min(_MAX_WIDTH, width * 4_763)  # images are rendered at 192 dpi, twice the displayed size
        xml = _DRAWING.format(
            w=_W, r=_R, cx=cx, cy=cx * height // max(width, 1), id=9_000 + number, rel=relation
        )
        return _root(minidom.parseString(xml))  # noqa: S318 -- our own XML with numbers filled in


def _add_relations(parts: dict[str, bytes], part: str, new: Sequence[tuple[str, str]]) -> None:
    folder, _, name = part.rpartition("/")
    path = f"{folder}/_rels/{name}.rels"
    empty = f'<?xml version="1.0"?><Relationships xmlns="{_RELATIONS}"/>'.encode()
    relations = parse_xml(parts.get(path, empty))
    for relation, target in new:
        _child(relations, "Relationship", Id=relation, Type=f"{_R}/image", Target=target)
    parts[path] = relations.toxml(encoding="UTF-8")
    types = parse_xml(parts["[Content_Types].xml"])
    defaults = types.getElementsByTagNameNS(_TYPES, "Default")
    if not any(default.getAttribute("Extension").lower() == "png" for default in defaults):
        _child(types, "Default", first=True, Extension="png", ContentType="image/png")
    parts["[Content_Types].xml"] = types.toxml(encoding="UTF-8")


def _child(document: minidom.Document, name: str, *, first: bool = False, **attributes: str) -> None:
    root = _root(document)
    qualified_name = f"{root.prefix}:{name}" if root.prefix else name
    element = document.createElementNS(root.namespaceURI or "", qualified_name)
    for key, value in attributes.items():
        element.setAttribute(key, value)
    root.insertBefore(element, root.firstChild if first else None)


def _root(document: minidom.Document) -> minidom.Element:
    if document.documentElement is None:
        raise RuntimeError("the document has no root element")
    return document.documentElement
