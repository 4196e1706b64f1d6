"""Charts of answers: a text sketch in the terminal, or an image file."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from text2sql.charts import Chart, chart_of_kind, choose, draw, from_plain, kinds, ready, spec, terminal_chart
from text2sql.cli import exporting
from text2sql.cli.exporting import write_file
from text2sql.config import Settings
from text2sql.errors import ChartError, UsageError
from text2sql.i18n import Language, say
from text2sql.types import Answer, QueryResult, ResultColumn

ENDINGS = (".png", ".svg", ".json")
_WIDTH = 80
_CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Drawable:
    """A chart with its rows and the chart types that suit them."""

    chart: Chart
    result: QueryResult
    kinds: tuple[str, ...]


def drawable(answer: Answer, kind: str = "") -> Drawable:
    """The answer's own chart, or another kind that suits its rows."""
    labels = answer.labels or answer.columns
    columns = tuple(
        ResultColumn(name, "", label if answer.labels else "")
        for name, label in zip(answer.columns, labels, strict=True)
    )
    result = QueryResult(columns, answer.rows, "rows" if answer.truncated else "")
    own = _answer_chart(answer, result)
    if own is None:
        raise ChartError("chart.none")
    meta: Any = (answer.chart or {}).get("usermeta")
    # the answer's metadata also contains whether the query was a top five
    fitting = meta["text2sql"]["kinds"] if meta else kinds(result)
    suited = tuple(dict.fromkeys((own.kind, *fitting)))
    chart = own if kind in ("", own.kind) else chart_of_kind(result, kind) if kind in suited else None
    if chart is None:
        raise UsageError("usage.chart_kind", name=kind, kinds=", ".join(suited))
    return Drawable(chart, result, suited)


def _answer_chart(answer: Answer, result: QueryResult) -> Chart | None:
    """The chart of the answer. The rows of a user's own SQL come without one, so one is chosen here."""
    meta: Any = (answer.chart or {}).get("usermeta")
    return from_plain(meta["text2sql"]) if meta and result.rows else choose(result, answer.question)


def chart_text(answer: Answer, lang: Language, width: int | None, kind: str = "") -> str:
    drawing = drawable(answer, kind)
    return terminal_chart(drawing.chart, drawing.result, width or _WIDTH, lang)


def target_of(name: str) -> Path:
    return exporting.target_of(name, ENDINGS, "usage.chart_name")


def checked_target(name: str, settings: Settings) -> Path:
    """Check the path before the question is asked, because an answer may take half a minute."""
    path = target_of(name)
    if path.suffix.lower() != ".json":
        ready(settings)
    return path


def write(path: Path, answer: Answer, lang: Language, settings: Settings, kind: str = "") -> str:
    """Write the chart; return a warning or an empty string."""
    drawing = drawable(answer, kind)
    chart, result, title = drawing.chart, drawing.result, answer.question
    ending = path.suffix.lower()
    if ending == ".json":
        document = spec(chart, result, lang, title)
        write_file(path, json.dumps(document, ensure_ascii=False, allow_nan=False).encode())
        return ""
    form: Literal["svg", "png"] = "svg" if ending == ".svg" else "png"
    write_file(path, draw(chart, result, lang, settings, form=form, title=title))
    text = repr((title, answer.columns, answer.rows))
    lacks_font = form == "png" and _CHINESE.search(text) and not ready(settings)
    return say("chart.no_font", lang) if lacks_font else ""
