"""MCP server with four tools over one `AsyncText2SQL`, over standard input and output or local HTTP.

A tool renders what the app decides. It never raises: errors are returned as text.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import anyio
import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from text2sql import __version__
from text2sql.client.async_client import AsyncText2SQL
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language, explain, say
from text2sql.mcp_server.results import answer_result, error_result, table_result, tables_result
from text2sql.mcp_server.tools import arguments_of, definitions
from text2sql.schema import share_values
from text2sql.schema.sharing import shown_table
from text2sql.schema.table_labels import find, nearest
from text2sql.types import Answer, Finished, Queued, RunOptions, StageStarted

log = logging.getLogger(__name__)

PATH = "/mcp"
USER = "mcp"  # separates a client's threads and results from those of the CLI
HOST = "127.0.0.1"

T = TypeVar("T")
ReportProgress: TypeAlias = Callable[[str], Awaitable[None]]


class Tools:
    """Runs tool calls against the app."""

    def __init__(self, app: AsyncText2SQL, lang: Language, options: RunOptions | None = None) -> None:
        self._app, self._lang = app, lang
        # Writes are never allowed: no user could confirm them here.
        self._options = replace(options or RunOptions(), user=USER, allow_writes=False)
        self._max_tokens = app.settings.mcp_tokens
        self._is_warm = False

    async def call(self, name: str, arguments: Mapping[str, Any], report: ReportProgress) -> CallToolResult:
        try:
            return await self._dispatch(name, arguments_of(name, arguments), report)
        except Text2SQLError as error:
            return error_result(explain(error, self._lang))
        except Exception as error:
            log.error(  # noqa: TRY400 a trace may quote rows, so it is for those who ask for it
                "%s failed: %s", name, type(error).__name__, exc_info=bool(os.environ.get("TEXT2SQL_DEBUG"))
            )
            return error_result(say("tool.bug", self._lang, what=type(error).__name__))

    async def _dispatch(
        self, name: str, arguments: Mapping[str, str], report: ReportProgress
    ) -> CallToolResult:
        if name == "ask":
            answer = await self._ask(arguments["question"], arguments.get("thread_id", ""), report)
            return answer_result(answer, self._max_tokens, self._lang)
        await self._warm_once()
        if name == "run_query":
            answer = await self._app.run_sql(arguments["sql"], self._options)
            return answer_result(answer, self._max_tokens, self._lang)
        catalog = await self._app.catalog()
        if name == "describe_table":
            table = find(arguments["name"], catalog)
            if table is None:
                close = nearest(arguments["name"], catalog)
                raise UsageError("usage.mcp_table", name=arguments["name"][:80], close=close)
            # The reader is the client's model, which may be hosted anywhere.
            shown = shown_table(table, share_values("hosted", self._app.settings))
            return table_result(shown, self._max_tokens, self._lang)
        fragment = arguments.get("contains", "").casefold()
        tables = [table for table in catalog.tables if fragment in f"{table.schema}.{table.name}".casefold()]
        return tables_result(catalog, tables, self._max_tokens, self._lang)

    async def _ask(self, question: str, thread: str, report: ReportProgress) -> Answer:
        options = replace(self._options, thread=thread)
        async with aclosing(self._app.stream(question, options)) as events:
            async for event in events:
                if isinstance(event, StageStarted):
                    await report(event.stage)
                elif isinstance(event, Queued) and event.ahead:
                    await report(f"queued, {event.ahead} ahead")
                elif isinstance(event, Finished):
                    return event.answer
        raise RuntimeError("a stream ends with its answer")

    async def _warm_once(self) -> None:
        """Warm when a client first looks at the tables: a question will follow. Not earlier, because programs
        start their servers whether they need them or not.
        """
        if not self._is_warm:
            self._is_warm = True
            await self._app.warm(background=True)


def build(app: AsyncText2SQL, lang: Language, options: RunOptions | None = None) -> "Server[Any]":
    tools = Tools(app, lang, options)

    async def list_tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=definitions())

    async def call_tool(context: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        steps = 0

        async def report(stage: str) -> None:
            nonlocal steps
            steps += 1
            await context.session.report_progress(steps, message=stage)

        return await run_in_own_task(tools.call(params.name, params.arguments or {}, report))

    return Server("text2sql", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


async def run_in_own_task(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in its own task. The SDK cancels by scopes, in which every further await fails at once,
    but a cancelled query has to wait until the database has stopped it.
    """
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise


async def serve_stdio(app: AsyncText2SQL, lang: Language, options: RunOptions | None = None) -> None:
    """Serve until the client closes its end. Standard output belongs to the protocol; anything else goes to
    standard error.
    """
    server = build(app, lang, options)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    finally:
        await app.close()


async def serve_http(
    app: AsyncText2SQL,
    lang: Language,
    options: RunOptions | None = None,
    *,
    port: int,
    ready: Callable[[str], None],
) -> None:
    """Serve on this machine only. `ready` is called with the address once clients can connect."""
    with bind_socket(port) as listener:
        port = listener.getsockname()[1]
        hosts = [f"{name}:{port}" for name in (HOST, "localhost")]
        # A web page in a local browser can reach the port too: check Origin, and Host against DNS rebinding.
        security = TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        )
        asgi_app = build(app, lang, options).streamable_http_app(
            streamable_http_path=PATH, transport_security=security, host=HOST
        )
        server = uvicorn.Server(uvicorn.Config(asgi_app, log_level="warning", access_log=False, ws="none"))
        ready(f"http://{HOST}:{port}{PATH}")
        try:
            await server.serve(sockets=[listener])
        finally:
            await app.close()


def bind_socket(port: int) -> socket.socket:
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        detail = getattr(error, "strerror", None) or str(error)
        raise UsageError("usage.mcp_port", port=port, detail=detail) from error
    return listener
