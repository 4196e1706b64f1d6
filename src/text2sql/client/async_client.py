"""`AsyncText2SQL`: asks questions of a database and manages their threads and results.

    async with AsyncText2SQL("shop.db") as db:
        answer = await db.ask("Which five products sold best last year?")

Importing this module is cheap; expensive imports happen when a database is opened (`resources.py`).
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack
from uuid import uuid4

from text2sql.config import Settings, from_environment
from text2sql.database import AsyncDatabase, AsyncStream
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language
from text2sql.llm import AsyncChatModel
from text2sql.memory import Pair, Stats, StoredResult, ThreadInfo
from text2sql.resources import AppResources, Tables
from text2sql.sql import check, check_count, check_page, in_worker
from text2sql.types import (
    Answer,
    Catalog,
    CheckedSql,
    Event,
    Finished,
    Limits,
    Policy,
    QueryResult,
    SqlRejected,
)

if TYPE_CHECKING:
    from text2sql.agents import Resources, RunOptions

_LAST_LIMIT = re.compile(r"\s+(?:LIMIT \d+|FETCH FIRST \d+ ROWS ONLY)$")


class AskOptions(TypedDict, total=False):
    """Options of a question."""

    thread: str  # the conversation; a new one by default
    user: str
    language: str
    mode: str
    preset: str
    model: str
    allow_writes: bool
    candidates: int
    max_attempts: int  # queries that a model may write
    explain: bool
    repair: bool
    summary: str  # template, model or off
    seconds: float  # for the whole question
    previous: Mapping[str, str]  # `sql`, `kind`, `detail` of a failed query, to repair once


class AsyncText2SQL:
    """The asynchronous client of one database."""

    def __init__(
        self,
        source: str = "",
        *,
        settings: Settings | None = None,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        tables: Tables | None = None,
    ) -> None:
        """`tables` limits what is visible, by names or with columns; a `policy` has all options."""
        self.settings = settings or from_environment()
        self.source = source or self.settings.db
        self._resources = AppResources(self.source, self.settings, model, policy, tables)
        self._warming: asyncio.Task[None] | None = None

    # -- questions -----------------------------------------------------------------------------------

    async def ask(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        """Answer a question. Errors of the database or the model are in the answer; bad usage raises."""
        async with aclosing(self.stream(question, **options)) as events:
            return await _final_answer(events)

    async def stream(self, question: str, **options: Unpack[AskOptions]) -> AsyncGenerator[Event, None]:
        """Events as they happen; the last is `Finished`. Closing the stream cancels the query."""
        run_options = await self._run_options(options)
        graph_input = {"messages": [{"role": "user", "content": question}]}
        async with aclosing((await self._resources.runner()).run(graph_input, run_options)) as events:
            async for event in events:
                yield event

    async def draft(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        """Generate a query that passes the guard, as `Answer.sql`, without running it; `run_own` runs it."""
        options["preset"] = "static"
        return await self.ask(question, **options)

    async def confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Answer:
        """Answer a `confirm`. Saying yes twice runs the statement once."""
        async with aclosing(self.stream_confirm(thread, yes=yes, user=user)) as events:
            return await _final_answer(events)

    async def stream_confirm(
        self, thread: str, *, yes: bool = True, user: str = ""
    ) -> AsyncGenerator[Event, None]:
        run_options = await self._run_options({"thread": thread, "user": user, "allow_writes": True})
        async with aclosing((await self._resources.runner()).confirm(run_options, yes)) as events:
            async for event in events:
                yield event

    async def resume(self, thread: str, *, user: str = "") -> Answer:
        """Continue a thread after a crash or cancellation; the last answer if nothing is left to do."""
        async with aclosing(self.stream_resume(thread, user=user)) as events:
            return await _final_answer(events)

    async def stream_resume(self, thread: str, *, user: str = "") -> AsyncGenerator[Event, None]:
        run_options = await self._run_options({"thread": thread, "user": user})
        async with aclosing((await self._resources.runner()).resume(run_options)) as events:
            async for event in events:
                yield event

    # -- threads -------------------------------------------------------------------------------------

    async def threads(self, user: str = "") -> list[ThreadInfo]:
        return await (await self.resources()).memory.threads(user)

    async def history(self, thread: str, *, user: str = "") -> list[Mapping[str, Any]]:
        """The turns of a thread, oldest first: question, SQL, status, answer."""
        return await (await self._resources.runner()).history(
            await self._run_options({"thread": thread, "user": user})
        )

    async def answers(self, thread: str, *, rows: int, user: str = "") -> list[Answer]:
        """The answers of a thread, oldest first, each with its first stored rows, its chart and its sentence.
        An answer whose rows have expired has no `result_id`.
        """
        answers = await (await self._resources.runner()).answers(
            await self._run_options({"thread": thread, "user": user})
        )
        return [await self._with_stored_rows(answer, lang, rows, user) for answer, lang in answers]

    async def _with_stored_rows(self, answer: Answer, lang: Language, max_rows: int, user: str) -> Answer:
        from text2sql.agents import attach_rows, stored_rows  # noqa: PLC0415 -- see the module docstring

        if not answer.result_id:
            return answer
        try:
            resources, stored = await self._stored_result(answer.result_id, user)
        except UsageError:
            return replace(answer, chart=None, result_id="")
        with_rows = await asyncio.to_thread(attach_rows, answer, stored_rows(stored), lang, resources)
        is_cut = answer.truncated or stored.truncated or len(stored.rows) > max_rows
        return replace(with_rows, rows=with_rows.rows[:max_rows], truncated=is_cut)

    async def roll_back(self, thread: str, *, turns: int = 1, user: str = "") -> int:
        """Remove the last turns from a thread; returns how many are left."""
        return await (await self._resources.runner()).roll_back(
            await self._run_options({"thread": thread, "user": user}), turns
        )

    async def forget(self, thread: str, *, user: str = "") -> None:
        await (await self.resources()).memory.forget(user, thread)

    @asynccontextmanager
    async def alone(self, **options: Unpack[AskOptions]) -> AsyncIterator[AskOptions]:
        """Options with a temporary thread: it is deleted afterwards, with its rows."""
        thread, user = uuid4().hex, options.get("user", "")
        try:
            yield {**options, "thread": thread}
        finally:
            await self.forget(thread, user=user)

    async def source_of(self, thread: str, *, user: str = "") -> str | None:
        """The key of a thread's database; empty if not yet known, None if there is no such thread."""
        return await (await self._resources.runner()).source(
            await self._run_options({"thread": thread, "user": user})
        )

    async def first_answer(self, thread: str, *, user: str = "") -> Answer | None:
        """The first answer of a thread, if all its rows are still stored."""
        run_options = await self._run_options({"thread": thread, "user": user})
        return await (await self._resources.runner()).first_answer(run_options)

    async def again(self, answer: Answer, thread: str, *, user: str = "") -> bool:
        """Start a thread with the first answer of another; False if that thread or its rows are gone."""
        runner = await self._resources.runner()
        if not await (await self.resources()).memory.has_result(user, answer.result_id):
            return False
        return await runner.copy(await self._run_options({"thread": answer.thread_id, "user": user}), thread)

    # -- results, verified queries, statistics -------------------------------------------------------------

    async def result(self, result_id: str, *, user: str = "") -> StoredResult:
        """A stored result: its first rows, and how many there were."""
        return (await self._stored_result(result_id, user))[1]

    async def page(
        self, result_id: str, *, number: int, size: int, user: str = "", order: int = 0
    ) -> QueryResult:
        """A page of a stored result, in a stable order; the guard checks its query again.

        `order` is a column number from 1, negative for descending; 0 keeps the query's order.
        """
        resources, stored = await self._stored_result(result_id, user)
        return await resources.database.run(await self._paged(stored, number, size, order))

    @asynccontextmanager
    async def export(
        self, result_id: str, *, limits: Limits, user: str = "", order: int = 0
    ) -> AsyncIterator[AsyncStream]:
        """Stream all rows of a stored result, in the order of its pages."""
        resources, stored = await self._stored_result(result_id, user)
        query = await self._paged(stored, 1, limits.rows + 1, order)
        async with resources.database.stream(query, limits) as stream:
            yield stream

    async def _paged(self, stored: StoredResult, number: int, size: int, order: int) -> CheckedSql:
        schema_context = await (await self.resources()).catalog_cache.schema_context(values=False)
        catalog = schema_context.catalog
        page: dict[str, int] = {"number": number, "size": size, "order": order}
        return _require_checked(
            await in_worker(check_page, stored.sql, catalog.dialect, catalog, schema_context.policy, **page)
        )

    async def count(self, result_id: str, *, user: str = "") -> int:
        """The total row count of a stored result's query."""
        resources, stored = await self._stored_result(result_id, user)
        schema_context = await resources.catalog_cache.schema_context(values=False)
        catalog = schema_context.catalog
        counted = await in_worker(check_count, stored.sql, catalog.dialect, catalog, schema_context.policy)
        result = await resources.database.run(_require_checked(counted))
        return int(str(result.rows[0][0]))

    async def query(self, sql: str, *, rows: int | None = None) -> QueryResult | SqlRejected:
        """Run a user's own statement, under the same guard and limits as a generated one."""
        checked = await self.check(sql, rows=rows)
        database = (await self.resources()).database
        return await database.run(checked) if isinstance(checked, CheckedSql) else checked

    async def check(self, sql: str, *, rows: int | None = None) -> CheckedSql | SqlRejected:
        """Check a statement with the guard, without running it."""
        schema_context = await (await self.resources()).catalog_cache.schema_context(values=False)
        limit = min(rows or self.settings.row_limit, self.settings.row_limit)
        catalog = schema_context.catalog
        return await in_worker(check, sql, catalog.dialect, catalog, schema_context.policy, rows=limit)

    async def run_own(self, sql: str, **options: Unpack[AskOptions]) -> Answer:
        """Like `query`, but as an `Answer`: a refusal is in it, and its rows can be paged."""
        run_options = await self._run_options(options)
        from text2sql.agents import run_user_sql  # noqa: PLC0415 -- see the module docstring

        return await run_user_sql(sql, run_options, await self.resources())

    async def remember(self, question: str, sql: str, *, user: str = "") -> None:
        """Store a question and its query as verified: they help with similar questions. The query is stored
        as it was written; the row limit that an answer shows is not part of it.
        """
        resources = await self.resources()
        checked = _require_checked(await self.check(sql))
        written = await self._without_row_limit(sql)
        pair = Pair(question, written, checked.dialect, resources.catalog_cache.key, checked.tables, user)
        await resources.memory.remember(pair)

    async def _without_row_limit(self, sql: str) -> str:
        """The query without its limit, if that is the limit that the guard adds."""
        unlimited = _LAST_LIMIT.sub("", sql.strip())
        checked = await self.check(unlimited)
        return unlimited if isinstance(checked, CheckedSql) and checked.shown == sql.strip() else sql

    async def _as_shown(self, sql: str) -> str:
        checked = await self.check(sql)
        return checked.shown if isinstance(checked, CheckedSql) else sql

    async def note_feedback(
        self, question: str, sql: str, *, good: bool, comment: str = "", thread: str = "", user: str = ""
    ) -> None:
        """Store a user's rating of an answer; a verified query that is rated wrong is no longer used."""
        resources = await self.resources()
        if not good:
            wrong = await self._as_shown(sql)
            for _, pair in await resources.memory.recall(resources.catalog_cache.key, question, user=user):
                if pair.question == question and await self._as_shown(pair.sql) == wrong:
                    await resources.memory.forget_pair(resources.catalog_cache.key, question, user)
        facts = {"question": question, "sql": sql, "good": good, "comment": comment, "thread": thread}
        await resources.memory.note(user, {**facts, "source": resources.catalog_cache.key})

    async def stats(self, days: int | None = None) -> Stats:
        return await (await self.resources()).memory.stats(days)

    async def catalog(self) -> Catalog:
        """The visible part of the database's catalog."""
        return (await (await self.resources()).catalog_cache.schema_context(values=False)).catalog

    async def refresh(self) -> Catalog:
        """Reload the catalog and return it."""
        await (await self.resources()).catalog_cache.refresh()
        return await self.catalog()

    async def publish(self) -> bool:
        """Reload the catalog for all who share the memory; returns whether it has changed."""
        return await (await self.resources()).catalog_cache.publish()

    # -- opening and closing -------------------------------------------------------------------------

    @property
    def database(self) -> AsyncDatabase | None:
        """None until it has been opened."""
        return self._resources.database

    @property
    def databases(self) -> tuple[AsyncDatabase, ...]:
        """Every pool that is open: the shared account's first, then those of single roles."""
        return self._resources.databases

    @property
    def model_name(self) -> str:
        """The model, unless a question names another."""
        return self._resources.model_name

    def seen_by(self, policy: Policy, *, account: str = "") -> "AsyncText2SQL":
        """The same database under a stricter policy, sharing pool, memory and models. With an `account`, a
        URL of the same database, queries use its own connections. It need not be closed, and works until this
        client is closed.
        """
        return self._sibling(self._resources.seen_by(policy, account))

    def apart(self, settings: Settings) -> "AsyncText2SQL":
        """The same database, policy and models under other settings, with a memory of its own. Close it
        before this client.
        """
        return self._sibling(self._resources.apart(settings))

    @staticmethod
    def _sibling(resources: AppResources) -> "AsyncText2SQL":
        sibling = AsyncText2SQL(resources.source, settings=resources.settings)
        sibling._resources = resources
        return sibling

    async def resources(self) -> "Resources":
        return await self._resources.resources()

    async def warm(self) -> None:
        """Load the catalog and evaluate the schema's prompt, while the user is still typing."""
        resources = await self.resources()
        from text2sql.agents import warm_up  # noqa: PLC0415 -- see the module docstring

        await warm_up(resources)

    def warm_in_background(self) -> None:
        """Warm in the background; the first question raises any error."""

        async def warm_quietly() -> None:
            with suppress(Text2SQLError):
                await self.warm()

        self._warming = asyncio.create_task(warm_quietly())

    async def close(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
            with suppress(asyncio.CancelledError):
                await self._warming
        await self._resources.close()

    async def __aenter__(self) -> Self:
        await self.resources()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- helpers -------------------------------------------------------------------------------------

    async def _run_options(self, options: AskOptions) -> "RunOptions":
        await self.resources()
        from text2sql.agents import RunOptions, check_mode  # noqa: PLC0415 -- see the module docstring

        fields: dict[str, Any] = {**options}
        fields["thread"] = fields.get("thread") or uuid4().hex[:12]
        fields["language"] = fields.get("language") or self.settings.lang
        fields["allow_writes"] = fields.get("allow_writes", self.settings.allow_writes)
        run_options = RunOptions(**fields)
        check_mode(self.settings.mode)  # raise bad usage before anything runs
        run_options.preset_of(self.settings)
        return run_options

    async def _stored_result(self, result_id: str, user: str) -> tuple["Resources", StoredResult]:
        """A stored result. Several databases may share one memory: results of another database or policy are
        not found.
        """
        resources = await self.resources()
        stored = await resources.memory.result(user, result_id)
        if stored is None or stored.source not in ("", resources.catalog_cache.mark):
            raise UsageError("usage.result")
        schema_context = await resources.catalog_cache.schema_context(values=False)
        if schema_context.policy.rows and stored.fingerprint != schema_context.catalog.fingerprint:
            raise UsageError("usage.result")  # stored under other claims: its rows may be hidden now
        return resources, stored


async def _final_answer(events: AsyncIterator[Event]) -> Answer:
    answer: Answer | None = None
    async for event in events:
        if isinstance(event, Finished):
            answer = event.answer
    if answer is None:
        raise RuntimeError("a stream ends with its answer")
    return answer


def _require_checked(checked: CheckedSql | SqlRejected) -> CheckedSql:
    if isinstance(checked, SqlRejected):
        raise UsageError("usage.query_refused", rule=checked.rule, piece=checked.piece)
    return checked
