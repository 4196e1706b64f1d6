"""What stands in the place of a placeholder: words, a table, a picture, or why there is nothing.

These are values: each format escapes them in its own way, and none of them is ever read again.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from text2sql.charts import Chart, choose, kinds, of_kind
from text2sql.config import Settings
from text2sql.errors import ChartError, Text2SQLError, UsageError
from text2sql.messages import Language, explain, say
from text2sql.reports.filling import Outcome
from text2sql.reports.placeholders import Placeholder
from text2sql.types import Answer, QueryResult, ResultColumn, Row, Value

_TABLE = 50  # rows of a table whose template names no number
_LIST = 10


@dataclass(frozen=True, slots=True)
class Words:
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]  # of each column: its cells stand to the right
    note: str = ""  # that there are more rows


@dataclass(frozen=True, slots=True)
class Picture:
    data: bytes
    form: Literal["png", "svg"]
    alt: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A placeholder that failed, and why."""

    question: str
    reason: str


Shown: TypeAlias = Words | Grid | Picture | Mark
Draws: TypeAlias = Callable[[Chart, QueryResult, Language, Settings], Awaitable[bytes]]


async def show(
    placeholder: Placeholder, outcome: Outcome, settings: Settings, draws: Draws, *, block: bool
) -> Shown:
    """`block`: it stands alone, so that a table has room."""
    item, answer = outcome.item, outcome.answer
    lang = item.language
    if answer is None:
        reason = outcome.problem.message if outcome.problem else ""
        return Mark(item.asked, reason)
    if not answer.rows:
        return Words(say("report.no_rows", lang))
    form = placeholder.form
    if form == "auto":
        one = len(answer.rows) == 1 and len(answer.columns) == 1
        form = "value" if one else "table" if block else "list"
    if form == "chart":
        return await _chart(placeholder, outcome, answer, settings, draws)
    if form == "table":
        return _grid(answer, int(placeholder.option or _TABLE), lang)
    words = {
        "sentence": lambda: answer.answer,
        "value": lambda: cell(answer.rows[0][0], lang),
        "list": lambda: _listed(answer.rows, int(placeholder.option or _LIST), lang),
    }
    return Words(words[form]())


def cell(value: Value, lang: Language) -> str:
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


def _grid(answer: Answer, most: int, lang: Language) -> Grid:
    rows = answer.rows[:most]
    note = ""
    if answer.truncated or len(answer.rows) > most:
        note = say("report.more_rows", lang, shown=len(rows))
    numeric = tuple(_numeric(row[at] for row in rows) for at in range(len(answer.columns)))
    return Grid(answer.columns, tuple(tuple(cell(one, lang) for one in row) for row in rows), numeric, note)


def _numeric(values: Iterable[Value]) -> bool:
    held = [one for one in values if one is not None]
    return bool(held) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in held)


def _listed(rows: Sequence[Row], most: int, lang: Language) -> str:
    told = [" ".join(filter(None, (cell(one, lang) for one in row))) for row in rows[:most]]
    separator = "、" if lang == "zh" else ", "
    return separator.join(told) + ("…" if len(rows) > most else "")


async def _chart(
    placeholder: Placeholder, outcome: Outcome, answer: Answer, settings: Settings, draws: Draws
) -> Shown:
    """A kind that does not suit the rows is the template's mistake, and is told in its place."""
    columns = tuple(ResultColumn(name, "") for name in answer.columns)
    result = QueryResult(columns, answer.rows, "rows" if answer.truncated else "")
    wanted, item = placeholder.option, outcome.item
    try:
        chart = of_kind(result, wanted) if wanted else choose(result, item.asked)
        if chart is None and wanted:
            raise UsageError("usage.chart_kind", name=wanted, kinds=", ".join(kinds(result)) or "-")
        if chart is None:
            raise ChartError("chart.none")
        return Picture(await draws(chart, result, item.language, settings), "png", item.asked)
    except Text2SQLError as error:
        return Mark(item.asked, explain(error, item.language).replace("\n", " "))
