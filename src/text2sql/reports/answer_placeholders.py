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
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager

from text2sql.client.async_client import AsyncText2SQL
from text2sql.errors import DatabaseError, ModelError, Text2SQLError
from text2sql.i18n import say
from text2sql.reports.lock import Entry, Lock, query_reads, reads_unchanged_columns
from text2sql.reports.outcomes import AnsweredReport, Item, Outcome, ReportOptions, Stage, Step
from text2sql.reports.parameters import without_parameters
from text2sql.sql import ParameterizedSql, in_worker, parameterize, with_values
from text2sql.types import Catalog, CheckedSql, Problem, RunOptions

_QUERY_CONCURRENCY = 4  # concurrent queries; other users need the database too
_RETRYABLE = frozenset(error.kind for error in DatabaseError.__subclasses__() if error.retry == "again")
_REWRITABLE = frozenset(error.kind for error in DatabaseError.__subclasses__() if error.retry == "rewrite")
_MODEL_ERRORS = frozenset(error.kind for error in ModelError.__subclasses__())


async def answer_questions(
    app: AsyncText2SQL, items: Sequence[Item], lock: Lock, options: ReportOptions
) -> AnsweredReport:
    resources = await app.resources()
    connections_before, clock = resources.database.opened, _Stopwatch()
    stages = _Stages(app, options, await app.refresh(), lock)
    clock.lap("catalog")
    outcomes = [await stages.load_outcome(item) for item in items]
    resumed = sum(bool(outcome.seconds) for outcome in outcomes)
    if not options.ignore_lock:
        for outcome in outcomes:
            if not outcome.seconds:
                await stages.take_from_lock(outcome)
    await stages.process("draft", [outcome for outcome in outcomes if not outcome.sql], stages.draft)
    clock.lap("draft")
    await stages.process("run", [outcome for outcome in outcomes if outcome.sql], stages.run)
    clock.lap("run")
    await stages.process(
        "repair", [outcome for outcome in outcomes if stages.repairable(outcome)], stages.repair
    )
    clock.lap("repair")
    for outcome in outcomes:
        if outcome.answer is not None and (outcome.entry is None or outcome.origin == "repair"):
            outcome.entry = await stages.entry(outcome)
    connections = resources.database.opened - connections_before
    return AnsweredReport(tuple(outcomes), stages.new_lock(outcomes), clock.laps, connections, resumed)


class _Stopwatch:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = round(now - self._last, 4)
        self._last = now


class _Stages:
    """The three stages, and the lock file before and after them."""

    def __init__(self, app: AsyncText2SQL, options: ReportOptions, catalog: Catalog, lock: Lock) -> None:
        self._app = app
        self._options = options
        self._catalog = catalog
        self._lock = lock

    async def process(
        self, stage: Stage, outcomes: Sequence[Outcome], work: Callable[[Outcome], Awaitable[None]]
    ) -> None:
        outcomes = [outcome for outcome in outcomes if stage not in outcome.seconds]
        if not outcomes:
            return
        free = asyncio.Semaphore(_QUERY_CONCURRENCY if stage == "run" else await self._concurrency())
        finished = 0

        async def process_outcome(outcome: Outcome) -> None:
            nonlocal finished
            async with free:
                start = time.monotonic()
                await work(outcome)
                outcome.seconds[stage] = round(time.monotonic() - start, 4)
            finished += 1
            step = Step(stage, outcome.item, outcome.problem is None, finished, len(outcomes))
            if self._options.journal is not None:
                await self._options.journal.save(step, outcome)
            self._options.on_step(step)

        tasks = [asyncio.ensure_future(process_outcome(outcome)) for outcome in outcomes]
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
        return self._options.parallel if profile.concurrent else 1

    async def load_outcome(self, item: Item) -> Outcome:
        journal = self._options.journal
        outcome = (await journal.load(item) if journal else None) or Outcome(item)
        if outcome.origin == "lock":
            outcome.entry = self._lock.find(item.question)
        return outcome

    async def take_from_lock(self, outcome: Outcome) -> None:
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
        if self._options.locked:
            message = say("report.not_locked", outcome.item.language)
            outcome.problem = Problem("not_locked", message)
            return
        async with self._isolated_thread(outcome) as options:
            answer = await self._app.draft(outcome.item.resolved, options)
        outcome.add(answer)
        if answer.status == "answered":
            outcome.sql, outcome.origin = answer.sql, "model"

    async def run(self, outcome: Outcome) -> None:
        async with self._isolated_thread(outcome) as options:
            outcome.add(await self._app.run_sql(outcome.sql, options))

    def repairable(self, outcome: Outcome) -> bool:
        """Whether the last error can be fixed by rewriting the query or running it again."""
        if outcome.status != "failed" or not outcome.errors:
            return False
        last = outcome.errors[-1]
        if last.stage == "executor":
            return last.kind in _RETRYABLE or (
                last.kind in _REWRITABLE and not self._options.locked and self._may_rewrite
            )
        return self._may_rewrite and last.kind not in _MODEL_ERRORS  # a failing model cannot repair it

    @property
    def _may_rewrite(self) -> bool:
        from text2sql.agents import effective_preset  # noqa: PLC0415 -- LangGraph takes two seconds to import

        options = RunOptions(preset="hybrid", max_attempts=self._options.max_attempts)
        return effective_preset(options, self._app.settings).retries > 0

    async def repair(self, outcome: Outcome) -> None:
        last = outcome.errors[-1]
        if last.stage == "executor" and last.kind in _RETRYABLE:
            await self.run(outcome)
            return
        outcome.repaired = True
        previous = {"sql": last.sql, "kind": last.kind, "detail": last.detail}
        async with self._isolated_thread(outcome) as options:
            answer = await self._app.ask(
                outcome.item.resolved,
                options,
                preset="hybrid",
                previous=previous,
                max_attempts=self._options.max_attempts,
            )
            outcome.add(answer, known_errors=1)
            if outcome.answer is not None:
                # the original query, without our row limit, belongs into the lock file
                stored = await self._app.results.get(answer.result_id, user=self._options.user)
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
        if isinstance(parameterized, ParameterizedSql):
            restored = await in_worker(
                with_values, parameterized.sql, dialect, parameterized.names, item.forms
            )
            if isinstance(restored, str) and await self._app.check(restored) == checked:
                return Entry(item.question, parameterized.sql, parameterized.names, {}, reads)
        literal = await in_worker(parameterize, outcome.sql, dialect, {})
        same = isinstance(literal, ParameterizedSql) and await self._app.check(literal.sql) == checked
        sql = literal.sql if isinstance(literal, ParameterizedSql) and same else outcome.sql
        return Entry(item.question, sql, {}, item.values, reads)

    def new_lock(self, outcomes: Sequence[Outcome]) -> Lock:
        """The new lock file. Questions that failed keep their previous entries."""
        entries = (outcome.entry or self._lock.find(outcome.item.question) for outcome in outcomes)
        return Lock(self._catalog.dialect, tuple(entry for entry in entries if entry is not None))

    def _isolated_thread(self, outcome: Outcome) -> AbstractAsyncContextManager[RunOptions]:
        return self._app.threads.temporary(
            user=self._options.user,
            language=outcome.item.language,
            mode="database_direct",
            allow_writes=False,
        )


def _mentions_value(item: Item) -> bool:
    """Whether the question's own text contains a parameter value, so that a literal would be ambiguous."""
    text = without_parameters(item.question).casefold()
    return any(value.casefold() in text for value in item.values.values())
