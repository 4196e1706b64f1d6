"""Renders charts with AntV's chart server (`@antv/mcp-server-chart`) over MCP and stdio.

By default that server sends all chart data to a public service. It is started only if `VIS_REQUEST_SERVER`
names a private renderer, and images are fetched only from that address.
"""

import asyncio
import os
import shlex
from collections.abc import Mapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from text2sql.charts.figure import Figure
from text2sql.charts.selection import Kind
from text2sql.config import Settings
from text2sql.errors import ChartError, MissingDriver, UsageError

RENDERER = "VIS_REQUEST_SERVER"
_TIMEOUT = 60.0  # seconds; npx may have to download the server
_MAX_IMAGE_BYTES = 20_000_000
_PUBLIC_HOSTS = ("alipay.com", "antv.vision", "antv.antgroup.com")

Arguments: TypeAlias = dict[str, Any]

# kind → (MCP tool, the name of a point's position in its arguments)
TOOLS: Mapping[Kind, tuple[str, str]] = {
    "bar": ("generate_bar_chart", "category"),
    "grouped": ("generate_column_chart", "category"),
    "stacked": ("generate_column_chart", "category"),
    "line": ("generate_line_chart", "time"),
    "area": ("generate_area_chart", "time"),
    "pie": ("generate_pie_chart", "category"),
    "scatter": ("generate_scatter_chart", "x"),
}


def supports(figure: Figure) -> bool:
    time_scatter = figure.kind == "scatter" and figure.x.role == "time"  # it requires numbers on both axes
    return figure.kind in TOOLS and not time_scatter and bool(figure.points)


def renderer() -> str:
    """The address of the private renderer. Raises `UsageError` without one."""
    address = os.environ.get(RENDERER, "").strip()
    if not address:
        raise UsageError("usage.chart_server", detail=f"{RENDERER} is not set")
    host = urlsplit(address).hostname or ""
    if any(host == public_host or host.endswith(f".{public_host}") for public_host in _PUBLIC_HOSTS):
        raise UsageError("usage.chart_server", detail=f"{RENDERER}={host}")
    return address


def picture(figure: Figure, title: str, settings: Settings) -> bytes:
    """Render a figure as PNG. Blocking: call it in a thread, outside of an event loop."""
    return asyncio.run(_render(figure, title, settings.chart_mcp))


def request(figure: Figure, title: str) -> tuple[str, Arguments]:
    """The name of the MCP tool and its arguments."""
    tool, x_name = TOOLS[figure.kind]
    notes = "; ".join(figure.notes)  # the server has no other field for notes
    arguments: Arguments = {
        "title": f"{title} ({notes})" if notes else title,
        "data": _data(figure, x_name),
        "axisXTitle": figure.x.title,
        "axisYTitle": figure.y.title,
    }
    if figure.kind == "grouped":
        arguments["group"] = True
    elif figure.kind in ("stacked", "area"):
        arguments["stack"] = bool(figure.series)
    return tool, arguments


async def _render(figure: Figure, title: str, command: str) -> bytes:
    try:
        import httpx  # noqa: PLC0415 -- loaded only if a chart server is configured
        from mcp import Client, MCPError, StdioServerParameters, stdio_client  # noqa: PLC0415
    except ImportError as error:
        raise MissingDriver("missing_charts", package="mcp", extra="mcp") from error
    address = renderer()
    program, *program_arguments = _split_command(command)
    tool, arguments = request(figure, title)
    parameters = StdioServerParameters(command=program, args=program_arguments, env={RENDERER: address})
    try:
        with open(os.devnull, "w") as devnull:  # noqa: PTH123 -- the server writes chart data to standard error
            async with asyncio.timeout(_TIMEOUT), Client(stdio_client(parameters, errlog=devnull)) as client:
                reply = await client.call_tool(tool, arguments)
        text = next((part.text for part in reply.content if part.type == "text"), "")
        if reply.is_error or not text:
            raise ChartError(detail=text[:200] or "the chart server returned no image")
        async with httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False) as http_client:
            return await _fetch_image(http_client, text.strip(), address)
    # the client raises nested exception groups
    except (OSError, MCPError, httpx.HTTPError, TimeoutError, ExceptionGroup) as error:
        raise ChartError(detail=f"{program}: {_first_error(error)}"[:200]) from error


def _first_error(error: Exception) -> str:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


def _split_command(command: str) -> list[str]:
    try:
        return shlex.split(command) or [""]
    except ValueError as error:
        raise ChartError(detail=f"TEXT2SQL_CHART_MCP: {error}") from error


async def _fetch_image(http_client: Any, url: str, address: str) -> bytes:
    if urlsplit(url)[:2] != urlsplit(address)[:2]:
        raise ChartError(detail=f"the image is not at {RENDERER}")
    reply = await http_client.get(url)
    reply.raise_for_status()
    if len(reply.content) > _MAX_IMAGE_BYTES or not reply.content.startswith(b"\x89PNG"):
        raise ChartError(detail="the chart server did not return a PNG image")
    return bytes(reply.content)


def _data(figure: Figure, x_name: str) -> list[Arguments]:
    y_name = "y" if x_name == "x" else "value"
    data = []
    for point in figure.points:
        if point.y is not None:
            x = point.x if x_name == "x" else str(point.x)
            data.append({x_name: x, y_name: point.y, **({"group": point.series} if point.series else {})})
    return data
