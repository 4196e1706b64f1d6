"""The picture of a chart by whoever is configured to draw it: vl-convert here, or a chart server over MCP."""

from text2sql.charts import antv
from text2sql.charts.choosing import Chart
from text2sql.charts.picture import Format, can_write, picture
from text2sql.charts.plotting import figure
from text2sql.charts.spec import spec
from text2sql.config import Settings
from text2sql.messages import Language
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
    """What a chart server does not know (heat maps, single values, SVG) is drawn here."""
    if settings.chart_mcp and form == "png":
        made = figure(chart, result, lang)
        if antv.knows(made):
            return antv.picture(made, title, settings)
    return picture(spec(chart, result, lang, title), form, font_dir=settings.font_dir)


def ready(settings: Settings) -> bool:
    """Raises when nothing could be drawn, before anybody waits for an answer; False: without Chinese."""
    if settings.chart_mcp:
        antv.renderer()
    return can_write(_CHINESE, settings.font_dir)
