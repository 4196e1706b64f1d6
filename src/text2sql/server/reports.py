"""Reports that are asked for and reports that are due. A question whose outcome is kept is not run again,
whoever goes on with the report.
"""

import asyncio
import json
import logging
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from text2sql.errors import UsageError
from text2sql.memory import Held, Memory, Work
from text2sql.messages import Language
from text2sql.reports.cron import Cron
from text2sql.reports.filling import Item, Outcome, Step
from text2sql.reports.journal import dumped, restored
from text2sql.reports.lock import written
from text2sql.reports.making import Report, draws_apart, make
from text2sql.reports.schedule import Job, do
from text2sql.reports.writing import direct, document
from text2sql.server.identity import Identity
from text2sql.server.ledger import Auditor
from text2sql.server.logs import fact
from text2sql.server.metrics import Metrics
from text2sql.server.models import ReportRequest
from text2sql.server.orders import order_of
from text2sql.server.sources import Source, Sources
from text2sql.server.works import Kind, Works

log = logging.getLogger(__name__)


class Reports(Kind):
    name, at_once = "report", 2  # each asks several questions at a time itself

    def __init__(
        self, works: Works, auditor: Auditor, sources: Sources, schedule: Sequence[Job], metrics: Metrics
    ) -> None:
        super().__init__(works)
        self._auditor = auditor
        self._sources = sources
        self._schedule = schedule
        self._metrics = metrics

    async def ask(self, who: Identity, language: Language, asked: ReportRequest) -> Work:
        order = await asyncio.to_thread(order_of, asked)  # what is wrong with it is told at once
        self._sources.seen_by(who).named(asked.source)
        dated = asked.model_copy(update={"date": f"{order.today}"})
        return await self.start(who, language, dated.model_dump())

    def schedule(self) -> list[tuple[str, Cron, dict[str, Any]]]:
        return [
            (
                f"/{place}|{job.template.name}|{job.every.text}",
                job.every,
                {"place": place, "template": job.template.name},
            )
            for place, job in enumerate(self._schedule)
            if job.every is not None
        ]

    async def do(self, asked: Mapping[str, Any], held: Held, memory: Memory) -> None:
        await (self._make if "request" in asked else self._make_due)(asked, held, memory)

    async def _make(self, asked: Mapping[str, Any], held: Held, memory: Memory) -> None:
        who = await self.works.welcome(asked)
        request = ReportRequest.model_validate(asked["request"])
        order = await asyncio.to_thread(order_of, request)
        source = self._sources.seen_by(who).named(request.source)
        terms = replace(order.terms, user=who.user, journal=await _journal(source, held, memory))
        made = await make(
            source.app,
            order.template,
            order.parameters,
            order.lock,
            terms,
            today=order.today,
            draws=draws_apart,
        )
        await self._audit(made, who.user, source)
        for kind in direct(request.format):
            *_, data = (await asyncio.to_thread(document, made, kind)).values()
            await held.keep("file", kind, b64encode(data).decode())
        await held.keep("file", "lock", json.dumps(written(made.filled.lock)))
        told = {"formats": direct(request.format), "record": made.record}
        await held.end("done", json.dumps(told))
        _note(made, source)
        self._metrics.reported(made.record)

    async def _make_due(self, asked: Mapping[str, Any], held: Held, memory: Memory) -> None:
        due = datetime.fromisoformat(asked["due"])
        job = next(iter(self._schedule[asked["place"] :]), None)
        if job is None or job.template.name != asked["template"]:
            raise UsageError("usage.report_unknown")  # a schedule that is not that of the others
        source = self._sources.named(job.source or None)
        terms = replace(job.terms, journal=await _journal(source, held, memory))
        made, _ = await do(job, source.app, terms, today=due.date(), draws=draws_apart)
        await self._audit(made, "", source)
        await held.end("done", "{}")
        _note(made, source)
        self._metrics.reported(made.record)

    async def _audit(self, report: Report, user: str, source: Source) -> None:
        """On record before it can be fetched."""
        for one in report.filled.outcomes:
            if one.answer is not None:
                await self._auditor.answer(one.answer, user, source.name, one.item.asked)


class _Journal:
    """The outcomes of a report's questions among the parts of its work."""

    def __init__(self, held: Held, mark: str, kept: dict[str, str]) -> None:
        self._held = held
        self._mark = mark
        self._kept = kept

    async def recall(self, item: Item) -> Outcome | None:
        found = self._kept.get(self._name(item))
        return restored(item, found) if found else None

    async def keep(self, step: Step, outcome: Outcome) -> None:
        await self._held.keep("question", self._name(outcome.item), dumped(outcome))
        told = {"stage": step.stage, "done": step.done, "total": step.total}
        await self._held.tell(json.dumps(told))

    def _name(self, item: Item) -> str:
        """Under what may be seen: rows that were found under another policy are of no concern now."""
        return sha256(
            f"{self._mark}\n{item.question}\n{item.asked}".encode("utf-8", "surrogatepass")
        ).hexdigest()


async def _journal(source: Source, held: Held, memory: Memory) -> _Journal:
    rooms = await source.app.rooms()
    return _Journal(held, rooms.library.mark, dict(await memory.works.parts(held.name, "question")))


def state_of(work: Work) -> dict[str, Any]:
    told = json.loads(work.told or "{}")
    return {
        "report_id": work.id,
        "status": work.state,
        "stage": told.get("stage", ""),
        "done": told.get("done", 0),
        "total": told.get("total", 0),
        "formats": told.get("formats", []),
        "record": told.get("record"),
        "problem": told.get("problem"),
    }


def _note(report: Report, source: Source) -> None:
    record = report.record
    fact(
        log,
        "report",
        source=source.name,
        placeholders=record["placeholders"],
        failed=record["failed"],
        first_pass=record["first_pass"]["rate"],
        repaired=record["repaired"]["rate"],
        statements=record["statements"],
        connections=record["connections"],
        seconds=record["seconds"]["total"],
    )
