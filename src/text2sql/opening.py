"""What stands behind an app: the database's pool, the memory, the models and the graph. Opened when first
wanted, closed in the opposite order.

Importing this is cheap. LangGraph costs two seconds to import, so that happens when a database is opened,
beside the reading of its catalogue and the start of the model.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakSet

from text2sql.config import Settings
from text2sql.database import AsyncDatabase, open_database, redacted
from text2sql.errors import UsageError
from text2sql.llm import AsyncChatModel, open_model
from text2sql.memory import open_memory
from text2sql.types import Policy

if TYPE_CHECKING:
    from text2sql.agents import Library, Rooms, Runs

Tables: TypeAlias = Iterable[str] | Mapping[str, Sequence[str]]


class House:
    def __init__(
        self,
        source: str,
        settings: Settings,
        model: str | AsyncChatModel,
        policy: Policy | None,
        tables: Tables | None = None,
        *,
        owner: "House | None" = None,
        apart: bool = False,
    ) -> None:
        """With an `owner` its database and models are used, and its memory unless this stands `apart`."""
        self.source, self.settings = source, settings
        self._model, self._policy, self._tables = model, policy, tables
        self._owner, self._apart = owner, apart
        self._models: dict[str, AsyncChatModel] = {}
        self._views: WeakSet[Library] = WeakSet()
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._rooms: Rooms | None = None
        self._runs: Runs | None = None

    @property
    def database(self) -> AsyncDatabase | None:
        """None until it has been opened."""
        return self._rooms.database if self._rooms is not None else None

    @property
    def model_name(self) -> str:
        """Who is asked unless a question names another."""
        return (
            self._model.name
            if isinstance(self._model, AsyncChatModel)
            else self._model or self.settings.model
        )

    def seen_by(self, policy: Policy) -> "House":
        return House(self.source, self.settings, self._model, policy, owner=self)

    def apart(self, settings: Settings) -> "House":
        owner = self._owner or self
        return House(self.source, settings, self._model, self._policy, self._tables, owner=owner, apart=True)

    async def rooms(self) -> "Rooms":
        async with self._opening:
            if self._rooms is None:
                await self._open()
        if self._rooms is None:
            raise RuntimeError("closed")
        return self._rooms

    async def runs(self) -> "Runs":
        await self.rooms()
        if self._runs is None:
            raise RuntimeError("closed")
        return self._runs

    async def close(self) -> None:
        self._rooms = self._runs = None
        await self._stack.aclose()

    async def _open(self) -> None:
        """LangGraph is imported beside everything that waits for a disk or another process."""
        if self._owner is not None:
            await self._share(self._owner)
            return
        if not self.source:
            raise UsageError("usage.db_missing")
        importing = asyncio.create_task(asyncio.to_thread(import_module, "text2sql.agents"))
        try:
            database = AsyncDatabase(open_database(self.source, self.settings))
            self._stack.push_async_callback(database.close)
            memory = await self._stack.enter_async_context(open_memory(self.settings))
            agents = await importing
            policy = self._policy or await self._narrowed(database)
            key = f"{database.dialect}:{redacted(self.source)}"  # in the store, without its password
            library = agents.Library(database, memory, self.settings, policy, key)
            self._stack.push_async_callback(library.close)
            self._stack.push_async_callback(self._close_models)
            self._stack.push_async_callback(self._close_views)
            rooms = agents.Rooms(self.settings, database, memory, library, self._opened_model)
            self._runs = agents.Runs(agents.build(rooms), rooms)
            self._rooms = rooms
        except BaseException:
            await asyncio.gather(importing, return_exceptions=True)
            await self._stack.aclose()
            raise

    async def _share(self, owner: "House") -> None:
        from text2sql.agents import Library, Rooms, Runs, build  # noqa: PLC0415 -- see the module's first words

        its = await owner.rooms()
        opening = open_memory(self.settings) if self._apart else nullcontext(its.memory)
        memory = await self._stack.enter_async_context(opening)
        policy = self._policy or await self._narrowed(its.database)
        library = Library(its.database, memory, self.settings, policy, its.library.key)
        if self._apart:
            self._stack.push_async_callback(library.close)
        owner._views.add(library)  # its reading of values ends with the owner, whatever became of this view
        rooms = Rooms(self.settings, its.database, memory, library, owner._opened_model)
        self._runs, self._rooms = Runs(build(rooms), rooms), rooms

    async def _narrowed(self, database: AsyncDatabase) -> Policy | None:
        if self._tables is None:
            return None
        if isinstance(self._tables, Mapping):
            return Policy({name: tuple(columns) for name, columns in self._tables.items()})
        catalogue = await database.catalogue(samples=0)
        names = set(self._tables)
        found = {table.name: tuple(column.name for column in table.columns) for table in catalogue.tables}
        for missing in sorted(names - found.keys()):
            raise UsageError("usage.table", name=missing, close="-")
        return Policy({name: found[name] for name in names}, exact=True)

    def _opened_model(self, name: str) -> AsyncChatModel:
        if not name and isinstance(self._model, AsyncChatModel):
            return self._model
        wanted = name or str(self._model) or self.settings.model
        if wanted not in self._models:
            self._models[wanted] = open_model(wanted, self.settings)
        return self._models[wanted]

    async def _close_models(self) -> None:
        for model in self._models.values():
            await model.close()
        self._models.clear()

    async def _close_views(self) -> None:
        for library in list(self._views):
            await library.close()
