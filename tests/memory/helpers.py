"""Helpers: run a coroutine with a memory, build a checkpointing graph, build a large catalog."""

import asyncio
import operator
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypedDict, TypeVar

from text2sql.config import Settings
from text2sql.memory import Memory, open_memory, scoped
from text2sql.types import Catalog, Column, ForeignKey, Index, Table

T = TypeVar("T")


def within(settings: Settings, work: Callable[[Memory], Awaitable[T]]) -> T:
    """Open a memory, run `work`, close it: each call acts like a separate program."""

    async def run() -> T:
        async with open_memory(settings) as memory:
            return await work(memory)

    return asyncio.run(run())


class ConversationState(TypedDict, total=False):
    now: str
    said: Annotated[list[str], operator.add]


def graph(memory: Memory) -> Any:
    """The smallest graph with a memory: it stores the messages that it receives."""
    from langgraph.graph import END, START, StateGraph

    builder: Any = StateGraph(ConversationState)
    builder.add_node("say", lambda state: {"said": [state["now"]]})
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    return builder.compile(checkpointer=memory.checkpointer, store=memory.store)


def thread(user: str, name: str) -> dict[str, Any]:
    return {"configurable": {"thread_id": scoped(user, name)}}


def big_catalog(tables: int, columns: int) -> Catalog:
    def table(number: int) -> Table:
        return Table(
            f"table_{number}",
            tuple(
                Column(
                    f"c{at}",
                    "VARCHAR(20)",
                    at > 0,
                    "备注 \x00 \ud800" if at == 1 else "",
                    ("a", "乙") if at % 3 == 0 else (),
                )
                for at in range(columns)
            ),
            "other" if number % 2 else "",
            "view" if number % 5 == 0 else "table",
            "what it is",
            ("c0",),
            (ForeignKey(("c1",), "table_0", ("c0",), "main"),),
            (Index("by_c1", ("c1", "c2"), True),),
            None if number % 2 else number,
        )

    return Catalog("postgres", "public", tuple(map(table, range(tables))), "f1")
