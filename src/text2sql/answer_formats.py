"""Forms of an answer for Python and notebooks: dictionaries, pandas, Arrow, rich text and HTML.

They are methods of `Answer`, which imports this module when one of them is called.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from text2sql.database.parquet import as_text, column_type, unique_names
from text2sql.errors import MissingDriver
from text2sql.i18n import Language, explain, language, say
from text2sql.text_normalization import has_chinese, printable
from text2sql.types import Answer, Value

if TYPE_CHECKING:
    from rich.console import RenderableType

ROWS, COLUMNS, CELL = 20, 20, 200  # that a screen or a notebook shows
_COLORS = {"sure": "green", "probably": "darkorange", "not_sure": "red"}


# -- data ----------------------------------------------------------------------------------------


def dicts(answer: Answer) -> list[dict[str, Value]]:
    names = unique_names(answer.columns)
    return [dict(zip(names, row, strict=True)) for row in answer.rows]


def pandas_frame(answer: Answer) -> Any:
    pandas = _package("pandas")
    columns = {
        name: pandas.Series(values, dtype=_PANDAS.get(kind)) for name, kind, values in _typed_columns(answer)
    }
    return pandas.DataFrame(columns)


def arrow_table(answer: Answer) -> Any:
    arrow = _package("pyarrow")
    columns = {
        name: arrow.array([value.date() if kind == "DATE" and value else value for value in values])
        for name, kind, values in _typed_columns(answer)
    }
    return arrow.table(columns)


# Types that hold NULL; pandas chooses the others.
_PANDAS = {"BIGINT": "Int64", "BOOLEAN": "boolean", "VARCHAR": "object"}


def _utc(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "DATE": datetime.fromisoformat,
    "TIMESTAMP": datetime.fromisoformat,
    "TIMESTAMPTZ": _utc,
    "DOUBLE": float,
    "VARCHAR": as_text,
}


def _typed_columns(answer: Answer) -> Iterator[tuple[str, str, list[Any]]]:
    """The columns with their names, types and values. Dates, which are text in an answer, are dates; types
    are inferred as for Parquet files.
    """
    for at, name in enumerate(unique_names(answer.columns)):
        values = [row[at] for row in answer.rows]
        kind = column_type(values)
        read = _READERS.get(kind)
        yield name, kind, [value if value is None or read is None else read(value) for value in values]


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(explain(MissingDriver("missing_package", name=name), language())) from error


# -- text and HTML -------------------------------------------------------------------------------


def rich_text(answer: Answer) -> Group:
    lang = _language(answer)
    parts: list[RenderableType] = [Text(line, style="bold") for line in map(printable, _sentences(answer))]
    if answer.receipt.certainty:
        style = _COLORS[answer.receipt.certainty].replace("darkorange", "yellow")
        parts.append(Text(say(f"certainty.{answer.receipt.certainty}", lang), style=style))
    if answer.columns:
        table = Table()
        for name in (answer.labels or answer.columns)[:COLUMNS]:
            table.add_column(Text(_cell(name)))
        for row in answer.rows[:ROWS]:
            table.add_row(*(Text(_cell(value)) for value in row[:COLUMNS]))
        parts.append(table)
    parts += [Text(note, style="dim") for note in _notes(answer, lang)]
    if answer.sql:
        parts.append(Text(_lines(answer.sql), style="dim"))
    return Group(*parts)


def html(answer: Answer) -> str:
    lang = _language(answer)
    parts = [f"<p><strong>{escape(line)}</strong></p>" for line in _sentences(answer)]
    if answer.receipt.certainty:
        word, color = say(f"certainty.{answer.receipt.certainty}", lang), _COLORS[answer.receipt.certainty]
        parts.append(f'<p style="color: {color}">{escape(word)}</p>')
    if answer.columns:
        head = _html_row("th", answer.labels or answer.columns)
        body = "".join(_html_row("td", row) for row in answer.rows[:ROWS])
        parts.append(f"<table><thead>{head}</thead><tbody>{body}</tbody></table>")
    parts += [f"<p>{escape(note)}</p>" for note in _notes(answer, lang)]
    if answer.sql:
        parts.append(f"<details><summary>SQL</summary><pre>{escape(answer.sql)}</pre></details>")
    return f"<div>{''.join(parts)}</div>"


def _html_row(tag: str, cells: Sequence[Value]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(_cell(cell))}</{tag}>' for cell in cells[:COLUMNS])}</tr>"


def _sentences(answer: Answer) -> Iterator[str]:
    """The answer or the problem, its hint, and the choices."""
    problem = answer.error
    yield answer.answer or (problem.message if problem else answer.status)
    if problem and problem.hint:
        yield problem.hint
    yield from (f"{number}. {choice.label}" for number, choice in enumerate(answer.choices, 1))


def _notes(answer: Answer, lang: Language) -> Iterator[str]:
    """What of the rows is not shown."""
    for key, shown, present in (
        ("format.rows", ROWS, len(answer.rows)),
        ("format.columns", COLUMNS, len(answer.columns)),
    ):
        if present > shown:
            yield say(key, lang, shown=shown, all=present)
    if answer.truncated:
        yield say("format.truncated", lang, rows=len(answer.rows))


def _cell(value: Value) -> str:
    text = "NULL" if value is None else printable(as_text(value) or "")
    return text if len(text) <= CELL else f"{text[: CELL - 1]}…"


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.splitlines()))


def _language(answer: Answer) -> Language:
    """The language of the question; the user's if there is none."""
    if not answer.question:
        return language()
    return "zh" if has_chinese(answer.question) else "en"
