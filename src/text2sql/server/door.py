"""Runs the server on a port until it is told to stop, and then stops in good order."""

import asyncio
import logging
import math
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from text2sql.config import Settings
from text2sql.errors import UsageError
from text2sql.reports.schedule import Job
from text2sql.server.building import build, stop
from text2sql.server.gate import LOOPBACK, host_of
from text2sql.server.logs import fact, to_json_lines
from text2sql.types import Policy

log = logging.getLogger(__name__)

_AFTER_STREAMS = 3  # seconds for responses to be sent once their questions have ended


def serve(
    addresses: Mapping[str, str],
    settings: Settings,
    *,
    model: str = "",
    policy: Policy | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    schedule: Sequence[Job] = (),
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Until SIGTERM or Ctrl-C; a second one does not wait for anybody."""
    refuse_others(host)
    hosts = LOOPBACK | {host_of(f"[{host}]")}
    app = build(addresses, settings, model=model, policy=policy, hosts=hosts, schedule=schedule)
    with _listening(host, port) as door:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{door.getsockname()[1]}"
        to_json_lines()
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=math.ceil(settings.shutdown_grace) + _AFTER_STREAMS,
        )
        server = Door(config, app, lambda: _tell(address, ready))
        # uvicorn raises the signal again when it is done: an orderly end is no reason to die of it.
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, _nothing)
        server.run([door])


def refuse_others(host: str) -> None:
    """Whoever reaches the port may ask: without a key that is this machine only."""
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
