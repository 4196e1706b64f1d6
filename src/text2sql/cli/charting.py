"""An answer's chart: a sketch on the screen, a picture in a file."""

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text2sql.charts import Chart, choose, draw, from_plain, kinds, of_kind, ready, sketch, spec
from text2sql.config import Settings
from text2sql.errors import ChartError, UsageError
from text2sql.messages import Language, say
from text2sql.types import Answer, QueryResult, ResultColumn

ENDINGS = (".png", ".svg", ".json")
_WIDTH = 80
_CHINESE = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Drawable:
    """A chart with the rows it is about."""

    chart: Chart
    result: QueryResult
    kinds: tuple[str, ...]


def drawable(answer: Answer, kind: str = "") -> Drawable:
    """The answer's own chart, or another kind that suits its rows."""
    columns = tuple(ResultColumn(name, "") for name in answer.columns)
    result = QueryResult(columns, answer.rows, "rows" if answer.truncated else "")
    own = _chosen(answer, result)
    if own is None:
        raise ChartError("chart.none")
    suited = tuple(dict.fromkeys((own.kind, *kinds(result))))
    chart = own if kind in ("", own.kind) else of_kind(result, kind)
    if chart is None:
        raise UsageError("usage.chart_kind", name=kind, kinds=", ".join(suited))
    return Drawable(chart, result, suited)


def _chosen(answer: Answer, result: QueryResult) -> Chart | None:
    """The rows of a person's own statement come without one."""
    held: Any = (answer.chart or {}).get("usermeta")
    return from_plain(held["text2sql"]) if held and result.rows else choose(result, answer.question)


def sketched(answer: Answer, lang: Language, width: int | None, kind: str = "") -> str:
    found = drawable(answer, kind)
    return sketch(found.chart, found.result, width or _WIDTH, lang)


def target_of(name: str) -> Path:
    path = Path(name.strip().strip("\"'")).expanduser()
    if path.suffix.lower() not in ENDINGS:
        raise UsageError("usage.chart_name", name=name, endings=", ".join(ENDINGS))
    return path.resolve()


def checked_target(name: str, settings: Settings) -> Path:
    """Told before the question is asked: an answer may take half a minute."""
    path = target_of(name)
    if path.suffix.lower() != ".json":
        ready(settings)
    return path


def write(path: Path, answer: Answer, lang: Language, settings: Settings, kind: str = "") -> str:
    """The file, whole or not at all; what there is to say about it, or nothing."""
    found = drawable(answer, kind)
    form = path.suffix.lower().removeprefix(".")
    warning = ""
    if form == "json":
        whole = spec(found.chart, found.result, lang, answer.question)
        drawn = json.dumps(whole, ensure_ascii=False, allow_nan=False).encode()
    else:
        drawn = draw(
            found.chart,
            found.result,
            lang,
            settings,
            form="svg" if form == "svg" else "png",
            title=answer.question,
        )
        text = repr((answer.question, answer.columns, answer.rows))
        if form == "png" and _CHINESE.search(text) and not ready(settings):
            warning = say("chart.no_font", lang)
    _put(path, drawn)
    return warning


def _put(path: Path, drawn: bytes) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(drawn)
        unfinished.replace(path)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise UsageError("usage.export", path=str(path), detail=error.strerror or str(error)) from error
