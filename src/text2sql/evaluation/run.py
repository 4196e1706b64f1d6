"""Run an evaluation: ask every question of a set, judge the answers and write a record for each.

An interrupted run resumes: questions with a record are not asked again. Records are written in question
order, regardless of concurrency.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from text2sql.config import Settings
from text2sql.errors import StoreError, Text2SQLError, UsageError
from text2sql.evaluation.judge import DECLINED, Judge, open_judge
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import RAN, Kept, Record
from text2sql.evaluation.subjects import Open, Subject, SubjectAnswer
from text2sql.llm import AsyncChatModel
from text2sql.types import Answer, Problem

Where: TypeAlias = Callable[[Question], str]  # question → path or URL of its database
Told: TypeAlias = Callable[[int, Record], None]  # callback for a new record, with the index of its app
Judges: TypeAlias = Callable[[str], Judge]  # path or URL of a database → its judge

PARALLEL = 4  # concurrent questions to a hosted model

# Error kinds that every further question would meet too: no file, no key, no such model.
_FATAL_KINDS = ("file", "not_allowed")
# Error kinds that say nothing about the question: a resumed run asks it again.
_TRANSIENT_KINDS = ("unavailable", "rate_limited")


@dataclass(frozen=True, slots=True)
class EvaluatedApp:
    """An app under evaluation, and where its records are kept: in a file, or by the `keep` callback."""

    opens: Open  # creates the subject for a database
    out: Path | None = None  # the record file
    known: Mapping[str, Record] = field(default_factory=dict)  # earlier records, by question id
    keep: Callable[[Record], Awaitable[None]] | None = None  # called as soon as an answer is judged


async def evaluate(
    questions: Sequence[Question],
    where: Where,
    contestants: Sequence[EvaluatedApp],
    *,
    settings: Settings | None = None,
    on_record: Told | None = None,
    parallel: int = 1,
    judges: Judges | None = None,
) -> list[list[Record]]:
    """The records of each app, in question order. `on_record` is called for each new record."""
    with ExitStack() as stack:
        kept = [stack.enter_context(Kept(app.out, app.known)) for app in contestants]
        jobs = [
            (at, question)
            for _, group in groupby(questions, key=where)
            for at, asked in enumerate([list(group)] * len(contestants))
            for question in asked
            if not is_done(kept[at].records.get(question.id), question)
        ]
        judges = judges or partial(open_judge, settings=settings or Settings())
        databases = _OpenDatabases(contestants, judges, Counter(where(question) for _, question in jobs))
        async with databases:
            semaphore = asyncio.Semaphore(parallel)

            async def ask_question(at: int, question: Question) -> Record:
                async with semaphore:
                    record = await databases.ask(at, question, where(question))
                    if (keep := contestants[at].keep) is not None:
                        await keep(record)
                    return record

            await _write_in_order(
                [(at, ask_question(at, question)) for at, question in jobs], kept, on_record
            )
        return [[record_file.records[question.id] for question in questions] for record_file in kept]


def places(requested: int | None, model: AsyncChatModel) -> int:
    """The number of concurrent questions: one for a model that serves calls one after the other."""
    return requested or PARALLEL if model.profile.concurrent else 1


def is_done(record: Record | None, question: Question) -> bool:
    """Whether an existing record answers this question."""
    if record is None or (
        record.status == "failed" and record.failure and record.failure[0] in _TRANSIENT_KINDS
    ):
        return False
    return (record.question, record.db_id) == (question.question, question.db_id)


async def _write_in_order(
    work: Sequence[tuple[int, Awaitable[Record]]], files: Sequence[Kept], on_record: Told | None
) -> None:
    """Write each record as soon as those before it are done. Finished records are kept even if the run is
    interrupted.
    """
    tasks = [(at, asyncio.ensure_future(job)) for at, job in work]
    pending = list(reversed(tasks))
    try:
        while pending:
            at, task = pending[-1]
            record = await task
            pending.pop()
            files[at].write(record)
            if on_record is not None:
                on_record(at, record)
    finally:
        for _, task in pending:
            task.cancel()
        await asyncio.gather(*(task for _, task in pending), return_exceptions=True)
        for at, task in reversed(pending):
            if not task.cancelled() and task.exception() is None:
                files[at].write(task.result())


@dataclass(slots=True)
class _OpenDatabase:
    """An open database with its judge and the subjects that answer questions about it."""

    judge: Judge
    subjects: dict[int, Subject] = field(default_factory=dict)

    async def close(self) -> None:
        for subject in self.subjects.values():
            await subject.close()
        await self.judge.close()


class _OpenDatabases:
    """The databases that still have pending questions. Each is closed after its last question."""

    def __init__(self, contestants: Sequence[EvaluatedApp], judges: Judges, left: Counter[str]) -> None:
        self._contestants = contestants
        self._judges = judges
        self._left = left
        self._open: dict[str, _OpenDatabase] = {}

    async def ask(self, at: int, question: Question, source: str) -> Record:
        if source not in self._open:
            self._open[source] = _OpenDatabase(self._judges(source))
        database = self._open[source]
        if at not in database.subjects:
            database.subjects[at] = self._contestants[at].opens(source)
        try:
            return await _judge_question(question, database.subjects[at], database.judge)
        finally:
            self._left[source] -= 1
            if not self._left[source]:
                await self._open.pop(source).close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._open:
            await self._open.popitem()[1].close()


async def _judge_question(question: Question, subject: Subject, judge: Judge) -> Record:
    start = time.monotonic()
    try:
        reply = await subject.ask(question.asked)
    except (UsageError, StoreError):
        raise
    except Text2SQLError as error:  # a failed question is a result and does not end the run
        kind = getattr(error, "kind", error.message_key)
        reply = SubjectAnswer(Answer("failed", question.asked, "", error=Problem(kind, str(error))))
    seconds = time.monotonic() - start
    answer = reply.answer
    if answer.status == "failed" and answer.error and answer.error.kind in _FATAL_KINDS:
        raise Text2SQLError("evaluation.stopped", detail=answer.error.message)
    verdict, failure = await judge.judge(question, answer)
    any_right = None
    if reply.candidates and verdict in ("right", "wrong", "error"):
        any_right = verdict == "right"
        for candidate in reply.candidates:
            any_right = any_right or (candidate != answer.sql and await judge.is_right(question, candidate))
    asked_back = verdict == "none" and answer.status in DECLINED and answer.sql != ""
    ran = verdict in RAN or (asked_back and await judge.runs(answer.sql))
    receipt = answer.receipt
    return Record(
        question.id,
        question.db_id,
        question.question,
        answer.sql,
        answer.status,
        verdict,
        round(seconds, 3),
        receipt.usage.calls,
        receipt.usage.prompt_tokens,
        receipt.usage.completion_tokens,
        await judge.hardness(question),
        failure,
        question.difficulty,
        receipt.confidence if answer.status == "answered" else None,
        dict(receipt.signals),
        receipt.repairs,
        receipt.attempts,
        len(receipt.candidates),
        any_right,
        ran,
        question.foreign,
        receipt.model,
    )
