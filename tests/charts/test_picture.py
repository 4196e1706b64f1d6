"""Images: rendered without browser or network, or by a configured chart server."""

import asyncio
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

from charts.results import result
from charts.shapes import SHAPES, Shape
from text2sql.charts import (
    chart_of_kind,
    choose,
    draw,
    fitting,
    has_glyphs_for,
    picture,
    picture_in_subprocess,
    ready,
    spec,
)
from text2sql.config import Settings
from text2sql.errors import ChartError, MissingDriver, UsageError
from text2sql.i18n import Language, explain
from text2sql.types import QueryResult

ORDERS = result("city,orders", [["Lyon", 9], ["<b>Oslo</b>", 3]])
FAKE = f"{sys.executable} {Path(__file__).with_name('fake_antv.py')}"
PNG = b"\x89PNG\r\n\x1a\n"


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(PNG)
    wide, high = struct.unpack(">II", png[16:24])
    return wide, high


@pytest.mark.slow
@pytest.mark.usefixtures("chinese_font")
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_every_shape_is_drawn_in_both_formats_and_languages(shape: Shape, lang: Language) -> None:
    query_result = shape.result(lang)
    for chart in fitting(query_result, shape.questions[lang]):
        chart_spec = spec(chart, query_result, lang, shape.questions[lang])
        wide, high = size(picture(chart_spec, "png", scale=1))
        assert 150 < wide < 1_000
        assert 100 < high < 900
        drawn = ElementTree.fromstring(picture(chart_spec, "svg").decode())
        texts = " ".join(text.strip() for text in drawn.itertext())
        assert shape.questions[lang][:20] in texts


def test_a_label_is_text_in_the_svg_and_never_markup() -> None:
    chart = choose(ORDERS)
    assert chart is not None
    drawn = picture(spec(chart, ORDERS, "en"), "svg").decode()
    assert "&lt;b&gt;Oslo&lt;/b&gt;" in drawn
    assert "<b>" not in drawn


def test_the_renderer_fetches_nothing() -> None:
    """Specifications contain no URL; an injected one is refused, not fetched."""
    with socket.create_server(("127.0.0.1", 0)) as trap:
        trap.settimeout(0.2)
        address = f"http://127.0.0.1:{trap.getsockname()[1]}/x.json"
        smuggled = {"data": {"url": address}, "mark": "bar", "encoding": {"x": {"field": "a"}}}
        with pytest.raises(ChartError, match="not allowed"):
            picture(smuggled)
        with pytest.raises(TimeoutError):
            trap.accept()


def test_an_invalid_specification_is_a_chart_error() -> None:
    with pytest.raises(ChartError) as caught:
        picture({"mark": "no such mark", "data": {"values": []}})
    assert explain(caught.value, "en").startswith("The chart image could not be created: ")


def test_rendering_does_not_block_the_event_loop() -> None:
    chart = choose(ORDERS)
    assert chart is not None
    chart_spec = spec(chart, ORDERS, "en")

    async def both() -> tuple[bytes, int]:
        beats = 0
        drawing = asyncio.create_task(picture_in_subprocess(chart_spec))
        while not drawing.done():
            await asyncio.sleep(0.001)
            beats += 1
        return await drawing, beats

    drawn, beats = asyncio.run(both())
    assert drawn.startswith(PNG)
    assert beats > 50


def test_characters_without_a_font_are_detected() -> None:
    assert has_glyphs_for("ab")
    assert not has_glyphs_for(
        "\U000f0001\U000f0002"
    )  # private use: no font has them, both become the same box


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingDriver) as caught:
        picture({}, font_dir="not asked for before")
    assert 'pip install "text2sql-kit[charts]"' in explain(caught.value, "en")
    assert 'pip install "text2sql-kit[charts]"' in explain(caught.value, "zh")


# -- a chart server ------------------------------------------------------------------------------


class Renderer(BaseHTTPRequestHandler):
    """Serves an image for any path; requested paths are in `server.asked`."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(PNG + b"from the chart server")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Renderer) as server:
        server.asked = []  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        monkeypatch.setenv("VIS_REQUEST_SERVER", f"http://127.0.0.1:{server.server_port}")
        yield server
        server.shutdown()


def by_server(query_result: QueryResult, title: str, kind: str = "bar", command: str = FAKE) -> bytes:
    chart = chart_of_kind(query_result, kind)
    assert chart is not None
    return draw(chart, query_result, "en", Settings(chart_mcp=command), title=title)


@pytest.mark.slow
def test_a_configured_chart_server_draws(
    renderer: ThreadingHTTPServer, capfd: pytest.CaptureFixture[str]
) -> None:
    assert by_server(ORDERS, "Orders?") == PNG + b"from the chart server"
    (path,) = renderer.asked  # type: ignore[attr-defined]
    assert json.loads(bytes.fromhex(path.strip("/").removesuffix(".png"))) == {
        "title": "Orders?",
        "x": "City",
        "y": "Orders",
        "data": [{"category": "Lyon", "value": 9}, {"category": "<b>Oslo</b>", "value": 3}],
    }
    assert "Lyon" not in capfd.readouterr().err  # that server tells its standard error what it draws


def test_kinds_that_the_chart_server_lacks_are_rendered_locally(renderer: ThreadingHTTPServer) -> None:
    wide, _ = size(by_server(result("n", [[5]]), "How many?", "value"))
    assert wide > 100
    assert renderer.asked == []  # type: ignore[attr-defined]


@pytest.mark.slow
def test_an_image_on_another_host_is_not_fetched(renderer: ThreadingHTTPServer) -> None:
    with pytest.raises(ChartError, match="not at VIS_REQUEST_SERVER"):
        by_server(ORDERS, "elsewhere")


@pytest.mark.slow
def test_errors_of_the_chart_server_are_reported(renderer: ThreadingHTTPServer) -> None:
    with pytest.raises(ChartError, match="generate_pie_chart"):
        by_server(ORDERS, "", "pie")
    with pytest.raises(ChartError, match="no-such-program"):
        by_server(ORDERS, "", command="/no-such-program --x")
    with pytest.raises(ChartError, match="TEXT2SQL_CHART_MCP"):
        by_server(ORDERS, "", command="'unclosed")


def test_a_chart_server_that_exits_immediately_is_reported_quickly(renderer: ThreadingHTTPServer) -> None:
    began = time.monotonic()
    with pytest.raises(ChartError):
        by_server(ORDERS, "", command=f"{sys.executable} -c pass")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("address", ["", "https://antv-studio.alipay.com/api/gpt-vis"])
def test_no_server_is_started_that_would_send_data_to_a_public_service(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIS_REQUEST_SERVER", address)
    with pytest.raises(UsageError, match=r"usage\.chart_server"):
        by_server(ORDERS, "")
    with pytest.raises(UsageError, match=r"usage\.chart_server"):
        ready(Settings(chart_mcp=FAKE))
