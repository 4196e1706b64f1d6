"""LangGraph's checkpointers and stores with two additions: driver errors become a `StoreError`, and a write
that has begun is completed even if its question is cancelled.

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


class DriverErrors(NamedTuple):
    """Which errors a driver raises, and how they are translated."""

    raises: type[Exception]
    translate: Callable[[Any], StoreError]
    location: str = ""


class StorageHandles(NamedTuple):
    """The opened parts of a memory."""

    checkpointer: BaseCheckpointSaver[str]
    store: BaseStore
    tables: Tables


def serializer() -> JsonPlusSerializer:
    """Deserialize only this package's and LangGraph's classes from a checkpoint: a user who can
    write the file or table must not be able to instantiate other classes.
    """
    classes = [value for value in vars(types).values() if isinstance(value, type)]
    names = [(cls.__module__, cls.__name__) for cls in classes if dataclasses.is_dataclass(cls)]
    former = [(types.__name__, name) for _, name in names]  # as one module, types of older checkpoints
    return JsonPlusSerializer(allowed_msgpack_modules=[*names, *former])


class TranslatedSaver(BaseCheckpointSaver[str]):
    """A mixin that precedes a real saver: `class X(TranslatedSaver, AsyncSqliteSaver)`."""

    driver_errors: DriverErrors

    async def undo(self) -> None:
        """After a failure: leave no transaction open."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        async with self._errors_translated():
            return await super().aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  LangGraph's own name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        async with self._errors_translated():
            async for checkpoint in super().alist(config, filter=filter, before=before, limit=limit):
                yield checkpoint

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        async with self._errors_translated():
            return await super().aget_delta_channel_history(config=config, channels=channels)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        async with self._errors_translated():
            return await run_to_completion(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        async with self._errors_translated():
            await run_to_completion(super().aput_writes(config, writes, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        async with self._errors_translated():
            await run_to_completion(super().adelete_thread(thread_id))

    @asynccontextmanager
    async def _errors_translated(self) -> AsyncIterator[None]:
        try:
            yield
        except self.driver_errors.raises as error:
            await self.undo()
            raise self.driver_errors.translate(error) from error
        except (
            ValueError,
            TypeError,
            KeyError,
            EOFError,
        ) as error:  # a checkpoint that cannot be deserialized
            detail = f"a checkpoint: {type(error).__name__}"
            raise StoreDamaged(self.driver_errors.location, detail) from error


class TranslatedStore(BaseStore):
    """The same for a store. Its batches run in a separate task, so cancelling a caller interrupts none."""

    driver_errors: DriverErrors

    async def undo(self) -> None:
        """After a failure: leave no transaction open."""

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        try:
            return await super().abatch(ops)  # type: ignore[safe-super]  # a real store follows in the MRO
        except self.driver_errors.raises as error:
            await self.undo()
            raise self.driver_errors.translate(error) from error


async def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """Between INSERT and COMMIT a write holds the file's lock: interrupted there, it would block every
    process until the next write. So the write is completed first, and the caller is cancelled afterwards.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # mark as retrieved: the caller was cancelled
        raise
