"""Asks every question of a set, has the answer judged, and keeps a line for each.

A run that was stopped goes on where it ended: the lines that are there are not asked again. Lines are written
in the order of the questions, however many are asked at a time.
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
from text2sql.evaluation.asking import Asker, Given, Open
from text2sql.evaluation.marking import Judge, judge_at
from text2sql.evaluation.questions import Question
from text2sql.evaluation.records import RAN, Kept, Record
from text2sql.llm import AsyncChatModel
from text2sql.types import Answer, Problem

Where: TypeAlias = Callable[[Question], str]  # the database of a question: its path or URL
Told: TypeAlias = Callable[[int, Record], None]  # the number of the contestant, and how it did
Judges: TypeAlias = Callable[[str], Judge]  # of the database at this path or URL

PARALLEL = 4  # questions at a time, where the model is somebody else's machine

# Kinds of errors that every further question would meet again: no file, no key, no such model.
_HOPELESS = ("file", "not_allowed")
# A model that was not there says nothing about the question: a run that goes on asks it once more.
_AWAY = ("unavailable", "rate_limited")


@dataclass(frozen=True, slots=True)
class Contestant:
    """Somebody who is asked all questions, and where what came of it is kept: in a file, or by `keep`, which
    hears of each as soon as it is judged, and whose earlier words are `known`.
    """

    opens: Open
    out: Path | None = None
    known: Mapping[str, Record] = field(default_factory=dict)
    keep: Callable[[Record], Awaitable[None]] | None = None


async def evaluate(
    questions: Sequence[Question],
    where: Where,
    contestants: Sequence[Contestant],
    *,
    settings: Settings | None = None,
    told: Told | None = None,
    parallel: int = 1,
    judges: Judges | None = None,
) -> list[list[Record]]:
    """The records of each contestant, in the order of the questions. `told` hears of each new one."""
    with ExitStack() as files:
        kept = [files.enter_context(Kept(one.out, one.known)) for one in contestants]
        jobs = [
            (at, question)
            for _, group in groupby(questions, key=where)
            for at, asked in enumerate([list(group)] * len(contestants))
            for question in asked
            if not is_done(kept[at].records.get(question.id), question)
        ]
        judges = judges or partial(judge_at, settings=settings or Settings())
        stands = _Stands(contestants, judges, Counter(where(one) for _, one in jobs))
        async with stands:
            turns = asyncio.Semaphore(parallel)

            async def one(at: int, question: Question) -> Record:
                async with turns:
                    record = await stands.ask(at, question, where(question))
                    if (keep := contestants[at].keep) is not None:
                        await keep(record)
                    return record

            await _in_order([(at, one(at, question)) for at, question in jobs], kept, told)
        return [[held.records[question.id] for question in questions] for held in kept]


def places(wanted: int | None, model: AsyncChatModel) -> int:
    """Questions at a time. The embedded model needs all cores for one, and one at a time is the same every
    time; structured output is what the others have in common.
    """
    return (wanted or PARALLEL) if model.capabilities.schema else 1


def is_done(record: Record | None, question: Question) -> bool:
    """Whether the line that is there answers this question."""
    if record is None or (record.status == "failed" and record.failure and record.failure[0] in _AWAY):
        return False
    return (record.question, record.db_id) == (question.question, question.db_id)


async def _in_order(
    work: Sequence[tuple[int, Awaitable[Record]]], kept: Sequence[Kept], told: Told | None
) -> None:
    """Write each as soon as those before it are done. Whatever ends the run, what was answered is kept."""
    tasks = [(at, asyncio.ensure_future(one)) for at, one in work]
    waiting = list(reversed(tasks))
    try:
        while waiting:
            at, task = waiting[-1]
            record = await task
            waiting.pop()
            kept[at].write(record)
            if told is not None:
                told(at, record)
    finally:
        for _, task in waiting:
            task.cancel()
        await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)
        for at, task in reversed(waiting):
            if not task.cancelled() and task.exception() is None:
                kept[at].write(task.result())


@dataclass(slots=True)
class _Stand:
    """One database: its judge, and those who have been asked about it."""

    judge: Judge
    askers: dict[int, Asker] = field(default_factory=dict)

    async def close(self) -> None:
        for asker in self.askers.values():
            await asker.close()
        await self.judge.close()


class _Stands:
    """Databases that are open because questions about them are left."""

    def __init__(self, contestants: Sequence[Contestant], judges: Judges, left: Counter[str]) -> None:
        self._contestants = contestants
        self._judges = judges
        self._left = left
        self._open: dict[str, _Stand] = {}

    async def ask(self, at: int, question: Question, source: str) -> Record:
        if source not in self._open:
            self._open[source] = _Stand(self._judges(source))
        stand = self._open[source]
        if at not in stand.askers:
            stand.askers[at] = self._contestants[at].opens(source)
        try:
            return await _one(question, stand.askers[at], stand.judge)
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


async def _one(question: Question, asker: Asker, judge: Judge) -> Record:
    began = time.monotonic()
    try:
        given = await asker.ask(question.asked)
    except (UsageError, StoreError):
        raise
    except Text2SQLError as error:  # one question without an answer is a result, not the end of a run
        kind = getattr(error, "kind", error.message_key)
        given = Given(Answer("failed", question.asked, "", error=Problem(kind, str(error))))
    seconds = time.monotonic() - began
    answer = given.answer
    if answer.status == "failed" and answer.error and answer.error.kind in _HOPELESS:
        raise Text2SQLError("evaluation.stopped", detail=answer.error.message)
    verdict, failure = await judge.judge(question, answer)
    among = None
    if given.candidates and verdict in ("right", "wrong", "error"):
        among = verdict == "right"
        for one in given.candidates:
            among = among or (one != answer.sql and await judge.is_right(question, one))
    asked_back = verdict == "none" and answer.sql != ""
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
        judge.hardness(question),
        failure,
        question.difficulty,
        receipt.confidence if answer.status == "answered" else None,
        dict(receipt.signals),
        receipt.repairs,
        receipt.attempts,
        len(receipt.candidates),
        among,
        ran,
        question.foreign,
        receipt.model,
    )
