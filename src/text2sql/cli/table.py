"""Render rows as a text table.

On a terminal the table is cut to the screen and says what it leaves out; files and pipes get everything.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from text2sql.i18n import Language, cli_text
from text2sql.text_normalization import printable
from text2sql.types import Row, Value

ROWS = 20  # rows per screen
_CELL = 60  # maximum width of a column on a screen
_NARROWEST = 8  # minimum width of a column on a screen
_DECIMAL = re.compile(r"-?\d+\.\d+")  # exact decimals are text in results


@dataclass(frozen=True, slots=True)
class Space:
    """The available space; None is unlimited."""

    width: int | None = None
    rows: int | None = None


def cell(value: Value) -> str:
    """A value as one printable line."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        short = f"{value:.12g}"
        return repr(value) if "e" in short else short
    if isinstance(value, list | dict):
        return printable(json.dumps(value, ensure_ascii=False))
    return printable(str(value))


def is_number(value: Value) -> bool:
    if isinstance(value, str):
        return _DECIMAL.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def numeric(values: Iterable[Value]) -> bool:
    """Whether a column contains only numbers. A column of NULLs does not count."""
    present = [value for value in values if value is not None]
    return bool(present) and all(map(is_number, present))


def rows_table(columns: Sequence[str], rows: Sequence[Row], space: Space) -> Table:
    shown = columns[: visible_columns(len(columns), space)]
    table = Table(box=box.ROUNDED, header_style="bold")
    max_width = None if space.width is None else _CELL
    for at, name in enumerate(shown):
        right = numeric(row[at] for row in rows)
        table.add_column(
            Text(printable(name)),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis",
            max_width=max_width,
        )
    for row in rows[: space.rows]:
        table.add_row(*(_styled(value) for value in row[: len(shown)]))
    return table


def visible_columns(count: int, space: Space) -> int:
    return count if space.width is None else min(count, max(1, space.width // _NARROWEST))


def omission_notes(columns: int, rows: int, truncated: bool, space: Space, lang: Language) -> list[str]:
    """Notes about hidden columns and rows."""
    hidden_columns = columns - visible_columns(columns, space)
    hidden_rows = max(0, rows - space.rows) if space.rows is not None else 0
    notes = [cli_text("table.more_columns", lang, count=hidden_columns)] if hidden_columns else []
    notes += [cli_text("table.more_rows", lang, count=hidden_rows)] if hidden_rows else []
    return notes + ([cli_text("table.row_limit", lang, count=rows)] if truncated else [])


def _styled(value: Value) -> Text:
    return Text(cell(value), style="dim" if value is None else "")


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows as lines of text, without a frame, with aligned columns."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()
