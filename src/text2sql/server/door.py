"""Runs the server on a port until it is told to stop, and then stops in good order."""

import asyncio
import gc
import logging
import math
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.reports.schedule import Job
from text2sql.server.building import build, stop
from text2sql.server.gate import LOOPBACK, host_of
from text2sql.server.identity import ways
from text2sql.server.logs import fact, to_json_lines
from text2sql.server.timely import Timely
from text2sql.server.workers import supervise
from text2sql.types import Policies

log = logging.getLogger(__name__)

_AFTER_WORKERS = 2  # seconds more before a process that has not ended is ended
_AFTER_STREAMS = 3  # seconds for responses to be sent once their questions have ended


def serve(
    addresses: Mapping[str, str],
    settings: Settings,
    *,
    model: str = "",
    policies: Mapping[str, Policies] | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    schedule: Sequence[Job] = (),
    workers: int = 1,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Until SIGTERM or Ctrl-C; a second one does not wait for anybody."""
    refuse_others(host, settings)
    given: dict[str, Any] = {
        "addresses": dict(addresses),
        "settings": settings,
        "model": model,
        "policies": policies,
        "host": host,
        "siblings": workers > 1,
        "schedule": tuple(schedule),
    }
    with _listening(host, port) as door:
        if workers == 1:
            work(**given, door=door, ready=ready)
            return
        _application(given)  # what is wrong with the settings is told once, and here
        ready(_address(host, door))
        supervise(work, given, workers, door, settings.shutdown_grace + _AFTER_STREAMS + _AFTER_WORKERS)


def work(*, door: socket.socket, ready: Callable[[str], None] = lambda _: None, **given: Any) -> None:
    """One process that serves."""
    if given["siblings"]:
        _follow_parent()
    app, settings = _application(given), given["settings"]
    to_json_lines()
    config = uvicorn.Config(
        app,
        http=Timely,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_grace) + _AFTER_STREAMS,
    )
    server = Door(config, app, lambda: _tell(_address(given["host"], door), ready))
    # uvicorn raises the signal again when it is done: an orderly end is no reason to die of it.
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, _nothing)
    server.run([door])


def _follow_parent() -> None:
    """Ctrl-C reaches every process of a terminal, and a second signal would end us at once: only the parent
    is to be told, and tells us. If it is gone without a word, nobody would.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def _application(given: Mapping[str, Any]) -> FastAPI:
    named = {name: value for name, value in given.items() if name not in ("addresses", "settings", "host")}
    hosts = LOOPBACK | {host_of(f"[{given['host']}]")}
    return build(given["addresses"], given["settings"], hosts=hosts, **named)


def _address(host: str, door: socket.socket) -> str:
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{door.getsockname()[1]}"


def refuse_others(host: str, settings: Settings) -> None:
    """Whoever reaches the port may ask: where nobody signs in that is this machine only."""
    if ways(settings):
        return
    try:
        alone = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        alone = False
    if not alone:
        raise UsageError("usage.serve_public", host=host)


class Door(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._application = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What is loaded by now stays. To look through it for garbage again and again would hold up everybody
        # for longer than ten questions take.
        gc.collect()
        gc.freeze()
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """uvicorn waits for responses to end, and streams end because they are told to."""
        await asyncio.gather(self._end_streams(), super().shutdown(sockets))

    async def _end_streams(self) -> None:
        ending = asyncio.create_task(stop(self._application))
        while not ending.done():
            await asyncio.wait({ending}, timeout=0.1)
            if self.force_exit:
                await stop(self._application, grace=0.0)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.serve_port", host=host, port=port, detail=detail) from error


def _tell(address: str, ready: Callable[[str], None]) -> None:
    fact(log, "listening", address=address)
    ready(address)


def _nothing(sig: int, frame: FrameType | None) -> None:
    pass
