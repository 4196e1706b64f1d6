"""Reports that are asked for and reports that are due: each a piece of work in the server's memory, made by
whichever process gets to it, and fetched from any.

On a PostgreSQL with `text2sql[queue]` the queue hands the work out, and takes it back from a process that
died. Else the process that was asked makes it, or the next one to start if that died. Either way a question
whose outcome is kept is not run again.
"""

import asyncio
import json
import logging
from base64 import b64encode
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from secrets import token_hex
from typing import Any

from text2sql.errors import StoreError, StoreUnavailable, Text2SQLError, UsageError
from text2sql.memory import Held, Lost, Memory, Work, owned_by
from text2sql.messages import Language
from text2sql.reports.filling import Item, Outcome, Step
from text2sql.reports.journal import dumped, restored
from text2sql.reports.lock import written
from text2sql.reports.making import Report, draws_apart, make
from text2sql.reports.schedule import Job, do, keep
from text2sql.reports.writing import direct, document
from text2sql.server.identity import Doorkeeper, Identity
from text2sql.server.ledger import Auditor, Ledger
from text2sql.server.logs import fact
from text2sql.server.metrics import Metrics
from text2sql.server.models import ReportRequest
from text2sql.server.orders import order_of, read_identity, told_identity
from text2sql.server.problems import details, problem_of
from text2sql.server.sources import Source, Sources

log = logging.getLogger(__name__)

AT_ONCE = 2  # reports in one process; each asks several questions at a time itself
_UNFINISHED = 20  # of one user
_KEPT = 20  # of one user
_TRIES = 10  # that a report may cost: one that ends every process that makes it must not end them all
_AGAIN = 5.0  # seconds before another try, where there is no queue


class Reports:
    def __init__(
        self,
        ledger: Ledger,
        auditor: Auditor,
        door: Doorkeeper,
        sources: Sources,
        schedule: Sequence[Job],
        *,
        metrics: Metrics,
        background: bool,
    ) -> None:
        """`background`: take work off the queue here, and not only put it there."""
        self._ledger = ledger
        self._auditor = auditor
        self._door = door
        self._sources = sources
        self._schedule = schedule
        self._metrics = metrics
        self._background = background
        self._free = asyncio.Semaphore(AT_ONCE)
        self._tasks: set[asyncio.Task[None]] = set()
        self._held: dict[str, Held] = {}

    # -- what is asked for -----------------------------------------------------------------------

    async def start(self, who: Identity, language: Language, asked: ReportRequest) -> Work:
        order = await asyncio.to_thread(order_of, asked)  # what is wrong with it is told at once
        self._sources.seen_by(who).named(asked.source)
        works = (await self._ledger.memory()).works
        if len(await works.left(owned_by(who.user))) >= _UNFINISHED:
            raise UsageError("usage.report_busy", most=_UNFINISHED)
        name, dated = token_hex(16), asked.model_copy(update={"date": f"{order.today}"})
        told = {"request": dated.model_dump(), "who": told_identity(who), "language": language}
        await works.add(name, owned_by(who.user), json.dumps(told))
        await self._begin(name)
        return await self.find(who.user, name)

    async def find(self, user: str, report_id: str) -> Work:
        """Another user's report is no report: nobody can tell which."""
        work = await (await self._ledger.memory()).works.find(report_id, owned_by(user))
        if work is None:
            raise UsageError("usage.report_unknown")
        return work

    async def part(self, user: str, report_id: str, kind: str, which: str) -> str:
        work = await self.find(user, report_id)
        found = await (await self._ledger.memory()).works.part(work.id, kind, which)
        if work.state != "done" or found is None:
            raise UsageError("usage.report_not_ready")
        return found

    async def drop(self, user: str, report_id: str) -> None:
        work = await self.find(user, report_id)
        await (await self._ledger.memory()).works.drop(work.id)
        if work.id in self._held:
            self._held[work.id].give_up()

    # -- who makes it ----------------------------------------------------------------------------

    def open(self) -> None:
        """For as long as the server runs: the schedule, and what processes that died have left."""
        for place, job in enumerate(self._schedule):
            if job.every is not None:
                self._soon(keep(job.every, partial(self.due, place)))
        if self._ledger.queue is None:
            self._soon(self._take_up())
        elif self._background:
            self._soon(self._ledger.queue.work(self.make, AT_ONCE))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def due(self, place: int, due: datetime) -> None:
        """Every process says so; the name makes it one report. While an earlier one is not done there is no
        next one.
        """
        job = self._schedule[place]
        line = f"/{place}|{job.template.name}|{job.every.text if job.every else ''}"
        name = sha256(f"{line}|{due.isoformat()}".encode()).hexdigest()
        try:
            works = (await self._ledger.memory()).works
            earlier = await works.left(line)
            if not earlier:
                told = {"place": place, "template": job.template.name, "due": due.isoformat()}
                await works.add(name, line, json.dumps(told))
            await self._begin(next(iter(earlier), name))
        except StoreError as error:
            log.warning("the report of %s was not begun: %s", job.template.name, error)

    async def make(self, name: str) -> bool:
        """True when nothing is left to do for it, False while another process is at it."""
        memory = await self._ledger.memory()
        try:
            async with self._free, memory.works.held(name) as held:
                if held is not None:
                    await self._try(held, memory)
        except Lost:
            log.info("a report was dropped, or is made elsewhere")
        left = await memory.works.find(name)
        return left is None or left.state != "running"

    async def _begin(self, name: str) -> None:
        if self._ledger.queue is None:
            self._soon(self._tend(name))
        else:
            await self._ledger.queue.put(name)

    async def _tend(self, name: str) -> None:
        while True:
            try:
                if await self.make(name):
                    return
            except StoreUnavailable as error:
                log.warning("a report waits for its memory: %s", error)
            await asyncio.sleep(_AGAIN)

    async def _take_up(self) -> None:
        try:
            for name in await (await self._ledger.memory()).works.left():
                self._soon(self._tend(name))
        except StoreError as error:
            log.warning("unfinished reports were not looked for: %s", error)

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- how it is made --------------------------------------------------------------------------

    async def _try(self, held: Held, memory: Memory) -> None:
        work = await memory.works.find(held.name)
        if work is None:
            raise Lost
        asked: dict[str, Any] = json.loads(work.asked)
        language = asked.get("language", "en")
        self._held[work.id] = held
        try:
            await self._do(work.tries, asked, held, memory)
        except StoreUnavailable:
            raise  # it is tried again: nothing is wrong with the report
        except Text2SQLError as error:
            log.warning("a report was not made: %s", error)
            await held.end("failed", json.dumps({"problem": problem_of(error, language)}))
        except Lost:
            raise
        except Exception:  # whatever it is: the reader is told, and the log has it
            log.exception("a report ended with a fault of ours")
            await held.end("failed", json.dumps({"problem": details(500, language, request_id="-")}))
        finally:
            del self._held[work.id]

    async def _do(self, tries: int, asked: dict[str, Any], held: Held, memory: Memory) -> None:
        if tries > _TRIES:
            raise UsageError("usage.report_given_up", tries=_TRIES)
        await (self._make if "request" in asked else self._make_due)(asked, held, memory)

    async def _make(self, asked: dict[str, Any], held: Held, memory: Memory) -> None:
        who = read_identity(asked["who"])
        if not await self._door.still_welcome(who):
            raise UsageError("usage.not_welcome")
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
        await memory.works.trim(owned_by(who.user), _KEPT)

    async def _make_due(self, asked: dict[str, Any], held: Held, memory: Memory) -> None:
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
