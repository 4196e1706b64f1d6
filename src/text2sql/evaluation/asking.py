"""Who is asked: the app as a person has it, or the bare model for comparison."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from text2sql.app import AsyncText2SQL, How
from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database
from text2sql.database.dialects import BY_NAME
from text2sql.evaluation.marking import LIMITS
from text2sql.llm import AsyncChatModel
from text2sql.schema import ddl, said
from text2sql.sql import read_reply, repair
from text2sql.types import Answer, Message, ModelRequest, Receipt

_BARE = "You write {product} queries. Answer with one SQL query and nothing else.\n\n{ddl}"


@dataclass(frozen=True, slots=True)
class Given:
    """An answer, and the queries that were weighed for it, mended as the chosen one was."""

    answer: Answer
    candidates: tuple[str, ...] = ()


class Asker(Protocol):
    async def ask(self, question: str) -> Given: ...

    async def close(self) -> None: ...


Open: TypeAlias = Callable[[str], Asker]  # somebody to ask about the database at this path or URL


def settings_for(settings: Settings) -> Settings:
    """As a person has them, but: nothing is remembered from one question to the next, our own LIMIT is so
    high that it changes no verdict, and what stands in the columns is waited for, since a slow machine should
    come to the same result. The mode stays as it is: a question must be able to end without a query.
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
    """One app a database, open while its questions are asked."""

    def __init__(self, app: AsyncText2SQL, how: How | None = None) -> None:
        self._app = app
        self._how = how or How()

    async def ask(self, question: str) -> Given:
        await self._app.warm()  # as in a chat: what is shown must not depend on which question came first
        answer = await self._app.ask(question, **self._how)
        return Given(answer, await self._mended(question, answer.receipt.candidates))

    async def close(self) -> None:
        await self._app.close()

    async def _mended(self, question: str, written: tuple[str, ...]) -> tuple[str, ...]:
        if len(written) < 2:
            return ()
        known = await (await self._app.rooms()).library.knowledge()
        dialect = known.catalogue.dialect
        about = said(question, known, known.values.find(question))
        mended = [repair(sql, dialect, known.catalogue, known.values, said=about).sql for sql in written]
        return tuple(dict.fromkeys(mended))


class AskBare:
    """One greedy call with the database's DDL and the question: no adapter, no values, no repairs, no second
    try.
    """

    def __init__(self, source: str, model: AsyncChatModel, settings: Settings) -> None:
        self._database = AsyncDatabase(open_database(source, settings))
        self._model = model
        self._tokens = settings.sql_tokens
        self._system: Message | None = None

    async def ask(self, question: str) -> Given:
        messages = (await self._prefix(), Message("user", question))
        # What the app does too: a schema may take longer to read than a call may take to answer.
        await self._model.warm(messages[:1], plain=True)
        reply = await self._model.ask(ModelRequest(messages, max_tokens=self._tokens, plain=True))
        sql = read_reply(reply.text) if reply.candidates[0].finish == "stop" else ""
        receipt = Receipt(sql=sql, attempts=1, model=reply.model, usage=reply.usage)
        return Given(Answer("answered" if sql else "failed", question, "", sql=sql, receipt=receipt))

    async def close(self) -> None:
        await self._database.close()

    async def _prefix(self) -> Message:
        if self._system is None:
            catalogue = await self._database.catalogue(samples=0)
            product = BY_NAME[catalogue.dialect].product
            self._system = Message("system", _BARE.format(product=product, ddl=ddl(catalogue)))
        return self._system
