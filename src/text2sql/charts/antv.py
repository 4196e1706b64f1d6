"""AntV's chart server (`@antv/mcp-server-chart`) as another renderer, over MCP and stdio.

By itself that server sends every chart's data to a public service. It is started only with
`VIS_REQUEST_SERVER`, the address of a renderer of one's own, and a picture is fetched from there only.
"""

import asyncio
import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from text2sql.charts.choosing import Kind
from text2sql.charts.figure import Figure
from text2sql.config import Settings
from text2sql.errors import ChartError, MissingDriver, UsageError

RENDERER = "VIS_REQUEST_SERVER"
_SECONDS = 60.0  # npx may have to fetch the server first
_BYTES = 20_000_000
_PUBLIC = ("alipay.com", "antv.vision", "antv.antgroup.com")

Arguments: TypeAlias = dict[str, Any]


def knows(made: Figure) -> bool:
    moments = made.kind == "scatter" and made.x.role == "time"  # it wants numbers on both axes
    return made.kind in TOOLS and not moments and bool(made.points)


def renderer() -> str:
    """Where the pictures are made. Nothing is started without it."""
    address = os.environ.get(RENDERER, "").strip()
    if not address:
        raise UsageError("usage.chart_server", detail=f"{RENDERER} is not set")
    host = urlsplit(address).hostname or ""
    if any(host == one or host.endswith(f".{one}") for one in _PUBLIC):
        raise UsageError("usage.chart_server", detail=f"{RENDERER}={host}")
    return address


def picture(made: Figure, title: str, settings: Settings) -> bytes:
    """Blocks; for code that runs in no event loop, or in a thread."""
    return asyncio.run(_drawn(made, title, settings.chart_mcp))


def request(made: Figure, title: str) -> tuple[str, Arguments]:
    """The tool and its arguments."""
    tool, data = TOOLS[made.kind]
    said = "; ".join(made.notes)  # what was left out has no other place there
    given: Arguments = {
        "title": f"{title} ({said})" if said else title,
        "data": data(made),
        "axisXTitle": made.x.title,
        "axisYTitle": made.y.title,
    }
    if made.kind == "grouped":
        given["group"] = True
    elif made.kind in ("stacked", "area"):
        given["stack"] = bool(made.series)
    return tool, given


async def _drawn(made: Figure, title: str, command: str) -> bytes:
    try:
        import httpx  # noqa: PLC0415 -- only who has a chart server pays for these
        from mcp import Client, MCPError, StdioServerParameters, stdio_client  # noqa: PLC0415
    except ImportError as error:
        raise MissingDriver("missing_charts", package="mcp", extra="mcp") from error
    address = renderer()
    program, *words = _words(command)
    tool, given = request(made, title)
    started = StdioServerParameters(command=program, args=words, env={RENDERER: address})
    try:
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123 -- the server writes the data to its standard error
            async with asyncio.timeout(_SECONDS), Client(stdio_client(started, errlog=nowhere)) as client:
                reply = await client.call_tool(tool, given)
        text = next((part.text for part in reply.content if part.type == "text"), "")
        if reply.is_error or not text:
            raise ChartError(detail=text[:200] or "the chart server gave no picture")
        async with httpx.AsyncClient(timeout=_SECONDS, follow_redirects=False) as web:
            return await _fetched(web, text.strip(), address)
    # the client's tasks hand over what went wrong in groups of groups
    except (OSError, MCPError, httpx.HTTPError, TimeoutError, ExceptionGroup) as error:
        raise ChartError(detail=f"{program}: {_innermost(error)}"[:200]) from error


def _innermost(error: Exception) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command) or [""]
    except ValueError as error:
        raise ChartError(detail=f"TEXT2SQL_CHART_MCP: {error}") from error


async def _fetched(web: Any, url: str, address: str) -> bytes:
    if urlsplit(url)[:2] != urlsplit(address)[:2]:
        raise ChartError(detail=f"the picture is not at {RENDERER} but elsewhere")
    reply = await web.get(url)
    reply.raise_for_status()
    if len(reply.content) > _BYTES or not reply.content.startswith(b"\x89PNG"):
        raise ChartError(detail="what came back is no PNG picture")
    return bytes(reply.content)


# -- a figure in the server's words --------------------------------------------------------------


def _by_category(made: Figure) -> list[Arguments]:
    return [{"category": str(point.x), "value": point.y, **_group(point.series)} for point in _there(made)]


def _by_time(made: Figure) -> list[Arguments]:
    return [{"time": str(point.x), "value": point.y, **_group(point.series)} for point in _there(made)]


def _points(made: Figure) -> list[Arguments]:
    return [{"x": point.x, "y": point.y, **_group(point.series)} for point in _there(made)]


def _there(made: Figure) -> list[Any]:
    return [point for point in made.points if point.y is not None]


def _group(name: str) -> Arguments:
    return {"group": name} if name else {}


TOOLS: Mapping[Kind, tuple[str, Callable[[Figure], list[Arguments]]]] = {
    "bar": ("generate_bar_chart", _by_category),
    "grouped": ("generate_column_chart", _by_category),
    "stacked": ("generate_column_chart", _by_category),
    "line": ("generate_line_chart", _by_time),
    "area": ("generate_area_chart", _by_time),
    "pie": ("generate_pie_chart", _by_category),
    "scatter": ("generate_scatter_chart", _points),
}
