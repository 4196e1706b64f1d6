"""Answer the questions of a report in three stages.

1. draft: take queries from the lock file; a model generates the others, several at a time. All of them pass
   the guard. No database connection is used.
2. run: execute each query once.
3. repair: give each failed query with its error to the model once, and run the new query once. Transient
   failures (a lock, a lost connection) only run the same query again.

A question that still fails is marked as failed in the report.

A journal records every question after each stage. If the process dies, another one resumes the report from
the journal and does not run finished queries again.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from text2sql.client.async_client import AsyncText2SQL
from text2sql.errors import DatabaseError, ModelError, Text2SQLError, UsageError
from text2sql.i18n import Language, say
from text2sql.reports.lock import Entry, Lock, query_reads, reads_unchanged_columns
from text2sql.reports.parameters import all_forms, asked, used, without
from text2sql.sql import Forms, Named, in_worker, parameterize, with_values
from text2sql.types import Answer, Catalog, CheckedSql, Problem, RunOptions, StageError, Usage

Stage: TypeAlias = Literal["draft", "run", "repair"]
Origin: TypeAlias = Literal["lock", "model", "repair", ""]

PARALLEL = 4  # concurrent questions to a hosted model
_QUERY_CONCURRENCY = 4  # concurrent queries; other users need the database too
_CJK = re.compile(r"[\u3400-\u9fff]")
_RETRYABLE = frozenset(error.kind for error in DatabaseError.__subclasses__() if error.mend == "again")
_REWRITABLE = frozenset(error.kind for error in DatabaseError.__subclasses__() if error.mend == "rewrite")
_MODEL_ERRORS = frozenset(error.kind for error in ModelError.__subclasses__())


@dataclass(frozen=True, slots=True)
class Item:
    """A distinct question of a report. Several placeholders may ask it."""

    question: str  # as written in the template
    asked: str  # with the values of its parameters, as sent to the model
    values: Mapping[str, str]
    language: Language

    @property
    def forms(self) -> dict[str, Forms]:
        return all_forms(self.values)


@dataclass(frozen=True, slots=True)
class Step:
    """Progress: a question passed a stage."""

    stage: Stage
    item: Item
    passed: bool
    done: int
    total: int


class Journal(Protocol):
    """Durable record of the outcomes of a running report."""

    async def recall(self, item: Item) -> "Outcome | None":
        """The recorded outcome of a question, if it was started."""

    async def keep(self, step: Step, outcome: "Outcome") -> None:
        """Record an outcome. The next stage of the question waits for it."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Options of a report run."""

    language: Language | Literal[""] = ""  # of the answers; "" uses the language of each question
    user: str = ""
    parallel: int = PARALLEL
    locked: bool = False  # call no model: questions without a lock entry fail
    anew: bool = False  # ignore the lock file
    max_attempts: int = 0  # queries that a model may write for a question; 0: two, or as the settings allow
    told: Callable[[Step], None] = lambda _: None  # called after each stage of each question
    journal: Journal | None = None


@dataclass(slots=True)
class Outcome:
    """The state of a question, updated by each stage."""

    item: Item
    origin: Origin = ""
    sql: str = ""
    entry: Entry | None = None  # its entry in the new lock file
    answer: Answer | None = None  # with its rows, if it was answered
    problem: Problem | None = None
    status: str = ""
    errors: list[StageError] = field(default_factory=list)
    repaired: bool = False  # True if a model was asked to repair the query
    usage: Usage = field(default_factory=Usage)
    statements: int = 0
    seconds: dict[Stage, float] = field(default_factory=dict)
    model: str = ""

    def note(self, answer: Answer, known: int = 0) -> None:
        """Record the answer of a stage. Its first `known` errors are those that were given to the model."""
        receipt = answer.receipt
        self.usage += receipt.usage
        self.statements += receipt.statements
        self.errors += receipt.errors[known:]
        self.model = receipt.model or self.model
        self.answer = answer if answer.status == "answered" and answer.columns else None
        self.status, self.problem = answer.status, None
        if answer.status != "answered":
            self.problem = answer.error or Problem(answer.status, answer.answer)


@dataclass(frozen=True, slots=True)
class AnsweredReport:
    """The outcomes of all questions of a report, with the new lock file."""

    outcomes: tuple[Outcome, ...]
    lock: Lock
    seconds: Mapping[str, float]
    connections: int
    resumed: int = 0  # questions that an earlier process started

    def of(self, question: str) -> Outcome:
        return next(outcome for outcome in self.outcomes if outcome.item.question == question)


def distinct_questions(
    questions: Sequence[str], values: Mapping[str, str], language: Language | Literal[""] = ""
) -> list[Item]:
    """The distinct questions with the values of their parameters."""
    items = {}
    for question in dict.fromkeys(questions):
        names = used(question)
        missing = next((name for name in names if name not in values), None)
        if missing is not None:
            raise UsageError("usage.report_missing", name=missing, question=question)
        lang: Language = language or ("zh" if _CJK.search(question) else "en")
        used_values = {name: values[name] for name in names}
        items[question] = item = Item(question, asked(question, used_values, lang), used_values, lang)
        all_forms(item.values)  # raises for names that clash, before any work is done
    return list(items.values())


async def fill(app: AsyncText2SQL, items: Sequence[Item], lock: Lock, terms: Terms) -> AnsweredReport:
    """Answer all questions."""
    resources = await app.resources()
    connections_before, clock = resources.database.opened, _Stopwatch()
    filler = _Filler(app, terms, await app.refresh(), lock)
    clock.lap("catalog")
    outcomes = [await filler.load_outcome(item) for item in items]
    resumed = sum(bool(outcome.seconds) for outcome in outcomes)
    if not terms.anew:
        for outcome in outcomes:
            if not outcome.seconds:
                await filler.recall(outcome)
    await filler.run_stage("draft", [outcome for outcome in outcomes if not outcome.sql], filler.draft)
    clock.lap("draft")
    await filler.run_stage("run", [outcome for outcome in outcomes if outcome.sql], filler.run)
    clock.lap("run")
    await filler.run_stage(
        "repair", [outcome for outcome in outcomes if filler.repairable(outcome)], filler.repair
    )
    clock.lap("repair")
    for outcome in outcomes:
        if outcome.answer is not None and (outcome.entry is None or outcome.origin == "repair"):
            outcome.entry = await filler.entry(outcome)
    connections = resources.database.opened - connections_before
    return AnsweredReport(tuple(outcomes), filler.new_lock(outcomes), clock.laps, connections, resumed)


class _Stopwatch:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = round(now - self._last, 4)
        self._last = now


class _Filler:
    def __init__(self, app: AsyncText2SQL, terms: Terms, catalog: Catalog, lock: Lock) -> None:
        self._app = app
        self._terms = terms
        self._catalog = catalog
        self._lock = lock

    async def run_stage(
        self, stage: Stage, outcomes: Sequence[Outcome], work: Callable[[Outcome], Awaitable[None]]
    ) -> None:
        outcomes = [outcome for outcome in outcomes if stage not in outcome.seconds]
        if not outcomes:
            return
        free, finished = (
            asyncio.Semaphore(_QUERY_CONCURRENCY if stage == "run" else await self._concurrency()),
            0,
        )

        async def process(outcome: Outcome) -> None:
            nonlocal finished
            async with free:
                start = time.monotonic()
                await work(outcome)
                outcome.seconds[stage] = round(time.monotonic() - start, 4)
            finished += 1
            step = Step(stage, outcome.item, outcome.problem is None, finished, len(outcomes))
            if self._terms.journal is not None:
                await self._terms.journal.keep(step, outcome)
            self._terms.told(step)

        tasks = [asyncio.ensure_future(process(outcome)) for outcome in outcomes]
        try:
            await asyncio.gather(*tasks)
        finally:  # an exception in one task cancels the others
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _concurrency(self) -> int:
        """Concurrent questions: one for a model that serves calls one after the other."""
        try:
            profile = (await self._app.resources()).models("").profile
        except Text2SQLError:  # each question reports the same error
            return 1
        return self._terms.parallel if profile.concurrent else 1

    async def load_outcome(self, item: Item) -> Outcome:
        journal = self._terms.journal
        outcome = (await journal.recall(item) if journal else None) or Outcome(item)
        if outcome.origin == "lock":
            outcome.entry = self._lock.find(item.question)
        return outcome

    async def recall(self, outcome: Outcome) -> None:
        """Take the query of the lock file, with current parameter values, unless the schema has changed."""
        item, entry = outcome.item, self._lock.find(outcome.item.question)
        if entry is None or self._lock.dialect != self._catalog.dialect:
            return
        if entry.values and dict(entry.values) != dict(item.values):
            return
        if not reads_unchanged_columns(entry, self._catalog):
            return
        sql = await in_worker(with_values, entry.sql, self._lock.dialect, entry.parameters, item.forms)
        if isinstance(sql, str) and isinstance(await self._app.check(sql), CheckedSql):
            outcome.sql, outcome.origin, outcome.entry = sql, "lock", entry

    async def draft(self, outcome: Outcome) -> None:
        if self._terms.locked:
            message = say("report.not_locked", outcome.item.language)
            outcome.problem = Problem("not_locked", message)
            return
        async with self._isolated_thread(outcome) as options:
            answer = await self._app.draft(outcome.item.asked, options)
        outcome.note(answer)
        if answer.status == "answered":
            outcome.sql, outcome.origin = answer.sql, "model"

    async def run(self, outcome: Outcome) -> None:
        async with self._isolated_thread(outcome) as options:
            outcome.note(await self._app.run_sql(outcome.sql, options))

    def repairable(self, outcome: Outcome) -> bool:
        """Whether the last error can be fixed by rewriting the query or running it again."""
        if outcome.status != "failed" or not outcome.errors:
            return False
        last = outcome.errors[-1]
        if last.stage == "executor":
            return last.kind in _RETRYABLE or (
                last.kind in _REWRITABLE and not self._terms.locked and self._may_rewrite
            )
        return self._may_rewrite and last.kind not in _MODEL_ERRORS  # a failing model cannot repair it

    @property
    def _may_rewrite(self) -> bool:
        from text2sql.agents import effective_preset  # noqa: PLC0415 -- LangGraph takes two seconds to import

        options = RunOptions(preset="hybrid", max_attempts=self._terms.max_attempts)
        return effective_preset(options, self._app.settings).retries > 0

    async def repair(self, outcome: Outcome) -> None:
        last = outcome.errors[-1]
        if last.stage == "executor" and last.kind in _RETRYABLE:
            await self.run(outcome)
            return
        outcome.repaired = True
        previous = {"sql": last.sql, "kind": last.kind, "detail": last.detail}
        async with self._isolated_thread(outcome) as options:
            most = self._terms.max_attempts
            answer = await self._app.ask(
                outcome.item.asked, options, preset="hybrid", previous=previous, max_attempts=most
            )
            outcome.note(answer, known=1)
            if outcome.answer is not None:
                # the original query, without our row limit, belongs into the lock file
                stored = await self._app.results.get(answer.result_id, user=self._terms.user)
                outcome.sql, outcome.origin = stored.sql, "repair"

    async def entry(self, outcome: Outcome) -> Entry | None:
        """The lock entry of a query. Parameter values become names if that reproduces the same query."""
        item, dialect = outcome.item, self._catalog.dialect
        checked = await self._app.check(outcome.sql)
        if not isinstance(checked, CheckedSql):
            return None
        reads = await query_reads(checked, self._catalog)
        parameterized = (
            None if _mentions_value(item) else await in_worker(parameterize, outcome.sql, dialect, item.forms)
        )
        if isinstance(parameterized, Named):
            restored = await in_worker(
                with_values, parameterized.sql, dialect, parameterized.names, item.forms
            )
            if isinstance(restored, str) and await self._app.check(restored) == checked:
                return Entry(item.question, parameterized.sql, parameterized.names, {}, reads)
        literal = await in_worker(parameterize, outcome.sql, dialect, {})
        same = isinstance(literal, Named) and await self._app.check(literal.sql) == checked
        sql = literal.sql if isinstance(literal, Named) and same else outcome.sql
        return Entry(item.question, sql, {}, item.values, reads)

    def new_lock(self, outcomes: Sequence[Outcome]) -> Lock:
        """The new lock file. Questions that failed keep their previous entries."""
        entries = (outcome.entry or self._lock.find(outcome.item.question) for outcome in outcomes)
        return Lock(self._catalog.dialect, tuple(entry for entry in entries if entry is not None))

    def _isolated_thread(self, outcome: Outcome) -> AbstractAsyncContextManager[RunOptions]:
        return self._app.threads.temporary(
            user=self._terms.user,
            language=outcome.item.language,
            mode="database_direct",
            allow_writes=False,
        )


def _mentions_value(item: Item) -> bool:
    """Whether the question's own text contains a parameter value, so that a literal would be ambiguous."""
    text = without(item.question).casefold()
    return any(value.casefold() in text for value in item.values.values())
