"""Buffered event streams of running questions, so that a client can reconnect without missing an event.

A question without readers is cancelled after a grace period; a stream whose buffer is full ends with a
problem.
"""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

from text2sql.config import Settings
from text2sql.errors import Text2SQLError, UsageError
from text2sql.i18n import Language
from text2sql.serialization import EVENT_NAMES, event_object
from text2sql.server.logs import request_id
from text2sql.server.problems import details, problem_of
from text2sql.server.streaming import to_json
from text2sql.types import Event, Finished, RowsFound

log = logging.getLogger(__name__)

HEARTBEAT = b": still here\n\n"
MANY_CELLS = 5_000  # larger events are serialized in a thread, so that the event loop stays free
_MAX_BUFFERED_STREAMS = 4  # full buffers of finished streams that may be kept


class Stream:
    """The buffered events of one question, with one writer and any number of readers."""

    def __init__(self, user: str, thread_id: str, language: Language, max_bytes: int) -> None:
        self.id = secrets.token_hex(16)
        self.user = user
        self.thread_id = thread_id
        self.language = language
        self.size = 0
        self.ended = False
        self.readers = 0
        self.task: asyncio.Task[None] | None = None
        self._max_bytes = max_bytes
        self._frames: list[bytes] = []
        self._changed = asyncio.Event()

    def append(self, name: str, payload: str, *, last: bool = False) -> None:
        frame = f"id: {self.id}-{len(self._frames) + 1}\nevent: {name}\ndata: {payload}\n\n"
        data = frame.encode("utf-8", "replace")
        if self.size + len(data) > self._max_bytes and name != "problem":  # always allowed
            raise UsageError("usage.stream_full", most=self._max_bytes)
        self.size += len(data)
        self._frames.append(data)
        self.ended = last
        self._changed.set()
        self._changed = asyncio.Event()

    def after(self, event_id: str) -> int:
        """The position after the event with this id; 0 for an empty id."""
        if not event_id:
            return 0
        stream, _, number = event_id.rpartition("-")
        if stream != self.id or not number.isascii() or not number.isdigit() or len(number) > 9:
            raise UsageError("usage.stream_event")
        if not 0 < int(number) <= len(self._frames):
            raise UsageError("usage.stream_event")
        return int(number)

    async def read(self, after: int, heartbeat: float) -> AsyncGenerator[bytes, None]:
        """Yield the frames after a position until the end, and a heartbeat comment while nothing happens."""
        while True:
            changed = self._changed
            if after < len(self._frames):
                yield self._frames[after]
                after += 1
            elif self.ended:
                return
            else:
                try:
                    async with asyncio.timeout(heartbeat):
                        await changed.wait()
                except TimeoutError:
                    yield HEARTBEAT


class Streams:
    def __init__(self, settings: Settings, *, multiple_processes: bool = False) -> None:
        """`multiple_processes`: a stream that is unknown here may exist in another process."""
        self._settings = settings
        self._not_found_key = "usage.stream_elsewhere" if multiple_processes else "usage.stream"
        self._streams: dict[str, Stream] = {}
        self._finished: OrderedDict[str, Stream] = OrderedDict()  # oldest first
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closed = False

    @property
    def running(self) -> int:
        return len(self._streams) - len(self._finished)

    @property
    def finished(self) -> int:
        return len(self._finished)

    @property
    def finished_bytes(self) -> int:
        return sum(stream.size for stream in self._finished.values())

    def start(
        self, user: str, thread_id: str, language: Language, events: AsyncGenerator[Event, None]
    ) -> Stream:
        """Start to run a question. Without a reader it continues for the grace period."""
        if self._closed:
            raise UsageError("usage.stream_cancelled", thread=thread_id)
        stream = Stream(user, thread_id, language, self._settings.stream_bytes)
        self._streams[stream.id] = stream
        stream.append("started", to_json({"stream_id": stream.id, "thread_id": thread_id}))
        stream.task = asyncio.create_task(self._run(stream, events))
        self._start_timer(stream)
        return stream

    def find(self, user: str, stream_id: str) -> Stream:
        """Find a stream by id. A stream of another user is reported as unknown."""
        stream = self._streams.get(stream_id)
        if stream is None or stream.user != user:
            raise UsageError(self._not_found_key)
        return stream

    async def read(self, stream: Stream, after: int) -> AsyncGenerator[bytes, None]:
        with self._reading(stream):
            async with aclosing(stream.read(after, self._settings.heartbeat)) as frames:
                async for frame in frames:
                    yield frame

    async def cancel(self, stream: Stream) -> None:
        """Cancel a running stream and wait until it has ended; readers get a problem event."""
        if stream.task is not None and not stream.ended:
            self._cancel(stream.task)
            await asyncio.wait({stream.task})

    async def close(self, grace: float) -> None:
        """Accept no new streams; wait for running ones for the grace period, then cancel them."""
        self._closed = True
        tasks = {stream.task for stream in self._streams.values() if stream.task and not stream.ended}
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def forget(self) -> None:
        """Drop all finished streams."""
        for name in list(self._finished):
            self._forget(name)

    async def _run(self, stream: Stream, events: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    stream.append(
                        EVENT_NAMES[type(event)], await _serialize(event), last=isinstance(event, Finished)
                    )
        except asyncio.CancelledError:
            cancelled = UsageError("usage.stream_cancelled", thread=stream.thread_id)
            self._fail(stream, problem_of(cancelled, stream.language))
        except Text2SQLError as error:
            self._fail(stream, problem_of(error, stream.language))
        except Exception:  # reported to the reader as 500, and logged
            log.exception("internal error in a question")
            self._fail(stream, details(500, stream.language, request_id=request_id.get()))
        finally:
            self._finish(stream)

    @staticmethod
    def _fail(stream: Stream, problem: Mapping[str, Any]) -> None:
        """Append a final problem event, unless the stream has ended: it ends exactly once."""
        if not stream.ended:
            payload = to_json({**problem, "thread_id": stream.thread_id})
            stream.append("problem", payload, last=True)

    @contextmanager
    def _reading(self, stream: Stream) -> Iterator[None]:
        stream.readers += 1
        self._stop_timer(stream.id)
        try:
            yield
        finally:
            stream.readers -= 1
            if stream.readers == 0 and stream.id in self._streams:
                self._start_timer(stream)

    def _start_timer(self, stream: Stream) -> None:
        """Without readers: cancel the stream after the grace period, or drop it later if it has finished."""
        if stream.ended:
            self._schedule(stream, self._settings.stream_keep, lambda: self._forget(stream.id))
        elif stream.task is not None:
            task = stream.task
            self._schedule(stream, self._settings.stream_grace, lambda: self._cancel(task))

    @staticmethod
    def _cancel(task: "asyncio.Task[None]") -> None:
        """Cancel once: a second cancellation would interrupt the cleanup of the first one."""
        if not task.cancelling():
            task.cancel()

    def _finish(self, stream: Stream) -> None:
        stream.ended = True
        self._finished[stream.id] = stream
        self._stop_timer(stream.id)
        if stream.readers == 0:
            self._start_timer(stream)
        while (
            len(self._finished) > 1
            and self.finished_bytes > _MAX_BUFFERED_STREAMS * self._settings.stream_bytes
        ):
            self._forget(next(iter(self._finished)))

    def _schedule(self, stream: Stream, seconds: float, work: Callable[[], object]) -> None:
        self._stop_timer(stream.id)
        self._timers[stream.id] = asyncio.get_running_loop().call_later(seconds, work)

    def _stop_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _forget(self, name: str) -> None:
        self._stop_timer(name)
        self._streams.pop(name, None)
        self._finished.pop(name, None)


async def _serialize(event: Event) -> str:
    rows = (
        event.rows
        if isinstance(event, RowsFound)
        else event.answer.rows
        if isinstance(event, Finished)
        else ()
    )
    if rows and len(rows) * len(rows[0]) > MANY_CELLS:
        return await asyncio.to_thread(_payload, event)
    return _payload(event)


def _payload(event: Event) -> str:
    return to_json(event_object(event))
