"""SVG plots: bars with confidence intervals, and the coverage-risk curve. Self-contained, without scripts.

Labels are untrusted text and are escaped.
"""

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil

from text2sql.evaluation.report import Share

_LABEL, _WIDE, _VALUE, _ROW = 150, 380, 150, 24  # pixels
_SIZE, _PAD = 260, 40
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def bars(shares: Mapping[str, Share], title: str) -> str:
    """Horizontal bars with confidence intervals and numbers."""
    height = _ROW * len(shares) + 4
    parts = [_open(_LABEL + _WIDE + _VALUE, height, title)]
    for at, (name, share) in enumerate(shares.items()):
        top = at * _ROW
        middle = top + _ROW / 2
        low, high = (_LABEL + _WIDE * edge for edge in (share.low, share.high))
        shown = name if len(name) <= 22 else name[:21] + "…"
        parts += [
            f'<text class="label" x="{_LABEL - 8}" y="{middle + 4:.0f}">{escape(shown)}</text>',
            f'<rect class="track" x="{_LABEL}" y="{top + 5}" width="{_WIDE}" height="{_ROW - 10}"/>',
            f'<rect class="bar" x="{_LABEL}" y="{top + 5}" width="{_WIDE * share.value:.1f}" '
            f'height="{_ROW - 10}"/>',
            f'<path class="span" d="M{low:.1f} {middle:.0f}H{high:.1f}M{low:.1f} {middle - 4:.0f}v8'
            f'M{high:.1f} {middle - 4:.0f}v8"/>',
            f'<text x="{_LABEL + _WIDE + 8}" y="{middle + 4:.0f}">'
            f"{100 * share.value:.1f} % · {share.count}/{share.of}</text>",
        ]
    return "\n".join([*parts, "</svg>"])


def curve(points: Sequence[tuple[float, float]], overall: float, title: str) -> str:
    """Risk (vertical) by coverage (horizontal); the dashed line is the overall risk."""
    largest = max(0.1, overall, *(risk for _, risk in points))
    top = ceil(largest / 0.2) * 0.2  # a round number for the axis
    wide, high = 2 * _SIZE, _SIZE

    def point(coverage: float, risk: float) -> str:
        return f"{_PAD + wide * coverage:.1f} {_PAD / 2 + high * (1 - risk / top):.1f}"

    parts = [_open(wide + 2 * _PAD, high + 1.7 * _PAD, title)]
    for tick in _TICKS:
        across, up = point(tick, 0), point(0, top * tick)
        parts += [
            f'<path class="grid" d="M{across}v-{high}M{up}h{wide}"/>',
            f'<text class="middle" x="{across.split()[0]}" y="{high + _PAD:.0f}">{tick:.0%}</text>',
            f'<text class="label" x="{_PAD - 5}" y="{float(up.split()[1]) + 4:.0f}">{top * tick:.0%}</text>',
        ]
    line = "L".join(point(coverage, risk) for coverage, risk in points)
    parts += [
        f'<path class="broken" d="M{point(0, overall)}h{wide}"/>',
        f'<path class="line" d="M{line}"/>',
        f'<text class="middle" x="{_PAD + wide / 2:.0f}" y="{high + 1.45 * _PAD:.0f}">coverage</text>',
        "</svg>",
    ]
    return "\n".join(parts)


def _open(width: float, height: float, title: str) -> str:
    return (
        f'<svg role="img" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
    )
