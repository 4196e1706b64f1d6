"""Word templates: split placeholders, escaping, images with relationships, hostile archives."""

import io
import random
import time
import tracemalloc
import zipfile
from contextlib import suppress
from xml.dom import minidom

import pytest

from text2sql.errors import UsageError
from text2sql.i18n import explain
from text2sql.reports.blocks import Block, Failure, Image, InlineText, TableBlock
from text2sql.reports.docx import DocxTemplate, docx_template

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4) + (480).to_bytes(4)


def docx(*paragraphs: str, **parts: bytes) -> bytes:
    """A document with these paragraphs; `¦` separates runs."""
    body = "".join(
        "<w:p>" + "".join(f"<w:r><w:t>{run}</w:t></w:r>" for run in paragraph.split("¦")) + "</w:p>"
        for paragraph in paragraphs
    )
    text = (
        f'<?xml version="1.0"?><w:document xmlns:w="{W}" xmlns:mc="urn:mc" xmlns:w14="urn:w14" '
        f'mc:Ignorable="w14"><w:body>{body}<w:sectPr/></w:body></w:document>'
    )
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("[Content_Types].xml", TYPES)
        packed.writestr("word/document.xml", parts.pop("document", text.encode()))
        for name, data in parts.items():
            packed.writestr(f"word/{name}.xml", data)
    return archive.getvalue()


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_file_is_refused_wherever_the_damage_is(compression: int) -> None:
    chance, packed = random.Random(7), io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, data in opened(docx(*(f"paragraph {chance.random()}" for _ in range(20)))).items():
            archive.writestr(name, data)
    for _ in range(200):
        damaged = bytearray(packed.getvalue())
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(UsageError):  # any other error fails the test
            docx_template(bytes(damaged))


def opened(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def filled(template: DocxTemplate, *shown: Block) -> minidom.Document:
    return minidom.parseString(opened(template.fill(shown))["word/document.xml"])


def paragraphs(document: minidom.Document) -> list[str]:
    return [
        "".join(
            node.data
            for text in paragraph.getElementsByTagNameNS(W, "t")
            for node in text.childNodes
            if isinstance(node, minidom.Text)
        )
        for paragraph in document.getElementsByTagNameNS(W, "p")
    ]


def test_a_placeholder_in_several_runs_is_one() -> None:
    template = docx_template(
        docx("Total: {¦{ total ¦revenue |¦ value }¦} EUR, {{ a }}¦{{ b }}.", "no {{ c }}")
    )
    assert [placeholder.question for placeholder in template.placeholders] == ["total revenue", "a", "b", "c"]
    document = filled(template, InlineText("1,234"), InlineText("A"), InlineText("B"), InlineText("C"))
    assert paragraphs(document) == ["Total: 1,234 EUR, AB.", "no C"]
    root = document.documentElement
    assert root is not None
    assert root.getAttribute("mc:Ignorable") == "w14"
    assert root.getAttribute("xmlns:w14") == "urn:w14"


@pytest.mark.parametrize("text", ["<w:p/>", "]]>&amp;", "a\x00\x0bb", "line\nbreak", "{{ again }}"])
def test_a_hostile_cell_is_a_text_node(text: str) -> None:
    template = docx_template(docx("{{ a }}", "{{ b }}", "{{ c }}"))
    document = filled(
        template, InlineText(text), TableBlock((text,), ((text,),), (False,), ""), Failure(text, text)
    )
    shown = " ".join(text.replace("\x00", "").replace("\x0b", "").split())
    assert paragraphs(document) == [shown, shown, shown, "", f"⚠ {shown}: {shown}"]
    assert len(document.getElementsByTagNameNS(W, "tbl")) == 1


def test_a_table_takes_the_place_of_its_paragraph() -> None:
    template = docx_template(docx("before", "{{ a | table }}", "after {{ b | table }} it"))
    assert template.standalone == (True, False)
    grid = TableBlock(("city", "n"), (("上海", "1"), ("Oslo", "2")), (False, True), "more")
    document = filled(template, grid, grid)
    cells = ["city", "n", "上海", "1", "Oslo", "2", "more"]
    assert paragraphs(document) == ["before", *cells, "after  it", *cells]


def test_an_image_has_its_relation_and_content_type() -> None:
    template = docx_template(docx("{{ a | chart }}"))
    parts = opened(template.fill([Image(PNG, "a")]))
    assert parts["word/media/text2sql1.png"] == PNG
    assert b'Target="media/text2sql1.png"' in parts["word/_rels/document.xml.rels"]
    assert b'Extension="png"' in parts["[Content_Types].xml"]
    (blip,) = minidom.parseString(parts["word/document.xml"]).getElementsByTagName("a:blip")
    assert blip.getAttribute("r:embed").encode() in parts["word/_rels/document.xml.rels"]


def test_headers_and_footers_are_filled_too() -> None:
    header = f'<w:hdr xmlns:w="{W}"><w:p><w:r><w:t>{{{{ h }}}}</w:t></w:r></w:p></w:hdr>'.encode()
    template = docx_template(docx("{{ a }}", header1=header))
    assert [placeholder.question for placeholder in template.placeholders] == ["a", "h"]
    parts = opened(template.fill([InlineText("1"), InlineText("2")]))
    assert b">2</w:t>" in parts["word/header1.xml"]


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]>'
    f'<w:document xmlns:w="{W}"><w:p><w:r><w:t>&c;</w:t></w:r></w:p></w:document>'
)


@pytest.mark.parametrize(
    "data",
    [
        b"no zip",
        b"PK\x03\x04" + b"\0" * 40,
        docx(document=BOMB.encode()),
        docx(document=BOMB.encode("utf-16")),
        docx(document=b"<unclosed"),
    ],
    ids=["text", "a torn zip", "entities", "entities in UTF-16", "open tags"],
)
def test_a_file_that_is_not_a_word_document_is_refused(data: bytes) -> None:
    with pytest.raises(UsageError) as caught:
        docx_template(data)
    assert caught.value.message_key == "usage.report_docx"


def document(inside: str) -> bytes:
    question = "<w:p><w:r><w:t>{{ a }}</w:t></w:r></w:p>"
    return f'<w:document xmlns:w="{W}">{question}{inside}</w:document>'.encode()


@pytest.mark.fault("A14")
@pytest.mark.parametrize(
    "parts",
    [
        {"document": b" " * 100_000_001},
        {"document": document("<w:p/>" * 400_000)},
        {"document": document("<!---->" * 400_000)},
        {"document": document("<?a?>" * 400_000)},
        {"document": document("<w:p>" + "".join(f"<a{at}/>x" for at in range(200_000)) + "</w:p>")},
        {"document": document("<a " + " ".join(f'b{at}=""' for at in range(100_001)) + "/>")},
        {"document": document("<w:p>" * 300 + "</w:p>" * 300)},
        {f"header{at}": document("<w:p/>" * 1_000) for at in range(101)},
        {f"x{at}": b"" for at in range(2_001)},
    ],
    ids=["bytes", "elements", "comments", "instructions", "texts", "attributes", "depth", "headers", "parts"],
)
def test_a_template_that_would_cost_too_much_is_refused_before_it_is_built(parts: dict[str, bytes]) -> None:
    data = docx("{{ a }}", **parts)
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(UsageError) as caught:
            docx_template(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.message_key == "usage.report_docx_large"
    assert "100000" in explain(caught.value, "en")
    assert "100000" in explain(caught.value, "zh")
    assert time.process_time() - began < 2
    assert peak < 60_000_000


def test_a_long_document_is_still_a_template() -> None:
    data = docx(*["{{ a }}"], *["Some words of a paragraph."] * 5_000)
    assert len(docx_template(data).placeholders) == 1
