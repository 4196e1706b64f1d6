"""The content that replaces a placeholder: text, a table, an image or an error.

Blocks are format-independent values. Each output format escapes them itself.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from text2sql.charts import Chart, chart_of_kind, choose, kinds, may_omit_groups
from text2sql.config import Settings
from text2sql.errors import ChartError, Text2SQLError, UsageError
from text2sql.i18n import Language, explain, say
from text2sql.reports.answer_placeholders import Outcome
from text2sql.reports.placeholders import Placeholder
from text2sql.types import Answer, QueryResult, ResultColumn, Row, Value

_TABLE_ROWS = 50  # default number of rows in a table
_LIST_ROWS = 10


@dataclass(frozen=True, slots=True)
class Words:
    """Inline text."""

    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]  # for each column, whether it is right-aligned
    note: str = ""  # a caption if rows were left out


@dataclass(frozen=True, slots=True)
class Picture:
    """An image."""

    data: bytes
    form: Literal["png", "svg"]
    alt: str


@dataclass(frozen=True, slots=True)
class Mark:
    """The error message of a placeholder that failed."""

    question: str
    reason: str


Shown: TypeAlias = Words | Grid | Picture | Mark
Draws: TypeAlias = Callable[[Chart, QueryResult, Language, Settings], Awaitable[bytes]]


async def show(
    placeholder: Placeholder, outcome: Outcome, settings: Settings, draws: Draws, *, block: bool
) -> Shown:
    """The block for a placeholder. `block` means that it is alone on its line, so that a table fits."""
    item, answer = outcome.item, outcome.answer
    lang = item.language
    if answer is None:
        reason = outcome.problem.message if outcome.problem else ""
        return Mark(item.asked, reason)
    if not answer.rows:
        return Words(say("report.no_rows", lang))
    form = placeholder.form
    if form == "auto":
        is_scalar = len(answer.rows) == 1 and len(answer.columns) == 1
        form = "value" if is_scalar else "table" if block else "list"
    if form == "chart":
        return await _chart(placeholder, outcome, answer, settings, draws)
    if form == "table":
        return _grid(answer, int(placeholder.option or _TABLE_ROWS), lang)
    render = {
        "sentence": lambda: answer.answer,
        "value": lambda: cell(answer.rows[0][0], lang),
        "list": lambda: _list_text(answer.rows, int(placeholder.option or _LIST_ROWS), lang),
    }
    return Words(render[form]())


def cell(value: Value, lang: Language) -> str:
    """A cell value as readable text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return say("answer.yes" if value else "answer.no", lang)
    if isinstance(value, int):
        return str(value) if 1000 <= value <= 2999 else f"{value:,}"  # it may be a year
    if isinstance(value, float):
        rounded = round(value, 2)
        if abs(value) < 0.01 and value != 0:
            return f"{value:.3g}"
        return f"{int(rounded):,}" if rounded == int(rounded) else f"{rounded:,}"
    return str(value)


def _grid(answer: Answer, limit: int, lang: Language) -> Grid:
    rows = answer.rows[:limit]
    note = ""
    if answer.truncated or len(answer.rows) > limit:
        note = say("report.more_rows", lang, shown=len(rows))
    numeric = tuple(_numeric(row[at] for row in rows) for at in range(len(answer.columns)))
    return Grid(
        answer.columns, tuple(tuple(cell(value, lang) for value in row) for row in rows), numeric, note
    )


def _numeric(values: Iterable[Value]) -> bool:
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in numbers
    )


def _list_text(rows: Sequence[Row], limit: int, lang: Language) -> str:
    lines = [" ".join(filter(None, (cell(value, lang) for value in row))) for row in rows[:limit]]
    separator = "、" if lang == "zh" else ", "
    return separator.join(lines) + ("…" if len(rows) > limit else "")


async def _chart(
    placeholder: Placeholder, outcome: Outcome, answer: Answer, settings: Settings, draws: Draws
) -> Shown:
    """Draw a chart. A chart type that does not suit the rows becomes an error in the report."""
    columns = tuple(ResultColumn(name, "") for name in answer.columns)
    cut: Literal["rows", ""] = "rows" if answer.truncated else ""
    result = QueryResult(columns, answer.rows, cut, partial=may_omit_groups(outcome.sql))
    wanted, item = placeholder.option, outcome.item
    try:
        chart = chart_of_kind(result, wanted) if wanted else choose(result, item.asked)
        if chart is None and wanted:
            raise UsageError("usage.chart_kind", name=wanted, kinds=", ".join(kinds(result)) or "-")
        if chart is None:
            raise ChartError("chart.none")
        return Picture(await draws(chart, result, item.language, settings), "png", item.asked)
    except Text2SQLError as error:
        return Mark(item.asked, explain(error, item.language).replace("\n", " "))
