"""`Text2SQL`: the synchronous client, for code without an event loop.

with Text2SQL("shop.db") as db:
    print(db.ask("How many orders were there in 2025?").answer)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, Unpack

from text2sql.client.async_client import AskOptions, AsyncText2SQL
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel
from text2sql.loop_thread import LoopThread
from text2sql.memory import Stats, ThreadInfo
from text2sql.types import Answer, Catalog, Event, Policy, QueryResult, SqlRejected


class Text2SQL:
    """Runs an `AsyncText2SQL` in a thread."""

    def __init__(
        self,
        source: str = "",
        *,
        settings: Settings | None = None,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        tables: Iterable[str] | Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._loop = LoopThread("text2sql")
        self._arguments: dict[str, Any] = {
            "settings": settings,
            "model": model,
            "policy": policy,
            "tables": tables,
        }
        self._source = source
        self._async_client: AsyncText2SQL | None = None

    def ask(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        return self._loop.do(self._client.ask(question, **options))

    def stream(self, question: str, **options: Unpack[AskOptions]) -> Iterator[Event]:
        """Leaving the iteration early cancels the query."""
        return self._loop.stream(self._client.stream(question, **options))

    def draft(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        return self._loop.do(self._client.draft(question, **options))

    def confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Answer:
        return self._loop.do(self._client.confirm(thread, yes=yes, user=user))

    def stream_confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Iterator[Event]:
        return self._loop.stream(self._client.stream_confirm(thread, yes=yes, user=user))

    def resume(self, thread: str, *, user: str = "") -> Answer:
        return self._loop.do(self._client.resume(thread, user=user))

    def threads(self, user: str = "") -> list[ThreadInfo]:
        return self._loop.do(self._client.threads(user))

    def history(self, thread: str, *, user: str = "") -> list[Mapping[str, Any]]:
        return self._loop.do(self._client.history(thread, user=user))

    def answers(self, thread: str, *, rows: int, user: str = "") -> list[Answer]:
        return self._loop.do(self._client.answers(thread, rows=rows, user=user))

    def roll_back(self, thread: str, *, turns: int = 1, user: str = "") -> int:
        return self._loop.do(self._client.roll_back(thread, turns=turns, user=user))

    def forget(self, thread: str, *, user: str = "") -> None:
        self._loop.do(self._client.forget(thread, user=user))

    def page(self, result_id: str, *, number: int, size: int, user: str = "", order: int = 0) -> QueryResult:
        return self._loop.do(self._client.page(result_id, number=number, size=size, user=user, order=order))

    def count(self, result_id: str, *, user: str = "") -> int:
        return self._loop.do(self._client.count(result_id, user=user))

    def query(self, sql: str, *, rows: int | None = None) -> QueryResult | SqlRejected:
        return self._loop.do(self._client.query(sql, rows=rows))

    def remember(self, question: str, sql: str, *, user: str = "") -> None:
        self._loop.do(self._client.remember(question, sql, user=user))

    def stats(self, days: int | None = None) -> Stats:
        return self._loop.do(self._client.stats(days))

    def catalog(self) -> Catalog:
        return self._loop.do(self._client.catalog())

    def warm(self) -> None:
        self._loop.do(self._client.warm())

    def warm_in_background(self) -> None:
        async def begin() -> None:
            self._client.warm_in_background()

        self._loop.do(begin())

    def open(self) -> Self:
        async def begin() -> None:
            await self._client.resources()

        self._loop.do(begin())
        return self

    def close(self) -> None:
        client, self._async_client = self._async_client, None
        if client is not None:
            self._loop.close(client.close())

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _client(self) -> AsyncText2SQL:
        if self._async_client is None:
            self._async_client = AsyncText2SQL(self._source, **self._arguments)
        return self._async_client
