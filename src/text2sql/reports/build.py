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
from text2sql.reports.answer_placeholders import answer_questions
from text2sql.reports.blocks import Block, Failure, InlineText, RenderChart, block_of
from text2sql.reports.lock import Lock
from text2sql.reports.outcomes import AnsweredReport, ReportOptions, distinct_questions
from text2sql.reports.parameters import check_parameters, parameter_names, relative_windows, sole_parameter
from text2sql.reports.record import record_of
from text2sql.reports.template import Template
from text2sql.types import QueryResult


@dataclass(frozen=True, slots=True)
class Report:
    """A finished report, before it is written to a file."""

    template: Template
    blocks: tuple[Block, ...]  # the content of each placeholder, in order
    answers: AnsweredReport
    record: Mapping[str, Any]

    @property
    def failed(self) -> int:
        return sum(isinstance(block, Failure) for block in self.blocks)


async def render_in_thread(chart: Chart, result: QueryResult, lang: Language, settings: Settings) -> bytes:
    return await asyncio.to_thread(draw, chart, result, lang, settings)


async def render_in_subprocess(
    chart: Chart, result: QueryResult, lang: Language, settings: Settings
) -> bytes:
    """Render in a subprocess, for servers whose event loop must not block."""
    return await picture_in_subprocess(spec(chart, result, lang), font_dir=settings.font_dir)


async def build_report(
    app: AsyncText2SQL,
    template: Template,
    parameters: Mapping[str, str],
    lock: Lock,
    options: ReportOptions,
    *,
    today: date,
    render_chart: RenderChart = render_in_thread,
) -> Report:
    """Build a report. Raises for an invalid template or parameter, and if the database is unreachable."""
    began, started = time.monotonic(), datetime.now(UTC)
    given_values = check_parameters(parameters)
    values = {**relative_windows(today), **given_values}
    questions = [placeholder.question for placeholder in template.placeholders]
    items = distinct_questions(
        [question for question in questions if not sole_parameter(question)], values, options.language
    )
    for name in filter(None, map(sole_parameter, questions)):
        if name not in values:
            raise UsageError("usage.report_missing", name=name, question=f":{name}")
    if any(placeholder.form == "chart" for placeholder in template.placeholders):
        await asyncio.to_thread(ready, app.settings)  # fail early if rendering is impossible
    answers = await answer_questions(app, items, lock, options)
    blocks: list[Block] = []
    for placeholder, standalone in zip(template.placeholders, template.standalone, strict=True):
        if name := sole_parameter(placeholder.question):
            blocks.append(InlineText(values[name]))
            continue
        outcome = answers.of(placeholder.question)
        blocks.append(await block_of(placeholder, outcome, app.settings, render_chart, standalone=standalone))
    used_names = {name for question in questions for name in parameter_names(question)}
    record = record_of(
        answers,
        placeholders=len(template.placeholders),
        failures=sum(isinstance(block, Failure) for block in blocks),
        parameters={name: value for item in items for name, value in item.values.items()},
        unused=sorted(set(given_values) - used_names),
        started=started,
        total=time.monotonic() - began,
    )
    return Report(template, tuple(blocks), answers, record)
