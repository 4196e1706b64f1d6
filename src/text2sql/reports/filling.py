"""How the placeholders of a report are answered: static first, then one batch, then one repair each.

1. draft: what the lock file has is taken from there; for the rest a model writes queries, several at a time,
   which pass the guard. No connection is used.
2. run: all queries are run, each once.
3. repair: what failed is given back to the model with its error, once; the new query is run, once. What the
   database could not do just now (a lock, a lost connection) is run again as it is.

What fails after that is an outcome like any other: the report says so in its place.

A journal hears of every question that has passed a stage. A report that is made again with it, because the
process that made it died, goes on from there: what was run is not run again.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from text2sql.app import AsyncText2SQL, How
from text2sql.errors import DatabaseError, ModelError, Text2SQLError, UsageError
from text2sql.messages import Language, say
from text2sql.reports.lock import Entry, Lock, reads_of, still_reads
from text2sql.reports.parameters import all_forms, asked, used, without
from text2sql.sql import Forms, with_names, with_values
from text2sql.types import Answer, Catalogue, CheckedSql, Problem, Trouble, Usage

Stage: TypeAlias = Literal["draft", "run", "repair"]
Origin: TypeAlias = Literal["lock", "model", "repair", ""]

PARALLEL = 4  # questions at a time, where the model is somebody else's machine
_RUNNING = 4  # queries at a time: a report is nobody's only reader
_CJK = re.compile(r"[\u3400-\u9fff]")
_AGAIN = frozenset(one.kind for one in DatabaseError.__subclasses__() if one.mend == "again")
_REWRITE = frozenset(one.kind for one in DatabaseError.__subclasses__() if one.mend == "rewrite")
_OF_MODELS = frozenset(one.kind for one in ModelError.__subclasses__())


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a report, however many placeholders ask it."""

    question: str  # as the template has it
    asked: str  # as it is put to a model
    values: Mapping[str, str]
    language: Language

    @property
    def forms(self) -> dict[str, Forms]:
        return all_forms(self.values)


@dataclass(frozen=True, slots=True)
class Step:
    """Told as each question passes a stage."""

    stage: Stage
    item: Item
    passed: bool
    done: int
    total: int


class Journal(Protocol):
    async def recall(self, item: Item) -> "Outcome | None":
        """What became of a question before, if it was begun."""

    async def keep(self, step: Step, outcome: "Outcome") -> None:
        """Awaited before anything else is done with the question."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a report is to be filled."""

    language: Language | Literal[""] = ""  # of the answers; each question's own without it
    user: str = ""
    parallel: int = PARALLEL
    locked: bool = False  # no model: what the lock file does not have is a failure
    anew: bool = False  # as if there were no lock file
    told: Callable[[Step], None] = lambda _: None
    journal: Journal | None = None


@dataclass(slots=True)
class Outcome:
    """What became of a question; filled in from stage to stage."""

    item: Item
    origin: Origin = ""
    sql: str = ""
    entry: Entry | None = None  # what the lock file shall say of it
    answer: Answer | None = None  # with its rows, once it is answered
    problem: Problem | None = None
    status: str = ""
    errors: list[Trouble] = field(default_factory=list)
    repaired: bool = False  # a repair was tried
    usage: Usage = field(default_factory=Usage)
    statements: int = 0
    seconds: dict[Stage, float] = field(default_factory=dict)
    model: str = ""

    def note(self, answer: Answer, known: int = 0) -> None:
        """`known`: so many of its errors are ours, told to the model."""
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
class Filled:
    outcomes: tuple[Outcome, ...]
    lock: Lock
    seconds: Mapping[str, float]
    connections: int
    resumed: int = 0  # questions that were begun before, by a process that did not end them

    def of(self, question: str) -> Outcome:
        return next(one for one in self.outcomes if one.item.question == question)


def items_of(
    questions: Sequence[str], values: Mapping[str, str], language: Language | Literal[""] = ""
) -> list[Item]:
    found = {}
    for question in dict.fromkeys(questions):
        names = used(question)
        missing = next((name for name in names if name not in values), None)
        if missing is not None:
            raise UsageError("usage.report_missing", name=missing, question=question)
        lang: Language = language or ("zh" if _CJK.search(question) else "en")
        own = {name: values[name] for name in names}
        found[question] = item = Item(question, asked(question, own, lang), own, lang)
        all_forms(item.values)  # names that clash are told before anybody is asked
    return list(found.values())


async def fill(app: AsyncText2SQL, items: Sequence[Item], lock: Lock, terms: Terms) -> Filled:
    rooms = await app.rooms()
    opened, clock = rooms.database.opened, _Clock()
    filling = _Filling(app, terms, await app.refresh(), lock)
    clock.lap("catalogue")
    outcomes = [await filling.begun(item) for item in items]
    resumed = sum(bool(one.seconds) for one in outcomes)
    if not terms.anew:
        for one in outcomes:
            if not one.seconds:
                await filling.recall(one)
    await filling.each("draft", [one for one in outcomes if not one.sql], filling.draft)
    clock.lap("draft")
    await filling.each("run", [one for one in outcomes if one.sql], filling.run)
    clock.lap("run")
    await filling.each("repair", [one for one in outcomes if filling.mendable(one)], filling.repair)
    clock.lap("repair")
    for one in outcomes:
        if one.answer is not None and (one.entry is None or one.origin == "repair"):
            one.entry = await filling.entry(one)
    connections = rooms.database.opened - opened
    return Filled(tuple(outcomes), filling.new_lock(outcomes), clock.laps, connections, resumed)


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.laps[name] = round(now - self._last, 4)
        self._last = now


class _Filling:
    def __init__(self, app: AsyncText2SQL, terms: Terms, catalogue: Catalogue, lock: Lock) -> None:
        self._app = app
        self._terms = terms
        self._catalogue = catalogue
        self._lock = lock

    async def each(
        self, stage: Stage, outcomes: Sequence[Outcome], work: Callable[[Outcome], Awaitable[None]]
    ) -> None:
        outcomes = [one for one in outcomes if stage not in one.seconds]
        if not outcomes:
            return
        free, done = asyncio.Semaphore(_RUNNING if stage == "run" else await self._places()), 0

        async def one(outcome: Outcome) -> None:
            nonlocal done
            async with free:
                began = time.monotonic()
                await work(outcome)
                outcome.seconds[stage] = round(time.monotonic() - began, 4)
            done += 1
            step = Step(stage, outcome.item, outcome.problem is None, done, len(outcomes))
            if self._terms.journal is not None:
                await self._terms.journal.keep(step, outcome)
            self._terms.told(step)

        tasks = [asyncio.ensure_future(one(outcome)) for outcome in outcomes]
        try:
            await asyncio.gather(*tasks)
        finally:  # whatever ends one of them ends all
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _places(self) -> int:
        """As everywhere: the embedded model needs all cores for one question."""
        try:
            hosted = (await self._app.rooms()).models("").capabilities.schema
        except Text2SQLError:  # each question will meet it, and tell
            return 1
        return self._terms.parallel if hosted else 1

    async def begun(self, item: Item) -> Outcome:
        journal = self._terms.journal
        found = (await journal.recall(item) if journal else None) or Outcome(item)
        if found.origin == "lock":
            found.entry = self._lock.find(item.question)
        return found

    async def recall(self, outcome: Outcome) -> None:
        """The query of the lock file, with today's values, if it is still about the same columns."""
        item, entry = outcome.item, self._lock.find(outcome.item.question)
        if entry is None or self._lock.dialect != self._catalogue.dialect:
            return
        if entry.values and dict(entry.values) != dict(item.values):
            return
        if not still_reads(entry, self._catalogue):
            return
        sql = with_values(entry.sql, self._lock.dialect, entry.parameters, item.forms)
        if isinstance(sql, str) and isinstance(await self._app.check(sql), CheckedSql):
            outcome.sql, outcome.origin, outcome.entry = sql, "lock", entry

    async def draft(self, outcome: Outcome) -> None:
        if self._terms.locked:
            told = say("report.not_locked", outcome.item.language)
            outcome.problem = Problem("not_locked", told)
            return
        async with self._alone(outcome) as how:
            answer = await self._app.draft(outcome.item.asked, **how)
        outcome.note(answer)
        if answer.status == "answered":
            outcome.sql, outcome.origin = answer.sql, "model"

    async def run(self, outcome: Outcome) -> None:
        async with self._alone(outcome) as how:
            outcome.note(await self._app.run_own(outcome.sql, **how))

    def mendable(self, outcome: Outcome) -> bool:
        """By the last thing that went wrong: a query that can be written in another way, or run again."""
        if outcome.status != "failed" or not outcome.errors:
            return False
        last = outcome.errors[-1]
        if last.stage == "executor":
            return last.kind in _AGAIN or (last.kind in _REWRITE and not self._terms.locked)
        return last.kind not in _OF_MODELS  # a model that is not there mends nothing

    async def repair(self, outcome: Outcome) -> None:
        last = outcome.errors[-1]
        if last.stage == "executor" and last.kind in _AGAIN:
            await self.run(outcome)
            return
        outcome.repaired = True
        previous = {"sql": last.sql, "kind": last.kind, "detail": last.detail}
        async with self._alone(outcome) as how:
            how["preset"], how["previous"] = "hybrid", previous
            answer = await self._app.ask(outcome.item.asked, **how)
            outcome.note(answer, known=1)
            if outcome.answer is not None:
                # as it was written: the row limit that is ours stays out of the lock file
                kept = await self._app.result(answer.result_id, user=self._terms.user)
                outcome.sql, outcome.origin = kept.sql, "repair"

    async def entry(self, outcome: Outcome) -> Entry | None:
        """A query as the lock file keeps it: with names for values, if they lead back to the same query."""
        item, dialect = outcome.item, self._catalogue.dialect
        checked = await self._app.check(outcome.sql)
        if not isinstance(checked, CheckedSql):
            return None
        reads = reads_of(checked, self._catalogue)
        named = None if _says_it_too(item) else with_names(outcome.sql, dialect, item.forms)
        if named is not None:
            back = with_values(named.sql, dialect, named.names, item.forms)
            if isinstance(back, str) and await self._app.check(back) == checked:
                return Entry(item.question, named.sql, named.names, {}, reads)
        plain = with_names(outcome.sql, dialect, {})
        sql = plain.sql if plain and await self._app.check(plain.sql) == checked else outcome.sql
        return Entry(item.question, sql, {}, item.values, reads)

    def new_lock(self, outcomes: Sequence[Outcome]) -> Lock:
        """What failed today keeps what was verified before."""
        entries = (one.entry or self._lock.find(one.item.question) for one in outcomes)
        return Lock(self._catalogue.dialect, tuple(one for one in entries if one is not None))

    def _alone(self, outcome: Outcome) -> AbstractAsyncContextManager[How]:
        return self._app.alone(
            user=self._terms.user,
            language=outcome.item.language,
            mode="database_direct",
            allow_writes=False,
        )


def _says_it_too(item: Item) -> bool:
    """The template's own words hold a parameter's value: which of the two a literal is, nobody can tell."""
    own = without(item.question).casefold()
    return any(value.casefold() in own for value in item.values.values())
