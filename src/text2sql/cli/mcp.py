"""`text2sql mcp`: the database as tools for another program's model, over stdio or on the loopback."""

import asyncio
import signal
from contextlib import suppress
from functools import partial
from types import ModuleType
from typing import Any

import click

from text2sql.app import AsyncText2SQL
from text2sql.cli.asking import options, terms_of
from text2sql.cli.spoken import Command, flag, option
from text2sql.cli.words import word
from text2sql.database import open_database
from text2sql.errors import MissingDriver
from text2sql.messages import Language

PORT = 8765
_TAKEN = ("db", "model", "policy", "tables", "rows", "seconds")


def command(lang: Language) -> click.Command:
    port = click.IntRange(0, 65_535)
    return Command(
        "mcp",
        lang,
        partial(run, lang),
        [
            *(one for one in options(lang) if one.name in _TAKEN),
            flag(lang, "mcp", "--http", "http"),
            option(lang, "mcp", "--port", metavar="N", type=port, default=PORT),
        ],
    )


def run(lang: Language, *, http: bool, port: int, **given: Any) -> int:
    server = _server()
    asked = {name: None for one in options(lang) if (name := one.name)}
    terms = terms_of(lang, {**asked, **given})
    with open_database(terms.db or terms.settings.db, terms.settings):
        pass  # a source that is none is told here, before a client waits for it; no connection is made

    def ready(address: str) -> None:
        click.echo(word("mcp.ready", lang, address=address), err=True)

    async def serve() -> None:
        app = AsyncText2SQL(
            terms.db,
            settings=terms.settings,
            model=terms.model,
            policy=terms.policy,
            tables=terms.tables or None,
        )
        if http:
            await server.serve_http(app, lang, terms.how, port=port, ready=ready)
        else:
            await server.serve_stdio(app, lang, terms.how)

    if not http:
        # The thread that waits for standard input cannot be woken: Ctrl-C ends the process, as elsewhere.
        with suppress(ValueError):  # not the main thread: a test
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(serve())
    return 0


def _server() -> ModuleType:
    try:
        from text2sql import mcp_server  # noqa: PLC0415  its package is an extra
    except ImportError as error:
        raise MissingDriver("missing_mcp", extra="mcp") from error
    return mcp_server
