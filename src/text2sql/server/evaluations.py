"""Evaluation jobs: ask a question set in the background and judge the answers.

Each judged question is stored, so that a process that resumes the job does not ask it again. Questions and
reference queries run as the user who submitted them: through the guard, and under that user's row policies.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.evaluation.export import run_object
from text2sql.evaluation.html_report import page
from text2sql.evaluation.judge import LIMITS, Judge
from text2sql.evaluation.markdown import markdown
from text2sql.evaluation.questions import Question, questions_of
from text2sql.evaluation.records import Record, record_of
from text2sql.evaluation.run import EvaluatedApp, concurrency, evaluate, is_done
from text2sql.evaluation.sampling import choose
from text2sql.evaluation.subjects import AskApp, SubjectAnswer, settings_for
from text2sql.i18n import Language
from text2sql.memory import ClaimedJob, Memory, StoredJob
from text2sql.server.audit import AuditLog
from text2sql.server.identity import Identity
from text2sql.server.jobs import JobRunner, JobType
from text2sql.server.logs import log_fields
from text2sql.server.metrics import Metrics
from text2sql.server.models import EvaluationRequest
from text2sql.server.sources import Sources
from text2sql.sql import check
from text2sql.types import Answer, RunOptions, Status

log = logging.getLogger(__name__)


class Evaluations(JobType):
    name, concurrency = "evaluation", 1  # one evaluation asks several questions in parallel
    retry_transient_errors = True
    initial_progress: ClassVar = {
        "done": 0,
        "total": 0,
        "judged": 0,
        "right": 0,
        "formats": [],
        "summary": None,
    }

    def __init__(
        self, jobs: JobRunner, auditor: AuditLog, sources: Sources, settings: Settings, metrics: Metrics
    ) -> None:
        super().__init__(jobs)
        self._auditor = auditor
        self._sources = sources
        self._settings = settings_for(settings)
        self._metrics = metrics

    async def submit(
        self, identity: Identity, language: Language, request: EvaluationRequest
    ) -> dict[str, Any]:
        source = self._sources.seen_by(identity).named(request.source)
        selected_questions(request, source.name)  # raise now for an invalid request
        return await self.start(identity, language, request.model_dump(exclude_unset=True))

    async def run(self, payload: Mapping[str, Any], job: ClaimedJob, memory: Memory) -> None:
        identity = await self.jobs.authorize(payload)
        request = EvaluationRequest.model_validate(payload["request"])
        source = self._sources.seen_by(identity).named(request.source)
        evaluation = _EvaluationRun(
            job,
            selected_questions(request, source.name),
            self._metrics,
            authorize=partial(self.jobs.authorize, payload),
            audit=lambda answer, sql: self._auditor.answer(answer, identity.user, source.name, sql),
        )
        app = source.app.apart(self._settings)
        try:
            stored_records = await memory.jobs.parts(job.name, "question")
            records = await evaluation.evaluate(app, RunOptions(model=request.model or ""), stored_records)
        finally:
            await app.close()
        # In a thread: resampling the intervals takes seconds for long sets.
        summary, texts = await asyncio.to_thread(_reports, request.name, records)
        for kind, text in texts.items():
            await job.save_part("file", kind, json.dumps(text))
        await job.end(
            "done", json.dumps({**evaluation.progress(), "formats": list(texts), "summary": summary})
        )
        self._metrics.count("evaluations")
        right = summary["right"]
        log_fields(log, "evaluation", source=source.name, right=right["count"], of=right["of"])

    def state_of(self, work: StoredJob) -> dict[str, Any]:
        state = super().state_of(work)
        accuracy = round(state["right"] / state["judged"], 4) if state["judged"] else None
        return {**state, "accuracy": accuracy}


@dataclass(slots=True)
class _EvaluationRun:
    """One running evaluation: asks as the user and stores each judged record as a part of the job."""

    job: ClaimedJob
    questions: Sequence[Question]
    metrics: Metrics
    authorize: Callable[[], Awaitable[object]]
    audit: Callable[[Answer, str], Awaitable[object]]
    _records: dict[str, Record] = field(default_factory=dict)
    _policy_mark: str = ""
    _app: AskApp | None = None

    async def evaluate(
        self, app: AsyncText2SQL, options: RunOptions, stored_records: Mapping[str, str]
    ) -> list[Record]:
        resources = await app.resources()
        self._app, self._policy_mark = AskApp(app, options), resources.catalog_cache.mark
        for question in self.questions:
            part = self._part(question.id)
            record = record_of(stored_records[part]) if part in stored_records else None
            if record is not None and is_done(record, question):
                self._records[question.id] = record
        await self.job.report(json.dumps(self.progress()))
        context = await resources.catalog_cache.schema_context(values=False)
        guard = partial(
            check, dialect=resources.database.dialect, schema=context.catalog, policy=context.policy
        )
        [records] = await evaluate(
            self.questions,
            lambda _: app.source,
            [EvaluatedApp(lambda _: self, known=dict(self._records), keep=self._keep)],
            parallel=concurrency(None, resources.models(options.model)),
            judges=lambda _: Judge(resources.database, partial(guard, rows=LIMITS.rows), closes=False),
        )
        return records

    async def ask(self, question: str, thread: str = "", today: str = "") -> SubjectAnswer:
        """Ask one question; the audit record is written before the answer is used."""
        if self._app is None:
            raise RuntimeError("the app is not open yet")
        await self.authorize()
        result = await self._app.ask(question, thread, today)
        await self.audit(result.answer, question)
        return result

    async def close(self) -> None:
        """Nothing to close: the caller owns the app."""

    async def _keep(self, record: Record) -> None:
        question = next(question for question in self.questions if question.id == record.id)
        for sql in question.references:
            await self.audit(_reference(question, sql, record), f"expected: {question.question}")
        await self.job.save_part("question", self._part(record.id), json.dumps(asdict(record)))
        self._records[record.id] = record
        await self.job.report(json.dumps(self.progress()))
        self.metrics.judged(record)

    def progress(self) -> dict[str, int]:
        judged = [record for record in self._records.values() if record.verdict != "unjudged"]
        right = sum(record.verdict == "right" for record in judged)
        return {
            "done": len(self._records),
            "total": len(self.questions),
            "judged": len(judged),
            "right": right,
        }

    def _part(self, question_id: str) -> str:
        """The name of a stored record. It includes the policy: records of another one are not reused."""
        return sha256(f"{self._policy_mark}\n{question_id}".encode("utf-8", "surrogatepass")).hexdigest()


def selected_questions(request: EvaluationRequest, source: str) -> list[Question]:
    """The questions to ask, in the format of `text2sql eval --db`; `db_id` is ignored."""
    items = [question.model_dump(exclude_unset=True) for question in request.questions]
    return choose(questions_of(items, Path(request.name), source), request.limit, request.seed)


def _reference(question: Question, sql: str, record: Record) -> Answer:
    """The reference query as an answer for the audit log; its rows are not sent to the client."""
    failure = record.failure[0] if record.verdict == "unjudged" else ""
    status: Status = "refused" if failure.startswith("guard:") else "failed" if failure else "answered"
    return Answer(status, question.question, "", sql=sql)


def _reports(name: str, records: Sequence[Record]) -> tuple[dict[str, Any], dict[str, str]]:
    summary = run_object(name, records, ())
    document = {**summary, "records": [asdict(record) for record in records]}
    return summary, {
        "json": json.dumps(document, indent=2),
        "md": markdown(name, records, ()),
        "html": page(name, records, ()),
    }
