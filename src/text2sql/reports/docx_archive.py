"""Read and write .docx files: zip archives of XML parts.

Templates are untrusted input: a part with a DOCTYPE (entities) is rejected, and so is an archive that unpacks
to an excessive size.
"""

import io
import re
import zipfile
import zlib
from xml.dom import minidom
from xml.parsers import expat

from text2sql.errors import UsageError

_PARTS = re.compile(r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml")
_MAX_BYTES = 50_000_000  # bytes of all parts together
_MAX_PARTS = 2_000
MAX_NODES = 100_000  # elements, attributes, texts: about a second and 40 MB; ten pages of Word have 10,000
_MAX_DEPTH = 200
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


def unzip(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > _MAX_PARTS or sum(entry.file_size for entry in entries) > _MAX_BYTES:
                raise _too_large()
            if any(entry.compress_type not in _COMPRESSIONS for entry in entries):
                raise NotImplementedError("unsupported compression")
            parts = {entry.filename: archive.read(entry) for entry in entries if not entry.is_dir()}
    except _UNREADABLE as error:
        raise UsageError("usage.report_docx", detail=str(error)[:100]) from error
    if "word/document.xml" not in parts or "[Content_Types].xml" not in parts:
        raise UsageError("usage.report_docx", detail="no word/document.xml")
    return parts


def zip_parts(parts: dict[str, bytes]) -> bytes:
    """Create the archive. It is deterministic: equal parts give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def text_parts(parts: dict[str, bytes]) -> list[str]:
    return sorted(name for name in parts if _PARTS.fullmatch(name))


def parse_xml(data: bytes) -> minidom.Document:
    """Parse XML with minidom, which preserves namespace prefixes: Word refers to prefixes in attributes."""
    count_nodes(data, MAX_NODES)
    return minidom.parseString(data)  # noqa: S318 -- a DOCTYPE was rejected, so there are no entities


def count_nodes(data: bytes, most: int) -> int:
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
        if depth > _MAX_DEPTH:
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
        "usage.report_docx_large", megabytes=_MAX_BYTES // 1_000_000, nodes=MAX_NODES, depth=_MAX_DEPTH
    )
