"""Selects a chart for a result and renders it: Vega-Lite specification, image, or terminal text.

`choose` returns a `Chart`: a kind and column positions, without data. `spec` combines it with the rows.
"""

from text2sql.charts.exhaustive import may_omit_groups
from text2sql.charts.rendering import draw, has_glyphs_for, picture, picture_in_subprocess, ready
from text2sql.charts.selection import (
    KINDS,
    Chart,
    Kind,
    chart_of_kind,
    choose,
    fitting,
    from_plain,
    kinds,
    to_plain,
)
from text2sql.charts.spec import spec
from text2sql.charts.terminal_render import terminal_chart

__all__ = [
    "KINDS",
    "Chart",
    "Kind",
    "chart_of_kind",
    "choose",
    "draw",
    "fitting",
    "from_plain",
    "has_glyphs_for",
    "kinds",
    "may_omit_groups",
    "picture",
    "picture_in_subprocess",
    "ready",
    "spec",
    "terminal_chart",
    "to_plain",
]
