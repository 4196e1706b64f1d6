"""Renders charts as PNG or SVG, with vl-convert or with a chart server.

`draw` renders a chart with the configured renderer, `picture` a Vega-Lite specification with vl-convert and
without network access. vl-convert holds the GIL while it renders (0.3 s per image), so a thread would block
an event loop; `picture_in_subprocess` does not, and takes about a second.
"""

import asyncio
import importlib.util
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

from text2sql.charts import antv
from text2sql.charts.figure_builder import build_figure
from text2sql.charts.selection import Chart
from text2sql.charts.spec import spec
from text2sql.config import Settings
from text2sql.errors import ChartError, MissingDriver
from text2sql.i18n import Language
from text2sql.types import QueryResult

Format: TypeAlias = Literal["png", "svg"]

# The first installed font is used, separately for Latin and Chinese characters.
FONTS = (
    "Noto Sans SC, Noto Sans CJK SC, Source Han Sans SC, PingFang SC, Microsoft YaHei, WenQuanYi Micro Hei, "
    "WenQuanYi Zen Hei, DejaVu Sans, Arial, sans-serif"
)
_CONFIG: Mapping[str, Any] = {
    "background": "white",
    "font": FONTS,
    "padding": 12,
    "axis": {"gridColor": "#e6e6e6", "domainColor": "#888888", "tickColor": "#888888"},
    "view": {"stroke": None},
}
_VEGA_LITE = "6.1"
_TIMEOUT = 30.0  # seconds for a subprocess
_CHILD = "from text2sql.charts.rendering import main; main()"
_CHINESE = "中国图"


def draw(
    chart: Chart,
    result: QueryResult,
    lang: Language,
    settings: Settings,
    *,
    form: Format = "png",
    title: str = "",
) -> bytes:
    """Render a chart; kinds that the chart server lacks (heat maps, single values, SVG) use vl-convert."""
    if settings.chart_mcp and form == "png":
        built = build_figure(chart, result, lang)
        if antv.supports(built):
            return antv.picture(built, title, settings)
    return picture(spec(chart, result, lang, title), form, font_dir=settings.font_dir)


def ready(settings: Settings) -> bool:
    """Check the renderer up front and raise if it is unusable; False if no font has Chinese characters."""
    if settings.chart_mcp:
        antv.renderer()
    return has_glyphs_for(_CHINESE, settings.font_dir)


def picture(
    specification: Mapping[str, Any], form: Format = "png", scale: float = 2.0, font_dir: str = ""
) -> bytes:
    """Takes some 0.3 s, and almost a second for the first image of a process."""
    converter = _converter(font_dir)
    options = {
        "vl_version": _VEGA_LITE,
        "config": dict(_CONFIG),
        # Fetch nothing: neither the schema URL nor URLs in the data.
        "allowed_base_urls": [],
    }
    try:
        if form == "svg":
            return str(converter.vegalite_to_svg(dict(specification), **options)).encode()
        return bytes(converter.vegalite_to_png(dict(specification), scale=scale, **options))
    except ValueError as error:  # vl-convert raises this for every failure
        raise ChartError(detail=str(error).partition("\n    at ")[0][:300]) from error


def has_glyphs_for(text: str, font_dir: str = "") -> bool:
    """Whether the available fonts have these characters.

    Each is rendered: missing characters all become the same box, so identical images mean missing glyphs.
    """
    converter = _converter(font_dir)
    images = [converter.svg_to_png(_character_svg(character)) for character in text]
    return len(set(images)) == len(set(text))


def _character_svg(character: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
        f'<text x="1" y="16" font-family="{FONTS}" font-size="16">&#{ord(character)};</text></svg>'
    )


@cache
def _converter(font_dir: str) -> ModuleType:
    try:
        import vl_convert  # noqa: PLC0415 -- an extra, and 80 MB
    except ImportError as error:
        raise MissingDriver("missing_charts", package="vl-convert-python", extra="charts") from error
    for folder in filter(None, (font_dir, _packaged_fonts())):
        if Path(folder).is_dir():
            vl_convert.register_font_directory(str(Path(folder).resolve()))
    return vl_convert


def _packaged_fonts() -> str:
    """The folder of Noto Sans SC in the package `zhplot`, which is not imported."""
    module = importlib.util.find_spec("zhplot")
    return str(Path(module.origin).parent / "fonts") if module and module.origin else ""


async def picture_in_subprocess(
    specification: Mapping[str, Any], form: Format = "png", scale: float = 2.0, font_dir: str = ""
) -> bytes:
    has_glyphs_for("", font_dir)  # raises here if a package is missing
    request = json.dumps(
        {"specification": specification, "form": form, "scale": scale, "font_dir": font_dir}
    ).encode()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CHILD, stdin=pipe, stdout=pipe, stderr=pipe
    )
    try:
        image, errors = await asyncio.wait_for(process.communicate(request), _TIMEOUT)
    except TimeoutError as error:
        raise ChartError(detail=f"it took longer than {_TIMEOUT:g} s") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise ChartError(detail=errors.decode(errors="replace").strip()[-300:] or "the renderer died")
    return image


def main() -> None:
    try:
        image = picture(**json.load(sys.stdin.buffer))
    except ChartError as error:
        sys.exit(str(error.facts["detail"]))
    sys.stdout.buffer.write(image)
