"""Question sets that are asked while nobody waits. What was judged is kept: whoever goes on does not ask
it again.

Answers and references run as everything of that person does: through the guard, and under their row policies.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from text2sql.app import AsyncText2SQL, How
from text2sql.config import Settings
from text2sql.evaluation.asking import AskApp, Given, settings_for
from text2sql.evaluation.markdown import markdown
from text2sql.evaluation.marking import LIMITS, Judge
from text2sql.evaluation.page import page
from text2sql.evaluation.questions import Question, choose, questions_of
from text2sql.evaluation.records import Record, record_of
from text2sql.evaluation.run import Contestant, evaluate, is_done, places
from text2sql.evaluation.telling import run_object
from text2sql.memory import Held, Memory, Work
from text2sql.messages import Language
from text2sql.server.identity import Identity
from text2sql.server.ledger import Auditor
from text2sql.server.logs import fact
from text2sql.server.metrics import Metrics
from text2sql.server.models import EvaluationRequest
from text2sql.server.sources import Sources
from text2sql.server.works import Kind, Works
from text2sql.sql import check
from text2sql.types import Answer, Status

log = logging.getLogger(__name__)


class Evaluations(Kind):
    name, at_once = "evaluation", 1  # it is long, and asks several questions at a time itself
    patient = True

    def __init__(
        self, works: Works, auditor: Auditor, sources: Sources, settings: Settings, metrics: Metrics
    ) -> None:
        super().__init__(works)
        self._auditor = auditor
        self._sources = sources
        self._settings = settings_for(settings)
        self._metrics = metrics

    async def ask(self, who: Identity, language: Language, asked: EvaluationRequest) -> Work:
        source = self._sources.seen_by(who).named(asked.source)
        chosen(asked, source.name)  # what is wrong with it is told at once
        return await self.start(who, language, asked.model_dump(exclude_unset=True))

    async def do(self, asked: Mapping[str, Any], held: Held, memory: Memory) -> None:
        who = await self.works.welcome(asked)
        request = EvaluationRequest.model_validate(asked["request"])
        source = self._sources.seen_by(who).named(request.source)
        run = _Run(
            held,
            chosen(request, source.name),
            self._metrics,
            welcome=partial(self.works.welcome, asked),
            audit=lambda answer, said: self._auditor.answer(answer, who.user, source.name, said),
        )
        app = source.app.apart(self._settings)
        try:
            kept = await memory.works.parts(held.name, "question")
            records = await run.through(app, How(model=request.model) if request.model else How(), kept)
        finally:
            await app.close()
        # By a thread: intervals are resampled, which takes long sets seconds.
        summary, texts = await asyncio.to_thread(_reports, request.name, records)
        for kind, text in texts.items():
            await held.keep("file", kind, json.dumps(text))
        await held.end("done", json.dumps({**run.told(), "formats": list(texts), "summary": summary}))
        self._metrics.evaluated()
        right = summary["right"]
        fact(log, "evaluation", source=source.name, right=right["count"], of=right["of"])


@dataclass(slots=True)
class _Run:
    """One evaluation under way: it asks for the person, and keeps what was judged among its work's parts."""

    held: Held
    questions: Sequence[Question]
    metrics: Metrics
    welcome: Callable[[], Awaitable[object]]
    audit: Callable[[Answer, str], Awaitable[object]]
    _records: dict[str, Record] = field(default_factory=dict)
    _mark: str = ""
    _asker: AskApp | None = None

    async def through(self, app: AsyncText2SQL, how: How, kept: Mapping[str, str]) -> list[Record]:
        rooms = await app.rooms()
        self._asker, self._mark = AskApp(app, how), rooms.library.mark
        for one in self.questions:
            record = record_of(kept[self._part(one.id)]) if self._part(one.id) in kept else None
            if record is not None and is_done(record, one):
                self._records[one.id] = record
        await self.held.tell(json.dumps(self.told()))
        seen = await rooms.library.knowledge(values=False)
        guard = partial(check, dialect=rooms.database.dialect, schema=seen.catalogue, policy=seen.policy)
        [records] = await evaluate(
            self.questions,
            lambda _: app.source,
            [Contestant(lambda _: self, known=dict(self._records), keep=self._keep)],
            parallel=places(None, rooms.models(how.get("model", ""))),
            judges=lambda _: Judge(rooms.database, partial(guard, rows=LIMITS.rows), lent=True),
        )
        return records

    async def ask(self, question: str) -> Given:
        """As any question of theirs: on record before anything is told of it."""
        if self._asker is None:
            raise RuntimeError("nothing is open yet")
        await self.welcome()
        given = await self._asker.ask(question)
        await self.audit(given.answer, question)
        return given

    async def close(self) -> None:
        """The app is closed by whoever opened it."""

    async def _keep(self, record: Record) -> None:
        question = next(one for one in self.questions if one.id == record.id)
        if question.gold_sql:
            await self.audit(_reference(question, record), f"expected: {question.question}")
        await self.held.keep("question", self._part(record.id), json.dumps(asdict(record)))
        self._records[record.id] = record
        await self.held.tell(json.dumps(self.told()))
        self.metrics.judged(record)

    def told(self) -> dict[str, int]:
        judged = [one for one in self._records.values() if one.verdict != "unjudged"]
        right = sum(one.verdict == "right" for one in judged)
        return {
            "done": len(self._records),
            "total": len(self.questions),
            "judged": len(judged),
            "right": right,
        }

    def _part(self, question_id: str) -> str:
        """Under what may be seen: what was judged under another policy is of no concern now."""
        return sha256(f"{self._mark}\n{question_id}".encode("utf-8", "surrogatepass")).hexdigest()


def chosen(asked: EvaluationRequest, source: str) -> list[Question]:
    """In the form of `text2sql eval --db`, of which `db_id` says nothing."""
    held = [one.model_dump(exclude_unset=True) for one in asked.questions]
    return choose(questions_of(held, Path(asked.name), source), asked.limit, asked.seed)


def _reference(question: Question, record: Record) -> Answer:
    """A statement of the person's own that ran, or did not: the rows are told to nobody."""
    why = record.failure[0] if record.verdict == "unjudged" else ""
    status: Status = "refused" if why.startswith("guard:") else "failed" if why else "answered"
    return Answer(status, question.question, "", sql=question.gold_sql)


def _reports(name: str, records: Sequence[Record]) -> tuple[dict[str, Any], dict[str, str]]:
    summary = run_object(name, records, ())
    told = {**summary, "records": [asdict(one) for one in records]}
    return summary, {
        "json": json.dumps(told, indent=2),
        "md": markdown(name, records, ()),
        "html": page(name, records, ()),
    }


def state_of(work: Work) -> dict[str, Any]:
    told = json.loads(work.told or "{}")
    right, judged = told.get("right", 0), told.get("judged", 0)
    return {
        "evaluation_id": work.id,
        "status": work.state,
        "done": told.get("done", 0),
        "total": told.get("total", 0),
        "judged": judged,
        "right": right,
        "accuracy": round(right / judged, 4) if judged else None,
        "formats": told.get("formats", []),
        "summary": told.get("summary"),
        "problem": told.get("problem"),
    }
