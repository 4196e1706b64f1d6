"""Four tools over one `AsyncText2SQL`, for a client at the other end of two pipes or on this machine.

A tool renders what the app decides. It never raises: what goes wrong is told in words.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, TypeAlias, TypeVar

import anyio
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from text2sql import __version__
from text2sql.app import AsyncText2SQL, How
from text2sql.errors import Text2SQLError, UsageError
from text2sql.mcp_server.results import answer_result, complaint, table_result, tables_result
from text2sql.mcp_server.tools import arguments_of, definitions
from text2sql.messages import Language, explain, say
from text2sql.schema.names import find, nearest
from text2sql.types import Answer, Finished, StageStarted

log = logging.getLogger(__name__)

PATH = "/mcp"
USER = "mcp"  # a client's threads and results, apart from those of the person at the terminal
HOST = "127.0.0.1"

T = TypeVar("T")
Tell: TypeAlias = Callable[[str], Awaitable[None]]


class Tools:
    def __init__(self, app: AsyncText2SQL, lang: Language, how: How | None = None) -> None:
        self._app, self._lang = app, lang
        # Whatever the settings permit a person at a terminal: nobody here could confirm a write.
        self._how: How = {**(how or {}), "user": USER, "allow_writes": False}
        self._most = app.settings.mcp_tokens
        self._warm = False

    async def call(self, name: str, given: Mapping[str, Any], tell: Tell) -> CallToolResult:
        try:
            return await self._called(name, arguments_of(name, given), tell)
        except Text2SQLError as error:
            return complaint(explain(error, self._lang))
        except Exception as error:
            log.error(  # noqa: TRY400 a trace may quote rows, so it is for those who ask for it
                "%s failed: %s", name, type(error).__name__, exc_info=bool(os.environ.get("TEXT2SQL_DEBUG"))
            )
            return complaint(say("tool.bug", self._lang, what=type(error).__name__))

    async def _called(self, name: str, told: Mapping[str, str], tell: Tell) -> CallToolResult:
        if name == "ask":
            answer = await self._asked(told["question"], told.get("thread_id", ""), tell)
            return answer_result(answer, self._most, self._lang)
        self._warm_once()
        if name == "run_query":
            answer = await self._app.run_own(told["sql"], **self._how)
            return answer_result(answer, self._most, self._lang)
        catalogue = await self._app.catalogue()
        if name == "describe_table":
            table = find(told["name"], catalogue)
            if table is None:
                close = nearest(told["name"], catalogue)
                raise UsageError("usage.mcp_table", name=told["name"][:80], close=close)
            return table_result(table, self._most, self._lang)
        part = told.get("contains", "").casefold()
        found = [table for table in catalogue.tables if part in f"{table.schema}.{table.name}".casefold()]
        return tables_result(catalogue, found, self._most, self._lang)

    async def _asked(self, question: str, thread: str, tell: Tell) -> Answer:
        how: How = {**self._how, "thread": thread} if thread else self._how
        async with aclosing(self._app.stream(question, **how)) as events:
            async for event in events:
                if isinstance(event, StageStarted):
                    await tell(event.stage)
                elif isinstance(event, Finished):
                    return event.answer
        raise RuntimeError("a stream ends with its answer")

    def _warm_once(self) -> None:
        """Who looks at the tables will ask soon. Before that no model is loaded: programs start their
        servers whether they need them or not.
        """
        if not self._warm:
            self._warm = True
            self._app.warm_soon()


def build(app: AsyncText2SQL, lang: Language, how: How | None = None) -> "Server[Any]":
    tools = Tools(app, lang, how)

    async def listed(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=definitions())

    async def called(context: ServerRequestContext[Any], asked: CallToolRequestParams) -> CallToolResult:
        steps = 0

        async def tell(stage: str) -> None:
            nonlocal steps
            steps += 1
            await context.session.report_progress(steps, message=stage)

        return await apart(tools.call(asked.name, asked.arguments or {}, tell))

    return Server("text2sql", version=__version__, on_list_tools=listed, on_call_tool=called)


async def apart(work: Coroutine[Any, Any, T]) -> T:
    """In a task of its own. The SDK cancels by scopes, in which every further wait fails at once; but who
    stops a query has to wait until the database has stopped it.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise


async def serve_stdio(app: AsyncText2SQL, lang: Language, how: How | None = None) -> None:
    """Until the client closes its end. Standard output is the protocol's; what else is printed goes to
    standard error.
    """
    server = build(app, lang, how)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await app.close()


async def serve_http(
    app: AsyncText2SQL, lang: Language, how: How | None = None, *, port: int, ready: Callable[[str], None]
) -> None:
    """On this machine only. `ready` is told the address once somebody can connect."""
    with listening(port) as place:
        port = place.getsockname()[1]
        hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
        # A page in a browser of this machine may reach the port as well: its Origin, or a Host that was
        # bent to point here, is not ours.
        walls = TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        )
        web = build(app, lang, how).streamable_http_app(
            streamable_http_path=PATH, transport_security=walls, host=HOST
        )
        server = uvicorn.Server(uvicorn.Config(web, log_level="warning", access_log=False, ws="none"))
        ready(f"http://{HOST}:{port}{PATH}")
        try:
            await server.serve(sockets=[place])
        finally:
            await app.close()


def listening(port: int) -> socket.socket:
    place = socket.socket()
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        place.bind((HOST, port))
        place.listen()
    except (OSError, OverflowError) as error:
        place.close()
        detail = getattr(error, "strerror", None) or str(error)
        raise UsageError("usage.mcp_port", port=port, detail=detail) from error
    return place
