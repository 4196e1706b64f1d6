"""Which steps of a question are written down: the first, the last, and what would be a loss.

A graph saves every step, and a saved step costs more than most agents do. So quick agents share a step
(`graph.py`), and one is held back and written with the next, unless a model was paid for it, it leads to a
change of the database, or a second has passed. A crash costs what was running and what is quickly done again.
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

_SECONDS = 1.0  # of work that a crash may cost beside the step that was running


@dataclass(frozen=True, slots=True)
class _Step:
    config: RunnableConfig  # of the step before it that was written
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    versions: ChannelVersions


def is_loss(values: Mapping[str, Any], paid: object, since: float) -> bool:
    """More was paid to a model by now, a change of the database is on its way, or a second has passed."""
    if values.get("pending_write") or values.get("usage") not in (None, {}, paid):
        return True
    return time.monotonic() - since >= _SECONDS


class Steps(BaseCheckpointSaver[str]):
    """Stands before a saver. A thread has one run at a time; whoever runs it says `settle` at the end."""

    def __init__(self, saver: BaseCheckpointSaver[str]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._held: dict[str, _Step] = {}
        self._written: dict[str, tuple[float, object]] = {}  # when, and what had been paid by then

    async def settle(self, thread_id: str) -> None:
        """The run is over, however it ended: its last step is written."""
        try:
            await self._write_held(thread_id)
        finally:
            self._written.pop(thread_id, None)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        named = config["configurable"]
        thread_id = named["thread_id"]
        step = _Step(config, checkpoint, metadata, new_versions)
        held = self._held.pop(thread_id, None)
        if held is not None:
            step = replace(step, config=held.config, versions={**held.versions, **new_versions})
        if self._is_loss(thread_id, step):
            return await self._write(thread_id, step)
        self._held[thread_id] = step
        return {"configurable": {**named, "checkpoint_id": checkpoint["id"]}}

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """What a node returned is in the step that follows at once. That it waits for a person, or what that
        person said, is not.
        """
        if any(channel in WRITES_IDX_MAP for channel, _ in writes):
            await self._write_held(config["configurable"]["thread_id"])
            await self._saver.aput_writes(config, writes, task_id, task_path)

    def _is_loss(self, thread_id: str, step: _Step) -> bool:
        values = step.checkpoint["channel_values"]
        if step.metadata["source"] != "loop" or thread_id not in self._written:
            return True
        when, paid = self._written[thread_id]
        return is_loss(values, paid, when)

    async def _write_held(self, thread_id: str) -> None:
        held = self._held.pop(thread_id, None)
        if held is not None:
            await self._write(thread_id, held)

    async def _write(self, thread_id: str, step: _Step) -> RunnableConfig:
        written = await self._saver.aput(step.config, step.checkpoint, step.metadata, step.versions)
        if step.metadata["source"] != "update":  # which is whole by itself: no run has to settle it
            paid = step.checkpoint["channel_values"].get("usage")
            self._written[thread_id] = time.monotonic(), paid
        return written

    # -- the rest as it is ---------------------------------------------------------------------------

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
        async for found in self._saver.alist(config, filter=filter, before=before, limit=limit):
            yield found

    async def adelete_thread(self, thread_id: str) -> None:
        await self._saver.adelete_thread(thread_id)

    def get_next_version(self, current: str | None, channel: None) -> str:
        return self._saver.get_next_version(current, channel)

    def with_allowlist(self, extra_allowlist: Collection[tuple[str, ...]]) -> "Steps":
        clone = copy.copy(self)  # what is held is held by both
        clone._saver = self._saver.with_allowlist(extra_allowlist)
        return clone
