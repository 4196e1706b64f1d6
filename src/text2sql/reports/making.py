"""A report from beginning to end, in memory: a template, the answers, and what stands in each place."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from text2sql.app import AsyncText2SQL
from text2sql.charts import Chart, draw, picture_soon, ready, spec
from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.messages import Language
from text2sql.reports.filling import Filled, Terms, fill, items_of
from text2sql.reports.lock import Lock
from text2sql.reports.parameters import bare, calendar, checked, used
from text2sql.reports.record import record_of
from text2sql.reports.showing import Draws, Mark, Shown, Words, show
from text2sql.reports.template import Template
from text2sql.types import QueryResult


@dataclass(frozen=True, slots=True)
class Report:
    template: Template
    shown: tuple[Shown, ...]  # one for each placeholder, in their order
    filled: Filled
    record: Mapping[str, Any]

    @property
    def failed(self) -> int:
        return sum(isinstance(one, Mark) for one in self.shown)


async def draws_here(chart: Chart, result: QueryResult, lang: Language, settings: Settings) -> bytes:
    return await asyncio.to_thread(lambda: draw(chart, result, lang, settings))


async def draws_apart(chart: Chart, result: QueryResult, lang: Language, settings: Settings) -> bytes:
    """For a server, whose loop must not wait for a picture."""
    return await picture_soon(spec(chart, result, lang), font_dir=settings.font_dir)


async def make(
    app: AsyncText2SQL,
    template: Template,
    parameters: Mapping[str, str],
    lock: Lock,
    terms: Terms,
    *,
    today: date,
    draws: Draws = draws_here,
) -> Report:
    """Raises for what is wrong with the template, and for a database that cannot be reached at all."""
    began, started = time.monotonic(), datetime.now(UTC)
    given = checked(parameters)
    values = {**calendar(today), **given}
    asked = [one.question for one in template.placeholders]
    items = items_of([one for one in asked if not bare(one)], values, terms.language)
    for name in filter(None, map(bare, asked)):
        if name not in values:
            raise UsageError("usage.report_missing", name=name, question=f":{name}")
    if any(one.form == "chart" for one in template.placeholders):
        await asyncio.to_thread(ready, app.settings)  # what is missing is told before anybody waits
    filled = await fill(app, items, lock, terms)
    shown = [
        Words(values[bare(one.question)])
        if bare(one.question)
        else await show(one, filled.of(one.question), app.settings, draws, block=block)
        for one, block in zip(template.placeholders, template.blocks(), strict=True)
    ]
    record = record_of(
        filled,
        placeholders=len(template.placeholders),
        marks=sum(isinstance(one, Mark) for one in shown),
        parameters={name: value for item in items for name, value in item.values.items()},
        unused=sorted(set(given) - {name for one in asked for name in used(one)}),
        started=started,
        total=time.monotonic() - began,
    )
    return Report(template, tuple(shown), filled, record)
