"""The worker process that handles unchecked SQL text; `worker_pool` starts it.

    parent ⇄ pipes ⇄ host → fork → server

The host imports the parser and forks a server, which runs one function at a time. The kernel kills a server
that uses too much CPU time, even inside compiled code; the host then forks the next one within milliseconds.
Without fork (Windows) the host is also the server, and only the parent can kill it.

Both processes exit when the parent's end of the pipe closes, however the parent ended.
"""

import gc
import logging
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, NoReturn

from text2sql.sql.dialects import GRAMMARS

MEMORY = 64 * 1024 * 1024  # bytes that one call may allocate
LARGEST_REPLY = 4 * 1024 * 1024  # bytes; ten times the longest statement that the guard allows
_NICE = 5  # lower priority than the event loop of a server
_RECYCLED = 75  # exit code of a server that has grown and must be replaced
_HEADER = struct.Struct("!I")


@dataclass(frozen=True, slots=True)
class Shared:
    """Refers to an object that the worker caches between calls."""

    token: int


@dataclass(frozen=True, slots=True)
class Remote:
    """Refers to an object that stays in the parent; the worker calls its methods through the pipe."""

    token: int


@dataclass(frozen=True, slots=True)
class Job:
    """A request: call a function within limits."""

    number: int  # repeated in every message about this job, so that replies cannot be mixed up
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    seconds: float  # limit of CPU time
    share: tuple[tuple[int, bytes], ...] = ()  # objects to cache: token and pickle
    forget: tuple[int, ...] = ()  # tokens to drop from the cache


@dataclass(frozen=True, slots=True)
class MethodCall:
    """A question from the worker: call a method of an object in the parent."""

    number: int
    token: int
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has started, or failed to."""

    problem: str = ""  # why it failed


@dataclass(frozen=True, slots=True)
class Done:
    """The pickled result of a job, or the class name of the exception that it raised."""

    number: int
    result: bytes
    raised: str = ""
    logged: tuple[tuple[str, int, str], ...] = ()  # logger, level, message
    recycled: bool = False  # the next server starts with an empty cache


@dataclass(frozen=True, slots=True)
class Died:
    """A signal killed the server during a job."""

    code: int  # the negative signal number


def send(pipe: int, message: object) -> None:
    """Write a message, prefixed with its length."""
    _write(pipe, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(pipe: int) -> Any:
    """Read a message. Raises EOFError if the other side has closed the pipe."""
    (size,) = _HEADER.unpack(_read(pipe, _HEADER.size))
    return pickle.loads(_read(pipe, size))  # noqa: S301 - from our own process


def _write(pipe: int, body: bytes) -> None:
    rest = memoryview(_HEADER.pack(len(body)) + body)
    while rest:
        rest = rest[os.write(pipe, rest) :]


def _read(pipe: int, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = os.read(pipe, size - len(parts))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def dialects_in(args: Iterable[Any], kwargs: Mapping[str, Any]) -> Iterator[str]:
    """The arguments that name a dialect."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, str) and value in GRAMMARS:
            yield value


# -- the host ------------------------------------------------------------------------------------


class Pipes(NamedTuple):
    requests: int
    replies: int


def main(dialect: str) -> None:
    """Run the worker until the parent closes the pipe."""
    pipes = _pipes()
    try:
        with suppress(AttributeError, OSError):
            os.nice(_NICE)
        warm(dialect)
    except BaseException as error:
        send(pipes.replies, Ready(f"{type(error).__name__}: {error}"))
        raise
    send(pipes.replies, Ready())
    with suppress(EOFError, BrokenPipeError):
        _host(pipes, dialect) if hasattr(os, "fork") else _serve(pipes, dialect)


def _pipes() -> Pipes:
    """Take over stdin and stdout as pipes to the parent, and discard anything that is printed."""
    pipes = Pipes(os.dup(0), os.dup(1))
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(null, standard)
    return pipes


def _host(pipes: Pipes, dialect: str) -> None:
    gc.collect()
    gc.freeze()  # exclude imported modules from every later collection
    code = _RECYCLED
    while code < 0 or code == _RECYCLED:  # any other exit is a bug that would recur in the next server
        server = os.fork()
        if server == 0:
            _serve_and_exit(pipes, dialect)
        _, status = os.waitpid(server, 0)
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            send(pipes.replies, Died(code))


def _serve_and_exit(pipes: Pipes, dialect: str) -> NoReturn:
    code = 1
    try:
        code = _serve(pipes, dialect)
    except (EOFError, BrokenPipeError):
        code = 0
    finally:
        os._exit(code)


def warm(dialect: str) -> None:
    """Load the lists of a dialect and build its parser, so that the first statement does not pay for it."""
    from text2sql.sql import check  # noqa: PLC0415 - which imports this module

    if dialect in GRAMMARS:
        check("SELECT count(*) FROM a JOIN b ON a.x = b.x WHERE a.y = 'z'", dialect)


# -- the server ----------------------------------------------------------------------------------


def _serve(pipes: Pipes, dialect: str) -> int:
    """Run jobs until the parent closes the pipe or this process has grown. Returns the exit code."""
    log_buffer = _LogBuffer()
    logging.getLogger("text2sql").addHandler(log_buffer)
    cache: dict[int, Any] = {}
    warmed = {dialect}
    start_memory = _peak_memory()
    while True:
        job: Job = receive(pipes.requests)
        for token in job.forget:
            cache.pop(token, None)
        if job.share:
            cache.update((token, pickle.loads(body)) for token, body in job.share)  # noqa: S301
            start_memory = max(start_memory, _peak_memory())
        for name in set(dialects_in(job.args, job.kwargs)) - warmed:
            warm(name)
            warmed.add(name)
        resolve = partial(_resolved, number=job.number, cache=cache, pipes=pipes)
        args = [resolve(value) for value in job.args]
        result, raised = _run(job, args, {name: resolve(value) for name, value in job.kwargs.items()})
        has_grown = _peak_memory() > start_memory + MEMORY
        send(pipes.replies, Done(job.number, result, raised, log_buffer.take(), has_grown))
        if has_grown:
            return _RECYCLED


def _resolved(value: Any, number: int, cache: Mapping[int, Any], pipes: Pipes) -> Any:
    if isinstance(value, Shared):
        return cache[value.token]
    return _Remote(number, value.token, pipes) if isinstance(value, Remote) else value


def _run(job: Job, args: list[Any], kwargs: dict[str, Any]) -> tuple[bytes, str]:
    """Call the function within its limits, which also cover pickling. Returns the pickled result, or the
    class name of the exception.
    """
    _limit(job.seconds)
    try:
        result = pickle.dumps(job.function(*args, **kwargs), pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # noqa: BLE001 - the parent decides what that means
        return b"", type(error).__name__
    finally:
        _unlimit()
    return (result, "") if len(result) <= LARGEST_REPLY else (b"", "MemoryError")


def _limit(seconds: float) -> None:
    """Limit CPU time, after which the kernel kills this process, and memory, which raises MemoryError."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)
        _limit_memory(_address_space() + MEMORY)


def _unlimit() -> None:
    if sys.platform != "win32":
        _limit_memory(None)
        signal.setitimer(signal.ITIMER_PROF, 0)


def _limit_memory(size: int | None) -> None:
    import resource  # noqa: PLC0415 - not on Windows

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError, ValueError):  # macOS ignores the limit; `_RECYCLED` takes its place
        resource.setrlimit(resource.RLIMIT_AS, (hard if size is None else size, hard))


def _address_space() -> int:
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)  # a third of the time that `Path.read_bytes` takes
    except OSError:
        return 1 << 40
    try:
        pages = int(os.read(file, 64).split()[0])
    finally:
        os.close(file)
    return pages * os.sysconf("SC_PAGE_SIZE")


def _peak_memory() -> int:
    """The maximum resident set size, in bytes."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415

    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size if sys.platform == "darwin" else size * 1024


class _Remote:
    """A proxy for an object in the parent process."""

    def __init__(self, number: int, token: int, pipes: Pipes) -> None:
        self._number, self._token, self._pipes = number, token, pipes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            send(self._pipes.replies, MethodCall(self._number, self._token, name, args, kwargs))
            return receive(self._pipes.requests)

        return call


class _LogBuffer(logging.Handler):
    """Collects log records, which the parent's loggers emit."""

    def __init__(self) -> None:
        super().__init__()
        self._records: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append((record.name, record.levelno, record.getMessage()))

    def take(self) -> tuple[tuple[str, int, str], ...]:
        records, self._records = tuple(self._records), []
        return records
