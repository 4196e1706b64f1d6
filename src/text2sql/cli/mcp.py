"""`text2sql mcp`: serve the database as MCP tools over stdio or HTTP on the loopback address."""

import asyncio
import signal
from contextlib import suppress
from types import ModuleType
from typing import Any

import click

from text2sql.cli.click_i18n import Command, flag, option
from text2sql.cli.question_options import client_arguments, question_params, read_options
from text2sql.client.async_client import AsyncText2SQL
from text2sql.database import open_database
from text2sql.errors import MissingDriver
from text2sql.i18n import Language, cli_text

PORT = 8765
_SHARED_OPTIONS = ("db", "model", "policy", "tables", "rows", "seconds")


def command(lang: Language) -> click.Command:
    port = click.IntRange(0, 65_535)
    return Command(
        "mcp",
        lang,
        run,
        [
            *(parameter for parameter in question_params() if parameter.name in _SHARED_OPTIONS),
            flag("--http"),
            option("--port", metavar="N", type=port, default=PORT),
        ],
    )


def run(lang: Language, *, http: bool, port: int, **arguments: Any) -> int:
    server = _server_module()
    options = read_options(lang, arguments)
    with open_database(options.db or options.settings.db, options.settings):
        pass  # reject an invalid source before a client waits for it; this makes no connection

    def ready(address: str) -> None:
        click.echo(cli_text("mcp.ready", lang, address=address), err=True)

    async def serve() -> None:
        app = AsyncText2SQL(options.db, **client_arguments(options))
        if http:
            await server.serve_http(app, lang, options.run_options, port=port, ready=ready)
        else:
            await server.serve_stdio(app, lang, options.run_options)

    if not http:
        # The thread that reads standard input cannot be interrupted, so Ctrl-C must end the process.
        with suppress(ValueError):  # not in the main thread (tests)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(serve())
    return 0


def _server_module() -> ModuleType:
    try:
        from text2sql import mcp_server  # noqa: PLC0415  its package is an extra
    except ImportError as error:
        raise MissingDriver("missing_mcp", extra="mcp") from error
    return mcp_server
