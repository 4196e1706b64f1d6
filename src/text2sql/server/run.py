"""Runs the server on a port until a signal stops it, then shuts down gracefully."""

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
from functools import partial
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from text2sql.config import Settings
from text2sql.database import Accounts
from text2sql.errors import UsageError
from text2sql.reports.schedule import Job
from text2sql.server.app_factory import build, stop
from text2sql.server.header_timeout import HeaderTimeout
from text2sql.server.identity import auth_methods
from text2sql.server.logs import log_fields, to_json_lines
from text2sql.server.middleware import LOOPBACK, host_of
from text2sql.server.workers import supervise
from text2sql.types import Policies

log = logging.getLogger(__name__)

_KILL_DELAY = 2  # seconds after that before a worker is killed
_SEND_DELAY = 3  # seconds to send responses after their questions have ended


def serve(
    addresses: Mapping[str, str],
    settings: Settings,
    *,
    model: str = "",
    policies: Mapping[str, Policies] | None = None,
    accounts: Mapping[str, Accounts] | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    schedule: Sequence[Job] = (),
    workers: int = 1,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; a second signal stops at once."""
    require_auth_or_loopback(host, settings)
    build_app = partial(
        build,
        dict(addresses),
        settings,
        model=model,
        policies=policies,
        accounts=accounts,
        hosts=LOOPBACK | {host_of(f"[{host}]")},
        multiple_processes=workers > 1,
        schedule=tuple(schedule),
    )
    grace = math.ceil(settings.shutdown_grace) + _SEND_DELAY
    with _open_socket(host, port) as listener:
        address = _address(host, listener)
        if workers == 1:
            run_worker(build_app, grace, address, listener, ready)
            return
        build_app()  # validate the settings once, before workers start
        ready(address)
        worker = partial(_run_one_of_many, build_app, grace, address)
        supervise(worker, workers, listener, grace + _KILL_DELAY)


def run_worker(
    build_app: Callable[[], FastAPI],
    grace: int,
    address: str,
    listener: socket.socket,
    ready: Callable[[str], None] = lambda _: None,
) -> None:
    """Serve in this process."""
    app = build_app()
    to_json_lines()
    config = uvicorn.Config(
        app,
        http=HeaderTimeout,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
    )

    def announce() -> None:
        log_fields(log, "listening", address=address)
        ready(address)

    server = GracefulServer(config, app, announce)
    # uvicorn raises the signal again after a graceful shutdown; ignore it.
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, lambda *_: None)
    server.run([listener])


def _run_one_of_many(
    build_app: Callable[[], FastAPI], grace: int, address: str, listener: socket.socket
) -> None:
    _follow_parent()
    run_worker(build_app, grace, address, listener)


def _follow_parent() -> None:
    """Leave the terminal's process group, and stop when the parent process dies.

    Ctrl-C would otherwise reach both parent and worker, and a second signal stops a worker at once.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            signal.raise_signal(signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def _address(host: str, listener: socket.socket) -> str:
    url_host = f"[{host}]" if ":" in host else host
    return f"http://{url_host}:{listener.getsockname()[1]}"


def require_auth_or_loopback(host: str, settings: Settings) -> None:
    """Without sign-in, allow loopback addresses only."""
    if auth_methods(settings):
        return
    try:
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise UsageError("usage.serve_public", host=host)


class GracefulServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._application = app
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # Objects loaded so far stay alive. Scanning them in every full garbage collection would block the
        # event loop for longer than ten questions take.
        gc.collect()
        gc.freeze()
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams while uvicorn waits for responses to finish."""
        await asyncio.gather(self._end_streams(), super().shutdown(sockets))

    async def _end_streams(self) -> None:
        stopping = asyncio.create_task(stop(self._application))
        while not stopping.done():
            await asyncio.wait({stopping}, timeout=0.1)
            if self.force_exit:
                await stop(self._application, grace=0.0)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)


def _open_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError("usage.serve_port", host=host, port=port, detail=detail) from error
