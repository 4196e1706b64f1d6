"""The systems under evaluation: the app, or the bare model for comparison."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from text2sql.agents.question_reading import read_intent
from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database
from text2sql.database.dialects import BY_NAME
from text2sql.evaluation.judge import LIMITS
from text2sql.llm import AsyncChatModel
from text2sql.schema import ddl, share_values
from text2sql.schema.sharing import shown_table
from text2sql.sql import fix_sql, fixes_for, in_worker, read_reply
from text2sql.types import Answer, Message, ModelRequest, Receipt, RunOptions, SqlRejected

_BARE = "You write {product} queries. Answer with one SQL query and nothing else.\n\n{ddl}"


@dataclass(frozen=True, slots=True)
class SubjectAnswer:
    """An answer with its candidate queries, repaired in the same way as the chosen one."""

    answer: Answer
    candidates: tuple[str, ...] = ()


class Subject(Protocol):
    """A system that answers questions about one database."""

    async def ask(self, question: str, thread: str = "", today: str = "") -> SubjectAnswer:
        """Answer a question on the date `today`, as the next one of a conversation or alone."""
        ...

    async def close(self) -> None: ...


Open: TypeAlias = Callable[[str], Subject]  # path or URL of a database → a subject for it


def settings_for(settings: Settings) -> Settings:
    """Adapt the user's settings to an evaluation.

    There is no memory between questions, the row limit is high enough not to affect a verdict, and questions
    wait for the value index, so that slow machines get the same results. The mode is unchanged, because the
    app must be able to decline a question.
    """
    return replace(
        settings,
        memory="none",
        lang="",
        row_limit=LIMITS.rows,
        byte_limit=LIMITS.bytes,
        values_wait=settings.values_time,
        allow_writes=False,
    )


class AskApp:
    """The app, opened for one database; for each `today` of the questions with settings of its own."""

    def __init__(self, app: AsyncText2SQL, options: RunOptions | None = None) -> None:
        self._app = app
        self._options = options or RunOptions()
        self._dated: dict[str, AsyncText2SQL] = {"": app, app.settings.today: app}

    async def ask(self, question: str, thread: str = "", today: str = "") -> SubjectAnswer:
        app = self._app_on(today)
        await app.warm()  # as in a chat: the prompt must not depend on which question came first
        answer = await app.ask(question, replace(self._options, thread=thread))
        return SubjectAnswer(answer, await self._repaired(app, question, answer.receipt.candidates))

    async def close(self) -> None:
        for app in self._dated.values():
            if app is not self._app:
                await app.close()
        await self._app.close()

    def _app_on(self, today: str) -> AsyncText2SQL:
        if today not in self._dated:
            self._dated[today] = self._app.apart(replace(self._app.settings, today=today))
        return self._dated[today]

    async def _repaired(self, app: AsyncText2SQL, question: str, written: tuple[str, ...]) -> tuple[str, ...]:
        if len(written) < 2:
            return ()
        resources = await app.resources()
        size = resources.models(self._options.model).profile.size
        fixes = fixes_for(size, runs=size == "large", choice=resources.settings.fixes)
        context = await resources.catalog_cache.schema_context()
        dialect = context.catalog.dialect
        intent = read_intent(question, context)
        repaired = [
            await in_worker(
                fix_sql, sql, dialect, context.catalog, context.values, intent=intent, fixes=fixes
            )
            for sql in written
        ]
        texts = (
            sql if isinstance(fixed, SqlRejected) else fixed.sql
            for sql, fixed in zip(written, repaired, strict=True)
        )
        return tuple(dict.fromkeys(texts))


class AskBare:
    """The bare model: one greedy call with the DDL and the question, without adapter, values, repairs,
    retry or earlier questions.
    """

    def __init__(self, source: str, model: AsyncChatModel, settings: Settings) -> None:
        self._database = AsyncDatabase(open_database(source, settings))
        self._model = model
        self._tokens = settings.sql_tokens
        self._values = share_values(model.profile.location, settings)
        self._system: Message | None = None

    async def ask(self, question: str, thread: str = "", today: str = "") -> SubjectAnswer:  # noqa: ARG002
        messages = (await self._prefix(), Message("user", question))
        reply = await self._model.ask(ModelRequest(messages, max_tokens=self._tokens, plain=True))
        sql = read_reply(reply.text) if reply.candidates[0].finish == "stop" else ""
        receipt = Receipt(sql=sql, attempts=1, model=reply.model, usage=reply.usage)
        return SubjectAnswer(Answer("answered" if sql else "failed", question, "", sql=sql, receipt=receipt))

    async def close(self) -> None:
        await self._database.close()

    async def _prefix(self) -> Message:
        if self._system is None:
            catalog = await self._database.catalog(samples=0)
            product = BY_NAME[catalog.dialect].product
            tables = tuple(shown_table(table, self._values) for table in catalog.tables)
            text = ddl(replace(catalog, tables=tables))
            self._system = Message("system", _BARE.format(product=product, ddl=text))
        return self._system
