"""Runs of the graph: one question of a thread at a time, its events, and the answer at their end."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command

from text2sql.agents.answering import read_answer, receipt_of, result_of, with_rows
from text2sql.agents.desk import Asked, Heard, Rooms, put
from text2sql.agents.graph import Graph
from text2sql.agents.steps import Steps
from text2sql.errors import UsageError
from text2sql.memory import Numbers, scoped
from text2sql.messages import say
from text2sql.types import Answer, Event, Finished

_INTERRUPT = "__interrupt__"  # LangGraph's word for: a person is waited for
_STEPS = 60  # of the graph for one question: far beyond what its own budgets allow


class Runs:
    def __init__(self, graph: Graph, rooms: Rooms) -> None:
        self._graph = graph
        self._rooms = rooms
        self._steps = cast("Steps", graph.checkpointer)
        self._firsts: OrderedDict[str, CheckpointTuple] = OrderedDict()
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._busy: dict[str, asyncio.Lock] = {}

    async def run(self, said: Any, asked: Asked) -> AsyncGenerator[Event, None]:
        """Something said to the graph; what happens, and at last `Finished`."""
        answer: Answer | None
        values: dict[str, Any] = {}
        async with self._turn(scoped(asked.user, asked.thread), asked.thread):
            async with aclosing(self._events(said, asked, values)) as events:
                async for event in events:
                    yield event
            if _INTERRUPT in values:
                answer = await self._waiting(asked, values[_INTERRUPT][0].value)
            elif "language" in values:  # the whole question was seen: nothing needs to be read back
                answer = await self._with_rows(values, asked)
            else:
                answer = await self._told(asked)
            if answer is None:
                raise RuntimeError("the graph ended without an answer")
            await self._rooms.memory.count(Numbers.of(answer))
            first = len(values.get("turns", ())) == 1
            await self._rooms.memory.turn(asked.user, asked.thread, answer.question, first=first)
        yield Finished(answer)

    async def _events(self, said: Any, asked: Asked, values: dict[str, Any]) -> AsyncGenerator[Event, None]:
        """What the agents tell on their way. Who stops listening stops them."""
        told: asyncio.Queue[Event | None] = asyncio.Queue()
        running = asyncio.create_task(self._steps_of(said, Heard(asked, told.put_nowait), values))
        running.add_done_callback(lambda _: told.put_nowait(None))
        try:
            while (event := await told.get()) is not None:
                yield event
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    async def _steps_of(self, said: Any, heard: Heard, values: dict[str, Any]) -> None:
        """Runs the graph; what its steps leave is in `values`. When it has ended, in whatever way, its last
        step is on disk.
        """
        graph: Any = self._graph
        config = _config(heard.asked)
        try:
            running = graph.astream(said, config, context=heard, stream_mode="updates", durability="sync")
            async with aclosing(running) as steps:
                async for step in steps:
                    for name, left in step.items():
                        values |= {name: left} if name == _INTERRUPT else left
        finally:
            await self._steps.settle(config["configurable"]["thread_id"])

    async def confirm(self, asked: Asked, yes: bool) -> AsyncGenerator[Event, None]:
        state = await self._graph.aget_state(_config(asked))
        if state.interrupts:
            async with aclosing(self.run(Command(resume=yes), asked)) as events:
                async for event in events:
                    yield event
            return
        last = await self._told(asked)
        if last is None or not state.values.get("pending_write"):
            raise UsageError("usage.nothing_waits", thread=asked.thread)
        yield Finished(last)

    async def resume(self, asked: Asked) -> AsyncGenerator[Event, None]:
        state = await self._graph.aget_state(_config(asked))
        if not state.values:
            raise UsageError("usage.thread", thread=asked.thread)
        told = None if state.next else await self._told(asked)
        if told is not None:
            yield Finished(told)
            return
        async with aclosing(self.run(None, asked)) as events:
            async for event in events:
                yield event

    async def history(self, asked: Asked) -> list[Mapping[str, Any]]:
        return list((await self._graph.aget_state(_config(asked))).values.get("turns", []))

    async def source(self, asked: Asked) -> str | None:
        """The key of the database that a thread is about; empty if not known yet, None for no thread."""
        values = (await self._graph.aget_state(_config(asked))).values
        return str(values.get("connection_id", "")) if values else None

    async def copy(self, asked: Asked, thread: str) -> bool:
        """The thread as its first turn left it, under another name: going on with one leaves the other."""
        first = await self._first(asked)
        if first is None:
            return False
        checkpoint, memory = first.checkpoint, self._rooms.memory
        to: RunnableConfig = {"configurable": {"thread_id": scoped(asked.user, thread), "checkpoint_ns": ""}}
        await memory.checkpointer.aput(to, checkpoint, first.metadata, checkpoint["channel_versions"])
        await memory.turn(asked.user, thread, checkpoint["channel_values"]["question"], first=True)
        return True

    async def first_answer(self, asked: Asked) -> Answer | None:
        """What a thread began with. None, too, if its rows are gone, are not all kept, or are of another
        database or of what somebody else may see. Kept at hand: the chart of many rows takes its time.
        """
        thread_id = scoped(asked.user, asked.thread)
        if thread_id in self._answers:
            return self._answers[thread_id]
        first = await self._first(asked)
        values = first.checkpoint["channel_values"] if first else {}
        held = values.get("answer")
        if not held or held["status"] != "answered":
            return None
        result = await result_of(held["result_id"], asked.user, self._rooms)
        if not result.columns or result.row_count < held["row_count"]:
            return None
        self._rooms.hold(held["result_id"], result)
        answer = await self._with_rows(values, asked)
        if answer is not None:
            put(self._answers, thread_id, answer)
        return answer

    async def _first(self, asked: Asked) -> CheckpointTuple | None:
        """The step that ended the first turn. It never changes, so it is kept at hand for who copies it."""
        thread_id = scoped(asked.user, asked.thread)
        if thread_id not in self._firsts:
            async for state in self._graph.aget_state_history(_config(asked)):
                if not state.next and len(state.values.get("turns", [])) == 1:
                    found = await self._rooms.memory.checkpointer.aget_tuple(state.config)
                    break
            else:
                return None
            if found is None:
                return None
            put(self._firsts, thread_id, found)
        return self._firsts[thread_id]

    async def roll_back(self, asked: Asked, turns: int) -> int:
        """A new branch from the step that ended an earlier turn; what came after stays in the history."""
        now = len(await self.history(asked))
        left = max(0, now - turns)
        if left == 0:
            await self._rooms.memory.forget(asked.user, asked.thread)
            return 0
        async for state in self._graph.aget_state_history(_config(asked)):
            if not state.next and len(state.values.get("turns", [])) == left:
                await self._graph.aupdate_state(state.config, {"current_stage": "interpreter"})
                return left
        return now

    @asynccontextmanager
    async def _turn(self, thread_id: str, name: str) -> AsyncIterator[None]:
        """Here whoever comes second waits; the same thread in another process is told to come again."""
        lock = self._busy.setdefault(thread_id, asyncio.Lock())
        try:
            async with lock, self._rooms.memory.turns.turn(thread_id, name):
                yield
        finally:
            if not lock.locked():
                self._busy.pop(thread_id, None)

    async def _told(self, asked: Asked) -> Answer | None:
        """The last answer of a thread, with its rows if they are still kept."""
        return await self._with_rows((await self._graph.aget_state(_config(asked))).values, asked)

    async def _with_rows(self, values: Mapping[str, Any], asked: Asked) -> Answer | None:
        if values.get("answer") is None:
            return None
        answer = replace(read_answer(values["answer"]), thread_id=asked.thread)  # a copy holds another's
        return await with_rows(answer, asked.user, values["language"], self._rooms)

    async def _waiting(self, asked: Asked, waits: Mapping[str, Any]) -> Answer:
        values: Any = (await self._graph.aget_state(_config(asked))).values
        return Answer(
            status="confirm",
            question=values["question"],
            answer=say("answer.confirm", values["language"], rows=waits["rows"], table=waits["table"]),
            sql=waits["sql"],
            row_count=waits["rows"],
            receipt=receipt_of(values, "confirmation"),
            thread_id=asked.thread,
        )


def _config(asked: Asked) -> RunnableConfig:
    thread_id = scoped(asked.user, asked.thread)
    return {"configurable": {"thread_id": thread_id}, "recursion_limit": _STEPS}
