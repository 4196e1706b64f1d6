"""The graphs as LangGraph's own server loads them (`langgraph.json`). It brings its own threads and store.

The database is `TEXT2SQL_DB`, the model `TEXT2SQL_MODEL`; what a caller may say with a question is the
graph's context (`agents.Asked`).
"""

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from text2sql.app import AsyncText2SQL

if TYPE_CHECKING:
    from text2sql.agents import Graph, Rooms

# The server asks for a graph with every run; connections and catalogue are opened once a loop, and stay.
_apps: "WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncText2SQL]" = WeakKeyDictionary()


async def _rooms() -> "Rooms":
    app = _apps.setdefault(asyncio.get_running_loop(), AsyncText2SQL())
    return replace(await app.rooms(), keeps=False)


async def text2sql_agent() -> "Graph":
    rooms = await _rooms()
    from text2sql.agents import build  # noqa: PLC0415 -- opened, so LangGraph is there

    return build(rooms)


text2sql_stream = text2sql_agent  # the same graph under the name that the first design gave it


async def text2sql_supervised() -> "Graph":
    rooms = await _rooms()
    from text2sql.agents.supervised import build_supervised  # noqa: PLC0415 -- as above

    return build_supervised(rooms)
