"""Decides which steps of a question are written to the checkpoint store: the first, the last, and any whose
loss would be costly.

A graph saves every step, and a saved step costs more than most nodes. So quick nodes share a step
(`graph.py`), and a step is held back and merged with the next, unless a model call was paid for, it leads to
a write to the database, or a second has passed. A crash loses only work that is quickly repeated.
"""

import copy
import time
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

_SECONDS = 1.0  # of work that a crash may lose besides the running step


@dataclass(frozen=True, slots=True)
class _Step:
    config: RunnableConfig  # of the previous written step
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions


def is_loss(values: Mapping[str, Any], paid_usage: object, since: float) -> bool:
    """Model usage increased since the last checkpoint, a database write is pending, or a second passed."""
    if values.get("pending_write") or values.get("usage") not in (None, {}, paid_usage):
        return True
    return time.monotonic() - since >= _SECONDS


class BatchingCheckpointer(BaseCheckpointSaver[str]):
    """A checkpointer that wraps another and skips cheap steps. A thread has one run at a time; the run calls
    `settle` at its end.
    """

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._pending: dict[str, _Step] = {}
        self._written: dict[str, tuple[float, object]] = {}  # time, and model usage until then

    async def settle(self, thread_id: str) -> None:
        """Write the last step of a run, however it ended."""
        try:
            await self._write_pending(thread_id)
        finally:
            self._written.pop(thread_id, None)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        configurable = config["configurable"]
        thread_id = configurable["thread_id"]
        step = _Step(config, checkpoint, metadata, new_versions)
        pending = self._pending.pop(thread_id, None)
        if pending is not None:
            step = replace(step, config=pending.config, versions={**pending.versions, **new_versions})
        if self._is_loss(thread_id, step):
            return await self._write(thread_id, step)
        self._pending[thread_id] = step
        return {"configurable": {**configurable, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """A node's return value is contained in the next step; only interrupts and their answers are written
        here.
        """
        if any(channel in WRITES_IDX_MAP for channel, _ in writes):
            await self._write_pending(config["configurable"]["thread_id"])
            await self._saver.aput_writes(config, writes, task_id, task_path)

    def _is_loss(self, thread_id: str, step: _Step) -> bool:
        values = step.checkpoint["channel_values"]
        if step.metadata["source"] != "loop" or thread_id not in self._written:
            return True
        written_at, paid_usage = self._written[thread_id]
        return is_loss(values, paid_usage, written_at)

    async def _write_pending(self, thread_id: str) -> None:
        pending = self._pending.pop(thread_id, None)
        if pending is not None:
            await self._write(thread_id, pending)

    async def _write(self, thread_id: str, step: _Step) -> RunnableConfig:
        config = await self._saver.aput(step.config, step.checkpoint, step.metadata, step.versions)
        if step.metadata["source"] != "update":  # an update belongs to no run that would flush it
            paid_usage = step.checkpoint["channel_values"].get("usage")
            self._written[thread_id] = time.monotonic(), paid_usage
        return config

    # -- delegated -------------------------------------------------------------------------------

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._saver.aget_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  LangGraph's own name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        async for checkpoint in self._saver.alist(config, filter=filter, before=before, limit=limit):
            yield checkpoint

    async def adelete_thread(self, thread_id: str) -> None:
        await self._saver.adelete_thread(thread_id)

    def get_next_version(self, current: str | None, channel: None) -> str:
        return self._saver.get_next_version(current, channel)

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> "BatchingCheckpointer":
        clone = copy.copy(self)  # both share the pending steps
        clone._saver = self._saver.with_allowlist(extra_allowlist)
        return clone
