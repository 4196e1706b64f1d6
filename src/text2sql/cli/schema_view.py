"""Render a schema for the terminal.

Lines are aligned here, using Rich only to measure characters: for 5,000 tables Rich's own tables would take
half a minute, this takes a second.
"""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from shutil import get_terminal_size
from typing import TypeAlias

import click
from rich.cells import cell_len, set_cell_size

from text2sql.i18n import Language, cli_text, note_text
from text2sql.text_normalization import printable
from text2sql.types import Column, ForeignKey, Index, SourceNote, Table

_WIDEST = 40  # maximum column width; a longer text shifts the rest of its line

Piece: TypeAlias = tuple[str, str]  # a text and the name of its style
_STYLES: Mapping[str, Callable[[str], str]] = {
    "": str,
    "name": partial(click.style, bold=True),
    "column": partial(click.style, fg="cyan"),
    "mark": partial(click.style, fg="magenta"),
    "about": partial(click.style, dim=True),
}


def print_tables(tables: Sequence[Table], default_schema: str, lang: Language) -> None:
    for number, table in enumerate(tables):
        lines = [
            *aligned([_heading(table, default_schema, lang)]),
            *aligned([_column(table, column, default_schema, lang) for column in table.columns], indent=2),
            *aligned([_index(index, lang) for index in table.indexes], indent=2),
        ]
        click.echo("\n".join([""] * bool(number) + lines))


def print_table_list(tables: Iterable[Table], default_schema: str, lang: Language) -> None:
    rows = [
        (
            (qualified_name(table.schema, table.name, default_schema), "name"),
            (cli_text(f"schema.{table.kind}", lang), ""),
            (cli_text("schema.columns", lang, columns=len(table.columns)), ""),
            (_about(table, lang), "about"),
        )
        for table in tables
    ]
    click.echo("\n".join(aligned(rows)))


def print_notes(notes: Sequence[SourceNote], tables: Collection[str] | None, lang: Language) -> None:
    """What was decided while the files were read: of the given tables, or all. They are for people, so they
    go to standard error.
    """
    shown = [note for note in notes if tables is None or note.table in tables]
    for note in shown:
        about = ".".join(filter(None, (note.table, note.column)))
        text = printable(note_text(note, lang))
        click.echo(f"{printable(about)}: {text}" if about else text, err=True)


def _heading(table: Table, default_schema: str, lang: Language) -> list[Piece]:
    parts = (cli_text(f"schema.{table.kind}", lang), _about(table, lang))
    return [
        (qualified_name(table.schema, table.name, default_schema), "name"),
        (", ".join(filter(None, parts)), "about"),
    ]


def _about(table: Table, lang: Language) -> str:
    rows = "" if table.rows is None else cli_text("schema.rows", lang, rows=table.rows)
    return ", ".join(filter(None, (rows, printable(table.comment))))


def qualified_name(schema: str, name: str, default_schema: str) -> str:
    return printable(name if schema in ("", default_schema) else f"{schema}.{name}")


def _column(table: Table, column: Column, default_schema: str, lang: Language) -> list[Piece]:
    marks = [cli_text("schema.key", lang)] if column.name in table.primary_key else []
    marks += [] if column.nullable or marks else [cli_text("schema.required", lang)]
    marks += [_target(key, default_schema) for key in table.foreign_keys if column.name in key.columns]
    samples = ", ".join(f"'{printable(sample)}'" for sample in column.samples)
    return [
        (printable(column.name), "column"),
        (printable(column.type), ""),
        (", ".join(marks), "mark"),
        ("  ".join(filter(None, (printable(column.comment), samples))), "about"),
    ]


def _target(key: ForeignKey, default_schema: str) -> str:
    referred = f"({', '.join(key.referred)})" if key.referred else ""
    return f"→ {qualified_name(key.schema, key.table, default_schema)}{printable(referred)}"


def _index(index: Index, lang: Language) -> list[Piece]:
    kind = cli_text("schema.unique" if index.unique else "schema.index", lang)
    return [(f"{kind} {printable(index.name)} ({printable(', '.join(index.columns))})", "about")]


def aligned(rows: Sequence[Sequence[Piece]], indent: int = 0) -> Iterator[str]:
    """Lines with aligned columns. They are cut to the terminal width, but not for files and pipes."""
    on_screen = sys.stdout.isatty()
    styled = on_screen and not os.environ.get("NO_COLOR")
    space = get_terminal_size().columns if on_screen else None
    widths = [_width(column) for column in zip(*rows, strict=True)]
    for row in rows:
        pieces = _placed(row, widths, indent)
        if space is not None:
            pieces = _cut(pieces, space)
        yield "".join(_STYLES[style](text) if styled and text else text for text, style in pieces).rstrip()


def _width(column: Iterable[Piece]) -> int:
    return max((wide for wide in (cell_len(text) for text, _ in column) if wide <= _WIDEST), default=0)


def _placed(row: Sequence[Piece], widths: Sequence[int], indent: int) -> list[Piece]:
    pieces: list[Piece] = [(" " * indent, "")]
    for (text, style), width in zip(row, widths, strict=True):
        pieces += [(text, style), (" " * (max(0, width - cell_len(text)) + 2), "")]
    return pieces


def _cut(pieces: Sequence[Piece], space: int) -> list[Piece]:
    visible: list[Piece] = []
    while pieces and not pieces[-1][0].strip():
        pieces = pieces[:-1]
    for text, style in pieces:
        wide = cell_len(text)
        if wide > space:
            return [*visible, (set_cell_size(text, max(0, space - 1)) + "…", style)]
        visible.append((text, style))
        space -= wide
    return visible
