"""Engine and session that run an embedded engine in a child process, with the usual interfaces.

A runaway query hits the memory limit of its own process, not of the one that serves other users, and a
statement that ignores an interrupt is killed. Writes stay in this process: a killed writer could leave a
journal that a read-only connection cannot roll back.
"""

import atexit
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from text2sql.database.dialects import BY_NAME, FACTS
from text2sql.database.engine import Engine, RawResult, WritingSession
from text2sql.database.process.child import SerializedError, SerializedUsageError, SessionSpec
from text2sql.database.process.host import COMMAND
from text2sql.errors import ConnectionFailed, DatabaseError, ResourceExhausted, UsageError
from text2sql.types import Catalog, Plan, Policy

_MAIN = "import sys; sys.path[:] = {path!r}; from text2sql.database.process.host import main; main()"
_CLOSE_SECONDS = 2.0


class ProcessEngine:
    """An engine whose sessions are separate processes."""

    def __init__(self, engine: Engine, make_spec: Callable[[], SessionSpec]) -> None:
        """`make_spec` prepares what a session needs, such as the copy of a data file."""
        self.engine = engine
        self._make_spec = make_spec
        self.dialect = engine.dialect

    def connect(self) -> "ProcessSession":
        return ProcessSession(self._make_spec())

    def connect_writing(self) -> WritingSession:
        return self.engine.connect_writing()

    def translate(self, error: Exception, sql: str) -> DatabaseError | None:
        return self.engine.translate(error, sql)

    def close(self) -> None:
        self.engine.close()


class ProcessSession:
    """A session in a child process."""

    def __init__(self, spec: SessionSpec) -> None:
        self._memory = spec.settings.engine_memory
        self._closed = False
        self._host = current_host()
        self._connection = self._host.fork(spec.source.dialect)
        try:
            self._process: int = self._call("open", spec)
        except BaseException:
            self._connection.close()
            raise

    def begin(self, seconds: float) -> None:
        self._call("begin", seconds)

    def restrict(self, readable: Policy | None) -> None:
        self._call("restrict", readable)

    def execute(self, sql: str, rows: int) -> RawResult:
        return RawResult(self._call("execute", sql, rows), self._batches())

    def explain(self, sql: str) -> Plan:
        plan: Plan = self._call("explain", sql)
        return plan

    def catalog(self, samples: int) -> Catalog:
        catalog: Catalog = self._call("catalog", samples)
        return catalog

    def cancel(self) -> None:
        """Kill the process: an interrupted session is not reused anyway, and nothing can ignore a kill."""
        if not self._closed:
            self._host.kill(self._process)

    def reset(self) -> None:
        self._call("reset")

    def close(self) -> None:
        """Return when the process has ended, because its locks on the file end with it."""
        if self._closed:
            return
        self._closed = True
        deadline = time.monotonic() + _CLOSE_SECONDS
        with suppress(EOFError, OSError):
            self._connection.send(("close", ()))
            while self._connection.poll(max(0.0, deadline - time.monotonic())):
                self._connection.recv_bytes()
        with suppress(OSError):
            self._host.kill(self._process)
        self._connection.close()

    def _batches(self) -> Iterator[list[tuple[Any, ...]]]:
        completed = False
        try:
            while (batch := self._call("next")) is not None:
                yield batch
            completed = True
        finally:
            if not completed and not self._closed:
                with suppress(DatabaseError):  # the process has ended: the next `reset` reports it
                    self._call("stop")

    def _call(self, name: str, *arguments: object) -> Any:
        try:
            self._connection.send((name, arguments))
            answer = self._connection.recv()
        except (EOFError, OSError) as error:
            raise self._ended_error(name) from error
        if isinstance(answer, SerializedError | SerializedUsageError):
            raise answer.error()
        return answer

    def _ended_error(self, name: str) -> DatabaseError:
        """Only a memory limit ends an engine in the middle of a statement, unless the process was killed."""
        if name in ("open", "begin", "restrict", "reset", "stop"):
            return ConnectionFailed("the engine's process has ended", code="process")
        return ResourceExhausted(
            "the engine's process has ended",
            key="database.engine_ended",
            code="process",
            megabytes=self._memory,
        )


def convert_apart(spec: SessionSpec) -> Path:
    """Read a data file or folder into a copy in a process of its own, within the limits of memory and time:
    what the file contains may be hostile.
    """
    host, file = current_host(), spec.source.name
    seconds, megabytes = spec.settings.file_time, spec.settings.engine_memory
    connection, process = host.fork(spec.source.dialect), 0
    try:
        connection.send(("load", (spec,)))
        process = connection.recv()
        connection.send(("convert", ()))
        if not connection.poll(seconds):
            raise UsageError("usage.file_time", file=file, seconds=seconds)
        answer = connection.recv()
    except (EOFError, OSError) as error:  # the process has ended, because its memory is limited
        raise UsageError("usage.file_memory", file=file, megabytes=megabytes) from error
    finally:
        if process:
            with suppress(OSError):
                host.kill(process)
        connection.close()
    if isinstance(answer, SerializedUsageError):
        raise answer.error()
    if isinstance(answer, SerializedError):
        failure = answer.error()
        if isinstance(failure, ResourceExhausted):
            raise UsageError("usage.file_memory", file=file, megabytes=megabytes) from failure
        raise failure
    return Path(answer)


class Host:
    """The owner's side of `host.py`."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._control, child_end = socket.socketpair()
        path = [entry for entry in sys.path if entry]
        with child_end:
            self._process = subprocess.Popen(  # noqa: S603 our own interpreter and code
                [sys.executable, "-P", "-c", _MAIN.format(path=path)],
                stdin=child_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is for the owner
            )

    @property
    def process(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self.owner == os.getpid() and self._process.poll() is None

    def fork(self, dialect: str) -> Connection:
        number = FACTS.index(BY_NAME[dialect])
        own_end, child_end = socket.socketpair()
        with child_end, self._lock:
            try:
                socket.send_fds(self._control, [COMMAND.pack(b"n", number)], [child_end.fileno()])
            except OSError as error:
                own_end.close()
                raise ConnectionFailed("the engines' host has ended", code="process") from error
        return Connection(own_end.detach())

    def kill(self, process: int) -> None:
        """Return when the process has ended."""
        with self._lock:
            self._control.sendall(COMMAND.pack(b"k", process))
            self._control.recv(1)

    def end(self) -> None:
        self._control.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_SECONDS)


_host: Host | None = None
_starting = threading.Lock()


def current_host() -> Host:
    """Return the one host of this process; start another after a fork, or if it has ended."""
    global _host  # noqa: PLW0603
    with _starting:
        if _host is None or not _host.alive:
            _host = Host()
            atexit.register(_host.end)
        return _host
