"""Runs the graph: one question of a thread at a time, its events, and the final answer."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command, Interrupt

from text2sql.agents.answer_builder import answer_from_state, load_result, load_rows, pending_answer
from text2sql.agents.graph import Graph
from text2sql.agents.node_context import Resources, put_bounded
from text2sql.errors import UsageError
from text2sql.i18n import Language
from text2sql.memory import QuestionMetrics, scoped
from text2sql.types import Answer, Event, Finished, RunOptions

_INTERRUPT = "__interrupt__"  # LangGraph's key for an interrupt: a write waits for confirmation
_ENDING = ("answer", "language", "turns")  # what the runner reads of the last update


class GraphRunner:
    """Runs, resumes, copies and reads threads of one compiled graph."""

    def __init__(self, graph: Graph, resources: Resources) -> None:
        self._graph = graph
        self._resources = resources
        self._first_checkpoints: OrderedDict[str, CheckpointTuple] = OrderedDict()
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def run(self, graph_input: Any, options: RunOptions) -> AsyncGenerator[Event, None]:
        """Run the graph on an input; yields its events, and last `Finished`."""
        answer: Answer | None
        ending: dict[str, Any] = {}
        async with self._locked(scoped(options.user, options.thread), options.thread):
            async with aclosing(self._events(graph_input, options, ending)) as events:
                async for event in events:
                    yield event
            if _INTERRUPT in ending:
                answer = _pending_answer(ending[_INTERRUPT], options)
            elif ending:
                answer = await self._with_rows(ending, options)
            else:  # no node ran: while this call waited, another one resumed the run and answered
                answer = await self._last_answer(options)
            if answer is None:
                raise RuntimeError("the graph ended without an answer")
            first = len(ending.get("turns", ())) == 1
            await self._resources.memory.turn(options.user, options.thread, answer.question, first=first)
            # Last, because it commits all of the above to disk.
            await self._resources.memory.count(QuestionMetrics.of(answer))
        yield Finished(answer)

    async def _events(
        self, graph_input: Any, options: RunOptions, ending: dict[str, Any]
    ) -> AsyncGenerator[Event, None]:
        """The events of the nodes; `ending` gets what the last update holds. Closing it cancels the run."""
        graph: Any = self._graph
        stream = graph.astream(
            graph_input,
            _config(options),
            context=options,
            stream_mode=["custom", "updates"],
            output_keys=_ENDING,
            durability="sync",
        )
        async with aclosing(stream) as parts:
            async for mode, part in parts:
                if mode == "custom":
                    yield part
                    continue
                for name, update in part.items():
                    ending |= {name: update} if name == _INTERRUPT else update or {}

    async def confirm(self, options: RunOptions, yes: bool) -> AsyncGenerator[Event, None]:
        """Answer a write that waits for confirmation."""
        state = await self._graph.aget_state(_config(options))
        if state.interrupts:
            async with aclosing(self.run(Command(resume=yes), options)) as events:
                async for event in events:
                    yield event
            return
        last = await self._last_answer(options)
        if last is None or not state.values.get("pending_write"):
            raise UsageError("usage.nothing_waits", thread=options.thread)
        yield Finished(last)

    async def resume(self, options: RunOptions) -> AsyncGenerator[Event, None]:
        """Continue an interrupted run; if nothing is left to do, yield the last answer."""
        state = await self._graph.aget_state(_config(options))
        if not state.values:
            raise UsageError("usage.thread", thread=options.thread)
        last = None if state.next else await self._last_answer(options)
        if last is not None:
            yield Finished(last)
            return
        async with aclosing(self.run(None, options)) as events:
            async for event in events:
                yield event

    async def history(self, options: RunOptions) -> list[Mapping[str, Any]]:
        return list((await self._graph.aget_state(_config(options))).values.get("turns", []))

    async def answers(self, options: RunOptions) -> list[tuple[Answer, Language]]:
        """All answers of a thread with their languages, oldest first and without rows; last, a write that
        waits for confirmation. `turns` holds only what a follow-up needs; the checkpoints hold every answer.
        """
        ends = await self._turn_ends(options)
        answers = [
            (_read_answer(end["answer"], options), end["language"]) for end in reversed(list(ends.values()))
        ]
        state = await self._graph.aget_state(_config(options))
        if state.interrupts:
            answers.append((_pending_answer(state.interrupts, options), state.values.get("language", "en")))
        return answers

    async def _turn_ends(self, options: RunOptions) -> dict[str, dict[str, Any]]:
        """The state at the end of each turn by checkpoint id, newest first. Follows parents from the newest
        checkpoint, so a branch that was rolled back is skipped.
        """
        ends: dict[str, dict[str, Any]] = {}
        turns: set[str] = set()
        parent: str | None = None
        async for step in self._resources.memory.checkpointer.alist(_config(options)):
            checkpoint_id = str(step.config["configurable"]["checkpoint_id"])
            if parent not in (None, checkpoint_id):
                continue
            before = step.parent_config
            parent = str(before["configurable"]["checkpoint_id"]) if before else ""
            values = step.checkpoint["channel_values"]
            if values.get("answer") and values["turn_id"] not in turns:
                turns.add(values["turn_id"])
                ends[checkpoint_id] = {"answer": values["answer"], "language": values.get("language", "en")}
        return ends

    async def source(self, options: RunOptions) -> str | None:
        """The key of a thread's database; empty if not yet known, None if there is no such thread."""
        values = (await self._graph.aget_state(_config(options))).values
        return str(values.get("connection_id", "")) if values else None

    async def copy(self, options: RunOptions, thread: str) -> bool:
        """Copy the state after a thread's first turn to a new thread; the two then continue independently."""
        first = await self._first_checkpoint(options)
        if first is None:
            return False
        checkpoint, memory = first.checkpoint, self._resources.memory
        config: RunnableConfig = {
            "configurable": {"thread_id": scoped(options.user, thread), "checkpoint_ns": ""}
        }
        await memory.checkpointer.aput(config, checkpoint, first.metadata, checkpoint["channel_versions"])
        await memory.turn(options.user, thread, checkpoint["channel_values"]["question"], first=True)
        return True

    async def fork(self, options: RunOptions, thread: str, turns: int | None = None) -> int:
        """Copy the first turns of a thread, all by default, to a new thread; return how many were copied."""
        memory = self._resources.memory
        ends = [*reversed(list((await self._turn_ends(options)).items()))][:turns]
        target: RunnableConfig = {
            "configurable": {"thread_id": scoped(options.user, thread), "checkpoint_ns": ""}
        }
        for checkpoint_id, end in ends:
            config = _config(options)
            config["configurable"] |= {"checkpoint_ns": "", "checkpoint_id": checkpoint_id}
            original = await memory.checkpointer.aget_tuple(config)
            if original is None:  # deleted in the meantime
                break
            checkpoint = original.checkpoint
            target = await memory.checkpointer.aput(
                target, checkpoint, original.metadata, checkpoint["channel_versions"]
            )
            await memory.turn(options.user, thread, end["answer"]["question"])
        return len(ends)

    async def first_answer(self, options: RunOptions) -> Answer | None:
        """The first answer of a thread. None also if its rows are gone or incomplete, or belong to another
        database or policy. Cached, because charts of many rows take time.
        """
        thread_id = scoped(options.user, options.thread)
        if thread_id in self._answers:
            return self._answers[thread_id]
        first = await self._first_checkpoint(options)
        values = first.checkpoint["channel_values"] if first else {}
        stored = values.get("answer")
        if not stored or stored["status"] != "answered":
            return None
        result = await load_result(stored["result_id"], options.user, self._resources)
        if not result.columns or result.row_count < stored["row_count"]:
            return None
        self._resources.cache_result(stored["result_id"], result)
        answer = await self._with_rows(values, options)
        if answer is not None:
            put_bounded(self._answers, thread_id, answer)
        return answer

    async def _first_checkpoint(self, options: RunOptions) -> CheckpointTuple | None:
        """The checkpoint that ended the first turn. It never changes, so it is cached for copies."""
        thread_id = scoped(options.user, options.thread)
        if thread_id not in self._first_checkpoints:
            async for state in self._graph.aget_state_history(_config(options)):
                if not state.next and len(state.values.get("turns", [])) == 1:
                    checkpoint = await self._resources.memory.checkpointer.aget_tuple(state.config)
                    break
            else:
                return None
            if checkpoint is None:
                return None
            put_bounded(self._first_checkpoints, thread_id, checkpoint)
        return self._first_checkpoints[thread_id]

    async def roll_back(self, options: RunOptions, turns: int) -> int:
        """Branch from the checkpoint that ended an earlier turn; later turns stay in the history."""
        config = _config(options)
        ends = list(await self._turn_ends(options))
        is_waiting = bool((await self._graph.aget_state(config)).interrupts)  # that turn has not ended
        turns_left = max(0, len(ends) + is_waiting - turns)
        if turns_left == 0:
            await self._resources.memory.forget(options.user, options.thread)
        elif turns_left <= len(ends):
            config["configurable"] |= {"checkpoint_ns": "", "checkpoint_id": ends[len(ends) - turns_left]}
            await self._graph.aupdate_state(config, {"current_stage": "interpreter"}, as_node="interpreter")
        return turns_left

    @asynccontextmanager
    async def _locked(self, thread_id: str, name: str) -> AsyncIterator[None]:
        """Wait for another run of the thread in this process; if one runs in another process, raise an error
        that says to try again.
        """
        lock = self._locks.setdefault(thread_id, asyncio.Lock())
        try:
            async with lock, self._resources.memory.thread_locks.lock(thread_id, name):
                yield
        finally:
            if not lock.locked():
                self._locks.pop(thread_id, None)

    async def _last_answer(self, options: RunOptions) -> Answer | None:
        """The last answer of a thread, with its rows if they are still kept."""
        return await self._with_rows((await self._graph.aget_state(_config(options))).values, options)

    async def _with_rows(self, values: Mapping[str, Any], options: RunOptions) -> Answer | None:
        if values.get("answer") is None:
            return None
        answer = _read_answer(values["answer"], options)
        return await load_rows(answer, options.user, values.get("language", "en"), self._resources)


def _read_answer(stored: Mapping[str, Any], options: RunOptions) -> Answer:
    """A copied thread holds the original's id."""
    return replace(answer_from_state(stored), thread_id=options.thread)


def _pending_answer(interrupts: Sequence[Interrupt], options: RunOptions) -> Answer:
    """The answer `confirm`, which the confirmation node has built."""
    return replace(pending_answer(interrupts[0].value), thread_id=options.thread)


def _config(options: RunOptions) -> RunnableConfig:
    thread_id = scoped(options.user, options.thread)
    return {"configurable": {"thread_id": thread_id}}
