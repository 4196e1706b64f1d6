"""`Text2SQL`: the same for code without an event loop.

with Text2SQL("shop.db") as db:
    print(db.ask("How many orders were there in 2025?").answer)
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, Unpack

from text2sql.app import AsyncText2SQL, How
from text2sql.background import Background
from text2sql.config import Settings
from text2sql.llm import AsyncChatModel
from text2sql.memory import Stats, ThreadInfo
from text2sql.types import Answer, Catalogue, Event, Policy, QueryResult, SqlRejected


class Text2SQL:
    def __init__(
        self,
        source: str = "",
        *,
        settings: Settings | None = None,
        model: str | AsyncChatModel = "",
        policy: Policy | None = None,
        tables: Iterable[str] | Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._loop = Background("text2sql")
        self._given: dict[str, Any] = {
            "settings": settings,
            "model": model,
            "policy": policy,
            "tables": tables,
        }
        self._source = source
        self._twin: AsyncText2SQL | None = None

    def ask(self, question: str, **how: Unpack[How]) -> Answer:
        return self._loop.do(self._app.ask(question, **how))

    def stream(self, question: str, **how: Unpack[How]) -> Iterator[Event]:
        """Leaving it early cancels the query."""
        return self._loop.stream(self._app.stream(question, **how))

    def draft(self, question: str, **how: Unpack[How]) -> Answer:
        return self._loop.do(self._app.draft(question, **how))

    def confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Answer:
        return self._loop.do(self._app.confirm(thread, yes=yes, user=user))

    def stream_confirm(self, thread: str, *, yes: bool = True, user: str = "") -> Iterator[Event]:
        return self._loop.stream(self._app.stream_confirm(thread, yes=yes, user=user))

    def resume(self, thread: str, *, user: str = "") -> Answer:
        return self._loop.do(self._app.resume(thread, user=user))

    def threads(self, user: str = "") -> list[ThreadInfo]:
        return self._loop.do(self._app.threads(user))

    def history(self, thread: str, *, user: str = "") -> list[Mapping[str, Any]]:
        return self._loop.do(self._app.history(thread, user=user))

    def roll_back(self, thread: str, *, turns: int = 1, user: str = "") -> int:
        return self._loop.do(self._app.roll_back(thread, turns=turns, user=user))

    def forget(self, thread: str, *, user: str = "") -> None:
        self._loop.do(self._app.forget(thread, user=user))

    def page(self, result_id: str, *, number: int, size: int, user: str = "", order: int = 0) -> QueryResult:
        return self._loop.do(self._app.page(result_id, number=number, size=size, user=user, order=order))

    def count(self, result_id: str, *, user: str = "") -> int:
        return self._loop.do(self._app.count(result_id, user=user))

    def query(self, sql: str, *, rows: int | None = None) -> QueryResult | SqlRejected:
        return self._loop.do(self._app.query(sql, rows=rows))

    def remember(self, question: str, sql: str, *, user: str = "") -> None:
        self._loop.do(self._app.remember(question, sql, user=user))

    def stats(self, days: int | None = None) -> Stats:
        return self._loop.do(self._app.stats(days))

    def catalogue(self) -> Catalogue:
        return self._loop.do(self._app.catalogue())

    def warm(self) -> None:
        self._loop.do(self._app.warm())

    def warm_soon(self) -> None:
        async def begin() -> None:
            self._app.warm_soon()

        self._loop.do(begin())

    def open(self) -> Self:
        async def begin() -> None:
            await self._app.rooms()

        self._loop.do(begin())
        return self

    def close(self) -> None:
        twin, self._twin = self._twin, None
        if twin is not None:
            self._loop.close(twin.close())

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _app(self) -> AsyncText2SQL:
        if self._twin is None:
            self._twin = AsyncText2SQL(self._source, **self._given)
        return self._twin
