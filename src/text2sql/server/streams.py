"""Questions on their way. Each writes its events into a buffer, so that a reader who was cut off can go on
where it was: nothing is missed and nothing is told twice.

A question that nobody reads is cancelled after a grace; one whose buffer is full ends with a problem.
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
from text2sql.messages import Language
from text2sql.server.problems import details, problem_of
from text2sql.server.sending import to_json
from text2sql.shapes import EVENT_NAMES, event_object
from text2sql.types import Event, Finished, RowsFound

log = logging.getLogger(__name__)

HEARTBEAT = b": still here\n\n"
MANY_CELLS = 5_000  # an event of more is written by a thread: the loop has other clients
_KEPT_STREAMS = 4  # full buffers that ended streams may hold together


class Stream:
    """The events of one question, as they were sent. One task writes, any number of readers read."""

    def __init__(self, user: str, thread_id: str, language: Language, most_bytes: int) -> None:
        self.id = secrets.token_hex(16)
        self.user = user
        self.thread_id = thread_id
        self.language = language
        self.size = 0
        self.ended = False
        self.readers = 0
        self.task: asyncio.Task[None] | None = None
        self._most = most_bytes
        self._frames: list[bytes] = []
        self._news = asyncio.Event()

    def tell(self, name: str, payload: str, *, last: bool = False) -> None:
        frame = f"id: {self.id}-{len(self._frames) + 1}\nevent: {name}\ndata: {payload}\n\n"
        told = frame.encode("utf-8", "replace")
        if self.size + len(told) > self._most and name != "problem":  # which may always be said
            raise UsageError("usage.stream_full", most=self._most)
        self.size += len(told)
        self._frames.append(told)
        self.ended = last
        self._news.set()
        self._news = asyncio.Event()

    def after(self, event_id: str) -> int:
        """How many events somebody has who names the last one; none for nothing named."""
        if not event_id:
            return 0
        stream, _, number = event_id.rpartition("-")
        if stream != self.id or not number.isascii() or not number.isdigit() or len(number) > 9:
            raise UsageError("usage.stream_event")
        if not 0 < int(number) <= len(self._frames):
            raise UsageError("usage.stream_event")
        return int(number)

    async def read(self, after: int, heartbeat: float) -> AsyncGenerator[bytes, None]:
        """Everything behind that event, to the end; a comment whenever there was silence for a while."""
        while True:
            news = self._news
            if after < len(self._frames):
                yield self._frames[after]
                after += 1
            elif self.ended:
                return
            else:
                try:
                    async with asyncio.timeout(heartbeat):
                        await news.wait()
                except TimeoutError:
                    yield HEARTBEAT


class Streams:
    def __init__(self, settings: Settings, *, siblings: bool = False) -> None:
        """`siblings`: there are other processes, and a stream that is not here may be in one of them."""
        self._settings = settings
        self._elsewhere = "usage.stream_elsewhere" if siblings else "usage.stream"
        self._streams: dict[str, Stream] = {}
        self._old: OrderedDict[str, Stream] = OrderedDict()  # ended, oldest first
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closed = False

    @property
    def running(self) -> int:
        return len(self._streams) - len(self._old)

    @property
    def kept(self) -> int:
        return len(self._old)

    @property
    def kept_bytes(self) -> int:
        return sum(stream.size for stream in self._old.values())

    def start(
        self, user: str, thread_id: str, language: Language, events: AsyncGenerator[Event, None]
    ) -> Stream:
        """Begin to ask. It goes on for the grace even if nobody ever reads it."""
        if self._closed:
            raise UsageError("usage.stream_cancelled", thread=thread_id)
        stream = Stream(user, thread_id, language, self._settings.stream_bytes)
        self._streams[stream.id] = stream
        stream.tell("started", to_json({"stream_id": stream.id, "thread_id": thread_id}))
        stream.task = asyncio.create_task(self._run(stream, events))
        self._unread(stream)
        return stream

    def find(self, user: str, stream_id: str) -> Stream:
        """Another user's stream is no stream: nobody can tell which."""
        stream = self._streams.get(stream_id)
        if stream is None or stream.user != user:
            raise UsageError(self._elsewhere)
        return stream

    async def read(self, stream: Stream, after: int) -> AsyncGenerator[bytes, None]:
        with self._reading(stream):
            async with aclosing(stream.read(after, self._settings.heartbeat)) as frames:
                async for frame in frames:
                    yield frame

    async def cancel(self, stream: Stream) -> None:
        """At once, and to its very end; whoever reads it is told. What has ended stays as it is."""
        if stream.task is not None and not stream.ended:
            self._cancel(stream.task)
            await asyncio.wait({stream.task})

    async def close(self, grace: float) -> None:
        """Nothing new is begun; what goes on may end within the grace, and is cancelled after it."""
        self._closed = True
        tasks = {stream.task for stream in self._streams.values() if stream.task and not stream.ended}
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def forget(self) -> None:
        """Of what has ended, everything."""
        for name in list(self._old):
            self._drop(name)

    async def _run(self, stream: Stream, events: AsyncGenerator[Event, None]) -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    stream.tell(
                        EVENT_NAMES[type(event)], await _written(event), last=isinstance(event, Finished)
                    )
        except asyncio.CancelledError:
            gone = UsageError("usage.stream_cancelled", thread=stream.thread_id)
            self._fail(stream, problem_of(gone, stream.language))
        except Text2SQLError as error:
            self._fail(stream, problem_of(error, stream.language))
        except Exception:  # whatever it is: a reader is told, and the log has it
            log.exception("a question ended with a fault of ours")
            self._fail(stream, details(500, stream.language, request_id="-"))
        finally:
            self._ended(stream)

    @staticmethod
    def _fail(stream: Stream, problem: Mapping[str, Any]) -> None:
        """The last event, unless there was one: a stream has exactly one end."""
        if not stream.ended:
            told = to_json({**problem, "thread_id": stream.thread_id})
            stream.tell("problem", told, last=True)

    @contextmanager
    def _reading(self, stream: Stream) -> Iterator[None]:
        stream.readers += 1
        self._stop_timer(stream.id)
        try:
            yield
        finally:
            stream.readers -= 1
            if stream.readers == 0 and stream.id in self._streams:
                self._unread(stream)

    def _unread(self, stream: Stream) -> None:
        """Nobody reads it: it will be cancelled, or when it is over forgotten."""
        if stream.ended:
            self._later(stream, self._settings.stream_keep, lambda: self._drop(stream.id))
        elif stream.task is not None:
            task = stream.task
            self._later(stream, self._settings.stream_grace, lambda: self._cancel(task))

    @staticmethod
    def _cancel(task: "asyncio.Task[None]") -> None:
        """Once: a second word would cut short what the first one lets go of."""
        if not task.cancelling():
            task.cancel()

    def _ended(self, stream: Stream) -> None:
        stream.ended = True
        self._old[stream.id] = stream
        self._stop_timer(stream.id)
        if stream.readers == 0:
            self._unread(stream)
        while len(self._old) > 1 and self.kept_bytes > _KEPT_STREAMS * self._settings.stream_bytes:
            self._drop(next(iter(self._old)))

    def _later(self, stream: Stream, seconds: float, work: Callable[[], object]) -> None:
        self._stop_timer(stream.id)
        self._timers[stream.id] = asyncio.get_running_loop().call_later(seconds, work)

    def _stop_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def _drop(self, name: str) -> None:
        self._stop_timer(name)
        self._streams.pop(name, None)
        self._old.pop(name, None)


async def _written(event: Event) -> str:
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
