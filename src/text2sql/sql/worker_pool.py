"""A pool of worker processes for everything that parses unchecked SQL text: checks, fixes and query analysis.
The event loop of an app never parses.

Every call has a limit of CPU time, of memory and of wall-clock time. If it exceeds one, or if the process
dies or cannot start, the caller gets a `SqlRejected`. The pool never falls back to running a call in its own
process.

Large arguments that stay the same between calls (`Catalog`, `Policy`) are sent to a worker once. Column
values stay in this process; the worker requests the ones that it needs.
"""

import asyncio
import atexit
import contextvars
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pickle import HIGHEST_PROTOCOL, dumps, loads
from typing import Any, ParamSpec, TypeVar

from text2sql.sql.worker import (
    Died,
    Done,
    Job,
    MethodCall,
    Ready,
    Remote,
    Shared,
    dialects_in,
    receive,
    send,
)
from text2sql.types import Catalog, Policy, SqlRejected, ValueDomains

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

CHECK_SECONDS = 0.2  # of CPU time; with a restart still below the 250 ms that a statement may cost
FIX_SECONDS = 0.5  # of CPU time, for functions that examine a whole schema
MOST_WORKERS = min(4, os.cpu_count() or 1)
_CLOCK = 10.0  # seconds of wall-clock time that a call may take on a busy machine
_START = 60.0  # seconds until a new process must be ready
_METHOD_CALL_SECONDS = 0.1  # of CPU time in this process, for the method calls of one job
_CACHE_BYTES = 16_000_000  # of catalogs and policies in one worker; the least recently used are dropped
_GUARD = ("text2sql.sql.guard", "text2sql.sql.writes")
_MAIN = "import sys; sys.path[:] = {path!r}; from text2sql.sql.worker import main; main({dialect!r})"


async def in_worker(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | SqlRejected:
    """Call a function of `text2sql.sql` in a worker process."""
    call = partial(contextvars.copy_context().run, _pool.run, function, args, kwargs)
    return await asyncio.get_running_loop().run_in_executor(_pool.threads, call)


def in_worker_now(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | SqlRejected:
    """`in_worker` for programs without an event loop."""
    return _pool.threads.submit(_pool.run, function, args, kwargs).result()


def start_worker(dialect: str) -> None:
    """Start a worker in the background, before it is needed. Returns at once."""
    _pool.threads.submit(_pool.warm, dialect)


def close_workers() -> None:
    """Kill all workers; the next call starts new ones."""
    _pool.close()


class _WorkerLost(Exception):
    """The worker can no longer be used."""


class _Worker:
    """A worker process and its pipes. Used by one thread at a time."""

    def __init__(self, dialect: str) -> None:
        code = _MAIN.format(path=sys.path, dialect=dialect)
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # Ctrl-C does not reach it, and one signal kills host and server
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("no pipes")
        self._requests, self._replies = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._cached: OrderedDict[int, tuple[object, int, int]] = OrderedDict()  # id → object, token, bytes
        self._tokens = self._number = 0
        try:
            ready = self._receive(time.monotonic() + _START)
        except BaseException:
            self.end()
            raise
        if not isinstance(ready, Ready) or ready.problem:
            self.end()
            raise _WorkerLost(
                ready.problem if isinstance(ready, Ready) else "it does not say that it is ready"
            )

    @property
    def is_ready(self) -> bool:
        """Whether it runs and has sent nothing since its last reply; a `Died` message would be pending."""
        return self._process.poll() is None and not self._has_reply(0)

    def call(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float
    ) -> Done | Died:
        """Run a function in the process, within a limit of CPU time."""
        self._number += 1
        share: list[tuple[int, bytes]] = []
        remote: dict[int, object] = {}

        def by_reference(value: Any) -> Any:
            if isinstance(value, Catalog | Policy):
                return self._shared(value, share)
            if isinstance(value, ValueDomains):
                remote[len(remote)] = value
                return Remote(len(remote) - 1)
            return value

        job_args = tuple(by_reference(value) for value in args)
        job_kwargs = {name: by_reference(value) for name, value in kwargs.items()}
        forget = self._evict()
        try:
            send(
                self._requests,
                Job(self._number, function, job_args, job_kwargs, seconds, tuple(share), forget),
            )
        except BrokenPipeError as error:
            raise _WorkerLost("it had ended") from error
        reply = self._reply(remote)
        if isinstance(reply, Died) or reply.recycled:
            self._cached.clear()
        return reply

    def end(self) -> None:
        """Kill host and server."""
        with suppress(OSError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.close_pipes()

    def close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _reply(self, remote: dict[int, object]) -> Done | Died:
        deadline, spent = time.monotonic() + _CLOCK, 0.0
        while True:
            message = self._receive(deadline)
            if isinstance(message, Died):
                return message
            if not isinstance(message, Done | MethodCall) or message.number != self._number:
                raise _WorkerLost("its reply is to something else")
            if isinstance(message, Done):
                return message
            before = time.thread_time()
            answer = getattr(remote[message.token], message.name)(*message.args, **message.kwargs)
            spent += time.thread_time() - before
            if spent > _METHOD_CALL_SECONDS:
                raise _WorkerLost("it asks too much")
            send(self._requests, answer)

    def _receive(self, deadline: float) -> Any:
        """The next message; raises `_WorkerLost` if none arrives in time."""
        left = max(deadline - time.monotonic(), 0)
        if not self._has_reply(left):
            raise _WorkerLost("it took too long")
        watchdog = threading.Timer(left, self._process.kill) if sys.platform == "win32" else None
        if watchdog is not None:
            watchdog.start()
        try:
            return receive(self._replies)
        except Exception as error:
            raise _WorkerLost(f"{type(error).__name__} while it was read") from error
        finally:
            if watchdog is not None:
                watchdog.cancel()

    def _has_reply(self, seconds: float) -> bool:
        if sys.platform == "win32":  # pipes cannot be polled there; a timer ends the process instead
            return seconds > 0
        replies = select.poll()
        replies.register(self._replies, select.POLLIN)
        return bool(replies.poll(seconds * 1000))

    def _shared(self, value: object, share: list[tuple[int, bytes]]) -> Shared:
        entry = self._cached.get(id(value))
        if entry is None:
            self._tokens += 1
            body = dumps(value, HIGHEST_PROTOCOL)
            share.append((self._tokens, body))
            entry = self._cached[id(value)] = value, self._tokens, len(body)
        self._cached.move_to_end(id(value))
        return Shared(entry[1])

    def _evict(self) -> tuple[int, ...]:
        tokens = []
        while len(self._cached) > 2 and sum(size for *_, size in self._cached.values()) > _CACHE_BYTES:
            _, (_, token, _) = self._cached.popitem(last=False)
            tokens.append(token)
        return tuple(tokens)


class _Pool:
    """At most `MOST_WORKERS` busy workers, one per thread; further calls are queued."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(MOST_WORKERS, thread_name_prefix="text2sql-sql")
        self._idle: list[_Worker] = []
        self._lock = threading.Lock()
        self._starting = threading.Lock()

    def run(self, function: Callable[..., T], args: Any, kwargs: Any) -> T | SqlRejected:
        while isinstance(function, partial):
            args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
            function = function.func
        try:
            return self._run(function, args, kwargs)
        except (_WorkerLost, OSError) as error:
            log.error("no process could work on a statement: %s", error)  # noqa: TRY400 - no trace of use
            return SqlRejected("unavailable")

    def _run(self, function: Callable[..., T], args: Any, kwargs: Any) -> T | SqlRejected:
        seconds = CHECK_SECONDS if function.__module__ in _GUARD else FIX_SECONDS
        dialect = next(dialects_in(args, kwargs), "")
        worker = self._acquire(dialect)
        try:
            reply = worker.call(function, args, kwargs, seconds)
        except _WorkerLost as error:
            worker.end()
            log.warning("a worker was ended: %s", error)
            return SqlRejected("too_costly")
        except BaseException:
            worker.end()
            raise
        with self._lock:
            self._idle.append(worker)
        result: T | SqlRejected = _result(reply)
        return result

    def warm(self, dialect: str) -> None:
        try:
            worker = self._acquire(dialect)
        except (_WorkerLost, OSError) as error:
            log.warning("no process for SQL text could be started: %s", error)
            return
        with self._lock:
            self._idle.append(worker)

    def _acquire(self, dialect: str) -> _Worker:
        worker = self._idle_worker()
        if worker is None:
            with self._starting:  # one at a time: meanwhile another worker may have become idle
                worker = self._idle_worker() or _Worker(dialect)
        return worker

    def _idle_worker(self) -> _Worker | None:
        while True:
            with self._lock:
                worker = self._idle.pop() if self._idle else None
            if worker is None or worker.is_ready:
                return worker
            worker.end()

    def close(self) -> None:
        with self._lock:
            workers, self._idle = self._idle, []
        for worker in workers:
            worker.end()

    def disown(self) -> None:
        """Release the workers in a forked child: they belong to its parent."""
        for worker in self._idle:
            worker.close_pipes()
        _inherited.extend(self._idle)
        self.__init__()  # type: ignore[misc]


def _result(reply: Done | Died) -> Any:
    if isinstance(reply, Died):
        log.info("a statement was too costly to work on: exit code %d", reply.code)
        return SqlRejected("too_costly")
    for name, level, message in reply.logged:
        logging.getLogger(name).log(level, message)
    if not reply.raised:
        return loads(reply.result)  # noqa: S301 - from our own process
    rule = {"MemoryError": "too_costly", "RecursionError": "too_deep"}.get(reply.raised, "internal")
    log.log(
        logging.ERROR if rule == "internal" else logging.INFO, "work on a statement failed: %s", reply.raised
    )
    return SqlRejected(rule)


_inherited: list[_Worker] = []  # kept, because dropping a process that was not waited for emits a warning
_pool = _Pool()
atexit.register(_pool.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.disown)
