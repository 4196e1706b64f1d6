"""Report jobs, on request or on a schedule. Each question's outcome is stored, so that a process that
resumes the job does not run it again.
"""

import asyncio
import binascii
import json
import logging
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from hashlib import sha256
from typing import Any, ClassVar

from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.memory import ClaimedJob, Memory
from text2sql.reports.build import Report, build_report, render_in_subprocess
from text2sql.reports.cron import Cron
from text2sql.reports.lock import Lock, lock_text, parse_lock
from text2sql.reports.outcomes import Item, Outcome, ReportOptions, Step, outcome_from_json, outcome_to_json
from text2sql.reports.output import DIRECT_FORMATS, report_files
from text2sql.reports.parameters import check_parameters
from text2sql.reports.schedule import Job, run_job
from text2sql.reports.template import Template, read_template
from text2sql.server.audit import AuditLog
from text2sql.server.identity import Identity
from text2sql.server.jobs import JobRunner, JobType
from text2sql.server.logs import log_fields
from text2sql.server.metrics import Metrics
from text2sql.server.models import ReportRequest
from text2sql.server.sources import Source, Sources

log = logging.getLogger(__name__)


class Reports(JobType):
    name, concurrency = "report", 2  # one report asks several questions in parallel
    initial_progress: ClassVar = {"stage": "", "done": 0, "total": 0, "formats": [], "record": None}

    def __init__(
        self, jobs: JobRunner, auditor: AuditLog, sources: Sources, schedule: Sequence[Job], metrics: Metrics
    ) -> None:
        super().__init__(jobs)
        self._auditor = auditor
        self._sources = sources
        self._schedule = schedule
        self._metrics = metrics

    async def submit(self, identity: Identity, language: Language, request: ReportRequest) -> dict[str, Any]:
        parsed = await asyncio.to_thread(_parse, request)  # raise now for an invalid request
        self._sources.seen_by(identity).named(request.source)
        dated = request.model_copy(update={"date": f"{parsed.today}"})
        return await self.start(identity, language, dated.model_dump())

    def schedule(self) -> list[tuple[str, Cron, dict[str, Any]]]:
        return [
            (
                f"/{index}|{job.template.name}|{job.every.text}",
                job.every,
                {"place": index, "template": job.template.name},
            )
            for index, job in enumerate(self._schedule)
            if job.every is not None
        ]

    async def run(self, payload: Mapping[str, Any], job: ClaimedJob, memory: Memory) -> None:
        await (self._run_requested if "request" in payload else self._run_scheduled)(payload, job, memory)

    async def _run_requested(self, payload: Mapping[str, Any], job: ClaimedJob, memory: Memory) -> None:
        identity = await self.jobs.authorize(payload)
        request = ReportRequest.model_validate(payload["request"])
        parsed = await asyncio.to_thread(_parse, request)
        source = self._sources.seen_by(identity).named(request.source)
        options = replace(parsed.options, user=identity.user, journal=await _journal(source, job, memory))
        report = await build_report(
            source.app,
            parsed.template,
            parsed.parameters,
            parsed.lock,
            options,
            today=parsed.today,
            render_chart=render_in_subprocess,
        )
        await self._audit(report, identity.user, source)
        for kind in DIRECT_FORMATS[request.format]:
            *_, data = (await asyncio.to_thread(report_files, report, kind)).values()
            await job.save_part("file", kind, b64encode(data).decode())
        await job.save_part("file", "lock", json.dumps(lock_text(report.answers.lock)))
        result = {"formats": DIRECT_FORMATS[request.format], "record": report.record}
        await job.end("done", json.dumps(result))
        _log_report(report, source)
        self._metrics.reported(report.record)

    async def _run_scheduled(self, payload: Mapping[str, Any], job: ClaimedJob, memory: Memory) -> None:
        due = datetime.fromisoformat(payload["due"])
        scheduled = next(iter(self._schedule[payload["place"] :]), None)
        if scheduled is None or scheduled.template.name != payload["template"]:
            raise UsageError("usage.report_unknown")  # this process has another schedule file
        source = self._sources.named(scheduled.source or None)
        options = replace(scheduled.options, journal=await _journal(source, job, memory))
        report, _ = await run_job(
            scheduled, source.app, options, today=due.date(), render_chart=render_in_subprocess
        )
        await self._audit(report, "", source)
        await job.end("done", "{}")
        _log_report(report, source)
        self._metrics.reported(report.record)

    async def _audit(self, report: Report, user: str, source: Source) -> None:
        """Write the audit records before the report can be fetched."""
        for outcome in report.answers.outcomes:
            if outcome.answer is not None:
                await self._auditor.answer(outcome.answer, user, source.name, outcome.item.resolved)


class _Journal:
    """Stores the outcomes of a report's questions as parts of its job."""

    def __init__(self, job: ClaimedJob, policy_mark: str, stored: dict[str, str]) -> None:
        self._job = job
        self._policy_mark = policy_mark
        self._stored = stored

    async def load(self, item: Item) -> Outcome | None:
        stored = self._stored.get(self._name(item))
        return outcome_from_json(item, stored) if stored else None

    async def save(self, step: Step, outcome: Outcome) -> None:
        await self._job.save_part("question", self._name(outcome.item), outcome_to_json(outcome))
        progress = {"stage": step.stage, "done": step.done, "total": step.total}
        await self._job.report(json.dumps(progress))

    def _name(self, item: Item) -> str:
        """The name of a stored outcome. It includes the policy: outcomes of another one are not reused."""
        return sha256(
            f"{self._policy_mark}\n{item.question}\n{item.resolved}".encode("utf-8", "surrogatepass")
        ).hexdigest()


async def _journal(source: Source, job: ClaimedJob, memory: Memory) -> _Journal:
    resources = await source.app.resources()
    return _Journal(job, resources.catalog_cache.mark, dict(await memory.jobs.parts(job.name, "question")))


def _log_report(report: Report, source: Source) -> None:
    record = report.record
    log_fields(
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


@dataclass(frozen=True, slots=True)
class _ParsedRequest:
    template: Template
    parameters: dict[str, str]
    lock: Lock
    today: date
    options: ReportOptions


def _parse(request: ReportRequest) -> _ParsedRequest:
    return _ParsedRequest(
        template=_template(request),
        parameters=check_parameters(request.parameters),
        lock=parse_lock(request.lock, "lock"),
        today=_parse_date(request.date),
        options=ReportOptions(language=request.language or "", locked=request.locked),
    )


def _template(request: ReportRequest) -> Template:
    if request.format != "docx":
        return read_template(request.template.encode("utf-8", "replace"), request.format)
    try:
        return read_template(b64decode(request.template, validate=True), "docx")
    except binascii.Error as error:
        raise UsageError("usage.report_docx", detail="no Base64") from error


def _parse_date(text: str | None) -> date:
    try:
        return date.fromisoformat(text) if text else date.today()
    except ValueError as error:
        raise UsageError("usage.report_date", given=text) from error
