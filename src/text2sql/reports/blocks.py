"""The content that replaces a placeholder: text, a table, an image or an error. Each output format escapes it
itself.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from text2sql.charts import Chart, chart_of_kind, choose, kinds, may_omit_groups
from text2sql.config import Settings
from text2sql.errors import ChartError, Text2SQLError, UsageError
from text2sql.i18n import Language, explain, say
from text2sql.reports.outcomes import Outcome
from text2sql.reports.placeholders import Placeholder
from text2sql.types import Answer, QueryResult, ResultColumn, Row, Value

_TABLE_ROWS = 50  # default number of rows in a table
_LIST_ROWS = 10


@dataclass(frozen=True, slots=True)
class InlineText:
    text: str


@dataclass(frozen=True, slots=True)
class TableBlock:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]  # for each column, whether it is right-aligned
    note: str = ""  # a caption if rows were left out


@dataclass(frozen=True, slots=True)
class Image:
    data: bytes
    alt: str


@dataclass(frozen=True, slots=True)
class Failure:
    """The error message of a placeholder that failed."""

    question: str
    reason: str


Block: TypeAlias = InlineText | TableBlock | Image | Failure
RenderChart: TypeAlias = Callable[[Chart, QueryResult, Language, Settings], Awaitable[bytes]]


async def block_of(
    placeholder: Placeholder,
    outcome: Outcome,
    settings: Settings,
    render_chart: RenderChart,
    *,
    standalone: bool,
) -> Block:
    """The block for a placeholder. `standalone`: it is alone on its line, so that a table fits."""
    item, answer = outcome.item, outcome.answer
    lang = item.language
    if answer is None:
        reason = outcome.problem.message if outcome.problem else ""
        return Failure(item.resolved, reason)
    if not answer.rows:
        return InlineText(say("report.no_rows", lang))
    form = placeholder.form
    if form == "auto":
        is_scalar = len(answer.rows) == 1 and len(answer.columns) == 1
        form = "value" if is_scalar else "table" if standalone else "list"
    if form == "chart":
        return await _chart(placeholder, outcome, answer, settings, render_chart)
    if form == "table":
        return _table(answer, int(placeholder.option or _TABLE_ROWS), lang)
    if form == "list":
        return InlineText(_list_text(answer.rows, int(placeholder.option or _LIST_ROWS), lang))
    return InlineText(cell(answer.rows[0][0], lang) if form == "value" else answer.answer)


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


def _table(answer: Answer, limit: int, lang: Language) -> TableBlock:
    rows = answer.rows[:limit]
    note = ""
    if answer.truncated or len(answer.rows) > limit:
        note = say("report.more_rows", lang, shown=len(rows))
    numeric = tuple(_numeric([row[at] for row in rows]) for at in range(len(answer.columns)))
    cells = tuple(tuple(cell(value, lang) for value in row) for row in rows)
    return TableBlock(answer.labels or answer.columns, cells, numeric, note)


def _numeric(values: Sequence[Value]) -> bool:
    types = {type(value) for value in values if value is not None}
    return bool(types) and types <= {int, float}


def _list_text(rows: Sequence[Row], limit: int, lang: Language) -> str:
    lines = [" ".join(filter(None, (cell(value, lang) for value in row))) for row in rows[:limit]]
    separator = "、" if lang == "zh" else ", "
    return separator.join(lines) + ("…" if len(rows) > limit else "")


async def _chart(
    placeholder: Placeholder, outcome: Outcome, answer: Answer, settings: Settings, render_chart: RenderChart
) -> Block:
    """Draw a chart. A chart type that does not suit the rows becomes an error in the report."""
    labels = answer.labels or answer.columns
    columns = tuple(
        ResultColumn(name, "", label if answer.labels else "")
        for name, label in zip(answer.columns, labels, strict=True)
    )
    cut: Literal["rows", ""] = "rows" if answer.truncated else ""
    result = QueryResult(columns, answer.rows, cut, partial=may_omit_groups(outcome.sql))
    kind, item = placeholder.option, outcome.item
    try:
        chart = chart_of_kind(result, kind) if kind else choose(result, item.resolved)
        if chart is None and kind:
            raise UsageError("usage.chart_kind", name=kind, kinds=", ".join(kinds(result)) or "-")
        if chart is None:
            raise ChartError("chart.none")
        return Image(await render_chart(chart, result, item.language, settings), item.resolved)
    except Text2SQLError as error:
        return Failure(item.resolved, explain(error, item.language).replace("\n", " "))
