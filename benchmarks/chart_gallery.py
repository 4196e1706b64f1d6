"""Draw the images of docs/charts.md: twelve shapes of results in both languages.

    python benchmarks/chart_gallery.py            writes docs/charts/*.png
    python benchmarks/chart_gallery.py FOLDER     writes them there, with all other kinds that fit

Look at them after a change: the tests do not check that they are legible.
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
MAX_BYTES = 60_000  # of an image in the repository


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "docs" / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    if not has_glyphs_for("中文图表"):
        print("No font with Chinese characters: apt-get install fonts-noto-cjk", file=sys.stderr)
        return 1
    for shape in SHAPES:
        for lang in LANGUAGES:
            result, question = shape.result(lang), shape.questions[lang]
            chosen = choose(result, question)
            for chart in fitting(result, question) if arguments else [chosen]:
                assert chart is not None
                name = shape.name if chart == chosen else f"{shape.name}.{chart.kind}"
                image = picture(spec(chart, result, lang, question), "png", scale=1.25)
                image = image if arguments else with_palette(image)
                (folder / f"{name}.{lang}.png").write_bytes(image)
                print(f"{name}.{lang}.png  {chart.kind}  {len(image):,} bytes")
                assert arguments or len(image) < MAX_BYTES
    return 0


def with_palette(png: bytes) -> bytes:
    """The same image with at most 256 colors, without transparency: a third of the bytes."""
    wide, high, data = 0, 0, b""
    at = 8
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            wide, high, depth, color = struct.unpack(">IIBB", body[:10])
            assert (depth, color) == (8, 6)
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    pixels = [bytes(pixel) for row in _rows(zlib.decompress(data), wide, high) for pixel in row]
    palette = [color for color, _ in Counter(pixels).most_common(256)]
    index = {color: number for number, color in enumerate(palette)}
    for color in {*pixels} - {*palette}:
        index[color] = min(range(len(palette)), key=lambda number: _distance(palette[number], color))
    lines = [bytes(index[pixel] for pixel in pixels[at : at + wide]) for at in range(0, wide * high, wide)]
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
    """Undo the five PNG filters, and put transparent pixels on white."""
    stride, above, rows = 4 * wide, bytes(4 * wide), []
    for row in range(high):
        start = row * (stride + 1)
        line = bytearray(raw[start + 1 : start + 1 + stride])
        filter_type = raw[start]
        for at in range(stride if filter_type else 0):
            left = line[at - 4] if at >= 4 else 0
            corner = above[at - 4] if at >= 4 else 0
            guess = (0, left, above[at], (left + above[at]) // 2, _paeth(left, above[at], corner))[
                filter_type
            ]
            line[at] = (line[at] + guess) & 255
        above = bytes(line)
        rows.append([_on_white(*line[at : at + 4]) for at in range(0, stride, 4)])
    return rows


def _paeth(left: int, up: int, corner: int) -> int:
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


def _on_white(red: int, green: int, blue: int, alpha: int) -> tuple[int, int, int]:
    rest = 255 - alpha
    return tuple((value * alpha + 255 * rest) // 255 for value in (red, green, blue))  # type: ignore[return-value]


def _distance(first: bytes, second: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(first, second, strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
