"""Run an evaluation: ask every question of a set, judge the answers and write a record for each.

An interrupted run resumes: questions with a record are not asked again. The questions of a conversation are
asked one after the other. Records are written in question
order, regardless of concurrency.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, product
from pathlib import Path
from typing import TypeAlias

from text2sql.config import Settings
from text2sql.errors import StoreError, Text2SQLError, UsageError
from text2sql.evaluation.judge import DECLINED, Judge, open_judge
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import RAN, Record, RecordFile, outcome_of
from text2sql.evaluation.sampling import conversations
from text2sql.evaluation.subjects import Open, Subject, SubjectAnswer
from text2sql.llm import AsyncChatModel
from text2sql.types import Answer, Problem

Locate: TypeAlias = Callable[[Question], str]  # question → path or URL of its database
OnRecord: TypeAlias = Callable[[int, Record], None]  # callback for a new record, with the index of its app
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
    locate: Locate,
    apps: Sequence[EvaluatedApp],
    *,
    settings: Settings | None = None,
    on_record: OnRecord | None = None,
    parallel: int = 1,
    judges: Judges | None = None,
) -> list[list[Record]]:
    """The records of each app, in question order. `on_record` is called for each new record."""
    with ExitStack() as stack:
        files = [stack.enter_context(RecordFile(app.out, app.known)) for app in apps]
        done = [done_ids(questions, file.records) for file in files]
        # all apps answer the questions about a database before it is closed
        jobs = [
            (index, question)
            for _, group in groupby(questions, key=locate)
            for index, part in product(range(len(apps)), conversations(group))
            for question in part
            if question.id not in done[index]
        ]
        judges = judges or partial(open_judge, settings=settings or Settings())
        databases = _OpenDatabases(apps, judges, Counter(locate(question) for _, question in jobs))
        semaphore = asyncio.Semaphore(parallel)

        turns = _Turns()

        async def ask_question(index: int, question: Question, turn: _Turn) -> Record:
            async with turn, semaphore:
                record = await databases.ask(index, question, locate(question))
                if (keep := apps[index].keep) is not None:
                    await keep(record)
                return record

        async with aclosing(databases):
            tasks = [
                (index, ask_question(index, question, turns.next(index, question)))
                for index, question in jobs
            ]
            await _write_in_order(tasks, files, on_record)
        return [[file.records[question.id] for question in questions] for file in files]


def concurrency(requested: int | None, model: AsyncChatModel) -> int:
    """The number of concurrent questions: one for a model that serves calls one after the other."""
    return requested or PARALLEL if model.profile.concurrent else 1


def done_ids(questions: Sequence[Question], records: Mapping[str, Record]) -> set[str]:
    """The questions that need not be asked again. A conversation is asked again as a whole: its later turns
    need the earlier ones.
    """
    return {
        question.id
        for part in conversations(questions)
        if all(is_done(records.get(question.id), question) for question in part)
        for question in part
    }


def is_done(record: Record | None, question: Question) -> bool:
    """Whether an existing record answers this question."""
    if record is None or (
        record.status == "failed" and record.failure and record.failure[0] in _TRANSIENT_KINDS
    ):
        return False
    return (record.question, record.db_id) == (question.question, question.db_id)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A question's place in its conversation: entered after the turn before it, left when it is answered."""

    previous: asyncio.Event | None = None
    answered: asyncio.Event = field(default_factory=asyncio.Event)

    async def __aenter__(self) -> None:
        if self.previous is not None:
            await self.previous.wait()

    async def __aexit__(self, *_: object) -> None:
        self.answered.set()


class _Turns:
    """Makes the turns of all conversations, in the order of the questions."""

    def __init__(self) -> None:
        self._last: dict[tuple[int, str, str], _Turn] = {}

    def next(self, index: int, question: Question) -> _Turn:
        key = (index, question.db_id, question.thread)
        last = self._last.get(key) if question.thread else None
        self._last[key] = turn = _Turn(last.answered if last else None)
        return turn


async def _write_in_order(
    jobs: Sequence[tuple[int, Awaitable[Record]]], files: Sequence[RecordFile], on_record: OnRecord | None
) -> None:
    """Write each record as soon as those before it are done. Finished records are kept even if the run is
    interrupted.
    """
    pending = deque((index, asyncio.ensure_future(job)) for index, job in jobs)
    try:
        while pending:
            index, task = pending[0]
            record = await task
            pending.popleft()
            files[index].write(record)
            if on_record is not None:
                on_record(index, record)
    finally:
        for _, task in pending:
            task.cancel()
        await asyncio.gather(*(task for _, task in pending), return_exceptions=True)
        for index, task in pending:
            if not task.cancelled() and task.exception() is None:
                files[index].write(task.result())


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

    def __init__(self, apps: Sequence[EvaluatedApp], judges: Judges, pending: Counter[str]) -> None:
        self._apps = apps
        self._judges = judges
        self._pending = pending
        self._open: dict[str, _OpenDatabase] = {}

    async def ask(self, index: int, question: Question, source: str) -> Record:
        try:
            if source not in self._open:
                self._open[source] = _OpenDatabase(self._judges(source))
        except UsageError as error:
            if len(self._pending) == 1:
                raise
            return _unopened(question, error)  # one of several databases: the others can be asked
        database = self._open[source]
        if index not in database.subjects:
            database.subjects[index] = self._apps[index].opens(source)
        try:
            return await _judge_question(question, database.subjects[index], database.judge)
        finally:
            self._pending[source] -= 1
            if not self._pending[source]:
                await self._open.pop(source).close()

    async def aclose(self) -> None:
        while self._open:
            await self._open.popitem()[1].close()


def _unopened(question: Question, error: UsageError) -> Record:
    """The record of a question whose database cannot be opened."""
    return Record(
        question.id,
        question.db_id,
        question.question,
        sql="",
        status="failed",
        verdict="none",
        seconds=0.0,
        calls=0,
        prompt_tokens=0,
        completion_tokens=0,
        failure=(error.message_key,),
        difficulty=question.difficulty,
        outcome="failed",
        expected=question.statuses,
        sentence=str(error),
        kind=question.kind,
        lang=question.lang,
        thread=question.thread,
    )


async def _judge_question(question: Question, subject: Subject, judge: Judge) -> Record:
    start = time.monotonic()
    try:
        reply = await subject.ask(question.with_evidence, question.thread, question.today)
    except (UsageError, StoreError):
        raise
    except Text2SQLError as error:  # a failed question is a result and does not end the run
        kind = getattr(error, "kind", error.message_key)
        reply = SubjectAnswer(Answer("failed", question.with_evidence, "", error=Problem(kind, str(error))))
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
        outcome_of(verdict, answer.status, receipt.certainty or ""),
        receipt.certainty or "",
        question.statuses,
        answer.answer,
        question.kind,
        question.lang,
        question.thread,
    )
