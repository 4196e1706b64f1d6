"""The pictures of docs/charts.md: twelve shapes of results in both languages.

    python benchmarks/chart_gallery.py            writes docs/charts/*.png
    python benchmarks/chart_gallery.py FOLDER     writes them there, and each other kind that fits besides

Look at them after a change: a test sees that there are bytes, not that they can be read.
"""

import struct
import sys
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from charts.shapes import SHAPES  # noqa: E402
from text2sql.charts import choose, fitting, has_glyphs_for, picture, spec  # noqa: E402
from text2sql.i18n import Language  # noqa: E402

LANGUAGES: tuple[Language, ...] = ("en", "zh")
MOST = 60_000  # bytes of a picture that stands in the repository


def main(words: list[str]) -> int:
    folder = Path(words[0]) if words else ROOT / "docs" / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    if not has_glyphs_for("中文图表"):
        print("No font with Chinese letters is here: apt-get install fonts-noto-cjk", file=sys.stderr)
        return 1
    for shape in SHAPES:
        for lang in LANGUAGES:
            result, question = shape.result(lang), shape.questions[lang]
            chosen = choose(result, question)
            for chart in fitting(result, question) if words else [chosen]:
                assert chart is not None
                name = shape.name if chart == chosen else f"{shape.name}.{chart.kind}"
                drawn = picture(spec(chart, result, lang, question), "png", scale=1.25)
                drawn = drawn if words else smaller(drawn)
                (folder / f"{name}.{lang}.png").write_bytes(drawn)
                print(f"{name}.{lang}.png  {chart.kind}  {len(drawn):,} bytes")
                assert words or len(drawn) < MOST
    return 0


def smaller(png: bytes) -> bytes:
    """The same picture in 256 colours at most, without transparency: a third of the bytes."""
    wide, high, data = 0, 0, b""
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            wide, high, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 6)
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    pixels = [bytes(one) for row in _rows(zlib.decompress(data), wide, high) for one in row]
    palette = [colour for colour, _ in Counter(pixels).most_common(256)]
    place = {colour: number for number, colour in enumerate(palette)}
    for colour in {*pixels} - {*palette}:
        place[colour] = min(range(len(palette)), key=lambda one: _distance(palette[one], colour))
    lines = [bytes(place[one] for one in pixels[at : at + wide]) for at in range(0, wide * high, wide)]
    packed = zlib.compress(b"".join(b"\0" + line for line in lines), 9)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 3, 0, 0, 0)),
        (b"PLTE", b"".join(palette)),
        (b"IDAT", packed),
        (b"IEND", b""),
    )
    return png[:8] + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def _rows(raw: bytes, wide: int, high: int) -> list[list[tuple[int, int, int]]]:
    """PNG's five filters undone; what is transparent is on white."""
    stride, above, rows = 4 * wide, bytes(4 * wide), []
    for row in range(high):
        start = row * (stride + 1)
        line = bytearray(raw[start + 1 : start + 1 + stride])
        how = raw[start]
        for at in range(stride if how else 0):
            left = line[at - 4] if at >= 4 else 0
            corner = above[at - 4] if at >= 4 else 0
            guess = (0, left, above[at], (left + above[at]) // 2, _paeth(left, above[at], corner))[how]
            line[at] = (line[at] + guess) & 255
        above = bytes(line)
        rows.append([_on_white(*line[at : at + 4]) for at in range(0, stride, 4)])
    return rows


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda one: abs(guess - one))


def _on_white(red: int, green: int, blue: int, alpha: int) -> tuple[int, int, int]:
    rest = 255 - alpha
    return tuple((one * alpha + 255 * rest) // 255 for one in (red, green, blue))  # type: ignore[return-value]


def _distance(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
