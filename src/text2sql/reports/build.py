"""Build a report in memory: answer the placeholders of a template and convert the answers to blocks."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from text2sql.charts import Chart, draw, picture_in_subprocess, ready, spec
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.reports.answer_placeholders import AnsweredReport, Terms, distinct_questions, fill
from text2sql.reports.blocks import Draws, Mark, Shown, Words, show
from text2sql.reports.lock import Lock
from text2sql.reports.parameters import bare, calendar, checked, used
from text2sql.reports.record import record_of
from text2sql.reports.template import Template
from text2sql.types import QueryResult


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report, before it is written to a file."""

    template: Template
    shown: tuple[Shown, ...]  # the content of each placeholder, in order
    filled: AnsweredReport
    record: Mapping[str, Any]

    @property
    def failed(self) -> int:
        return sum(isinstance(block, Mark) for block in self.shown)


async def render_in_thread(chart: Chart, result: QueryResult, lang: Language, settings: Settings) -> bytes:
    return await asyncio.to_thread(lambda: draw(chart, result, lang, settings))


async def render_in_subprocess(
    chart: Chart, result: QueryResult, lang: Language, settings: Settings
) -> bytes:
    """Render in a subprocess, for servers whose event loop must not block."""
    return await picture_in_subprocess(spec(chart, result, lang), font_dir=settings.font_dir)


async def make(
    app: AsyncText2SQL,
    template: Template,
    parameters: Mapping[str, str],
    lock: Lock,
    terms: Terms,
    *,
    today: date,
    draws: Draws = render_in_thread,
) -> Report:
    """Build a report. Raises for an invalid template or parameter, and if the database is unreachable."""
    began, started = time.monotonic(), datetime.now(UTC)
    given_values = checked(parameters)
    values = {**calendar(today), **given_values}
    questions = [placeholder.question for placeholder in template.placeholders]
    items = distinct_questions(
        [question for question in questions if not bare(question)], values, terms.language
    )
    for name in filter(None, map(bare, questions)):
        if name not in values:
            raise UsageError("usage.report_missing", name=name, question=f":{name}")
    if any(placeholder.form == "chart" for placeholder in template.placeholders):
        await asyncio.to_thread(ready, app.settings)  # fail early if rendering is impossible
    filled = await fill(app, items, lock, terms)
    shown = [
        Words(values[bare(placeholder.question)])
        if bare(placeholder.question)
        else await show(placeholder, filled.of(placeholder.question), app.settings, draws, block=block)
        for placeholder, block in zip(template.placeholders, template.blocks(), strict=True)
    ]
    record = record_of(
        filled,
        placeholders=len(template.placeholders),
        marks=sum(isinstance(block, Mark) for block in shown),
        parameters={name: value for item in items for name, value in item.values.items()},
        unused=sorted(set(given_values) - {name for question in questions for name in used(question)}),
        started=started,
        total=time.monotonic() - began,
    )
    return Report(template, tuple(shown), filled, record)
