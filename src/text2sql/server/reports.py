"""Reports that are being made, and the last ones that were: a few at a time, each its user's own.

They live in this process. A schedule's reports are files, and are made by the same hands.
"""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from typing import Any

from text2sql.errors import Text2SQLError, UsageError
from text2sql.messages import Language
from text2sql.reports.filling import Step, Terms
from text2sql.reports.lock import Lock
from text2sql.reports.making import Report, draws_apart, make
from text2sql.reports.schedule import Job, do, keep
from text2sql.reports.template import Kind, Template
from text2sql.reports.writing import direct
from text2sql.server.ledger import Auditor
from text2sql.server.logs import fact
from text2sql.server.problems import details, problem_of
from text2sql.server.sources import Source, Sources

log = logging.getLogger(__name__)

_AT_ONCE = 2  # reports; each asks several questions at a time itself
_WAITING = 20
_KEPT = 20


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be made, and of what."""

    template: Template
    kind: Kind
    parameters: dict[str, str]
    lock: Lock
    today: date
    terms: Terms
    source: Source


@dataclass(slots=True)
class Making:
    user: str
    language: Language
    order: Order
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    step: Step | None = None
    report: Report | None = None
    problem: dict[str, Any] | None = None
    task: "asyncio.Task[None] | None" = None

    def take(self, step: Step) -> None:
        self.step = step

    def told(self) -> dict[str, Any]:
        step = self.step
        return {
            "report_id": self.id,
            "status": "done" if self.report else "failed" if self.problem else "running",
            "stage": step.stage if step else "",
            "done": step.done if step else 0,
            "total": step.total if step else 0,
            "formats": list(direct(self.order.kind)) if self.report else [],
            "record": self.report.record if self.report else None,
            "problem": self.problem,
        }


class Reports:
    def __init__(self, auditor: Auditor) -> None:
        self._auditor = auditor
        self._makings: OrderedDict[str, Making] = OrderedDict()
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, user: str, language: Language, order: Order) -> Making:
        running = sum(one.report is None and one.problem is None for one in self._makings.values())
        if running >= _AT_ONCE + _WAITING:
            raise UsageError("usage.report_busy", most=_AT_ONCE + _WAITING)
        making = Making(user, language, order)
        self._makings[making.id] = making
        making.task = self._begin(self._make(making))
        return making

    def find(self, user: str, report_id: str) -> Making:
        """Another user's report is no report: nobody can tell which."""
        making = self._makings.get(report_id)
        if making is None or making.user != user:
            raise UsageError("usage.report_unknown")
        return making

    def drop(self, user: str, report_id: str) -> None:
        making = self.find(user, report_id)
        if making.task is not None:
            making.task.cancel()
        del self._makings[report_id]

    def keep(self, jobs: Sequence[Job], sources: Sources) -> None:
        """The schedule, for as long as the server runs."""
        for job in jobs:
            if job.every is not None:
                self._begin(keep(job.every, partial(self._due, job, sources.named(job.source or None))))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _make(self, making: Making) -> None:
        order = making.order
        try:
            async with self._free:
                made = await make(
                    order.source.app,
                    order.template,
                    order.parameters,
                    order.lock,
                    replace(order.terms, user=making.user, told=making.take),
                    today=order.today,
                    draws=draws_apart,
                )
            await self._audit(made, making.user, order.source)
            making.report = made
            _note(made, order.source)
        except Text2SQLError as error:
            making.problem = problem_of(error, making.language)
        except Exception:  # whatever it is: the reader is told, and the log has it
            log.exception("a report ended with a fault of ours")
            making.problem = details(500, making.language, request_id="-")
        finally:
            ended = [one for one in self._makings.values() if one.report or one.problem]
            for old in ended[: max(0, len(ended) - _KEPT)]:
                self._makings.pop(old.id, None)

    async def _audit(self, report: Report, user: str, source: Source) -> None:
        """On record before it can be fetched."""
        for one in report.filled.outcomes:
            if one.answer is not None:
                await self._auditor.answer(one.answer, user, source.name, one.item.asked)

    async def _due(self, job: Job, source: Source, due: datetime) -> None:
        """One that fails is noted, and the next one comes all the same."""
        try:
            async with self._free:
                report, _ = await do(job, source.app, job.terms, today=due.date(), draws=draws_apart)
            await self._audit(report, "", source)
            _note(report, source)
        except Text2SQLError as error:
            log.warning("the report of %s was not made: %s", job.template.name, error)
        except Exception:  # a schedule outlives every fault
            log.exception("the report of %s ended with a fault of ours", job.template.name)


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
