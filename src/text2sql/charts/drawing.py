"""Renders a chart as an image with the configured renderer: vl-convert, or a chart server over MCP."""

from text2sql.charts import antv
from text2sql.charts.figure_builder import build_figure
from text2sql.charts.picture import Format, has_glyphs_for, picture
from text2sql.charts.selection import Chart
from text2sql.charts.spec import spec
from text2sql.config import Settings
from text2sql.i18n import Language
from text2sql.types import QueryResult

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
