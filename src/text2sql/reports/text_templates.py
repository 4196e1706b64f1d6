"""Markdown and HTML templates, with the escaping of values."""

import base64
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from text2sql.errors import UsageError
from text2sql.reports.blocks import Block, Failure, Image, InlineText, TableBlock
from text2sql.reports.placeholders import Piece, Placeholder, scan, unescaped

Render: TypeAlias = Callable[[Block, bool], str]  # the flag: the placeholder is alone on its line

_SPECIAL = re.compile(r"([\\`*_\[\]{}|#~$])")
_BLOCK_MARKER = re.compile(r"^(\d*)([-+=.)])(?=[\s=-]|$)")  # a list marker, or the underline of a heading
_MARKUP = re.compile(
    r"<!--.*?(?:-->|$)|<(script|style|noscript|iframe|xmp|template)\b.*?(?:</\1\s*>|$)"
    r"|<[a-zA-Z/!?](?:\"[^\"]*\"|'[^']*'|[^\"'>])*(?:>|$)",
    re.DOTALL | re.IGNORECASE,
)
_OPEN_TAG = re.compile(r"<[a-zA-Z/!?][^>]*\Z")  # an open tag that `_MARKUP` misses because of quotes


@dataclass(frozen=True, slots=True)
class TextTemplate:
    text: str
    pieces: tuple[Piece, ...]
    render: Render
    kind: Literal["md", "html"]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(piece.placeholder for piece in self.pieces)

    @property
    def standalone(self) -> tuple[bool, ...]:
        """For each placeholder, whether it is alone on its line."""
        return tuple(self._is_alone(piece) for piece in self.pieces)

    def fill(self, blocks: Sequence[Block], render: Render | None = None) -> str:
        parts, at = [], 0
        for piece, block, standalone in zip(self.pieces, blocks, self.standalone, strict=True):
            parts += [unescaped(self.text[at : piece.start]), (render or self.render)(block, standalone)]
            at = piece.end
        return "".join([*parts, unescaped(self.text[at:])])

    def _is_alone(self, piece: Piece) -> bool:
        before = self.text[: piece.start].rpartition("\n")[2]
        after = self.text[piece.end :].partition("\n")[0]
        return not before.strip() and not after.strip()


# -- Markdown ------------------------------------------------------------------------------------


def markdown_template(text: str) -> TextTemplate:
    return TextTemplate(text, tuple(scan(text)), markdown(embedded), "md")


def markdown(link: Callable[[Image], str]) -> Render:
    """A Markdown renderer. `link` returns the URL of an image."""

    def render(block: Block, standalone: bool) -> str:
        if isinstance(block, InlineText):
            text = markdown_text(block.text)
            return _BLOCK_MARKER.sub(r"\1\\\2", text) if standalone else text
        if isinstance(block, Failure):
            return f"**⚠ {markdown_text(block.question)}: {markdown_text(block.reason)}**"
        if isinstance(block, Image):
            text = f"![{markdown_text(block.alt)}]({link(block)})"
        else:
            text = _markdown_table(block)
        return text if standalone else f"\n\n{text}\n\n"

    return render


def markdown_text(text: str) -> str:
    """Escape a text for Markdown: one line without markup, HTML or table separators."""
    line = " ".join(plain(text).split())
    return html.escape(_SPECIAL.sub(r"\\\1", line), quote=False)


def _markdown_table(grid: TableBlock) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(map(markdown_text, cells))} |"

    rule = "|" + "|".join("---:" if right else "---" for right in grid.numeric) + "|"
    note = ["", f"*{markdown_text(grid.note)}*"] if grid.note else []
    return "\n".join([line(grid.columns), rule, *map(line, grid.rows), *note])


def embedded(image: Image) -> str:
    return f"data:image/png;base64,{base64.b64encode(image.data).decode()}"


# -- HTML ----------------------------------------------------------------------------------------


def html_template(text: str) -> TextTemplate:
    """Parse an HTML template. Placeholders are allowed in text only, because no escaping makes a value safe
    in a script or an attribute.
    """
    pieces = tuple(scan(text))
    masked = list(text)
    for piece in pieces:
        masked[piece.start : piece.end] = "x" * (piece.end - piece.start)
    masked_text = "".join(masked)
    spans = [match.span() for match in _MARKUP.finditer(masked_text)]
    for piece in pieces:
        open_tag = _OPEN_TAG.search(masked_text, max(0, masked_text.rfind("<", 0, piece.start)), piece.start)
        if open_tag or any(start < piece.end and piece.start < end for start, end in spans):
            raise UsageError("usage.report_place", line=piece.placeholder.line)
    return TextTemplate(text, tuple(map(_decode_entities, pieces)), _html_block, "html")


def _decode_entities(piece: Piece) -> Piece:
    question = html.unescape(piece.placeholder.question)  # `&gt;` means `>`
    return replace(piece, placeholder=replace(piece.placeholder, question=question))


def _html_block(block: Block, _: bool) -> str:
    if isinstance(block, InlineText):
        return html_text(block.text)
    if isinstance(block, Failure):
        text = f"⚠ {html_text(block.question)}: {html_text(block.reason)}"
        return f'<mark class="text2sql-failed">{text}</mark>'
    if isinstance(block, Image):
        return f'<img class="text2sql-chart" src="{embedded(block)}" alt="{html_text(block.alt)}">'
    return _html_table(block)


def html_text(text: str) -> str:
    return html.escape(plain(text), quote=True)


def _html_table(grid: TableBlock) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        cells_html = (
            f'<{tag} style="text-align:right">{html_text(cell)}</{tag}>' if right
            else f"<{tag}>{html_text(cell)}</{tag}>"
            for cell, right in zip(cells, grid.numeric, strict=True)
        )  # fmt: skip
        return f"<tr>{''.join(cells_html)}</tr>"

    body = "\n".join(row(cells, "td") for cells in grid.rows)
    note = f"<caption>{html_text(grid.note)}</caption>" if grid.note else ""
    head = row(grid.columns, "th")
    return f'<table class="text2sql-table">{note}<thead>{head}</thead>\n<tbody>{body}</tbody></table>'


def plain(text: str) -> str:
    """Remove control characters and characters that hide or reorder text."""
    return text.translate(_HIDDEN)


_HIDDEN: Mapping[int, str | None] = {
    **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), None),
    **dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF), None),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
