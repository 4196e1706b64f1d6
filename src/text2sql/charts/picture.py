"""Renders a Vega-Lite specification as PNG or SVG in this process with vl-convert, without network access."""

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

from text2sql.errors import ChartError, MissingDriver

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


def picture(spec: Mapping[str, Any], form: Format = "png", scale: float = 2.0, font_dir: str = "") -> bytes:
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
            return str(converter.vegalite_to_svg(dict(spec), **options)).encode()
        return bytes(converter.vegalite_to_png(dict(spec), scale=scale, **options))
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
