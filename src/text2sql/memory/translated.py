"""LangGraph's checkpointers and stores, with two things added: what a driver raises becomes a `StoreError`,
and a write that was begun is ended even if the question it belongs to is cancelled.

Imported only when a memory is opened: LangGraph takes two seconds.
"""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.store.base import BaseStore, Op, Result

from text2sql import types
from text2sql.errors import StoreDamaged, StoreError
from text2sql.memory.tables import Tables

T = TypeVar("T")


class Edge(NamedTuple):
    """Where a driver ends and we begin."""

    raises: type[Exception]
    translate: Callable[[Any], StoreError]
    place: str = ""


class Opened(NamedTuple):
    checkpointer: BaseCheckpointSaver[str]
    store: BaseStore
    tables: Tables


def serializer() -> JsonPlusSerializer:
    """Only our own values and LangGraph's are built from a checkpoint: whoever can write the file, or the
    table, must not be able to name any class of any package.
    """
    ours = [(types.__name__, one.__name__) for one in vars(types).values() if dataclasses.is_dataclass(one)]  # type: ignore[union-attr]
    return JsonPlusSerializer(allowed_msgpack_modules=ours)


class TranslatedSaver(BaseCheckpointSaver[str]):
    """Stands before a real saver in the order of its bases: `class X(TranslatedSaver, AsyncSqliteSaver)`."""

    edge: Edge

    async def undo(self) -> None:
        """After a failure: leave no transaction open."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        async with self._told():
            return await super().aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  LangGraph's own name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        async with self._told():
            async for found in super().alist(config, filter=filter, before=before, limit=limit):
                yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        async with self._told():
            return await super().aget_delta_channel_history(config=config, channels=channels)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        async with self._told():
            return await whole(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        async with self._told():
            await whole(super().aput_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        async with self._told():
            await whole(super().adelete_thread(thread_id))

    @asynccontextmanager
    async def _told(self) -> AsyncIterator[None]:
        try:
            yield
        except self.edge.raises as error:
            await self.undo()
            raise self.edge.translate(error) from error
        except (ValueError, TypeError, KeyError, EOFError) as error:  # a step that cannot be read any more
            raise StoreDamaged(self.edge.place, f"a checkpoint: {type(error).__name__}") from error


class TranslatedStore(BaseStore):
    """The same for a store. Its batches run in a task of their own, so a cancelled caller ends none."""

    edge: Edge

    async def undo(self) -> None:
        """After a failure: leave no transaction open."""

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        try:
            return await super().abatch(ops)  # type: ignore[safe-super]  # a real store comes behind
        except self.edge.raises as error:
            await self.undo()
            raise self.edge.translate(error) from error


async def whole(work: Coroutine[Any, Any, T]) -> T:
    """Between its INSERT and its COMMIT a write holds the file's lock: stopped there, it would hold up every
    process until the next write. So it is ended first, and the caller is cancelled then.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # looked at: nobody is left to be told
        raise
