"""Render the profile of a database for the terminal."""

from collections.abc import Sequence

import click

from text2sql.cli.schema_view import Piece, aligned
from text2sql.i18n import Language, cli_text
from text2sql.text_normalization import printable
from text2sql.types import ColumnProfile, DatabaseProfile, InferredJoin, TableProfile, Value

_VALUES = 5  # of a column that are shown
_LONGEST = 24  # characters of a value


def print_profile(profile: DatabaseProfile, tables: Sequence[str], lang: Language) -> None:
    """The profiles of these tables, then the joins between them that were found in values."""
    lines: list[str] = []
    for table in profile.tables:
        if table.table in tables:
            lines += [""] * bool(lines)
            lines += aligned([_heading(table, lang)])
            lines += aligned([_column(column, lang) for column in table.columns], indent=2)
    joins = [join for join in profile.joins if {join.table, join.to} <= set(tables)]
    if joins:
        lines += ["", *aligned([[(cli_text("profile.joins", lang), "name")]])]
        lines += aligned([_join(join) for join in joins], indent=2)
    click.echo("\n".join(lines))


def _heading(table: TableProfile, lang: Language) -> list[Piece]:
    rows = "" if table.rows is None else cli_text("profile.rows", lang, rows=table.rows)
    is_part = table.rows is None or table.scanned < table.rows
    scanned = cli_text("profile.scanned", lang, rows=table.scanned) if is_part else ""
    return [(printable(table.table), "name"), (", ".join(filter(None, (rows, scanned))), "about")]


def _column(column: ColumnProfile, lang: Language) -> list[Piece]:
    distinct = "" if column.distinct is None else cli_text("profile.distinct", lang, count=column.distinct)
    flags = (("unique", column.is_unique), ("padded", column.is_padded), ("personal", column.is_personal))
    notes = [
        column.format,
        cli_text("profile.nulls", lang, share=column.nulls) if column.nulls else "",
        *(cli_text(f"profile.{name}", lang) for name, is_set in flags if is_set),
    ]
    return [
        (printable(column.name), "column"),
        (cli_text(f"profile.kind.{column.kind}", lang), ""),
        (distinct, ""),
        (column.unit, "mark"),
        (_values(column), ""),
        (", ".join(filter(None, notes)), "about"),
    ]


def _values(column: ColumnProfile) -> str:
    """A few values of a category or code, or else the range."""
    if column.kind in ("category", "boolean", "code", "label") and column.values:
        shown = [_text(value) for value, _ in column.values[:_VALUES]]
        return ", ".join(shown) + (" …" if len(column.values) > _VALUES else "")
    if column.smallest is None or column.largest is None:
        return ""
    return f"{_text(column.smallest)} – {_text(column.largest)}"


def _text(value: Value) -> str:
    text = printable(str(value)) if not isinstance(value, float) else f"{value:,.10g}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _join(join: InferredJoin) -> list[Piece]:
    return [
        (f"{printable(join.table)}.{printable(join.column)}", "column"),
        (f"→ {printable(join.to)}.{printable(join.referred)}", "mark"),
        (f"{join.included:.0%}", "about"),
    ]
