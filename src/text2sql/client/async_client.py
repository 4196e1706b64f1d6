"""`AsyncText2SQL`: asks questions of a database.

    async with AsyncText2SQL("shop.db") as db:
        answer = await db.ask("Which five products sold best last year?")

Importing this module is cheap; expensive imports happen when a database is opened (`resources.py`).
`scripts/make_sync_client.py` makes the synchronous twin from it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from text2sql.client.checking import check_sql
from text2sql.client.moved import MovedNames
from text2sql.client.results import AsyncResults
from text2sql.client.run_options import completed, final_answer, merged, prepared
from text2sql.client.threads import AsyncThreads
from text2sql.client.verified import AsyncVerified
from text2sql.config import Settings, from_environment
from text2sql.errors import Text2SQLError
from text2sql.i18n import Language
from text2sql.llm import AsyncChatModel
from text2sql.memory import Stats
from text2sql.resources import AppResources, Tables
from text2sql.types import (
    Answer,
    Catalog,
    CheckedSql,
    DatabaseProfile,
    Event,
    Policy,
    QueryResult,
    RunKeywords,
    RunOptions,
    SqlRejected,
)

if TYPE_CHECKING:
    from text2sql.agents import Resources


class AsyncText2SQL(MovedNames):
    """The asynchronous client of one database.

    `threads` manages conversations, `results` reads stored rows, `verified` manages verified questions.

    >>> async with AsyncText2SQL("demo.db", model=model) as db:
    ...     print((await db.ask("How many customers are there?")).rows)
    ((4000,),)
    """

    def __init__(
        self,
        source: str = "",
        *,
        settings: Settings | None = None,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        tables: Tables | None = None,
    ) -> None:
        """Open nothing yet: that happens on entering, or with the first question.

        `source` is a URL or the path of a file. `tables` limits what is visible, by names or with columns; a
        `policy` has all options.
        """
        settings = settings or from_environment()
        self._connect(AppResources(source or settings.db, settings, model, policy, tables))

    def _connect(self, app: AppResources) -> None:
        self.app_resources, self.settings, self.source = app, app.settings, app.source
        self.threads, self.results, self.verified = AsyncThreads(app), AsyncResults(app), AsyncVerified(app)
        self._warming: asyncio.Task[None] | None = None

    # -- questions and queries -----------------------------------------------------------------------

    async def ask(
        self, question: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> Answer:
        """Answer a question. Errors of the database or the model are in the answer; bad usage raises.

        Options are fields of `RunOptions`, as keywords or as a whole.

        >>> answer = await db.ask("How many customers are there?", language="en")
        >>> answer.status, answer.rows
        ('answered', ((4000,),))
        """
        async with aclosing(self.stream(question, options, **keywords)) as events:
            return await final_answer(events)

    async def stream(
        self, question: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> AsyncGenerator[Event, None]:
        """Yield events as they happen; the last is `Finished`. Closing the stream cancels the query.

        >>> async for event in db.stream("How many customers are there?"):
        ...     if isinstance(event, Finished):
        ...         print(event.answer.rows)
        ((4000,),)
        """
        runner, run_options = await prepared(self.app_resources, merged(options, keywords))
        graph_input = {"messages": [{"role": "user", "content": question}]}
        async with aclosing(runner.run(graph_input, run_options)) as events:
            async for event in events:
                yield event

    async def draft(
        self, question: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> Answer:
        """Generate a query that passes the guard, as `Answer.sql`, without running it; `run_sql` runs it.

        >>> answer = await db.draft("How many customers are there?")
        >>> answer.sql, answer.rows
        ('SELECT count(*) FROM customers', ())
        """
        return await self.ask(question, replace(merged(options, keywords), preset="static"))

    async def query(self, sql: str, *, rows: int | None = None) -> QueryResult | SqlRejected:
        """Run your own statement, under the same guard and limits as a generated one.

        >>> result = await db.query("SELECT name FROM regions ORDER BY id")
        >>> result.rows[0]
        ('East China',)
        >>> result = await db.query("DELETE FROM regions")
        >>> result.rule
        'not_a_query'
        """
        checked = await self.check(sql, rows=rows)
        database = (await self.resources()).database
        return await database.run(checked) if isinstance(checked, CheckedSql) else checked

    async def run_sql(
        self, sql: str, options: RunOptions | None = None, **keywords: Unpack[RunKeywords]
    ) -> Answer:
        """Run your own statement like `query`, but return an `Answer`: a refusal is in it, and its rows are
        stored for paging.

        >>> answer = await db.run_sql("SELECT name FROM regions ORDER BY id")
        >>> answer.to_dicts()[0]
        {'name': 'East China'}
        """
        resources = await self.resources()
        from text2sql.agents import run_user_sql  # noqa: PLC0415 -- see the module docstring

        return await run_user_sql(sql, completed(merged(options, keywords), self.settings), resources)

    async def check(self, sql: str, *, rows: int | None = None) -> CheckedSql | SqlRejected:
        """Check a statement with the guard, without running it.

        >>> checked = await db.check("SELECT name FROM regions", rows=10)
        >>> checked.sql
        'SELECT name FROM regions LIMIT 10'
        """
        return await check_sql(self.app_resources, sql, rows)

    # -- the database and its use ----------------------------------------------------------------------

    async def catalog(self) -> Catalog:
        """The visible part of the database's catalog.

        >>> catalog = await db.catalog()
        >>> [column.name for column in catalog.table("regions").columns]
        ['id', 'name', 'name_zh']
        """
        return (await (await self.resources()).catalog_cache.schema_context(values=False)).catalog

    async def profile(self) -> DatabaseProfile:
        """The profile of the visible columns: kinds, ranges, formats, units. Waits until it has been read.

        >>> profile = await db.profile()
        >>> profile.column("regions", "name").kind
        'label'
        """
        return await (await self.resources()).catalog_cache.profile()

    async def examples(self, language: Language = "en") -> tuple[str, ...]:
        """Up to four questions that this database can answer; each was read, compiled and checked.

        >>> questions = await db.examples()
        >>> len(questions)
        4
        """
        from text2sql.agents.analytic.suggesting import examples  # noqa: PLC0415 -- see the module docstring

        return await examples(await self.resources(), language)

    async def refresh(self) -> Catalog:
        """Reload the catalog after a change of the schema, and return it.

        >>> catalog = await db.refresh()
        >>> catalog.dialect
        'sqlite'
        """
        await (await self.resources()).catalog_cache.refresh()
        return await self.catalog()

    async def stats(self, days: int | None = None) -> Stats:
        """Statistics of the questions that the memory has counted, of the last `days` or of all.

        >>> stats = await db.stats(days=7)
        >>> stats.questions > 0
        True
        """
        return await (await self.resources()).memory.stats(days)

    async def warm(self, *, background: bool = False) -> None:
        """Load the catalog and evaluate the schema's prompt, while the user is still typing.

        In the background it returns at once, and the first question raises any error.

        >>> await db.warm()
        """
        if background:
            self._warming = asyncio.create_task(self._warm_quietly())
            return
        resources = await self.resources()
        from text2sql.agents import warm_up  # noqa: PLC0415 -- see the module docstring

        await warm_up(resources)

    async def _warm_quietly(self) -> None:
        with suppress(Text2SQLError):
            await self.warm()

    # -- other views on the same database --------------------------------------------------------------

    def seen_by(self, policy: Policy, *, account: str = "") -> "AsyncText2SQL":
        """The same database under a stricter policy, sharing pool, memory and models. With an `account`, a
        URL of the same database, queries use its own connections. It need not be closed, and works until this
        client is closed.

        >>> view = db.seen_by(Policy({"regions": ("name",)}))
        >>> result = await view.query("SELECT id FROM regions")
        >>> result.rule
        'column'
        """
        return self._sibling(self.app_resources.seen_by(policy, account))

    def apart(self, settings: Settings) -> "AsyncText2SQL":
        """The same database, policy and models under other settings, with a memory of its own. Close it
        before this client.

        >>> async with db.apart(Settings(row_limit=2, memory="none")) as small:
        ...     result = await small.query("SELECT name FROM regions")
        >>> result.row_count
        2
        """
        return self._sibling(self.app_resources.apart(settings))

    @classmethod
    def _sibling(cls, app: AppResources) -> "AsyncText2SQL":
        sibling = AsyncText2SQL.__new__(AsyncText2SQL)
        sibling._connect(app)
        return sibling

    # -- opening and closing ---------------------------------------------------------------------------

    async def resources(self) -> "Resources":
        """What the front ends of this package share with the graph."""
        return await self.app_resources.resources()

    async def close(self) -> None:
        """Close the connections, the memory and the models. `async with` does it.

        >>> client = AsyncText2SQL("demo.db", model=model)
        >>> await client.close()
        """
        if self._warming is not None:
            self._warming.cancel()
            with suppress(asyncio.CancelledError):
                await self._warming
        await self.app_resources.close()

    async def __aenter__(self) -> Self:
        await self.resources()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
