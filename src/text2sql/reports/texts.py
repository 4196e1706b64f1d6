"""Templates that are text: Markdown and HTML. Each says how values are escaped, and where they may stand."""

import base64
import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from text2sql.errors import UsageError
from text2sql.reports.placeholders import Piece, Placeholder, scan, unescaped
from text2sql.reports.showing import Grid, Mark, Picture, Shown, Words

Render: TypeAlias = Callable[[Shown, bool], str]  # of one value; True: it stands alone in its line

_SPECIAL = re.compile(r"([\\`*_\[\]{}|#~$])")
_LIKE_A_BLOCK = re.compile(r"^(\d*)([-+=.)])(?=[\s=-]|$)")  # a list, or the line below a heading
_MARKUP = re.compile(
    r"<!--.*?(?:-->|$)|<(script|style|noscript|iframe|xmp|template)\b.*?(?:</\1\s*>|$)"
    r"|<[a-zA-Z/!?](?:\"[^\"]*\"|'[^']*'|[^\"'>])*(?:>|$)",
    re.DOTALL | re.IGNORECASE,
)
_OPEN_TAG = re.compile(r"<[a-zA-Z/!?][^>]*\Z")  # one that quotes hide from the line above


@dataclass(frozen=True, slots=True)
class TextTemplate:
    text: str
    pieces: tuple[Piece, ...]
    render: Render
    kind: Literal["md", "html"]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(piece.placeholder for piece in self.pieces)

    def blocks(self) -> tuple[bool, ...]:
        """Of each placeholder: whether nothing else stands in its line."""
        return tuple(self._alone(piece) for piece in self.pieces)

    def filled(self, shown: Sequence[Shown], render: Render | None = None) -> str:
        told, at = [], 0
        for piece, value, block in zip(self.pieces, shown, self.blocks(), strict=True):
            told += [unescaped(self.text[at : piece.start]), (render or self.render)(value, block)]
            at = piece.end
        return "".join([*told, unescaped(self.text[at:])])

    def _alone(self, piece: Piece) -> bool:
        before = self.text[: piece.start].rpartition("\n")[2]
        after = self.text[piece.end :].partition("\n")[0]
        return not before.strip() and not after.strip()


# -- Markdown ------------------------------------------------------------------------------------


def markdown_template(text: str) -> TextTemplate:
    return TextTemplate(text, tuple(scan(text)), markdown(embedded), "md")


def markdown(link: Callable[[Picture], str]) -> Render:
    """`link` says where a picture is found."""

    def render(shown: Shown, block: bool) -> str:
        if isinstance(shown, Words):
            told = markdown_text(shown.text)
            return _LIKE_A_BLOCK.sub(r"\1\\\2", told) if block else told
        if isinstance(shown, Mark):
            return f"**⚠ {markdown_text(shown.question)}: {markdown_text(shown.reason)}**"
        if isinstance(shown, Picture):
            told = f"![{markdown_text(shown.alt)}]({link(shown)})"
        else:
            told = _markdown_table(shown)
        return told if block else f"\n\n{told}\n\n"

    return render


def markdown_text(text: str) -> str:
    """One line that is only text, whatever it holds: no markup, no HTML, no cell's end."""
    line = " ".join(plain(text).split())
    return html.escape(_SPECIAL.sub(r"\\\1", line), quote=False)


def _markdown_table(grid: Grid) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(map(markdown_text, cells))} |"

    rule = "|" + "|".join("---:" if right else "---" for right in grid.numeric) + "|"
    note = ["", f"*{markdown_text(grid.note)}*"] if grid.note else []
    return "\n".join([line(grid.columns), rule, *map(line, grid.rows), *note])


def embedded(picture: Picture) -> str:
    return f"data:image/{picture.form};base64,{base64.b64encode(picture.data).decode()}"


# -- HTML ----------------------------------------------------------------------------------------


def html_template(text: str) -> TextTemplate:
    """A placeholder may stand in text only: no escaping makes a value safe in a script or an attribute."""
    pieces = tuple(scan(text))
    masked = list(text)
    for piece in pieces:
        masked[piece.start : piece.end] = "x" * (piece.end - piece.start)
    told = "".join(masked)
    spans = [found.span() for found in _MARKUP.finditer(told)]
    for piece in pieces:
        open_tag = _OPEN_TAG.search(told, max(0, told.rfind("<", 0, piece.start)), piece.start)
        if open_tag or any(start < piece.end and piece.start < end for start, end in spans):
            raise UsageError("usage.report_place", line=piece.placeholder.line)
    return TextTemplate(text, tuple(map(_unescaped_piece, pieces)), html_value, "html")


def _unescaped_piece(piece: Piece) -> Piece:
    """A page has `&gt;` where a person means `>`."""
    held = piece.placeholder
    question = html.unescape(held.question)
    return Piece(Placeholder(question, held.form, held.option, held.line), piece.start, piece.end)


def html_value(shown: Shown, _: bool) -> str:
    if isinstance(shown, Words):
        return html_text(shown.text)
    if isinstance(shown, Mark):
        told = f"⚠ {html_text(shown.question)}: {html_text(shown.reason)}"
        return f'<mark class="text2sql-failed">{told}</mark>'
    if isinstance(shown, Picture):
        return f'<img class="text2sql-chart" src="{embedded(shown)}" alt="{html_text(shown.alt)}">'
    return _html_table(shown)


def html_text(text: str) -> str:
    return html.escape(plain(text), quote=True)


def _html_table(grid: Grid) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        told = (
            f'<{tag} style="text-align:right">{html_text(cell)}</{tag}>' if right
            else f"<{tag}>{html_text(cell)}</{tag}>"
            for cell, right in zip(cells, grid.numeric, strict=True)
        )  # fmt: skip
        return f"<tr>{''.join(told)}</tr>"

    body = "\n".join(row(cells, "td") for cells in grid.rows)
    note = f"<caption>{html_text(grid.note)}</caption>" if grid.note else ""
    head = row(grid.columns, "th")
    return f'<table class="text2sql-table">{note}<thead>{head}</thead>\n<tbody>{body}</tbody></table>'


def plain(text: str) -> str:
    """Without what hides or reorders text on a page, and without control characters."""
    return text.translate(_HIDDEN)


_HIDDEN: Mapping[int, str | None] = {
    **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), None),
    **dict.fromkeys((*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF), None),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
