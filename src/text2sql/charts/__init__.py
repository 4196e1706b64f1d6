"""Which chart suits a result, its Vega-Lite specification, its picture and its sketch.

`choose` gives a `Chart`: a kind and positions of columns, no data. `spec` joins it with the rows.
"""

from text2sql.charts.apart import picture_soon
from text2sql.charts.choosing import KINDS, Chart, Kind, choose, fitting, from_plain, kinds, of_kind, to_plain
from text2sql.charts.drawing import draw, ready
from text2sql.charts.picture import can_write, picture
from text2sql.charts.sketch import sketch
from text2sql.charts.spec import spec

__all__ = [
    "KINDS",
    "Chart",
    "Kind",
    "can_write",
    "choose",
    "draw",
    "fitting",
    "from_plain",
    "kinds",
    "of_kind",
    "picture",
    "picture_soon",
    "ready",
    "sketch",
    "spec",
    "to_plain",
]
