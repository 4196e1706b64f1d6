"""A specification as PNG or SVG bytes, drawn here by vl-convert: no browser, no network."""

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeAlias

from text2sql.errors import ChartError, MissingDriver

Format: TypeAlias = Literal["png", "svg"]

# Latin letters are drawn in the first one that is there, Chinese ones likewise.
FONTS = (
    "Noto Sans SC, Noto Sans CJK SC, Source Han Sans SC, PingFang SC, Microsoft YaHei, WenQuanYi Micro Hei, "
    "WenQuanYi Zen Hei, DejaVu Sans, Arial, sans-serif"
)
_LOOK: Mapping[str, Any] = {
    "background": "white",
    "font": FONTS,
    "padding": 12,
    "axis": {"gridColor": "#e6e6e6", "domainColor": "#888888", "tickColor": "#888888"},
    "view": {"stroke": None},
}
_VEGA_LITE = "6.1"


def picture(spec: Mapping[str, Any], form: Format = "png", scale: float = 2.0, font_dir: str = "") -> bytes:
    """Takes tenths of a second, the first one in a process most of one."""
    converter = _converter(font_dir)
    told = {
        "vl_version": _VEGA_LITE,
        "config": dict(_LOOK),
        # Nothing is ever fetched: neither the schema's address nor one that found its way into the data.
        "allowed_base_urls": [],
    }
    try:
        if form == "svg":
            return str(converter.vegalite_to_svg(dict(spec), **told)).encode()
        return bytes(converter.vegalite_to_png(dict(spec), scale=scale, **told))
    except ValueError as error:  # what vl-convert raises, whatever went wrong inside
        raise ChartError(detail=str(error).partition("\n    at ")[0][:300]) from error


def can_write(text: str, font_dir: str = "") -> bool:
    """Whether a picture shows these letters. The renderer is asked: two letters that look the same in it are
    two boxes.
    """
    converter = _converter(font_dir)
    shapes = [converter.svg_to_png(_letter(one)) for one in text]
    return len(set(shapes)) == len(set(text))


def _letter(letter: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
        f'<text x="1" y="16" font-family="{FONTS}" font-size="16">&#{ord(letter)};</text></svg>'
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
    """The package index has Noto Sans SC in `zhplot`. Only its file is used; nothing of it is imported."""
    found = importlib.util.find_spec("zhplot")
    return str(Path(found.origin).parent / "fonts") if found and found.origin else ""
