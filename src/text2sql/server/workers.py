"""Runs several server processes behind one port: the parent starts, replaces and stops them.

Workers are spawned rather than forked, so that no connection, lock or event loop is shared.
"""

import logging
import multiprocessing
import signal
import socket
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from types import FrameType

from text2sql.server.logs import log_fields, to_json_lines

log = logging.getLogger(__name__)

_POLL_SECONDS = 0.2  # between two checks of the processes
_RESTART_DELAY = 1.0  # before a dead worker is replaced
_MAX_DEATHS = 5  # per worker within a minute: then the server gives up


def supervise(
    target: Callable[[socket.socket], None], count: int, listener: socket.socket, grace: float
) -> None:
    """Run workers until SIGTERM or Ctrl-C. A second signal, or the end of the grace period, kills them."""
    to_json_lines()
    stop_signals = 0

    def count_signal(sig: int, frame: FrameType | None) -> None:  # noqa: ARG001 -- the signature of a signal handler
        nonlocal stop_signals
        stop_signals += 1

    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, count_signal)
    spawn = multiprocessing.get_context("spawn")

    def start() -> BaseProcess:
        process = spawn.Process(target=target, args=(listener,))
        process.start()
        return process

    running, deaths = [start() for _ in range(count)], list[float]()
    while not stop_signals:
        time.sleep(_POLL_SECONDS)
        for index, process in enumerate(running):
            if process.is_alive() or stop_signals:
                continue
            deaths = [when for when in deaths if time.monotonic() - when < 60] + [time.monotonic()]
            log_fields(log, "a worker ended", pid=process.pid, code=process.exitcode)
            if len(deaths) > _MAX_DEATHS * count:
                stop_signals = 1
                break
            time.sleep(_RESTART_DELAY)
            running[index] = start()
    _stop(running, grace, lambda: stop_signals > 1)


def _stop(running: list[BaseProcess], grace: float, at_once: Callable[[], bool]) -> None:
    deadline = time.monotonic() + grace
    for process in running:
        process.terminate()
    while any(process.is_alive() for process in running) and time.monotonic() < deadline and not at_once():
        time.sleep(_POLL_SECONDS / 4)
    for process in running:
        process.kill()
        process.join()
