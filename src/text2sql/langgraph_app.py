"""The graphs for LangGraph's own server (`langgraph.json`). It brings its own threads and store; checkpoints
go to our memory, because `langgraph dev` writes its own to disk only every ten seconds.

The database is `TEXT2SQL_DB`, the model `TEXT2SQL_MODEL`; the options of a question are the graph's context
(`agents.RunOptions`).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from text2sql.client.async_client import AsyncText2SQL
from text2sql.config import from_environment
from text2sql.memory import open_memory

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from text2sql.agents import Graph, Resources

# The server requests a graph for every run; connections and catalog are opened once per event loop.
_apps: "WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncText2SQL]" = WeakKeyDictionary()


@asynccontextmanager
async def checkpointer() -> "AsyncIterator[BaseCheckpointSaver[str]]":
    """A step is on disk before the next one begins, and survives a killed server."""
    async with open_memory(await asyncio.to_thread(from_environment)) as memory:
        yield memory.checkpointer


async def _resources() -> "Resources":
    loop = asyncio.get_running_loop()
    if loop not in _apps:
        settings = await asyncio.to_thread(from_environment)  # in a thread: it reads files
        _apps.setdefault(loop, AsyncText2SQL(settings=settings))
    return replace(await _apps[loop].resources(), owns_threads=False)


async def text2sql_agent() -> "Graph":
    resources = await _resources()
    from text2sql.agents import build  # noqa: PLC0415 -- already opened, so LangGraph is imported

    return build(resources)


text2sql_stream = text2sql_agent  # the same graph under its former name


async def text2sql_supervised() -> "Graph":
    resources = await _resources()
    from text2sql.agents.llm_supervisor import build_supervised  # noqa: PLC0415 -- as above

    return build_supervised(resources)
