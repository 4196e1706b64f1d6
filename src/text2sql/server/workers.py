"""Several processes behind one port. The parent answers nothing: it starts them, starts a new one for one
that died, and tells all of them to stop.

Each is started anew (spawned) rather than forked: no connection, lock or event loop is in two of them.
"""

import logging
import multiprocessing
import signal
import socket
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

from text2sql.server.logs import fact, to_json_lines

log = logging.getLogger(__name__)

_LOOK = 0.2  # seconds between two looks at the processes
_PAUSE = 1.0  # seconds before another is started for one that died
_ENOUGH = 5  # that died within a minute: then something is wrong with all of them


def supervise(
    work: Callable[..., None], given: dict[str, Any], count: int, door: socket.socket, grace: float
) -> None:
    """Until SIGTERM or Ctrl-C. A second one, or the end of the grace, ends the rest at once."""
    to_json_lines()
    told = 0

    def tell(sig: int, frame: FrameType | None) -> None:  # noqa: ARG001 as a handler has it
        nonlocal told
        told += 1

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, tell)
    spawn = multiprocessing.get_context("spawn")

    def start() -> BaseProcess:
        process = spawn.Process(target=work, kwargs={**given, "door": door})
        process.start()
        return process

    running, deaths = [start() for _ in range(count)], list[float]()
    while not told:
        time.sleep(_LOOK)
        for at, process in enumerate(running):
            if process.is_alive() or told:
                continue
            deaths = [when for when in deaths if time.monotonic() - when < 60] + [time.monotonic()]
            fact(log, "a worker ended", pid=process.pid, code=process.exitcode)
            if len(deaths) > _ENOUGH * count:
                told = 1
                break
            time.sleep(_PAUSE)
            running[at] = start()
    _end(running, grace, lambda: told > 1)


def _end(running: list[BaseProcess], grace: float, at_once: Callable[[], bool]) -> None:
    until = time.monotonic() + grace
    for process in running:
        process.terminate()
    while any(process.is_alive() for process in running) and time.monotonic() < until and not at_once():
        time.sleep(_LOOK / 4)
    for process in running:
        process.kill()
        process.join()
