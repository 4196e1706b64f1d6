"""A shop database behind the MCP server, and the SDK's client: in process, over pipes, over HTTP."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from agents.asking import app, make_shop, scripted
from text2sql.i18n import Language
from text2sql.llm.scripted import Line
from text2sql.mcp_server import build
from text2sql.mcp_server.results import CLOSED, OPENED

COUNT = "SELECT count(*) AS customers FROM customers"
# Never ends: only the time limit or a cancellation stops it.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n"

Talk = Callable[[Client], Awaitable[Any]]


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data_of(result: CallToolResult) -> Any:
    """The data between the marks, of which there must be exactly one pair."""
    _, _, rest = text_of(result).partition(f"{OPENED}\n")
    data, closed, after = rest.partition(f"\n{CLOSED}")
    assert (closed, after) == (f"\n{CLOSED}", "")
    return json.loads(data)


def run_session(
    shop: Path, talk: Talk, *lines: Line, mode: str = "auto", lang: Language = "en", **settings: Any
) -> Any:
    """Runs a client against a server in this process, with a model scripted by `lines`."""
    backend = settings.pop("backend", None) or scripted(lines)

    async def session() -> Any:
        async with app(shop, backend, **settings) as db, Client(build(db, lang), mode=mode) as client:
            return await talk(client)

    return asyncio.run(session())


def call_tool(shop: Path, tool: str, *lines: Line, **rest: Any) -> CallToolResult:
    arguments = rest.pop("arguments", {})

    async def talk(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    result = run_session(shop, talk, *lines, **rest)
    assert isinstance(result, CallToolResult)
    return result


def environment(folder: Path, base_url: str, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TEXT2SQL_")}
    return {
        **inherited,
        "TEXT2SQL_DB": str(make_shop(folder / "shop.db")),
        "TEXT2SQL_MODEL": "openai-compatible:answers",
        "TEXT2SQL_BASE_URL": base_url,
        "TEXT2SQL_API_KEY": "none",
        "TEXT2SQL_MEMORY": "none",
        "LC_ALL": "C.UTF-8",
        **more,
    }


SCRIPT = str(Path(sys.executable).with_name("text2sql"))


def over_pipes(folder: Path, env: dict[str, str], talk: Talk, mode: str = "auto") -> Any:
    server = StdioServerParameters(command=SCRIPT, args=["mcp"], env=env, cwd=str(folder))

    async def session() -> Any:
        async with asyncio.timeout(90), Client(server, mode=mode) as client:
            return await talk(client)

    return asyncio.run(session())


@asynccontextmanager
async def over_http(folder: Path, env: dict[str, str], *words: str) -> AsyncIterator[str]:
    """The address that the server prints."""
    process = await asyncio.create_subprocess_exec(
        SCRIPT, "mcp", "--http", "--port", "0", *words,
        cwd=folder, env=env, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        async with asyncio.timeout(60):
            line = (await process.stderr.readline()).decode()
        assert "http://127.0.0.1:" in line, line + (await process.stderr.read()).decode()
        yield line.split()[-1]
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(30):
            await process.communicate()
