"""`text2sql serve`: rejected settings and shutdown."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.serving import events_of
from terminal import run
from text2sql.cli.serve import name_sources
from text2sql.errors import UsageError

# The real program but for its model, which never comes to an end.
PROGRAM = """
import asyncio, sys
from text2sql.cli import main
from text2sql.llm import AsyncChatModel, ScriptedBackend
from text2sql.server import sources, app_factory

class Hanging(ScriptedBackend):
    async def stream(self, request):
        yield "SELECT "
        await asyncio.sleep(3600)

class App(sources.AsyncText2SQL):
    def __init__(self, address, *, settings, model, policy):
        model = AsyncChatModel([Hanging()], settings)
        super().__init__(address, settings=settings, model=model, policy=policy)

sources.AsyncText2SQL = App
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.fault("A11")
def test_a_public_address_is_refused_without_a_key(shop: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.1", "example.com"):
        ended = run("serve", "--db", str(shop), "--host", host)
        assert ended.code == 2
        assert ended.err.startswith(f"{host} can be reached from other machines")
        assert "TEXT2SQL_AUTH" in ended.err
    assert "密钥" in run("serve", "--db", str(shop), "--host", "0.0.0.0", "--lang", "zh").err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--db", "nothing.db"], "There is no file"),
        (["--db", "ftp://x/y"], "ftp://"),
        ([], "No database was named."),
        (["--db", "SHOP", "--policy", "nothing.json"], "nothing.json"),
        (["--db", "SHOP", "--workers", "2"], "2 processes cannot share"),
        (["--db", "SHOP", "--db", "SHOP"], "Two sources are called “shop”."),
        (["--db", "SHOP", "--port", "70000"], "--port"),
        (["--db", "SHOP", "--db", "b=SHOP", "--policy", "b=POLICY"], "no policy for the source “shop”"),
    ],
)
def test_sources_that_cannot_be_served_are_rejected_at_startup(
    shop: Path, words: list[str], expected: str
) -> None:
    policy = shop.with_name("policy.json")
    policy.write_text('{"tables": {"customers": ["id"]}}')
    arguments = [word.replace("SHOP", str(shop)).replace("POLICY", str(policy)) for word in words]
    ended = run("serve", *arguments, env={"TEXT2SQL_DB": None, "TEXT2SQL_MEMORY": "none"})
    assert (ended.code, expected in ended.err) == (2, True), ended.err


def test_a_used_port_is_reported(shop: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run("serve", "--db", str(shop), "--port", str(port))
    assert (ended.code, f"Cannot listen on 127.0.0.1:{port}" in ended.err) == (2, True)


def test_sources_are_named_or_called_after_their_file_or_database(tmp_path: Path) -> None:
    assert name_sources(("shop.db",)) == {"shop": "shop.db"}
    assert name_sources(("postgresql://u:p=1@h/sales?sslmode=require", "b=x/shop.db")) == {
        "sales": "postgresql://u:p=1@h/sales?sslmode=require",
        "b": "x/shop.db",
    }
    assert name_sources(("/data/my shop (1).db",)) == {"my-shop-1": "/data/my shop (1).db"}
    odd = tmp_path / "a=b.db"
    odd.touch()
    assert list(name_sources((str(odd),)).values()) == [str(odd)]
    with pytest.raises(UsageError):
        name_sources(("a=x.db", "a=y.db"))


# -- the real program ----------------------------------------------------------------------------


class Program:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self.address = str(self.wait_for("listening")["address"])

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(json.loads(line))

    def wait_for(self, message: str) -> dict[str, Any]:
        until = time.monotonic() + 120  # a busy machine starts Python slowly
        while time.monotonic() < until:
            for line in list(self.lines):
                if line["message"] == message:
                    return line
            time.sleep(0.02)
        raise AssertionError(self.lines)

    def end(self, sig: signal.Signals) -> tuple[int, float]:
        began = time.monotonic()
        self.process.send_signal(sig)
        code = self.process.wait(20)
        self._reading.join(5)
        return code, time.monotonic() - began


@contextmanager
def serving(shop: Path, **settings: str) -> Iterator[Program]:
    environment = {
        **os.environ,
        "TEXT2SQL_MEMORY": "none",
        "TEXT2SQL_SHUTDOWN_GRACE": "0.3",
        **{f"TEXT2SQL_{name.upper()}": value for name, value in settings.items()},
    }
    words = [sys.executable, "-c", PROGRAM, "serve", "--db", str(shop), "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.fault("P01", "P02")
def test_sigterm_ends_every_stream_with_a_problem_and_the_exit_code_is_0(
    shop: Path, sig: signal.Signals
) -> None:
    with serving(shop) as program:
        texts: list[str] = []

        def follow() -> None:
            body = {"question": "How many customers are there?"}
            with httpx.Client(base_url=program.address, timeout=20) as client:
                texts.append(client.post("/api/v1/query", json=body).text)

        readers = [threading.Thread(target=follow) for _ in range(20)]
        for reader in readers:
            reader.start()
        with httpx.Client(base_url=program.address) as client:
            until = time.monotonic() + 15
            while 'text2sql_streams{state="running"} 20.0' not in client.get("/metrics").text:
                assert time.monotonic() < until
                time.sleep(0.05)
        code, seconds = program.end(sig)
        for reader in readers:
            reader.join(5)
        assert code == 0
        assert seconds < 5
        assert len(texts) == 20
        for text in texts:
            events = events_of(text)
            assert (events[0].name, events[-1].name) == ("started", "problem")
            assert events[-1].data["kind"] == "usage.stream_cancelled"
        with pytest.raises(httpx.ConnectError):
            httpx.get(program.address + "/healthz")
    assert [line for line in program.lines if line["level"] == "error"] == []


@pytest.mark.fault("P02")
def test_a_second_signal_does_not_wait(shop: Path) -> None:
    with serving(shop, shutdown_grace="60") as program:
        body = {"question": "How many customers are there?"}
        with (
            httpx.Client(base_url=program.address, timeout=20) as client,
            client.stream("POST", "/api/v1/query", json=body) as response,
        ):
            next(response.iter_bytes())
            program.process.send_signal(signal.SIGTERM)
            program.wait_for("Shutting down")
            code, seconds = program.end(signal.SIGTERM)
    assert (code, seconds < 5) == (0, True)
